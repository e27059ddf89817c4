//! How a bulk operation is described, as JSON. Knows no operations.

use std::collections::BTreeMap;

use op::{BulkInput, BulkOperation, BulkOutput, BulkOutputKind, BulkStatus, BulkUsage, PerformanceTier};

use super::bucket;
use crate::write::{Object, text};

pub(crate) fn encode(bulk: &BulkOperation, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    let mut written = Object::begin(object.key("BulkOperationDescription"));
    written.text("BulkOperationArn", &bulk.arn);
    written.text("BulkOperationStatus", status(bulk.status));
    written.list("TableDetails", [bulk], |bulk, out| {
        let mut table = Object::begin(out);
        table.text("TableName", &bulk.table_named);
        table.text("TableId", &bulk.table_id);
        table.end();
    });
    bucket::write_token(bulk.token.as_deref(), &mut written);
    write_input(&bulk.input, &mut written);
    write_output(&bulk.output, &mut written);
    bucket::write_times(bulk.start_ms, bulk.end_ms, &mut written);
    written.number("ProcessedItemCount", bulk.processed_items);
    written.number("ProcessedInputBytes", bulk.processed_bytes);
    if let Some(bytes) = bulk.total_bytes {
        written.number("TotalInputBytes", bytes);
    }
    if let Some(usage) = &bulk.usage {
        written.list("BulkOperationUsage", [usage], |usage, out| write_usage(&bulk.table_named, usage, out));
    }
    written.number("FailedItemCount", bulk.failed_items);
    bucket::write_failure(bulk.failure.as_ref(), &mut written);
    if let Some(units) = bulk.write_units_max {
        written.number("MaxWriteRequestUnits", units);
    }
    written.text(
        "PerformanceTier",
        match bulk.tier {
            PerformanceTier::Standard => "STANDARD",
            PerformanceTier::Accelerated => "ACCELERATED",
        },
    );
    written.end();
    object.end();
}

pub(crate) fn status(status: BulkStatus) -> &'static str {
    match status {
        BulkStatus::InProgress => "IN_PROGRESS",
        BulkStatus::Completed => "COMPLETED",
        BulkStatus::CompletedWithErrors => "COMPLETED_WITH_ERRORS",
        BulkStatus::Cancelling => "CANCELLING",
        BulkStatus::Cancelled => "CANCELLED",
        BulkStatus::Failed => "FAILED",
    }
}

fn write_input(input: &BulkInput, object: &mut Object<'_>) {
    let mut written = Object::begin(object.key("InputS3Configuration"));
    bucket::write_place(&input.source, "S3KeyPrefix", &mut written);
    written.text("InputFormat", bucket::format_name(input.format));
    written.text("InputCompressionType", bucket::compression_name(input.compression));
    written.end();
}

fn write_output(output: &BulkOutput, object: &mut Object<'_>) {
    let mut written = Object::begin(object.key("OutputS3Configuration"));
    bucket::write_place(&output.target, "S3KeyPrefix", &mut written);
    bucket::write_sse(&output.sse, &mut written);
    written.list("OutputType", &output.kinds, |kind, out| {
        let name = match kind {
            BulkOutputKind::Error => "ERROR",
            BulkOutputKind::ConditionCheckFailure => "CONDITION_CHECK_FAILURE",
        };
        text(name, out);
    });
    written.end();
}

fn write_usage(table: &str, usage: &BulkUsage, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.text("TableName", table);
    object.number("BulkPutBytes", usage.total_bytes);
    write_bytes(usage.table_bytes, object.key("Table"));
    write_indexes("LocalSecondaryIndexes", &usage.local_indexes, &mut object);
    write_indexes("GlobalSecondaryIndexes", &usage.global_indexes, &mut object);
    object.end();
}

fn write_indexes(name: &'static str, indexes: &BTreeMap<String, u64>, object: &mut Object<'_>) {
    if indexes.is_empty() {
        return;
    }
    let mut written = Object::begin(object.key(name));
    for (index, bytes) in indexes {
        write_bytes(*bytes, written.any_key(index));
    }
    written.end();
}

fn write_bytes(bytes: u64, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.number("BulkPutBytes", bytes);
    object.end();
}
