//! Batches and transactions: many small requests in one.
//! Knows how each kind wraps its parts.

use item::Item;
use serde_json::{Map, Value as Json, json};

use super::bind::{self, Bound};
use super::{Maker, Problem, Request, key};
use crate::items;
use crate::json::to_json;
use crate::model::{At, Step};
use crate::physical;

pub(super) fn request(maker: &Maker<'_>, step: &Step) -> Result<Request, Problem> {
    match step.operation.value.as_str() {
        "BatchGetItem" => batch_get(maker, step),
        "TransactGetItems" => transact_get(maker, step),
        "BatchWriteItem" => batch_write(maker, step),
        _ => transact_write(maker, step),
    }
}

/// The keys a step names: of its samples, of its actions, or of its parameters, which may be lists.
fn keys(maker: &Maker<'_>, step: &Step) -> Result<Vec<(String, Item)>, Problem> {
    let mut found = Vec::new();
    for name in &step.samples {
        let (table, item) = sample(maker, name)?;
        found.push((table, item));
    }
    for action in &step.actions {
        if action.samples.len() > 1 {
            found.extend(keys(maker, &Step { actions: Vec::new(), ..action.clone() })?);
            continue;
        }
        let bound = Bound::new(maker, action)?;
        let table = physical::table_name(maker.design, maker.environment, bound.table);
        found.push((table, maker.key(action, &bound)?));
    }
    if step.samples.is_empty() && step.actions.is_empty() {
        let bound = Bound::new(maker, step)?;
        let table = physical::table_name(maker.design, maker.environment, bound.table);
        let count = bound.lists.iter().map(|(_, values)| values.len()).max().unwrap_or(1);
        for place in 0..count {
            let mut values = bound.values.clone();
            for (name, list) in &bound.lists {
                if let Some(value) = list.get(place) {
                    values.insert(name.clone(), value.clone());
                }
            }
            let entity = bound.entity()?;
            bind::derive(entity, &mut values);
            found.push((table.clone(), key::whole(entity, bound.table, &values)?));
        }
    }
    Ok(found)
}

/// The table and the key of a sample.
fn sample(maker: &Maker<'_>, name: &At<String>) -> Result<(String, Item), Problem> {
    let (table, item, parts) = whole_sample(maker, name)?;
    Ok((table, item.into_iter().filter(|(name, _)| parts.contains(name)).collect()))
}

/// The table, the item and the names of the key of a sample.
fn whole_sample(maker: &Maker<'_>, name: &At<String>) -> Result<(String, Item, Vec<String>), Problem> {
    let sample = bind::sample(maker.design, name)?;
    let entity = bind::entity(maker.design, &sample.entity)?;
    let table = bind::table(maker.design, &entity.table)?;
    let item = items::sample(maker.design, sample)?.item;
    let parts = table.key.iter().map(|part| part.name.value.clone()).collect();
    Ok((physical::table_name(maker.design, maker.environment, table), item, parts))
}

fn batch_get(maker: &Maker<'_>, step: &Step) -> Result<Request, Problem> {
    let keys = keys(maker, step)?;
    let mut tables: Map<String, Json> = Map::new();
    let mut placeholders = super::Placeholders::default();
    let mut extra = Map::new();
    super::projection(step, &mut placeholders, &mut extra);
    super::consistency(step, &mut extra);
    placeholders.finish(&mut extra);
    for (table, key) in &keys {
        let entry = tables.entry(table).or_insert_with(|| {
            let mut entry = Map::new();
            entry.insert("Keys".to_owned(), json!([]));
            entry.extend(extra.clone());
            Json::Object(entry)
        });
        let key = to_json(key);
        // The service refuses the same key twice, and a list of references may well name it twice.
        if let Some(list) = entry.get_mut("Keys").and_then(Json::as_array_mut)
            && !list.contains(&key)
        {
            list.push(key);
        }
    }
    Ok(finish(maker, "BatchGetItem", json!({ "RequestItems": tables }), &keys, Vec::new()))
}

fn transact_get(maker: &Maker<'_>, step: &Step) -> Result<Request, Problem> {
    let keys = keys(maker, step)?;
    let gets = keys.iter().map(|(table, key)| json!({ "Get": { "TableName": table, "Key": to_json(key) } }));
    let body = json!({ "TransactItems": gets.collect::<Vec<_>>() });
    Ok(finish(maker, "TransactGetItems", body, &keys, Vec::new()))
}

fn batch_write(maker: &Maker<'_>, step: &Step) -> Result<Request, Problem> {
    let mut tables: Map<String, Json> = Map::new();
    let mut keys = Vec::new();
    let mut add = |table: String, key: Item, request: Json| {
        if let Some(list) = tables.entry(&table).or_insert_with(|| json!([])).as_array_mut() {
            list.push(request);
        }
        keys.push((table, key));
    };
    for name in &step.samples {
        let (table, item, parts) = whole_sample(maker, name)?;
        let request = json!({ "PutRequest": { "Item": to_json(&item) } });
        add(table, item.into_iter().filter(|(name, _)| parts.contains(name)).collect(), request);
    }
    for action in &step.actions {
        let (table, body, key) = maker.single(action)?;
        let request = match body.get("Item") {
            Some(item) => json!({ "PutRequest": { "Item": item } }),
            None => json!({ "DeleteRequest": { "Key": to_json(&key) } }),
        };
        add(table, key, request);
    }
    let writes = keys.iter().map(|(table, key)| (table.clone(), to_json(key))).collect();
    Ok(finish(maker, "BatchWriteItem", json!({ "RequestItems": tables }), &keys, writes))
}

fn transact_write(maker: &Maker<'_>, step: &Step) -> Result<Request, Problem> {
    let mut actions = Vec::new();
    let mut keys = Vec::new();
    let mut writes = Vec::new();
    for name in &step.samples {
        let (table, item, parts) = whole_sample(maker, name)?;
        actions.push(json!({ "Put": { "TableName": table, "Item": to_json(&item) } }));
        let key: Item = item.into_iter().filter(|(name, _)| parts.contains(name)).collect();
        writes.push((table.clone(), to_json(&key)));
        keys.push((table, key));
    }
    for action in &step.actions {
        let (table, body, key) = maker.single(action)?;
        let name = match action.operation.value.as_str() {
            "PutItem" => "Put",
            "UpdateItem" => "Update",
            "DeleteItem" => "Delete",
            _ => "ConditionCheck",
        };
        let mut whole = Map::new();
        whole.insert("TableName".to_owned(), json!(table));
        whole.extend(body);
        actions.push(json!({ name: whole }));
        if name != "ConditionCheck" {
            writes.push((table.clone(), to_json(&key)));
        }
        keys.push((table, key));
    }
    Ok(finish(maker, "TransactWriteItems", json!({ "TransactItems": actions }), &keys, writes))
}

fn finish(
    maker: &Maker<'_>,
    operation: &str,
    body: Json,
    keys: &[(String, Item)],
    writes: Vec<(String, Json)>,
) -> Request {
    let words = keys.iter().map(|(table, key)| maker.words(table, key)).collect::<Vec<_>>().join("; ");
    let table = keys.first().map(|(table, _)| table.clone()).unwrap_or_default();
    Request { operation: operation.to_owned(), body, index: None, table, words, writes }
}
