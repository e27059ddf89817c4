//! The manifests of an export. Knows no bucket.

use moment::Moment;

use crate::export::{ExportJob, ExportKind};
use crate::members::Members;

/// The content of `manifest-summary.json`. `totals` are the count of items and their size.
pub(super) fn summary(
    job: &ExportJob,
    bucket: &str,
    end_time: u64,
    files_key: &str,
    totals: (u64, u64),
) -> Vec<u8> {
    let full = matches!(job.kind, ExportKind::Full { .. });
    let mut members = Members::default();
    members.text("version", if full { "2020-06-30" } else { "2023-08-01" });
    members.text("exportArn", &job.export_arn);
    members.text("startTime", &Moment::from_millis(job.start_time).to_text());
    members.text("endTime", &Moment::from_millis(end_time).to_text());
    members.text("tableArn", &job.table_arn);
    members.text("tableId", &job.table_id);
    match job.kind {
        ExportKind::Full { export_time } => {
            members.text("exportTime", &Moment::from_millis(export_time).to_text())
        }
        ExportKind::Incremental { from, to, .. } => {
            members.text("exportFromTime", &Moment::from_millis(from).to_text());
            members.text("exportToTime", &Moment::from_millis(to).to_text());
        }
    }
    members.text("s3Bucket", bucket);
    members.optional("s3Prefix", job.prefix.as_deref());
    members.text("s3SseAlgorithm", job.sse_algorithm.as_deref().unwrap_or("AES256"));
    members.optional("s3SseKmsKeyId", job.sse_kms_key_id.as_deref());
    members.text("manifestFilesS3Key", files_key);
    members.number("billedSizeBytes", totals.1);
    members.number("itemCount", totals.0);
    members.text("outputFormat", job.format.name());
    if let ExportKind::Incremental { view, .. } = job.kind {
        members.text("outputView", view.name());
    }
    members.text("exportType", if full { "FULL_EXPORT" } else { "INCREMENTAL_EXPORT" });
    members.finish()
}
