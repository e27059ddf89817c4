//! The expression language: conditions, key conditions, updates and projections, read from their text and applied to
//! items. Knows no JSON, no tables, no storage.

mod condition;
mod error;
mod key_condition;
mod kind;
pub mod legacy;
mod overlap;
mod path;
mod placeholders;
mod projection;
mod reserved;
mod syntax;
#[cfg(test)]
mod testing;
mod token;
mod update;

pub use condition::Condition;
pub use error::Error;
pub use key_condition::{KeyCondition, KeyTerm, KeyTest};
pub use kind::Kind;
pub use path::{Path, Step};
pub use placeholders::Placeholders;
pub use projection::Projection;
pub use reserved::is_reserved;
pub use update::{Applied, Update};
