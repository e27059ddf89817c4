//! Query and Scan, page by page to the end.

use serde_json::{Value as Json, json};

use super::{accepted, any_table, same, unordered};
use crate::model::{Key, keys, passes};
use crate::world::World;

const PAGES_MAX: usize = 5000;

/// All items of all pages.
pub(crate) fn all_pages(world: &mut World, operation: &str, request: &Json) -> Result<Vec<Json>, String> {
    let mut request = request.clone();
    let mut found = Vec::new();
    for _ in 0..PAGES_MAX {
        let (status, answer) = world.ask(operation, &request)?;
        accepted(status, &answer)?;
        let items = answer.get("Items").and_then(Json::as_array).cloned().unwrap_or_default();
        same("Count", &json!(items.len()), answer.get("Count").unwrap_or(&Json::Null))?;
        found.extend(items);
        let Some(last) = answer.get("LastEvaluatedKey").cloned() else { return Ok(found) };
        if let Some(request) = request.as_object_mut() {
            request.insert("ExclusiveStartKey".into(), last);
        }
    }
    Err("the pages have no end".into())
}

pub(crate) fn query(world: &mut World) -> Result<(), String> {
    let name = any_table(world);
    let table = world.model.tables.get(&name).ok_or("the model has no such table")?.clone();
    let places = table.schema.indexes.len() + 1;
    let index = match world.chance.below(places) {
        0 => None,
        place => table.schema.indexes.get(place - 1),
    };
    let key = index.map_or(&table.schema.key, |index| &index.key);
    let (hash_name, hash_kind) = key.first().ok_or("a key has a partition key")?.clone();
    let hash = super::key_value(world, hash_kind);
    let mut condition = "#h = :h".to_string();
    let mut request = json!({
        "TableName": name,
        "ExpressionAttributeNames": {"#h": hash_name},
        "ExpressionAttributeValues": {":h": hash},
    });
    let mut test = None;
    if let Some((range_name, range_kind)) = key.get(1).cloned().filter(|_| !world.chance.one_in(3)) {
        let tests = ["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"];
        let kinds = if range_kind == 'S' { tests.len() } else { tests.len() - 1 };
        let chosen = *tests.get(world.chance.below(kinds)).ok_or("there is a test")?;
        let (mut low, mut high) = (super::key_value(world, range_kind), super::key_value(world, range_kind));
        let part = [(range_name.clone(), range_kind)];
        let value = |json: &Json| keys(&part, &[(range_name.clone(), json.clone())].into_iter().collect());
        if value(&low) > value(&high) {
            std::mem::swap(&mut low, &mut high);
        }
        condition += &match chosen {
            "BETWEEN" => " AND #r BETWEEN :low AND :high".to_string(),
            "begins_with" => " AND begins_with(#r, :low)".to_string(),
            _ => format!(" AND #r {chosen} :low"),
        };
        set(&mut request, "/ExpressionAttributeNames", "#r", json!(range_name));
        set(&mut request, "/ExpressionAttributeValues", ":low", low.clone());
        if chosen == "BETWEEN" {
            set(&mut request, "/ExpressionAttributeValues", ":high", high.clone());
        }
        let bound =
            |json: &Json| value(json).and_then(|keys| keys.into_iter().next()).ok_or("a bound is a key");
        test = Some((chosen, bound(&low)?, bound(&high)?));
    }
    let forward = world.chance.one_in(2);
    set(&mut request, "", "KeyConditionExpression", json!(condition));
    set(&mut request, "", "ScanIndexForward", json!(forward));
    if world.chance.one_in(2) {
        set(&mut request, "", "Limit", json!(1 + world.chance.below(4)));
    }
    if let Some(index) = index {
        set(&mut request, "", "IndexName", json!(index.name));
    }
    let wanted = keys(&[(hash_name.clone(), hash_kind)], &[(hash_name, hash)].into_iter().collect());
    let passes_test = |entry: &[Key]| match &test {
        None => true,
        Some((test, low, high)) => entry.get(1).is_some_and(|key| passes(test, key, low, high)),
    };
    let mut due: Vec<Json> = table
        .entries(index)
        .into_iter()
        .filter(|item| {
            keys(key, item).is_some_and(|entry| {
                entry.first() == wanted.as_ref().and_then(|wanted| wanted.first()) && passes_test(&entry)
            })
        })
        .map(Json::Object)
        .collect();
    if !forward {
        due.reverse();
    }
    let found = all_pages(world, "Query", &request)?;
    same("the items of the query", &json!(due), &json!(found))
}

pub(crate) fn scan(world: &mut World) -> Result<(), String> {
    let name = any_table(world);
    let table = world.model.tables.get(&name).ok_or("the model has no such table")?.clone();
    let index = match world.chance.below(table.schema.indexes.len() + 1) {
        0 => None,
        place => table.schema.indexes.get(place - 1),
    };
    let segments = 1 + world.chance.below(4);
    let mut found = Vec::new();
    for segment in 0..segments {
        let mut request = json!({"TableName": name, "Segment": segment, "TotalSegments": segments});
        if let Some(index) = index {
            set(&mut request, "", "IndexName", json!(index.name));
        }
        if world.chance.one_in(2) {
            set(&mut request, "", "Limit", json!(1 + world.chance.below(7)));
        }
        found.extend(all_pages(world, "Scan", &request)?);
    }
    let due = table.entries(index).into_iter().map(Json::Object).collect();
    same("the items of the scan", &unordered(due), &unordered(found))
}

fn set(request: &mut Json, at: &str, name: &str, value: Json) {
    if let Some(object) = request.pointer_mut(at).and_then(Json::as_object_mut) {
        object.insert(name.into(), value);
    }
}
