//! Operations that carry items to and from buckets: their common parts. Knows no bucket.

mod bulk;
mod export;
mod import;

pub use bulk::{
    BulkInput, BulkOperation, BulkOperationSummary, BulkOperations, BulkOutput, BulkOutputKind, BulkStatus,
    BulkUsage, CancelBulkOperation, CancelledBulkOperation, DescribeBulkOperation, ListBulkOperations,
    PerformanceTier, StartBulkPutItems,
};
pub use export::{
    DescribeExport, ExportDescription, ExportFilter, ExportFilterText, ExportFormat, ExportScope,
    ExportStatus, ExportSummary, ExportTableToPointInTime, ExportView, Exports, ListExports,
};
pub use import::{
    CsvOptions, DescribeImport, ImportDescription, ImportFormat, ImportStatus, ImportSummary, ImportTable,
    Imports, ListImports,
};

/// Where objects are read from or written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketPlace {
    /// The bucket.
    pub bucket: String,
    /// The account it belongs to.
    pub owner: Option<String>,
    /// What the names of the objects begin with.
    pub prefix: Option<String>,
}

/// How objects that are written are to be encrypted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BucketSse {
    /// The algorithm.
    pub algorithm: Option<SseAlgorithm>,
    /// The key.
    pub key: Option<String>,
}

/// The algorithms by which a bucket encrypts objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the algorithm of its name")]
pub enum SseAlgorithm {
    Aes256,
    Kms,
}

/// How objects that are read are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "each variant is the compression of its name")]
pub enum Compression {
    Gzip,
    Zstd,
    #[default]
    None,
}

/// Why long work failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The name of the error.
    pub code: String,
    /// Its text.
    pub message: String,
}
