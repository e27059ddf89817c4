//! What a table's history is compared by: the replay of its stream, the figures of a restored table, the changes between
//! two moments.

use engine::{Exported, Progress};
use op::{ExportScope, ExportView, GetItemOutput, Output};
use serde_json::{Value as Json, json};

use crate::model::{Item, Table};
use crate::steps::{accepted, same, unordered};
use crate::world::World;

/// Records of one read, so that there are several.
const RECORDS: usize = 50;

/// Replaying the stream from its start, when the table was like this, gives the table.
pub(crate) fn replay(world: &mut World, name: &str, mut replayed: Table) -> Result<(), String> {
    let table = world.model.tables.get(name).ok_or("the model has no such table")?.clone();
    let (_, told) = world.ask("DescribeTable", &json!({"TableName": name}))?;
    let arn = told.pointer("/Table/LatestStreamArn").cloned().ok_or("there is no stream")?;
    let (_, told) = world.ask_streams("DescribeStream", &json!({"StreamArn": arn}))?;
    let shards = told.pointer("/StreamDescription/Shards").and_then(Json::as_array).cloned();
    for shard in shards.unwrap_or_default() {
        let id = shard.get("ShardId").cloned().unwrap_or_default();
        let request = json!({"StreamArn": arn, "ShardId": id, "ShardIteratorType": "TRIM_HORIZON"});
        let (_, told) = world.ask_streams("GetShardIterator", &request)?;
        let mut next = told.get("ShardIterator").cloned();
        while let Some(iterator) = next {
            let request = json!({"ShardIterator": iterator, "Limit": RECORDS});
            let (status, told) = world.ask_streams("GetRecords", &request)?;
            accepted(status, &told)?;
            let records = told.get("Records").and_then(Json::as_array).cloned().unwrap_or_default();
            for record in &records {
                play(&mut replayed, record)?;
            }
            next = told.get("NextShardIterator").filter(|_| !records.is_empty()).cloned();
        }
    }
    same("the stream", &contents(&table), &contents(&replayed))
}

fn play(table: &mut Table, record: &Json) -> Result<(), String> {
    let part = |name: &str| record.pointer(&format!("/dynamodb/{name}")).and_then(Json::as_object).cloned();
    let keys = part("Keys").ok_or("a record has no keys")?;
    let before = match part("NewImage") {
        Some(item) => table.put(item),
        None => table.delete(&keys),
    };
    let event = match (&before, part("NewImage")) {
        (None, _) => "INSERT",
        (Some(_), Some(_)) => "MODIFY",
        (Some(_), None) => "REMOVE",
    };
    same("the event", &json!(event), record.get("eventName").unwrap_or(&Json::Null))?;
    match part("OldImage") {
        Some(old) => same("the old image", &json!(before), &Json::Object(old)),
        None => Ok(()),
    }
}

/// A restored table is active and knows how many items it has.
pub(crate) fn figures(world: &mut World, name: &str, state: &Table) -> Result<(), String> {
    let (status, told) = world.ask("DescribeTable", &json!({"TableName": name}))?;
    accepted(status, &told)?;
    let member = |name: &str| told.pointer(&format!("/Table/{name}")).cloned().unwrap_or_default();
    same("the status", &json!("ACTIVE"), &member("TableStatus"))?;
    same("the summary of the restore", &json!(null), &member("RestoreSummary"))?;
    same("the count", &json!(state.len()), &member("ItemCount"))
}

/// The changes between two states are told once an item, with both images, and nothing else is.
pub(crate) fn changes(
    world: &mut World,
    name: &str,
    (from_ms, from): (u64, Table),
    (to_ms, to): (u64, Table),
) -> Result<(), String> {
    world.asked = format!("the changes from {from_ms} to {to_ms}");
    // A state is of the end of its moment, and a time to be exported ends before its end.
    let scope = ExportScope::Incremental {
        from_ms: from_ms + 1,
        to_ms: Some(to_ms + 1),
        view: ExportView::NewAndOldImages,
    };
    let begun = world.engine()?.export_begin(name, scope, &|_, _| {});
    let copy = begun.map_err(|error| error.message)?.copy;
    world.work();
    if !matches!(world.engine()?.export_progress(copy), Progress::Ready { .. }) {
        return Err("the copy is not ready".into());
    }
    let mut state = from;
    for exported in pages(world, copy)? {
        apply(&mut state, &exported)?;
    }
    same("the state after the changes", &contents(&to), &contents(&state))?;
    world.engine()?.export_end(copy, &|_| {}).map_err(|error| error.message)
}

fn pages(world: &World, copy: u64) -> Result<Vec<Exported>, String> {
    let mut all: Vec<Exported> = Vec::new();
    loop {
        let after = all.last().map(|last| last.place.clone());
        let page = world.engine()?.export_page(copy, after.as_deref(), RECORDS);
        let page = page.map_err(|error| error.message)?;
        let is_last = page.len() < RECORDS;
        all.extend(page);
        if is_last {
            return Ok(all);
        }
    }
}

fn apply(state: &mut Table, exported: &Exported) -> Result<(), String> {
    let change = exported.change.as_ref().ok_or("no change")?;
    let shown = |item| json_of(GetItemOutput { item, capacity: None });
    let (old, new) = (shown(change.old.clone())?, shown(exported.new.clone())?);
    let Some(image) = new.as_ref().or(old.as_ref()) else { return Ok(()) };
    let before = state.get(image).cloned();
    same("the item before the change", &json!(before), &json!(old))?;
    let image = image.clone();
    match new {
        Some(new) => drop(state.put(new)),
        None => drop(state.delete(&image)),
    }
    Ok(())
}

/// An item as a client sees it.
fn json_of(output: GetItemOutput) -> Result<Option<Item>, String> {
    let mut bytes = Vec::new();
    wire::encode(&Output::GetItem(output), b"{}", &mut bytes);
    let answer: Json = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    Ok(answer.get("Item").and_then(Json::as_object).cloned())
}

fn contents(table: &Table) -> Json {
    unordered(table.entries(None).into_iter().map(Json::Object).collect())
}
