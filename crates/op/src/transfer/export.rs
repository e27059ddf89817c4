//! Exports of a table to a bucket.

use std::collections::BTreeMap;

use expr::{Condition, KeyCondition, Kind, Placeholders, Projection};
use item::Item;

use super::{BucketPlace, BucketSse, Failure};

/// Writes a table, or its changes, to a bucket.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportTableToPointInTime {
    /// The table's plain name.
    pub table: String,
    /// What to write.
    pub scope: ExportScope,
    /// Makes a repetition answer without exporting again.
    pub token: Option<String>,
    /// Where to.
    pub bucket: BucketPlace,
    /// How the objects are to be encrypted.
    pub sse: BucketSse,
    /// As what.
    pub format: ExportFormat,
    /// Which items, and what of them.
    pub filter: Option<ExportFilter>,
}

/// What an export writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportScope {
    /// All items as they were at a time, milliseconds since 1970; none for now.
    Full(Option<u64>),
    /// What changed in a time.
    Incremental {
        /// Its beginning, milliseconds since 1970.
        from_ms: u64,
        /// Its end, milliseconds since 1970; none for now.
        to_ms: Option<u64>,
        /// What is told of a change.
        view: ExportView,
    },
}

/// What an incremental export tells of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "each variant is the view of its name")]
pub enum ExportView {
    NewImage,
    #[default]
    NewAndOldImages,
}

/// Formats of exports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "each variant is the format of its name")]
pub enum ExportFormat {
    #[default]
    DynamoDbJson,
    Ion,
}

/// Which items an export writes, and what of them.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportFilter {
    /// Only items with these keys.
    pub key_condition: Option<KeyCondition>,
    /// Only items for which this holds.
    pub condition: Option<Condition>,
    /// Only these attributes.
    pub projection: Option<Projection>,
    /// The expressions as they were sent.
    pub text: ExportFilterText,
}

/// The expressions of an export as they were sent, which is what is kept and told back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExportFilterText {
    /// `KeyConditionExpression`.
    pub key_condition: Option<String>,
    /// `FilterExpression`.
    pub condition: Option<String>,
    /// `ProjectionExpression`.
    pub projection: Option<String>,
    /// `ExpressionAttributeNames`.
    pub names: Option<BTreeMap<String, String>>,
    /// `ExpressionAttributeValues`.
    pub values: Option<Item>,
}

impl ExportFilter {
    /// Parses the expressions.
    pub fn parse(text: ExportFilterText) -> Result<ExportFilter, expr::Error> {
        let mut placeholders = Placeholders::new(text.names.clone(), text.values.clone())?;
        let key_condition =
            text.key_condition.as_deref().map(|key| KeyCondition::parse(key, &mut placeholders));
        let key_condition = key_condition.transpose()?;
        let condition = text.condition.as_deref();
        let condition = condition.map(|filter| Condition::parse(Kind::Filter, filter, &mut placeholders));
        let condition = condition.transpose()?;
        let projection = text.projection.as_deref().map(|paths| Projection::parse(paths, &mut placeholders));
        let projection = projection.transpose()?;
        placeholders.finish()?;
        Ok(ExportFilter { key_condition, condition, projection, text })
    }
}

/// Asks how an export is going.
#[derive(Debug, Clone)]
pub struct DescribeExport {
    /// The export's ARN.
    pub arn: String,
}

/// Lists exports, of one table or of all.
#[derive(Debug, Clone)]
pub struct ListExports {
    /// The table's plain name; none for all tables.
    pub table: Option<String>,
    /// How many.
    pub limit: usize,
    /// Where to go on.
    pub next: Option<String>,
}

/// The answer of ListExports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exports {
    /// The exports.
    pub exports: Vec<ExportSummary>,
    /// Where the next page begins.
    pub next: Option<String>,
}

/// An export as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportSummary {
    /// Its ARN.
    pub arn: String,
    /// Its state.
    pub status: ExportStatus,
    /// Whether it writes changes only.
    pub is_incremental: bool,
}

/// States of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the state of its name")]
pub enum ExportStatus {
    InProgress,
    Completed,
    Failed,
}

/// An export as it is described.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportDescription {
    /// Its ARN.
    pub arn: String,
    /// Its state.
    pub status: ExportStatus,
    /// When it began, milliseconds since 1970.
    pub start_ms: u64,
    /// When it ended, milliseconds since 1970.
    pub end_ms: Option<u64>,
    /// The name of the manifest's object, once it is written.
    pub manifest: Option<String>,
    /// The table's ARN.
    pub table_arn: String,
    /// The table's id.
    pub table_id: String,
    /// What it writes. The time of a full export is set.
    pub scope: ExportScope,
    /// The client's token.
    pub token: Option<String>,
    /// Where to.
    pub bucket: BucketPlace,
    /// How the objects are encrypted.
    pub sse: BucketSse,
    /// As what.
    pub format: ExportFormat,
    /// Which items, and what of them.
    pub filter: Option<ExportFilterText>,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// The size that it is billed for, once it is known.
    pub billed_bytes: Option<u64>,
    /// How many items it wrote, once it is known.
    pub item_count: Option<u64>,
}
