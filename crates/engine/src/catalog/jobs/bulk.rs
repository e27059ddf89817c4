//! The record of a bulk operation.

use std::collections::BTreeMap;

use item::Item;
use op::{BulkInput, BulkOperation, BulkOutput, BulkOutputKind, BulkStatus, BulkUsage, PerformanceTier};

use super::parts::{
    decode_bucket, decode_failure, decode_place, decode_sse, encode_bucket, encode_failure, encode_place,
    encode_sse, maybe_text, part,
};
use crate::catalog::fields::{Fields, list, map, number, text, word};
use crate::catalog::words::Word;
use crate::transfer::Bulk;

pub(super) fn encode(out: &mut Fields, bulk: &Bulk) {
    let told = &bulk.told;
    out.text("arn", &told.arn);
    out.word("status", told.status);
    out.text("table_named", &told.table_named);
    out.text("table", &bulk.table);
    out.text("table_id", &told.table_id);
    maybe_text(out, "token", told.token.as_ref());
    out.map("input", Some(&told.input), |out, input| {
        out.map("source", Some(&input.source), encode_bucket);
        out.word("format", input.format);
        out.word("compression", input.compression);
    });
    out.map("output", Some(&told.output), |out, output| {
        out.map("target", Some(&output.target), encode_bucket);
        out.map("sse", Some(&output.sse), encode_sse);
        out.list("kinds", &output.kinds, |out, kind| out.word("kind", *kind));
    });
    out.number("start_ms", Some(told.start_ms));
    out.number("end_ms", told.end_ms);
    out.number("processed_items", Some(told.processed_items));
    out.number("processed_bytes", Some(told.processed_bytes));
    out.number("total_bytes", told.total_bytes);
    out.map("usage", told.usage.as_ref(), encode_usage);
    out.number("failed_items", Some(told.failed_items));
    out.map("failure", told.failure.as_ref(), encode_failure);
    out.number("write_units_max", told.write_units_max);
    out.word("tier", told.tier);
    out.map("place", Some(&bulk.place), encode_place);
    out.number("reports", Some(bulk.reports));
}

pub(super) fn decode(record: &Item) -> Option<Bulk> {
    let told = BulkOperation {
        arn: text(record, "arn")?,
        status: word(record, "status")?,
        table_named: text(record, "table_named")?,
        table_id: text(record, "table_id")?,
        token: text(record, "token"),
        input: part(record, "input", decode_input)?,
        output: part(record, "output", decode_output)?,
        start_ms: number(record, "start_ms")?,
        end_ms: number(record, "end_ms"),
        processed_items: number(record, "processed_items")?,
        processed_bytes: number(record, "processed_bytes")?,
        total_bytes: number(record, "total_bytes"),
        usage: map(record, "usage", decode_usage)?,
        failed_items: number(record, "failed_items")?,
        failure: map(record, "failure", decode_failure)?,
        write_units_max: number(record, "write_units_max"),
        tier: word(record, "tier")?,
    };
    Some(Bulk {
        told,
        table: text(record, "table")?,
        place: part(record, "place", decode_place)?,
        reports: number(record, "reports")?,
    })
}

fn decode_input(record: &Item) -> Option<BulkInput> {
    Some(BulkInput {
        source: part(record, "source", decode_bucket)?,
        format: word(record, "format")?,
        compression: word(record, "compression")?,
    })
}

fn decode_output(record: &Item) -> Option<BulkOutput> {
    Some(BulkOutput {
        target: part(record, "target", decode_bucket)?,
        sse: part(record, "sse", decode_sse)?,
        kinds: list(record, "kinds", |kind| word(kind, "kind"))?,
    })
}

fn encode_usage(out: &mut Fields, usage: &BulkUsage) {
    let of_indexes = |out: &mut Fields, name: &str, indexes: &BTreeMap<String, u64>| {
        let indexes: Vec<(&String, &u64)> = indexes.iter().collect();
        out.list(name, &indexes, |out, (name, bytes)| {
            out.text("name", name);
            out.number("bytes", Some(**bytes));
        });
    };
    out.number("total_bytes", Some(usage.total_bytes));
    out.number("table_bytes", Some(usage.table_bytes));
    of_indexes(out, "local_indexes", &usage.local_indexes);
    of_indexes(out, "global_indexes", &usage.global_indexes);
}

fn decode_usage(record: &Item) -> Option<BulkUsage> {
    let of_indexes = |name: &str| -> Option<BTreeMap<String, u64>> {
        let indexes = list(record, name, |index| Some((text(index, "name")?, number(index, "bytes")?)))?;
        Some(indexes.into_iter().collect())
    };
    Some(BulkUsage {
        total_bytes: number(record, "total_bytes")?,
        table_bytes: number(record, "table_bytes")?,
        local_indexes: of_indexes("local_indexes")?,
        global_indexes: of_indexes("global_indexes")?,
    })
}

impl Word for BulkStatus {
    const WORDS: &'static [(BulkStatus, &'static str)] = &[
        (BulkStatus::InProgress, "IN_PROGRESS"),
        (BulkStatus::Completed, "COMPLETED"),
        (BulkStatus::CompletedWithErrors, "COMPLETED_WITH_ERRORS"),
        (BulkStatus::Cancelling, "CANCELLING"),
        (BulkStatus::Cancelled, "CANCELLED"),
        (BulkStatus::Failed, "FAILED"),
    ];
}

impl Word for BulkOutputKind {
    const WORDS: &'static [(BulkOutputKind, &'static str)] = &[
        (BulkOutputKind::Error, "ERROR"),
        (BulkOutputKind::ConditionCheckFailure, "CONDITION_CHECK_FAILURE"),
    ];
}

impl Word for PerformanceTier {
    const WORDS: &'static [(PerformanceTier, &'static str)] =
        &[(PerformanceTier::Standard, "STANDARD"), (PerformanceTier::Accelerated, "ACCELERATED")];
}
