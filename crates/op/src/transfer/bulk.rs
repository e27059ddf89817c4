//! Bulk operations: a bucket's items put into a table that is there.

use std::collections::BTreeMap;

use super::{BucketPlace, BucketSse, Compression, ExportFormat, Failure};

/// Puts the items of a bucket into a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartBulkPutItems {
    /// Makes a repetition answer without starting again.
    pub token: Option<String>,
    /// Where from.
    pub input: BulkInput,
    /// Where the items that failed are told.
    pub output: BulkOutput,
    /// The table's plain name.
    pub table: String,
    /// The table as it was named: its name or its ARN.
    pub table_named: String,
    /// A bound of write units a second, at least 1,024.
    pub write_units_max: Option<u64>,
    /// How fast it is to be.
    pub tier: PerformanceTier,
}

/// Where a bulk operation's items come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkInput {
    /// Where from.
    pub source: BucketPlace,
    /// What the objects are. The formats are those of exports.
    pub format: ExportFormat,
    /// How they are compressed.
    pub compression: Compression,
}

/// Where a bulk operation tells what failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkOutput {
    /// Where to.
    pub target: BucketPlace,
    /// How the objects are to be encrypted.
    pub sse: BucketSse,
    /// What is told.
    pub kinds: Vec<BulkOutputKind>,
}

/// What a bulk operation tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the kind of its name")]
pub enum BulkOutputKind {
    Error,
    ConditionCheckFailure,
}

/// How fast a bulk operation is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "each variant is the tier of its name")]
pub enum PerformanceTier {
    #[default]
    Standard,
    Accelerated,
}

/// Asks how a bulk operation is going.
#[derive(Debug, Clone)]
pub struct DescribeBulkOperation {
    /// Its ARN.
    pub arn: String,
}

/// Lists bulk operations.
#[derive(Debug, Clone)]
pub struct ListBulkOperations {
    /// How many.
    pub limit: usize,
    /// Where to go on.
    pub next: Option<String>,
}

/// Ends a bulk operation early.
#[derive(Debug, Clone)]
pub struct CancelBulkOperation {
    /// Its ARN.
    pub arn: String,
}

/// The answer of ListBulkOperations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BulkOperations {
    /// The bulk operations.
    pub operations: Vec<BulkOperationSummary>,
    /// Where the next page begins: groups of 16 lower-case hexadecimal digits.
    pub next: Option<String>,
}

/// A bulk operation as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkOperationSummary {
    /// Its ARN.
    pub arn: String,
    /// Its state.
    pub status: BulkStatus,
    /// When it began, milliseconds since 1970.
    pub start_ms: u64,
    /// When it ended, milliseconds since 1970.
    pub end_ms: Option<u64>,
}

/// States of a bulk operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the state of its name")]
pub enum BulkStatus {
    InProgress,
    Completed,
    CompletedWithErrors,
    Cancelling,
    Cancelled,
    Failed,
}

/// The answer of CancelBulkOperation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CancelledBulkOperation {
    /// Its ARN.
    pub arn: String,
    /// Its state.
    pub status: BulkStatus,
}

/// A bulk operation as it is described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkOperation {
    /// Its ARN.
    pub arn: String,
    /// Its state.
    pub status: BulkStatus,
    /// The table as it was named.
    pub table_named: String,
    /// The table's id.
    pub table_id: String,
    /// The client's token.
    pub token: Option<String>,
    /// Where the items come from.
    pub input: BulkInput,
    /// Where what failed is told.
    pub output: BulkOutput,
    /// When it began, milliseconds since 1970.
    pub start_ms: u64,
    /// When it ended, milliseconds since 1970.
    pub end_ms: Option<u64>,
    /// How many items were read.
    pub processed_items: u64,
    /// How much was read.
    pub processed_bytes: u64,
    /// How much there is to read, once it is known.
    pub total_bytes: Option<u64>,
    /// What was written, once it is known.
    pub usage: Option<BulkUsage>,
    /// How many items failed.
    pub failed_items: u64,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// The bound of write units a second.
    pub write_units_max: Option<u64>,
    /// How fast it is to be.
    pub tier: PerformanceTier,
}

/// What a bulk operation wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BulkUsage {
    /// Table and indexes together.
    pub total_bytes: u64,
    /// The table alone.
    pub table_bytes: u64,
    /// Each local index, in bytes.
    pub local_indexes: BTreeMap<String, u64>,
    /// Each global index, in bytes.
    pub global_indexes: BTreeMap<String, u64>,
}
