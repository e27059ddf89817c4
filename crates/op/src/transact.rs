//! Operations on many items that succeed together or not at all.

use std::collections::BTreeMap;

use expr::{Condition, Projection, Update};
use item::{Item, Stored};

use crate::{CapacityDetail, CollectionMetrics, ConsumedCapacity, MetricsDetail, OnFailure};

/// Reads up to 100 items at one moment.
#[derive(Debug, Clone)]
pub struct TransactGetItems {
    /// What to read.
    pub gets: Vec<TransactGet>,
    /// Whether to report capacity.
    pub capacity: CapacityDetail,
}

/// One read of a transaction.
#[derive(Debug, Clone)]
pub struct TransactGet {
    /// The table's plain name.
    pub table: String,
    /// The primary key.
    pub key: Item,
    /// Which attributes to return.
    pub projection: Option<Projection>,
}

/// The answer of TransactGetItems.
#[derive(Debug, Clone, Default)]
pub struct TransactGetItemsOutput {
    /// One entry a read, in order; none where the item is not there.
    pub items: Vec<Option<Stored>>,
    /// What was consumed, if asked for; one entry a table.
    pub capacity: Vec<ConsumedCapacity>,
}

/// Writes up to 100 items at one moment.
#[derive(Debug, Clone)]
pub struct TransactWriteItems {
    /// What to do.
    pub actions: Vec<TransactAction>,
    /// Makes a repetition within ten minutes answer without writing again.
    pub token: Option<String>,
    /// A digest of the actions, equal for equal requests, to tell a repetition from a reuse of the token.
    pub digest: u64,
    /// Whether to report capacity.
    pub capacity: CapacityDetail,
    /// Whether to report item collections' sizes.
    pub metrics: MetricsDetail,
}

/// One action of a transaction.
#[derive(Debug, Clone)]
pub struct TransactAction {
    /// The table's plain name.
    pub table: String,
    /// What to do there.
    pub act: TransactAct,
    /// What to return when the condition fails.
    pub on_failure: OnFailure,
}

/// What an action of a transaction does.
#[derive(Debug, Clone)]
pub enum TransactAct {
    /// Writes a whole item.
    Put {
        /// The item.
        item: Item,
        /// What must hold of the item that is there.
        condition: Option<Condition>,
    },
    /// Changes attributes of an item, or makes it.
    Update {
        /// The primary key.
        key: Item,
        /// What to change.
        update: Update,
        /// What must hold of the item that is there.
        condition: Option<Condition>,
    },
    /// Removes an item.
    Delete {
        /// The primary key.
        key: Item,
        /// What must hold of the item that is there.
        condition: Option<Condition>,
    },
    /// Writes nothing, but cancels the transaction unless the condition holds.
    Check {
        /// The primary key.
        key: Item,
        /// What must hold of the item that is there.
        condition: Condition,
    },
}

/// The answer of TransactWriteItems.
#[derive(Debug, Clone, Default)]
pub struct TransactWriteItemsOutput {
    /// What was consumed, if asked for; one entry a table.
    pub capacity: Vec<ConsumedCapacity>,
    /// Item collections' sizes by table, if asked for.
    pub metrics: BTreeMap<String, Vec<CollectionMetrics>>,
}
