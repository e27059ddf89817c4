//! Jobs that carry items to and from buckets: how they begin, how they stand, and what the one who carries them out may
//! do to the tables. Knows neither buckets nor files; whoever calls [`Engine::take_job`] does.
//!
//! A job is written down when it begins and with everything it does to a table, in the same commit. So a restart goes on
//! exactly where it was, and nothing is counted or written twice.

pub(crate) mod cancel_bulk_operation;
pub(crate) mod describe_bulk_operation;
pub(crate) mod describe_export;
pub(crate) mod describe_import;
mod export_run;
pub(crate) mod export_table_to_point_in_time;
mod filter;
pub(crate) mod import_table;
mod jobs;
pub(crate) mod list_bulk_operations;
pub(crate) mod list_exports;
pub(crate) mod list_imports;
mod page;
mod reports;
mod rows;
mod run;
mod start;
pub(crate) mod start_bulk_put_items;

use op::{
    BulkOperation, BulkStatus, ExportDescription, ExportScope, ExportStatus, ImportDescription, ImportStatus,
};

use crate::schema::KeySchema;

pub use export_run::{ExportChange, ExportPage, ExportRow, ExportRun};
pub(crate) use jobs::Jobs;
pub use reports::Report;
pub use rows::{Refused, Row, RowCondition};
pub(crate) use run::trim;
pub use run::{BulkRun, ImportRun, JobRun};

/// How long a job is told of after its end.
const KEPT_MS: u64 = 90 * 24 * 60 * 60 * 1000;

/// How much of a source has been handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Objects that were read to their ends.
    pub files: u64,
    /// Records of the next object.
    pub records: u64,
}

/// A job as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Job {
    Export(Export),
    Import(Import),
    Bulk(Bulk),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Export {
    pub(crate) told: ExportDescription,
    /// What was asked for, where the description has what was made of it.
    pub(crate) asked: ExportScope,
    /// The key of the table, which may be gone before the export ends.
    pub(crate) key: KeySchema,
    /// The copy of the items that it is made from, as long as it is there.
    pub(crate) copy: Option<u64>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Import {
    pub(crate) told: ImportDescription,
    pub(crate) place: Place,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bulk {
    pub(crate) told: BulkOperation,
    /// The table's plain name.
    pub(crate) table: String,
    pub(crate) place: Place,
    /// How many reports were written down.
    pub(crate) reports: u64,
}

impl Job {
    pub(crate) fn arn(&self) -> &str {
        match self {
            Job::Export(export) => &export.told.arn,
            Job::Import(import) => &import.told.arn,
            Job::Bulk(bulk) => &bulk.told.arn,
        }
    }

    /// Whether there is anything left to do.
    fn is_open(&self) -> bool {
        match self {
            Job::Export(export) => export.told.status == ExportStatus::InProgress,
            Job::Import(import) => import.told.status == ImportStatus::InProgress,
            Job::Bulk(bulk) => {
                matches!(bulk.told.status, BulkStatus::InProgress | BulkStatus::Cancelling)
            }
        }
    }

    fn start_ms(&self) -> u64 {
        match self {
            Job::Export(export) => export.told.start_ms,
            Job::Import(import) => import.told.start_ms,
            Job::Bulk(bulk) => bulk.told.start_ms,
        }
    }

    fn end_ms(&self) -> Option<u64> {
        match self {
            Job::Export(export) => export.told.end_ms,
            Job::Import(import) => import.told.end_ms,
            Job::Bulk(bulk) => bulk.told.end_ms,
        }
    }

    fn token(&self) -> Option<&str> {
        match self {
            Job::Export(export) => export.told.token.as_deref(),
            Job::Import(import) => import.told.token.as_deref(),
            Job::Bulk(bulk) => bulk.told.token.as_deref(),
        }
    }

    fn as_export(&self) -> Option<&Export> {
        if let Job::Export(export) = self { Some(export) } else { None }
    }

    fn as_import(&self) -> Option<&Import> {
        if let Job::Import(import) = self { Some(import) } else { None }
    }

    fn as_bulk(&self) -> Option<&Bulk> {
        if let Job::Bulk(bulk) = self { Some(bulk) } else { None }
    }

    fn as_bulk_mut(&mut self) -> Option<&mut Bulk> {
        if let Job::Bulk(bulk) = self { Some(bulk) } else { None }
    }
}
