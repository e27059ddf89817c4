//! The record of an import.

use item::Item;
use op::{
    CreateTable, CsvOptions, ImportDescription, ImportFormat, ImportStatus, IndexProjection, IndexSpec,
    SseSpec, Throughput,
};

use super::parts::{
    decode_bucket, decode_failure, decode_place, encode_bucket, encode_failure, encode_place, maybe_text,
    part,
};
use crate::catalog::fields::{Fields, flag, list, map, number, text, word};
use crate::catalog::record::{
    decode_attribute, decode_element, decode_on_demand, decode_warm, encode_attribute, encode_element,
    encode_on_demand, encode_warm,
};
use crate::catalog::words::{ALL, INCLUDE, KEYS_ONLY, Word};
use crate::transfer::Import;

const DYNAMODB_JSON: &str = "DYNAMODB_JSON";
const ION: &str = "ION";
const CSV: &str = "CSV";

pub(super) fn encode(out: &mut Fields, import: &Import) {
    let told = &import.told;
    out.text("arn", &told.arn);
    out.word("status", told.status);
    out.text("table_arn", &told.table_arn);
    out.text("table_id", &told.table_id);
    maybe_text(out, "token", told.token.as_ref());
    out.map("source", Some(&told.source), encode_bucket);
    out.number("error_count", Some(told.error_count));
    maybe_text(out, "log_group_arn", told.log_group_arn.as_ref());
    out.map("format", Some(&told.format), encode_format);
    out.word("compression", told.compression);
    out.map("table", Some(&told.table), encode_table);
    out.number("start_ms", Some(told.start_ms));
    out.number("end_ms", told.end_ms);
    out.number("processed_bytes", Some(told.processed_bytes));
    out.number("processed_items", Some(told.processed_items));
    out.number("imported_items", Some(told.imported_items));
    out.map("failure", told.failure.as_ref(), encode_failure);
    out.map("place", Some(&import.place), encode_place);
}

pub(super) fn decode(record: &Item) -> Option<Import> {
    let told = ImportDescription {
        arn: text(record, "arn")?,
        status: word(record, "status")?,
        table_arn: text(record, "table_arn")?,
        table_id: text(record, "table_id")?,
        token: text(record, "token"),
        source: part(record, "source", decode_bucket)?,
        error_count: number(record, "error_count")?,
        log_group_arn: text(record, "log_group_arn"),
        format: part(record, "format", decode_format)?,
        compression: word(record, "compression")?,
        table: part(record, "table", decode_table)?,
        start_ms: number(record, "start_ms")?,
        end_ms: number(record, "end_ms"),
        processed_bytes: number(record, "processed_bytes")?,
        processed_items: number(record, "processed_items")?,
        imported_items: number(record, "imported_items")?,
        failure: map(record, "failure", decode_failure)?,
    };
    Some(Import { told, place: part(record, "place", decode_place)? })
}

fn encode_format(out: &mut Fields, format: &ImportFormat) {
    match format {
        ImportFormat::DynamoDbJson => out.text("name", DYNAMODB_JSON),
        ImportFormat::Ion => out.text("name", ION),
        ImportFormat::Csv(options) => {
            out.text("name", CSV);
            maybe_text(out, "delimiter", options.delimiter.map(String::from).as_ref());
            if let Some(header) = &options.header {
                out.flag("has_header", true);
                out.list("header", header, |out, name| out.text("name", name));
            }
        }
    }
}

fn decode_format(record: &Item) -> Option<ImportFormat> {
    match text(record, "name")?.as_str() {
        DYNAMODB_JSON => Some(ImportFormat::DynamoDbJson),
        ION => Some(ImportFormat::Ion),
        CSV => {
            let header = list(record, "header", |name| text(name, "name"))?;
            Some(ImportFormat::Csv(CsvOptions {
                delimiter: text(record, "delimiter").and_then(|text| text.chars().next()),
                header: flag(record, "has_header").then_some(header),
            }))
        }
        _ => None,
    }
}

/// What an import can ask of its table; the rest has its default.
fn encode_table(out: &mut Fields, table: &CreateTable) {
    out.text("name", &table.name);
    out.list("attributes", &table.attributes, encode_attribute);
    out.list("key", &table.key_schema, encode_element);
    out.list("global_indexes", &table.global_indexes, encode_index);
    if let Some(billing) = table.billing {
        out.word("billing", billing);
    }
    out.map("throughput", table.throughput.as_ref(), encode_throughput);
    out.map("on_demand", table.on_demand.as_ref(), encode_on_demand);
    out.map("sse", table.sse.as_ref(), |out, sse| {
        out.flag("enabled", sse.enabled);
        out.flag("kms", sse.kms);
        maybe_text(out, "key", sse.key.as_ref());
    });
}

fn decode_table(record: &Item) -> Option<CreateTable> {
    Some(CreateTable {
        name: text(record, "name")?,
        attributes: list(record, "attributes", decode_attribute)?,
        key_schema: list(record, "key", decode_element)?,
        local_indexes: Vec::new(),
        global_indexes: list(record, "global_indexes", decode_index)?,
        billing: word(record, "billing"),
        throughput: map(record, "throughput", decode_throughput)?,
        on_demand: map(record, "on_demand", decode_on_demand)?,
        warm: None,
        stream: None,
        sse: map(record, "sse", |sse| {
            Some(SseSpec { enabled: flag(sse, "enabled"), kms: flag(sse, "kms"), key: text(sse, "key") })
        })?,
        tags: Vec::new(),
        class: None,
        deletion_protection: false,
    })
}

fn encode_index(out: &mut Fields, index: &IndexSpec) {
    out.text("name", &index.name);
    out.list("key", &index.key_schema, encode_element);
    let (projection, included): (&str, &[String]) = match &index.projection {
        IndexProjection::All => (ALL, &[]),
        IndexProjection::KeysOnly => (KEYS_ONLY, &[]),
        IndexProjection::Include(names) => (INCLUDE, names),
    };
    out.text("projection", projection);
    out.list("included", included, |out, name| out.text("name", name));
    out.map("throughput", index.throughput.as_ref(), encode_throughput);
    out.map("on_demand", index.on_demand.as_ref(), encode_on_demand);
    out.map("warm", index.warm.as_ref(), encode_warm);
}

fn decode_index(record: &Item) -> Option<IndexSpec> {
    let included = list(record, "included", |name| text(name, "name"))?;
    Some(IndexSpec {
        name: text(record, "name")?,
        key_schema: list(record, "key", decode_element)?,
        projection: match text(record, "projection")?.as_str() {
            ALL => IndexProjection::All,
            KEYS_ONLY => IndexProjection::KeysOnly,
            INCLUDE => IndexProjection::Include(included),
            _ => return None,
        },
        throughput: map(record, "throughput", decode_throughput)?,
        on_demand: map(record, "on_demand", decode_on_demand)?,
        warm: map(record, "warm", decode_warm)?,
    })
}

fn encode_throughput(out: &mut Fields, throughput: &Throughput) {
    out.number("read", Some(throughput.read));
    out.number("write", Some(throughput.write));
}

fn decode_throughput(record: &Item) -> Option<Throughput> {
    Some(Throughput { read: number(record, "read")?, write: number(record, "write")? })
}

impl Word for ImportStatus {
    const WORDS: &'static [(ImportStatus, &'static str)] = &[
        (ImportStatus::InProgress, "IN_PROGRESS"),
        (ImportStatus::Completed, "COMPLETED"),
        (ImportStatus::Cancelling, "CANCELLING"),
        (ImportStatus::Cancelled, "CANCELLED"),
        (ImportStatus::Failed, "FAILED"),
    ];
}
