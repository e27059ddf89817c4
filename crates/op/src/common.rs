//! What many operations share: what to return, what was consumed.

use std::collections::BTreeMap;

use item::Value;

/// `ReturnValues` of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "each variant is the choice of its name")]
pub enum Returns {
    #[default]
    None,
    AllOld,
    UpdatedOld,
    AllNew,
    UpdatedNew,
}

/// `ReturnValuesOnConditionCheckFailure`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "each variant is the choice of its name")]
pub enum OnFailure {
    #[default]
    None,
    AllOld,
}

/// `ReturnConsumedCapacity`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "each variant is the choice of its name")]
pub enum CapacityDetail {
    #[default]
    None,
    Total,
    Indexes,
}

/// `ReturnItemCollectionMetrics`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "each variant is the choice of its name")]
pub enum MetricsDetail {
    #[default]
    None,
    Size,
}

/// Capacity units, as a table or an index used them. Halves are exact.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Capacity {
    /// All units.
    pub units: f64,
    /// The read units among them, told only of transactions.
    pub read: Option<f64>,
    /// The write units among them, told only of transactions.
    pub write: Option<f64>,
}

/// What one table's part of an operation consumed.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsumedCapacity {
    /// The table, as its plain name.
    pub table_name: String,
    /// Table and indexes together.
    pub total: Capacity,
    /// The table alone; told with INDEXES only.
    pub table: Option<Capacity>,
    /// Each local index; told with INDEXES only.
    pub local_indexes: BTreeMap<String, Capacity>,
    /// Each global index; told with INDEXES only.
    pub global_indexes: BTreeMap<String, Capacity>,
}

/// Size of the item collection that a write touched, in a table with local indexes.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectionMetrics {
    /// The partition key attribute's name.
    pub key_name: String,
    /// The partition key.
    pub key: Value,
    /// Lower and upper bound of the size in gigabytes.
    pub size_range_gb: (f64, f64),
}

/// A tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
}

/// The region that ARNs and stream records name.
pub const REGION: &str = "us-east-1";
