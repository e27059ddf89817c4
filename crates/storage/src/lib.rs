//! Ordered byte keys in numbered spaces, one-shot transactions and group commit, in memory or on a disk.
//! Knows no items, no tables, no indexes and no clock: a caller gives every byte a meaning.
//!
//! A commit is *ordered* first and becomes *visible* when a crash can no longer undo it. Reads see only what is
//! visible; `Store::apply` also sees what is ordered, so that a hot key is not limited to one write per sync.

mod batch;
mod disk;
mod error;
mod memory;
mod progress;
mod range;
#[cfg(feature = "simulation")]
mod simulated;
mod snapshot;
mod space;
mod stamp;
mod store;
mod stripes;

pub use batch::Batch;
pub use error::Error;
pub use progress::{Durable, Ticket};
pub use range::{Direction, Range, Visit};
#[cfg(feature = "simulation")]
pub use simulated::{Flaw, Found, Simulation, Tail};
pub use snapshot::Snapshot;
pub use space::{Key, Space};
pub use stamp::{APPENDED_KEY_BYTES, Stamp};
pub use store::{Config, Durability, Shortage, Store};
