//! Operations that read items in order, a page at a time.

use expr::{Condition, KeyCondition, Projection};
use item::{Item, Stored};

use crate::{CapacityDetail, ConsumedCapacity};

/// Reads items with one partition key, in the order of their sort keys.
#[derive(Debug, Clone)]
pub struct Query {
    /// The table's plain name.
    pub table: String,
    /// The index to read instead of the table.
    pub index: Option<String>,
    /// Which keys.
    pub key_condition: KeyCondition,
    /// Which of the items read to return.
    pub filter: Option<Condition>,
    /// Which attributes to return.
    pub projection: Option<Projection>,
    /// What to return.
    pub select: Option<Select>,
    /// How many items to read.
    pub limit: Option<usize>,
    /// The key after which to go on.
    pub start: Option<Item>,
    /// Whether to read upwards (`ScanIndexForward`).
    pub forward: bool,
    /// Whether the read is strongly consistent.
    pub consistent: bool,
    /// Whether to report capacity.
    pub capacity: CapacityDetail,
}

/// Reads all items of a table or an index.
#[derive(Debug, Clone)]
pub struct Scan {
    /// The table's plain name.
    pub table: String,
    /// The index to read instead of the table.
    pub index: Option<String>,
    /// Which of the items read to return.
    pub filter: Option<Condition>,
    /// Which attributes to return.
    pub projection: Option<Projection>,
    /// What to return.
    pub select: Option<Select>,
    /// How many items to read.
    pub limit: Option<usize>,
    /// The key after which to go on.
    pub start: Option<Item>,
    /// Which part of a parallel scan this is.
    pub segment: Option<Segment>,
    /// Whether the read is strongly consistent.
    pub consistent: bool,
    /// Whether to report capacity.
    pub capacity: CapacityDetail,
}

/// One part of a parallel scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Which part, from 0.
    pub number: u32,
    /// How many parts there are.
    pub total: u32,
}

/// `Select`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the choice of its name")]
pub enum Select {
    AllAttributes,
    AllProjectedAttributes,
    SpecificAttributes,
    Count,
}

/// The answer of Query and Scan.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The items; none with `Select=COUNT`.
    pub items: Option<Vec<Stored>>,
    /// How many items passed the filter.
    pub count: usize,
    /// How many items were read.
    pub scanned: usize,
    /// The key after which the next page begins.
    pub last: Option<Item>,
    /// What was consumed, if asked for.
    pub capacity: Option<ConsumedCapacity>,
}
