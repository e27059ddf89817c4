//! Imports of a bucket into a new table.

use super::{BucketPlace, Compression, Failure};
use crate::CreateTable;

/// Makes a table and fills it from a bucket.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportTable {
    /// Makes a repetition answer without importing again.
    pub token: Option<String>,
    /// Where from.
    pub source: BucketPlace,
    /// What the objects are.
    pub format: ImportFormat,
    /// How they are compressed.
    pub compression: Compression,
    /// The table that is to be made.
    pub table: CreateTable,
}

/// Formats of imports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportFormat {
    /// One item in the API's JSON a line.
    DynamoDbJson,
    /// Amazon Ion.
    Ion,
    /// Rows of texts.
    Csv(CsvOptions),
}

/// How rows are to be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CsvOptions {
    /// What stands between texts; a comma if absent.
    pub delimiter: Option<char>,
    /// The columns' names; the first row of each object has them if absent.
    pub header: Option<Vec<String>>,
}

/// Asks how an import is going.
#[derive(Debug, Clone)]
pub struct DescribeImport {
    /// The import's ARN.
    pub arn: String,
}

/// Lists imports, of one table or of all.
#[derive(Debug, Clone)]
pub struct ListImports {
    /// The table's plain name; none for all tables.
    pub table: Option<String>,
    /// How many.
    pub limit: usize,
    /// Where to go on.
    pub next: Option<String>,
}

/// The answer of ListImports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imports {
    /// The imports.
    pub imports: Vec<ImportSummary>,
    /// Where the next page begins: groups of 16 lower-case hexadecimal digits, at least 112 digits in all.
    pub next: Option<String>,
}

/// An import as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportSummary {
    /// Its ARN.
    pub arn: String,
    /// Its state.
    pub status: ImportStatus,
    /// The table's ARN.
    pub table_arn: String,
    /// Where from.
    pub source: BucketPlace,
    /// Where its errors are told.
    pub log_group_arn: Option<String>,
    /// What the objects are.
    pub format: ImportFormat,
    /// When it began, milliseconds since 1970.
    pub start_ms: u64,
    /// When it ended, milliseconds since 1970.
    pub end_ms: Option<u64>,
}

/// States of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the state of its name")]
pub enum ImportStatus {
    InProgress,
    Completed,
    Cancelling,
    Cancelled,
    Failed,
}

/// An import as it is described.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportDescription {
    /// Its ARN.
    pub arn: String,
    /// Its state.
    pub status: ImportStatus,
    /// The table's ARN.
    pub table_arn: String,
    /// The table's id.
    pub table_id: String,
    /// The client's token.
    pub token: Option<String>,
    /// Where from.
    pub source: BucketPlace,
    /// How many errors there were.
    pub error_count: u64,
    /// Where its errors are told.
    pub log_group_arn: Option<String>,
    /// What the objects are.
    pub format: ImportFormat,
    /// How they are compressed.
    pub compression: Compression,
    /// The table as it was asked for.
    pub table: CreateTable,
    /// When it began, milliseconds since 1970.
    pub start_ms: u64,
    /// When it ended, milliseconds since 1970.
    pub end_ms: Option<u64>,
    /// How much was read.
    pub processed_bytes: u64,
    /// How many items were read.
    pub processed_items: u64,
    /// How many items were written.
    pub imported_items: u64,
    /// Why it failed.
    pub failure: Option<Failure>,
}
