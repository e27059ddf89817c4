//! The record of an export.

use item::{Item, Value};
use op::{AttributeDefinition, ExportDescription, ExportFilterText, ExportScope, ExportStatus, ExportView};

use super::parts::{
    decode_bucket, decode_failure, decode_sse, encode_bucket, encode_failure, encode_sse, maybe_text, part,
};
use crate::catalog::fields::{Fields, flag, list, map, number, text, word};
use crate::catalog::record::{decode_attribute, decode_element, encode_attribute, encode_element};
use crate::catalog::words::Word;
use crate::schema::{KeyPart, KeySchema};
use crate::transfer::Export;

pub(super) fn encode(out: &mut Fields, export: &Export) {
    let told = &export.told;
    out.text("arn", &told.arn);
    out.word("status", told.status);
    out.number("start_ms", Some(told.start_ms));
    out.number("end_ms", told.end_ms);
    maybe_text(out, "manifest", told.manifest.as_ref());
    out.text("table_arn", &told.table_arn);
    out.text("table_id", &told.table_id);
    out.map("scope", Some(&told.scope), encode_scope);
    out.map("asked", Some(&export.asked), encode_scope);
    maybe_text(out, "token", told.token.as_ref());
    out.map("bucket", Some(&told.bucket), encode_bucket);
    out.map("sse", Some(&told.sse), encode_sse);
    out.word("format", told.format);
    out.map("filter", told.filter.as_ref(), encode_filter);
    out.map("failure", told.failure.as_ref(), encode_failure);
    out.number("billed_bytes", told.billed_bytes);
    out.number("item_count", told.item_count);
    out.number("copy", export.copy);
    out.list("key", &export.key.elements(), encode_element);
    let attributes: Vec<AttributeDefinition> = export.key.parts().map(attribute).collect();
    out.list("attributes", &attributes, encode_attribute);
}

pub(super) fn decode(record: &Item) -> Option<Export> {
    let told = ExportDescription {
        arn: text(record, "arn")?,
        status: word(record, "status")?,
        start_ms: number(record, "start_ms")?,
        end_ms: number(record, "end_ms"),
        manifest: text(record, "manifest"),
        table_arn: text(record, "table_arn")?,
        table_id: text(record, "table_id")?,
        scope: part(record, "scope", decode_scope)?,
        token: text(record, "token"),
        bucket: part(record, "bucket", decode_bucket)?,
        sse: part(record, "sse", decode_sse)?,
        format: word(record, "format")?,
        filter: map(record, "filter", decode_filter)?,
        failure: map(record, "failure", decode_failure)?,
        billed_bytes: number(record, "billed_bytes"),
        item_count: number(record, "item_count"),
    };
    let attributes = list(record, "attributes", decode_attribute)?;
    Some(Export {
        told,
        asked: part(record, "asked", decode_scope)?,
        key: KeySchema::new(&list(record, "key", decode_element)?, &attributes),
        copy: number(record, "copy"),
    })
}

fn attribute(part: &KeyPart) -> AttributeDefinition {
    AttributeDefinition { name: part.name.clone(), kind: part.kind }
}

fn encode_scope(out: &mut Fields, scope: &ExportScope) {
    match scope {
        ExportScope::Full(at_ms) => out.number("at_ms", *at_ms),
        ExportScope::Incremental { from_ms, to_ms, view } => {
            out.flag("is_incremental", true);
            out.number("from_ms", Some(*from_ms));
            out.number("to_ms", *to_ms);
            out.word("view", *view);
        }
    }
}

fn decode_scope(record: &Item) -> Option<ExportScope> {
    if !flag(record, "is_incremental") {
        return Some(ExportScope::Full(number(record, "at_ms")));
    }
    let (from_ms, view) = (number(record, "from_ms")?, word(record, "view")?);
    Some(ExportScope::Incremental { from_ms, to_ms: number(record, "to_ms"), view })
}

fn encode_filter(out: &mut Fields, filter: &ExportFilterText) {
    maybe_text(out, "key_condition", filter.key_condition.as_ref());
    maybe_text(out, "condition", filter.condition.as_ref());
    maybe_text(out, "projection", filter.projection.as_ref());
    if let Some(names) = &filter.names {
        let names = names.iter().map(|(name, value)| (name.clone(), Value::S(value.clone())));
        out.0.insert("names".into(), Value::M(names.collect()));
    }
    if let Some(values) = &filter.values {
        out.0.insert("values".into(), Value::M(values.clone()));
    }
}

fn decode_filter(record: &Item) -> Option<ExportFilterText> {
    let name = |(name, value): (&String, &Value)| match value {
        Value::S(value) => Some((name.clone(), value.clone())),
        Value::N(_)
        | Value::B(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_)
        | Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_) => None,
    };
    Some(ExportFilterText {
        key_condition: text(record, "key_condition"),
        condition: text(record, "condition"),
        projection: text(record, "projection"),
        names: map(record, "names", |names| names.iter().map(name).collect())?,
        values: map(record, "values", |values| Some(values.clone()))?,
    })
}

impl Word for ExportStatus {
    const WORDS: &'static [(ExportStatus, &'static str)] = &[
        (ExportStatus::InProgress, "IN_PROGRESS"),
        (ExportStatus::Completed, "COMPLETED"),
        (ExportStatus::Failed, "FAILED"),
    ];
}

impl Word for ExportView {
    const WORDS: &'static [(ExportView, &'static str)] =
        &[(ExportView::NewImage, "NEW_IMAGE"), (ExportView::NewAndOldImages, "NEW_AND_OLD_IMAGES")];
}
