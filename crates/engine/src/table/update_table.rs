//! UpdateTable: everything that can be changed of a table, and what of it must wait for something else.

mod capacity;
mod indexes;

use op::{
    Error, IndexStatus, IndexUpdate, Output, SseSpec, SseStatus, StreamSpec, TableClass, TableClassSummary,
    TableDescription, TableStatus, UpdateTable,
};
use storage::Stamp;

use super::definition;
use super::description::describe;
use super::life::{self, in_use, not_found, settled};
use crate::catalog::{Fill, Task};
use crate::schema::{Log, Table};
use crate::{Engine, Pending, internal, stream};

pub(crate) fn run(engine: &Engine, request: UpdateTable) -> Pending {
    engine.read(update(engine, &request).map(|table| Output::TableChanged(Box::new(table))))
}

fn update(engine: &Engine, request: &UpdateTable) -> Result<TableDescription, Error> {
    let mut changes = engine.catalog.changes(&engine.store);
    let cell = engine.catalog.cell(&request.name).ok_or_else(|| not_found(&request.name))?;
    let before = cell.table();
    let now_ms = engine.env.now_ms();
    admit(&before, request)?;
    let mut table = before.as_ref().clone();
    capacity::change(&mut table, request, now_ms)?;
    let added = indexes::change(&mut table, request, now_ms, &mut changes)?;
    change_settings(&mut table, request, now_ms)?;
    if table.stream.is_some() && table.log.is_none() {
        table.log = Some(Log::new(changes.space()));
    }
    if takes_time(request) {
        table.status = TableStatus::Updating;
    }
    let answer = answer(&before, &table, request, now_ms);
    let busy = |table: &Table| table.indexes().any(|index| index.status != IndexStatus::Active);
    if table.status == TableStatus::Updating && before.status_until_ms.is_none() || busy(&table) {
        life::let_pass(engine, &mut table, life::UPDATING_MS);
    }
    match request.stream {
        None => changes.replace(&cell, table),
        Some(stream) => changes.replace_between(&cell, table, now_ms, &mut |table, at| {
            cut_stream(engine, table, stream, at);
        }),
    }
    .map_err(internal)?;
    drop(changes);
    if let Some(index) = added {
        engine.do_at_once(Task::Fill(Fill::new(cell, index)));
    }
    Ok(answer)
}

/// Begins or ends the stream of a table between two writes of items.
fn cut_stream(engine: &Engine, table: &mut Table, asked: StreamSpec, at: Stamp) {
    match (asked.view, table.latest_stream.clone(), &mut table.log) {
        (Some(view), Some(names), Some(log)) if asked.enabled => {
            stream::begin(log, &*engine.env, names, view, at);
        }
        _ => stream::end(table, engine.env.now_ms(), at),
    }
}

/// Refuses what a table does not take in its state.
fn admit(table: &Table, request: &UpdateTable) -> Result<(), Error> {
    settled(table)?;
    let protection_only = request.deletion_protection.is_some() && !takes_time(request);
    let of_indexes =
        !request.index_updates.is_empty() && request.throughput.is_none() && request.billing.is_none();
    // What stands in the way of a change of indexes is told by the indexes.
    let has_busy_index = table.global_indexes.iter().any(|index| index.status != IndexStatus::Active);
    if table.status == TableStatus::Active || protection_only || (of_indexes && has_busy_index) {
        return Ok(());
    }
    Err(in_use(format_args!("Table is being updated: {}", table.name)))
}

/// Whether a table is UPDATING while this is done. The rest is done at once.
fn takes_time(request: &UpdateTable) -> bool {
    let of_index = |update: &IndexUpdate| matches!(update, IndexUpdate::Create(_) | IndexUpdate::Delete(_));
    request.billing.is_some()
        || request.throughput.is_some()
        || request.stream.is_some()
        || request.class.is_some()
        || request.index_updates.iter().any(of_index)
}

fn change_settings(table: &mut Table, request: &UpdateTable, now_ms: u64) -> Result<(), Error> {
    if let Some(stream) = request.stream {
        change_stream(table, stream, now_ms)?;
    }
    if let Some(sse) = &request.sse {
        change_encryption(table, sse)?;
    }
    if let Some(class) = request.class {
        change_class(table, class, now_ms);
    }
    if let Some(protection) = request.deletion_protection {
        table.deletion_protection = protection;
    }
    Ok(())
}

fn change_stream(table: &mut Table, stream: StreamSpec, now_ms: u64) -> Result<(), Error> {
    match (stream.enabled, table.stream) {
        (true, Some(_)) => {
            Err(Error::validation(format!("Table already has an enabled stream: TableName: {}", table.name)))
        }
        (false, None) => {
            Err(Error::validation(format!("Table has no stream to disable: TableName: {}", table.name)))
        }
        (true, None) => {
            table.stream = Some(stream);
            table.latest_stream = Some(definition::stream(&table.arn, now_ms));
            Ok(())
        }
        (false, Some(_)) => {
            table.stream = None;
            Ok(())
        }
    }
}

fn change_encryption(table: &mut Table, asked: &SseSpec) -> Result<(), Error> {
    let wanted = definition::encryption(asked);
    if table.sse.is_none() && wanted.is_none() {
        return Err(Error::invalid("Table is already encrypted by default"));
    }
    // OBSERVED: only the very ARN of the key is refused; without a key the table is encrypted anew.
    if table.sse.as_ref().is_some_and(|current| asked.key.as_ref() == Some(&current.key_arn)) {
        return Err(Error::invalid(
            "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to change \
             Master Key",
        ));
    }
    table.sse = wanted;
    Ok(())
}

/// A table whose class was never named is of the standard class.
fn change_class(table: &mut Table, class: TableClass, now_ms: u64) {
    let current = table.class.map_or(TableClass::Standard, |summary| summary.class);
    if class != current {
        table.class = Some(TableClassSummary { class, since_ms: Some(now_ms) });
    }
}

/// OBSERVED: the answer shows units, class and key as they were, and an index that is new before it is being filled.
fn answer(before: &Table, after: &Table, request: &UpdateTable, now_ms: u64) -> TableDescription {
    let mut answer = describe(after, now_ms);
    let old = describe(before, now_ms);
    answer.throughput = old.throughput;
    answer.class = old.class;
    if request.sse.is_some() {
        answer.sse = old.sse.or(answer.sse).map(|sse| SseStatus { enabled: false, ..sse });
    }
    for index in &mut answer.global_indexes {
        match old.global_indexes.iter().find(|other| other.name == index.name) {
            Some(other) => index.throughput = other.throughput,
            None => index.backfilling = Some(false),
        }
    }
    answer
}
