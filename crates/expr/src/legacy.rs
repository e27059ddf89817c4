//! The parameters from before expressions: `Expected`, `QueryFilter`, `ScanFilter`, `KeyConditions` and
//! `AttributeUpdates`, turned into the same conditions and updates. Knows no JSON and no tables.

mod compare;
mod expected;
mod update;

pub use compare::{ComparisonOperator, ConditionalOperator, Source, Test, conditions, key_conditions};
pub use expected::{Expectation, expected};
pub use update::{AttributeAction, AttributeUpdate, updates};

use crate::Error;

/// The beginning that most errors of these parameters share.
fn invalid(text: &str) -> Error {
    Error::new(format!("One or more parameter values were invalid: {text}"))
}

#[cfg(test)]
mod tests;
