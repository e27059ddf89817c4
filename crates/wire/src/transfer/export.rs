//! How an export is described, as JSON. Knows no operations.

use op::{BucketSse, ExportDescription, ExportScope, ExportStatus, ExportView, SseAlgorithm};

use super::{bucket, filter};
use crate::write::Object;

pub(crate) fn encode(export: &ExportDescription, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    let mut written = Object::begin(object.key("ExportDescription"));
    written.text("ExportArn", &export.arn);
    written.text("ExportStatus", status(export.status));
    bucket::write_times(export.start_ms, export.end_ms, &mut written);
    if let Some(manifest) = &export.manifest {
        written.text("ExportManifest", manifest);
    }
    written.text("TableArn", &export.table_arn);
    written.text("TableId", &export.table_id);
    bucket::write_token(export.token.as_deref(), &mut written);
    bucket::write_place(&export.bucket, "S3Prefix", &mut written);
    write_sse(&export.sse, &mut written);
    bucket::write_failure(export.failure.as_ref(), &mut written);
    written.text("ExportFormat", bucket::format_name(export.format));
    if let Some(bytes) = export.billed_bytes {
        written.number("BilledSizeBytes", bytes);
    }
    if let Some(count) = export.item_count {
        written.number("ItemCount", count);
    }
    write_scope(export.scope, &mut written);
    if let Some(text) = &export.filter {
        filter::write(text, &mut written);
    }
    written.end();
    object.end();
}

/// OBSERVED: the algorithm is told also where none was asked for.
fn write_sse(sse: &BucketSse, object: &mut Object<'_>) {
    let algorithm = sse.algorithm.or(Some(SseAlgorithm::Aes256));
    bucket::write_sse(&BucketSse { algorithm, key: sse.key.clone() }, object);
}

fn write_scope(scope: ExportScope, object: &mut Object<'_>) {
    object.text("ExportType", kind(matches!(scope, ExportScope::Incremental { .. })));
    match scope {
        ExportScope::Full(None) => {}
        ExportScope::Full(Some(time_ms)) => object.time("ExportTime", time_ms),
        ExportScope::Incremental { from_ms, to_ms, view } => {
            let mut written = Object::begin(object.key("IncrementalExportSpecification"));
            written.time("ExportFromTime", from_ms);
            if let Some(to) = to_ms {
                written.time("ExportToTime", to);
            }
            written.text(
                "ExportViewType",
                match view {
                    ExportView::NewImage => "NEW_IMAGE",
                    ExportView::NewAndOldImages => "NEW_AND_OLD_IMAGES",
                },
            );
            written.end();
        }
    }
}

pub(crate) fn kind(is_incremental: bool) -> &'static str {
    if is_incremental { "INCREMENTAL_EXPORT" } else { "FULL_EXPORT" }
}

pub(crate) fn status(status: ExportStatus) -> &'static str {
    match status {
        ExportStatus::InProgress => "IN_PROGRESS",
        ExportStatus::Completed => "COMPLETED",
        ExportStatus::Failed => "FAILED",
    }
}
