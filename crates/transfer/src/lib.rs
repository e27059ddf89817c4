//! Files of import and export in the formats of the service, and the buckets they lie in. Knows no engine, no tables
//! that exist, no HTTP server and no clock: who calls says what time it is.

mod bucket;
mod digest;
mod error;
mod export;
mod import;
mod ion;
mod json;
pub mod json_lines;
mod lines;
mod members;
mod record;
mod report;
mod series;
pub mod table_csv;

pub use bucket::{Bucket, Buckets, Download, Encryption, Listing, ObjectInfo, Place, S3Settings, Upload};
pub use error::{Error, ErrorKind, Result};
pub use export::{
    Change, ExportDone, ExportFormat, ExportJob, ExportKind, ExportView, ExportWriter, FILE_BYTES_MAX,
    export_id,
};
pub use import::{
    Compression, CsvOptions, Delimiter, Entry, ImportReader, ImportSettings, InputFormat, Position, Progress,
    Records,
};
pub use record::{Condition, Record};
pub use report::{RecordPlace, ReportDone, ReportJob, ReportKind, ReportWriter};
pub use series::DataFile;
