//! Single items and batches of them.

use serde_json::{Value as Json, json};

use super::{accepted, any_table, random_condition, random_item, random_key, refused, same, with_condition};
use crate::model::{Item, Table};
use crate::world::World;

fn table<'a>(world: &'a mut World, name: &str) -> Result<&'a mut Table, String> {
    world.model.tables.get_mut(name).ok_or_else(|| "the model has no such table".to_string())
}

/// The `Attributes` of an answer.
fn attributes(answer: &Json) -> Json {
    answer.get("Attributes").cloned().unwrap_or(Json::Null)
}

fn told(item: Option<Item>) -> Json {
    item.map_or(Json::Null, Json::Object)
}

pub(crate) fn put(world: &mut World) -> Result<(), String> {
    let name = any_table(world);
    let item = random_item(world, &name)?;
    let condition = random_condition(world);
    let mut request = json!({"TableName": name, "Item": item, "ReturnValues": "ALL_OLD"});
    with_condition(&mut request, condition.as_ref());
    let (status, answer) = world.ask("PutItem", &request)?;
    let table = table(world, &name)?;
    if !table.accepts(&item) {
        return refused("ValidationException", status, &answer);
    }
    if condition.is_some_and(|condition| !condition.holds(table.get(&item))) {
        return refused("ConditionalCheckFailedException", status, &answer);
    }
    accepted(status, &answer)?;
    let before = table.put(item);
    same("the old item", &told(before), &attributes(&answer))
}

pub(crate) fn update(world: &mut World) -> Result<(), String> {
    let name = any_table(world);
    let key = random_key(world, &name)?;
    let condition = random_condition(world);
    let change = Change::random(world);
    let returns = *world.chance.pick(&["ALL_OLD", "ALL_NEW"]);
    let mut request = json!({"TableName": name, "Key": key, "ReturnValues": returns});
    change.write(&mut request);
    with_condition(&mut request, condition.as_ref());
    let (status, answer) = world.ask("UpdateItem", &request)?;
    let table = table(world, &name)?;
    let before = table.get(&key).cloned();
    if condition.is_some_and(|condition| !condition.holds(before.as_ref())) {
        return refused("ConditionalCheckFailedException", status, &answer);
    }
    let Some(after) = change.apply(before.as_ref().unwrap_or(&key)).filter(|after| change.fits(table, after))
    else {
        return refused("ValidationException", status, &answer);
    };
    accepted(status, &answer)?;
    table.put(after.clone());
    let due = if returns == "ALL_OLD" { told(before) } else { Json::Object(after) };
    same("the item told", &due, &attributes(&answer))
}

pub(crate) fn delete(world: &mut World) -> Result<(), String> {
    let name = any_table(world);
    let key = random_key(world, &name)?;
    let condition = random_condition(world);
    let mut request = json!({"TableName": name, "Key": key, "ReturnValues": "ALL_OLD"});
    with_condition(&mut request, condition.as_ref());
    let (status, answer) = world.ask("DeleteItem", &request)?;
    let table = table(world, &name)?;
    if condition.is_some_and(|condition| !condition.holds(table.get(&key))) {
        return refused("ConditionalCheckFailedException", status, &answer);
    }
    accepted(status, &answer)?;
    let before = table.delete(&key);
    same("the old item", &told(before), &attributes(&answer))
}

pub(crate) fn get(world: &mut World) -> Result<(), String> {
    let name = any_table(world);
    let key = random_key(world, &name)?;
    let consistent = world.chance.one_in(2);
    let request = json!({"TableName": name, "Key": key, "ConsistentRead": consistent});
    let (status, answer) = world.ask("GetItem", &request)?;
    accepted(status, &answer)?;
    let due = told(table(world, &name)?.get(&key).cloned());
    same("the item", &due, answer.get("Item").unwrap_or(&Json::Null))
}

pub(crate) fn batch_write(world: &mut World) -> Result<(), String> {
    let name = any_table(world);
    let mut writes: Vec<(Item, Json)> = Vec::new();
    let mut valid = true;
    for _ in 0..=world.chance.below(5) {
        let item = random_item(world, &name)?;
        let table = table(world, &name)?;
        let key = table.key_of(&item);
        if writes.iter().any(|(other, _)| *other == key) {
            continue;
        }
        let accepts = table.accepts(&item);
        if world.chance.one_in(3) {
            writes.push((key.clone(), json!({"DeleteRequest": {"Key": key}})));
        } else {
            valid = valid && accepts;
            writes.push((key, json!({"PutRequest": {"Item": item}})));
        }
    }
    let requests: Vec<&Json> = writes.iter().map(|(_, request)| request).collect();
    let (status, answer) = world.ask("BatchWriteItem", &json!({"RequestItems": {&name: requests}}))?;
    if !valid {
        return refused("ValidationException", status, &answer);
    }
    accepted(status, &answer)?;
    let table = table(world, &name)?;
    for (key, request) in writes {
        match request.pointer("/PutRequest/Item").and_then(Json::as_object) {
            Some(item) => drop(table.put(item.clone())),
            None => drop(table.delete(&key)),
        }
    }
    Ok(())
}

pub(crate) fn batch_get(world: &mut World) -> Result<(), String> {
    let name = any_table(world);
    let mut keys: Vec<Item> = Vec::new();
    for _ in 0..=world.chance.below(8) {
        let key = random_key(world, &name)?;
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let (status, answer) = world.ask("BatchGetItem", &json!({"RequestItems": {&name: {"Keys": keys}}}))?;
    accepted(status, &answer)?;
    let table = table(world, &name)?;
    let due: Vec<Json> = keys.iter().filter_map(|key| table.get(key).cloned().map(Json::Object)).collect();
    let found = answer.pointer(&format!("/Responses/{name}")).unwrap_or(&Json::Null);
    same("the items", &json!(due), found)
}

/// A change of an item that the model can make too.
pub(crate) enum Change {
    Set(String, Json),
    Add(i64),
    Remove(String),
    Nothing,
}

impl Change {
    pub(crate) fn random(world: &mut World) -> Change {
        match world.chance.below(8) {
            0..=1 => Change::Add(world.chance.below(9) as i64 - 4),
            2..=4 => {
                let (name, kind) = *world.chance.pick(&super::ATTRIBUTES);
                Change::Set(name.into(), super::key_value(world, kind))
            }
            5 => Change::Set("a".into(), super::key_value(world, 'N')),
            6 => Change::Remove(world.chance.pick(&["a", "b", "c", "d", "e"]).to_string()),
            _ => Change::Nothing,
        }
    }

    pub(crate) fn write(&self, request: &mut Json) {
        let (text, value) = match self {
            Change::Set(name, value) => (format!("SET {name} = :new"), Some(value.clone())),
            Change::Add(number) => ("ADD d :new".to_string(), Some(json!({"N": number.to_string()}))),
            Change::Remove(name) => (format!("REMOVE {name}"), None),
            Change::Nothing => return,
        };
        let Some(request) = request.as_object_mut() else { return };
        request.insert("UpdateExpression".into(), json!(text));
        if let Some(value) = value {
            request.insert("ExpressionAttributeValues".into(), json!({":new": value}));
        }
    }

    /// Whether it changes nothing by expression, which a transaction does not take.
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self, Change::Nothing)
    }

    pub(crate) fn apply(&self, before: &Item) -> Option<Item> {
        let mut after = before.clone();
        match self {
            Change::Set(name, value) => drop(after.insert(name.clone(), value.clone())),
            Change::Add(number) => {
                let sum = match after.get("d") {
                    None => *number,
                    Some(value) => crate::model::number(value)? + number,
                };
                after.insert("d".into(), json!({"N": sum.to_string()}));
            }
            Change::Remove(name) => drop(after.remove(name)),
            Change::Nothing => {}
        }
        Some(after)
    }

    /// Only what an update touches must fit the indexes; what was there before they were made may stay.
    pub(crate) fn fits(&self, table: &Table, after: &Item) -> bool {
        let touched: Item = match self {
            Change::Set(name, _) => {
                after.get(name).map(|value| (name.clone(), value.clone())).into_iter().collect()
            }
            Change::Add(_) | Change::Remove(_) | Change::Nothing => Item::new(),
        };
        table.accepts(&touched)
    }
}
