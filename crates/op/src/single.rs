//! Operations on one item.

use expr::{Condition, Projection, Update};
use item::{Item, Stored};

use crate::{CapacityDetail, CollectionMetrics, ConsumedCapacity, MetricsDetail, OnFailure, Returns};

/// Writes a whole item.
#[derive(Debug, Clone)]
pub struct PutItem {
    /// The table's plain name.
    pub table: String,
    /// The item.
    pub item: Item,
    /// What must hold of the item that is there.
    pub condition: Option<Condition>,
    /// None or AllOld.
    pub returns: Returns,
    /// What to return when the condition fails.
    pub on_failure: OnFailure,
    /// Whether to report capacity.
    pub capacity: CapacityDetail,
    /// Whether to report the item collection's size.
    pub metrics: MetricsDetail,
}

/// Reads one item.
#[derive(Debug, Clone)]
pub struct GetItem {
    /// The table's plain name.
    pub table: String,
    /// The primary key.
    pub key: Item,
    /// Which attributes to return.
    pub projection: Option<Projection>,
    /// Whether the read is strongly consistent.
    pub consistent: bool,
    /// Whether to report capacity.
    pub capacity: CapacityDetail,
}

/// Changes attributes of an item, or makes it.
#[derive(Debug, Clone)]
pub struct UpdateItem {
    /// The table's plain name.
    pub table: String,
    /// The primary key.
    pub key: Item,
    /// What to change; none makes an item of its key alone.
    pub update: Option<Update>,
    /// What must hold of the item that is there.
    pub condition: Option<Condition>,
    /// Any form.
    pub returns: Returns,
    /// What to return when the condition fails.
    pub on_failure: OnFailure,
    /// Whether to report capacity.
    pub capacity: CapacityDetail,
    /// Whether to report the item collection's size.
    pub metrics: MetricsDetail,
}

/// Removes an item.
#[derive(Debug, Clone)]
pub struct DeleteItem {
    /// The table's plain name.
    pub table: String,
    /// The primary key.
    pub key: Item,
    /// What must hold of the item that is there.
    pub condition: Option<Condition>,
    /// None or AllOld.
    pub returns: Returns,
    /// What to return when the condition fails.
    pub on_failure: OnFailure,
    /// Whether to report capacity.
    pub capacity: CapacityDetail,
    /// Whether to report the item collection's size.
    pub metrics: MetricsDetail,
}

/// The answer of a read of one item.
#[derive(Debug, Clone, Default)]
pub struct GetItemOutput {
    /// The item, if it is there.
    pub item: Option<Stored>,
    /// What was consumed, if asked for.
    pub capacity: Option<ConsumedCapacity>,
}

/// The answer of a write of one item.
#[derive(Debug, Clone, Default)]
pub struct WriteOutput {
    /// The attributes asked for; none where there are none.
    pub attributes: Option<Item>,
    /// What was consumed, if asked for.
    pub capacity: Option<ConsumedCapacity>,
    /// The item collection's size, if asked for and the table has local indexes.
    pub metrics: Option<CollectionMetrics>,
}
