//! Operations on many items that need not succeed together.

use std::collections::BTreeMap;

use expr::Projection;
use item::{Item, Stored};

use crate::{CapacityDetail, CollectionMetrics, ConsumedCapacity, MetricsDetail};

/// Reads up to 100 items of any tables.
#[derive(Debug, Clone)]
pub struct BatchGetItem {
    /// What to read, in the order of the request.
    pub tables: Vec<KeysOfTable>,
    /// Whether to report capacity.
    pub capacity: CapacityDetail,
}

/// The keys to read of one table.
#[derive(Debug, Clone)]
pub struct KeysOfTable {
    /// The table as the request named it (name or ARN), under which it is answered.
    pub named: String,
    /// The table's plain name.
    pub table: String,
    /// The primary keys.
    pub keys: Vec<Item>,
    /// Which attributes to return.
    pub projection: Option<Projection>,
    /// Whether the reads are strongly consistent.
    pub consistent: bool,
}

/// The answer of BatchGetItem.
#[derive(Debug, Clone, Default)]
pub struct BatchGetItemOutput {
    /// Items found, by table as the request named it.
    pub items: Vec<(String, Vec<Stored>)>,
    /// Keys that did not fit the answer: places in the request's `tables`, and of their `keys`.
    pub unprocessed: Vec<(usize, Vec<usize>)>,
    /// What was consumed, if asked for; one entry a table.
    pub capacity: Vec<ConsumedCapacity>,
}

/// Puts and deletes up to 25 items of any tables.
#[derive(Debug, Clone)]
pub struct BatchWriteItem {
    /// What to write, in the order of the request.
    pub tables: Vec<WritesOfTable>,
    /// Whether to report capacity.
    pub capacity: CapacityDetail,
    /// Whether to report item collections' sizes.
    pub metrics: MetricsDetail,
}

/// The writes to one table.
#[derive(Debug, Clone)]
pub struct WritesOfTable {
    /// The table as the request named it (name or ARN), under which it is answered.
    pub named: String,
    /// The table's plain name.
    pub table: String,
    /// The writes.
    pub writes: Vec<Write>,
}

/// One write of a batch.
#[derive(Debug, Clone)]
pub enum Write {
    /// Writes this item.
    Put(Item),
    /// Removes the item with this key.
    Delete(Item),
}

/// The answer of BatchWriteItem.
#[derive(Debug, Clone, Default)]
pub struct BatchWriteItemOutput {
    /// Writes that were not carried out: places in the request's `tables`, and of their `writes`.
    pub unprocessed: Vec<(usize, Vec<usize>)>,
    /// What was consumed, if asked for; one entry a table.
    pub capacity: Vec<ConsumedCapacity>,
    /// Item collections' sizes by table, if asked for.
    pub metrics: BTreeMap<String, Vec<CollectionMetrics>>,
}
