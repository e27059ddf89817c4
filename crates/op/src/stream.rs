//! Operations that follow the changes of a table's items. Knows no store and no form of iterators.

use item::Item;

use crate::{KeyElement, StreamView};

/// Lists streams, of one table or of all.
#[derive(Debug, Clone)]
pub struct ListStreams {
    /// The table's plain name; none for all tables.
    pub table: Option<String>,
    /// The ARN of the stream after which to go on.
    pub start: Option<String>,
    /// How many streams.
    pub limit: usize,
}

/// The answer of ListStreams.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Streams {
    /// The streams.
    pub streams: Vec<StreamSummary>,
    /// The ARN of the last one, if there are more.
    pub last: Option<String>,
}

/// A stream as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamSummary {
    /// Its ARN.
    pub arn: String,
    /// The table's plain name.
    pub table: String,
    /// Its label.
    pub label: String,
}

/// Asks what a stream is like, and for a page of its shards.
#[derive(Debug, Clone)]
pub struct DescribeStream {
    /// The stream's ARN.
    pub arn: String,
    /// The shard after which to go on.
    pub start: Option<String>,
    /// How many shards.
    pub limit: usize,
    /// Only the children of this shard (`ShardFilter` with `CHILD_SHARDS`).
    pub children_of: Option<String>,
}

/// A stream as it is described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamDescription {
    /// Its ARN.
    pub arn: String,
    /// Its label.
    pub label: String,
    /// Its state.
    pub status: StreamStatus,
    /// What its records carry.
    pub view: StreamView,
    /// When it was asked for, milliseconds since 1970.
    pub created_ms: u64,
    /// The table's plain name.
    pub table: String,
    /// The table's primary key.
    pub key_schema: Vec<KeyElement>,
    /// A page of its shards.
    pub shards: Vec<Shard>,
    /// The last shard of the page, if there are more.
    pub last: Option<String>,
}

/// States of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the state of its name")]
pub enum StreamStatus {
    Enabling,
    Enabled,
    Disabling,
    Disabled,
}

/// A part of a stream, in which records have an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shard {
    /// Its id.
    pub id: String,
    /// The shard whose records come before.
    pub parent: Option<String>,
    /// Its first sequence number.
    pub first: String,
    /// Its last sequence number, once it is closed.
    pub last: Option<String>,
}

/// Asks for a place in a shard from which to read.
#[derive(Debug, Clone)]
pub struct GetShardIterator {
    /// The stream's ARN.
    pub arn: String,
    /// The shard's id.
    pub shard: String,
    /// The place.
    pub position: ShardPosition,
}

/// A place in a shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShardPosition {
    /// The oldest record there is.
    TrimHorizon,
    /// After the newest record.
    Latest,
    /// The record with this sequence number.
    At(String),
    /// The record after this sequence number.
    After(String),
    /// The first record at or after this time, milliseconds since 1970.
    AtTime(u64),
}

/// Reads records from a place in a shard on.
#[derive(Debug, Clone)]
pub struct GetRecords {
    /// The place, as an earlier answer gave it.
    pub iterator: String,
    /// How many records.
    pub limit: usize,
}

/// The answer of GetRecords.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Records {
    /// The records.
    pub records: Vec<Record>,
    /// Where to go on; none at the end of a closed shard.
    pub next: Option<String>,
}

/// One change of one item.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The event's id.
    pub id: String,
    /// What happened.
    pub event: RecordEvent,
    /// Its place in the shard.
    pub sequence: String,
    /// When it happened, milliseconds since 1970; told to the second.
    pub created_ms: u64,
    /// The item's primary key.
    pub keys: Item,
    /// The item before, if the view has it.
    pub old: Option<Item>,
    /// The item after, if the view has it.
    pub new: Option<Item>,
    /// Size of keys and images.
    pub size_bytes: u64,
    /// What the stream's records carry.
    pub view: StreamView,
    /// Whether the item expired rather than was deleted by somebody.
    pub is_expiry: bool,
}

/// What may happen to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the event of its name")]
pub enum RecordEvent {
    Insert,
    Modify,
    Remove,
}
