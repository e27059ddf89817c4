//! Reports of a bulk operation: which records could not be read or put, and which conditions did not hold. Knows no
//! table.
//!
//! Below `<prefix>/AWSDynamoDB/<operation id>/` the records of each kind lie in the folder of that name, one JSON object
//! a line, compressed: where the record stands (`S3Key`, `LineNumber`), the item if it could be read (`Item`), and
//! either why it failed (`ErrorCode`, `ErrorMessage`) or the item that was in the way (`ExistingItem`). The manifests
//! are those of an export.

use item::Item;
use moment::Moment;

use crate::bucket::Bucket;
use crate::error::Result;
use crate::export::FILE_BYTES_MAX;
use crate::json;
use crate::members::Members;
use crate::series::{DataFile, Series, put_with_sum, root};

/// What a report can be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReportKind {
    /// `ERROR`: records that could not be read or that no table could hold.
    Error,
    /// `CONDITION_CHECK_FAILURE`: items whose condition did not hold.
    ConditionCheckFailure,
}

impl ReportKind {
    /// The kind's name in requests.
    pub fn name(self) -> &'static str {
        match self {
            ReportKind::Error => "ERROR",
            ReportKind::ConditionCheckFailure => "CONDITION_CHECK_FAILURE",
        }
    }
}

/// A bulk operation: what its reports are called and where they go.
#[derive(Debug, Clone)]
pub struct ReportJob {
    /// The last part of the operation's ARN.
    pub operation_id: String,
    /// The operation's ARN.
    pub operation_arn: String,
    /// The table's ARN.
    pub table_arn: String,
    /// What all keys begin with.
    pub prefix: Option<String>,
    /// What is wanted; the rest is counted but not written.
    pub kinds: Vec<ReportKind>,
    /// When the operation began, in milliseconds since 1970.
    pub start_time: u64,
}

/// Where a record stands.
#[derive(Debug, Clone, Copy)]
pub struct RecordPlace<'a> {
    /// The key of the object.
    pub key: &'a str,
    /// The line.
    pub line: u64,
}

/// What the reports say in sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportDone {
    /// The key of `manifest-summary.json`.
    pub manifest_key: String,
    /// Records that failed.
    pub errors: u64,
    /// Items whose condition did not hold.
    pub condition_check_failures: u64,
    /// The files of the reports.
    pub files: Vec<DataFile>,
}

/// Writes the reports of a bulk operation.
pub struct ReportWriter {
    bucket: Bucket,
    folder: String,
    job: ReportJob,
    errors: Series,
    failures: Series,
    error_count: u64,
    failure_count: u64,
}

impl ReportWriter {
    /// Begins the reports: writes `_started`, which shows that the bucket can be written to.
    pub fn begin(bucket: Bucket, job: ReportJob) -> Result<ReportWriter> {
        let folder = format!("{}/{}", root(job.prefix.as_deref()), job.operation_id);
        bucket.put(&format!("{folder}/_started"), b"")?;
        let series = |kind: ReportKind| {
            let seed = format!("{}/{}", job.operation_id, kind.name());
            let folder = format!("{folder}/{}", kind.name());
            Series::new(bucket.clone(), folder, seed, "json.gz", FILE_BYTES_MAX)
        };
        let (errors, failures) = (series(ReportKind::Error), series(ReportKind::ConditionCheckFailure));
        Ok(ReportWriter { bucket, folder, job, errors, failures, error_count: 0, failure_count: 0 })
    }

    /// Reports a record that could not be read or put.
    pub fn error(
        &mut self,
        place: RecordPlace<'_>,
        code: &str,
        message: &str,
        item: Option<&Item>,
    ) -> Result<()> {
        self.error_count += 1;
        if !self.job.kinds.contains(&ReportKind::Error) {
            return Ok(());
        }
        let mut members = placed(place);
        members.text("ErrorCode", code);
        members.text("ErrorMessage", message);
        if let Some(item) = item {
            members.raw("Item", |out| json::write_item(out, item));
        }
        self.errors.write(&line(members))
    }

    /// Reports an item whose condition did not hold, and the item that was there.
    pub fn condition_check_failure(
        &mut self,
        place: RecordPlace<'_>,
        item: &Item,
        existing: Option<&Item>,
    ) -> Result<()> {
        self.failure_count += 1;
        if !self.job.kinds.contains(&ReportKind::ConditionCheckFailure) {
            return Ok(());
        }
        let mut members = placed(place);
        members.raw("Item", |out| json::write_item(out, item));
        if let Some(existing) = existing {
            members.raw("ExistingItem", |out| json::write_item(out, existing));
        }
        self.failures.write(&line(members))
    }

    /// Ends the reports at this time. A kind that nothing was reported of has no file.
    pub fn finish(self, end_time: u64) -> Result<ReportDone> {
        let mut files = self.errors.finish()?;
        files.extend(self.failures.finish()?);
        let lines: Vec<u8> = files.iter().flat_map(DataFile::line).collect();
        put_with_sum(&self.bucket, &format!("{}/manifest-files", self.folder), &lines)?;
        let mut members = Members::default();
        members.text("bulkOperationArn", &self.job.operation_arn);
        members.text("tableArn", &self.job.table_arn);
        members.text("startTime", &Moment::from_millis(self.job.start_time).to_text());
        members.text("endTime", &Moment::from_millis(end_time).to_text());
        members.text("s3Bucket", self.bucket.name());
        members.optional("s3Prefix", self.job.prefix.as_deref());
        members.text("manifestFilesS3Key", &format!("{}/manifest-files.json", self.folder));
        members.number("errorCount", self.error_count);
        members.number("conditionCheckFailureCount", self.failure_count);
        put_with_sum(&self.bucket, &format!("{}/manifest-summary", self.folder), &members.finish())?;
        Ok(ReportDone {
            manifest_key: format!("{}/manifest-summary.json", self.folder),
            errors: self.error_count,
            condition_check_failures: self.failure_count,
            files,
        })
    }
}

fn placed(place: RecordPlace<'_>) -> Members {
    let mut members = Members::default();
    members.text("S3Key", place.key);
    members.number("LineNumber", place.line);
    members
}

fn line(members: Members) -> Vec<u8> {
    let mut line = members.finish();
    line.push(b'\n');
    line
}
