//! How an import is described, as JSON. Knows no operations.

use op::{
    BucketPlace, CreateTable, CsvOptions, ImportDescription, ImportFormat, ImportStatus, IndexSpec, SseSpec,
};

use super::bucket;
use crate::table::description::{
    billing_mode, write_definition, write_index_spec, write_key_schema, write_on_demand, write_units,
};
use crate::write::{Object, text};

pub(crate) fn encode(import: &ImportDescription, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    let mut written = Object::begin(object.key("ImportTableDescription"));
    written.text("ImportArn", &import.arn);
    written.text("ImportStatus", status(import.status));
    written.text("TableArn", &import.table_arn);
    written.text("TableId", &import.table_id);
    bucket::write_token(import.token.as_deref(), &mut written);
    write_source(&import.source, &mut written);
    written.number("ErrorCount", import.error_count);
    if let Some(arn) = &import.log_group_arn {
        written.text("CloudWatchLogGroupArn", arn);
    }
    written.text("InputFormat", format_name(&import.format));
    write_options(&import.format, &mut written);
    written.text("InputCompressionType", bucket::compression_name(import.compression));
    write_table(&import.table, &mut written);
    bucket::write_times(import.start_ms, import.end_ms, &mut written);
    written.number("ProcessedSizeBytes", import.processed_bytes);
    written.number("ProcessedItemCount", import.processed_items);
    written.number("ImportedItemCount", import.imported_items);
    bucket::write_failure(import.failure.as_ref(), &mut written);
    written.end();
    object.end();
}

/// Where the items come from, under its name.
pub(crate) fn write_source(source: &BucketPlace, object: &mut Object<'_>) {
    let mut written = Object::begin(object.key("S3BucketSource"));
    bucket::write_place(source, "S3KeyPrefix", &mut written);
    written.end();
}

pub(crate) fn status(status: ImportStatus) -> &'static str {
    match status {
        ImportStatus::InProgress => "IN_PROGRESS",
        ImportStatus::Completed => "COMPLETED",
        ImportStatus::Cancelling => "CANCELLING",
        ImportStatus::Cancelled => "CANCELLED",
        ImportStatus::Failed => "FAILED",
    }
}

pub(crate) fn format_name(format: &ImportFormat) -> &'static str {
    match format {
        ImportFormat::DynamoDbJson => "DYNAMODB_JSON",
        ImportFormat::Ion => "ION",
        ImportFormat::Csv(_) => "CSV",
    }
}

/// OBSERVED: options that nobody gave are not told, not even those that hold then.
fn write_options(format: &ImportFormat, object: &mut Object<'_>) {
    let ImportFormat::Csv(options) = format else { return };
    if *options == CsvOptions::default() {
        return;
    }
    let mut written = Object::begin(object.key("InputFormatOptions"));
    let mut csv = Object::begin(written.key("Csv"));
    if let Some(delimiter) = options.delimiter {
        csv.text("Delimiter", delimiter.encode_utf8(&mut [0; 4]));
    }
    if let Some(header) = &options.header {
        csv.list("HeaderList", header, |name, out| text(name, out));
    }
    csv.end();
    written.end();
}

/// The table as it was asked for.
fn write_table(table: &CreateTable, object: &mut Object<'_>) {
    let mut written = Object::begin(object.key("TableCreationParameters"));
    written.text("TableName", &table.name);
    written.list("AttributeDefinitions", &table.attributes, write_definition);
    write_key_schema(&table.key_schema, &mut written);
    if let Some(billing) = table.billing {
        written.text("BillingMode", billing_mode(billing));
    }
    if let Some(units) = table.throughput {
        write_units(units, &mut written);
    }
    write_on_demand(table.on_demand, &mut written);
    if let Some(sse) = &table.sse {
        write_sse(sse, &mut written);
    }
    if !table.global_indexes.is_empty() {
        written.list("GlobalSecondaryIndexes", &table.global_indexes, write_index);
    }
    written.end();
}

fn write_sse(sse: &SseSpec, object: &mut Object<'_>) {
    let mut written = Object::begin(object.key("SSESpecification"));
    written.flag("Enabled", sse.enabled);
    if sse.kms {
        written.text("SSEType", "KMS");
    }
    if let Some(key) = &sse.key {
        written.text("KMSMasterKeyId", key);
    }
    written.end();
}

fn write_index(index: &IndexSpec, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    write_index_spec(index, &mut object);
    if let Some(warm) = index.warm {
        let mut written = Object::begin(object.key("WarmThroughput"));
        if let Some(read) = warm.read {
            written.number("ReadUnitsPerSecond", read);
        }
        if let Some(write) = warm.write {
            written.number("WriteUnitsPerSecond", write);
        }
        written.end();
    }
    object.end();
}
