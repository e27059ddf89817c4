//! One step: something random is asked of the database and of the model, and the answers are compared.

pub(crate) mod items;
pub(crate) mod pages;
pub(crate) mod tables;
pub(crate) mod transactions;

use serde_json::{Value as Json, json};

use crate::model::{Condition, Item, Schema};
use crate::world::World;

/// Names of tables; few, so that they are made and deleted again.
pub(crate) const TABLES: [&str; 3] = ["table-0", "table-1", "table-2"];

/// Asks and compares once.
pub(crate) fn step(world: &mut World) -> Result<(), String> {
    if world.model.tables.is_empty() {
        return tables::create(world);
    }
    match world.chance.below(100) {
        0..=2 => tables::create(world),
        3 => tables::delete(world),
        4..=6 => tables::change_indexes(world),
        7..=8 => tables::describe(world),
        9 => tables::set_expiry(world),
        10..=34 => items::put(world),
        35..=49 => items::update(world),
        50..=59 => items::delete(world),
        60..=65 => items::get(world),
        66..=70 => items::batch_write(world),
        71..=73 => items::batch_get(world),
        74..=83 => pages::query(world),
        84..=88 => pages::scan(world),
        89..=95 => transactions::write(world),
        96..=97 => transactions::get(world),
        98 => {
            let thousands = world.chance.below(4) as u64;
            world.advance(thousands);
            world.work();
            Ok(())
        }
        _ => world.restart(),
    }
}

/// Compares all tables and indexes with the model.
pub(crate) fn compare_everything(world: &mut World) -> Result<(), String> {
    world.work();
    let names: Vec<String> = world.model.tables.keys().cloned().collect();
    for name in names {
        tables::compare(world, &name)?;
    }
    Ok(())
}

/// A table that exists, by name.
pub(crate) fn any_table(world: &mut World) -> String {
    let names: Vec<String> = world.model.tables.keys().cloned().collect();
    world.chance.pick(&names).clone()
}

fn schema<'a>(world: &'a World, table: &str) -> Result<&'a Schema, String> {
    Ok(&world.model.tables.get(table).ok_or("the model has no such table")?.schema)
}

/// A value of one of the two key types, out of few, so that keys meet.
pub(crate) fn key_value(world: &mut World, kind: char) -> Json {
    if kind == 'N' {
        let number = world.chance.below(12) as i64 - 5;
        json!({"N": number.to_string()})
    } else {
        json!({"S": *world.chance.pick(&["a", "ab", "abc", "b", "ba", "é", "z", "zz\u{0}", "zz"])})
    }
}

/// A random primary key.
pub(crate) fn random_key(world: &mut World, table: &str) -> Result<Item, String> {
    let parts = schema(world, table)?.key.clone();
    Ok(parts.into_iter().map(|(name, kind)| (name, key_value(world, kind))).collect())
}

/// Attributes that indexes are made of, with their types, and others.
const ATTRIBUTES: [(&str, char); 4] = [("a", 'S'), ("b", 'N'), ("c", 'S'), ("d", 'N')];

/// A random item: some attributes are missing, and rarely one is of a type its index does not take.
pub(crate) fn random_item(world: &mut World, table: &str) -> Result<Item, String> {
    let mut item = random_key(world, table)?;
    for (name, kind) in ATTRIBUTES {
        if world.chance.one_in(3) {
            continue;
        }
        let kind =
            if name != "d" && world.chance.one_in(40) { if kind == 'S' { 'N' } else { 'S' } } else { kind };
        let value = key_value(world, kind);
        item.insert(name.to_string(), value);
    }
    if world.chance.one_in(3) {
        let seconds = (world.now_seconds() / 1000 + world.chance.below(12) as i64 - 4) * 1000;
        let kind = if world.chance.one_in(10) { "S" } else { "N" };
        item.insert("ttl".into(), json!({kind: seconds.to_string()}));
    }
    if world.chance.one_in(2) {
        let others = [
            json!({"BOOL": true}),
            json!({"NULL": true}),
            json!({"L": [{"N": "1"}, {"S": "x"}]}),
            json!({"M": {"k": {"S": "v"}}}),
            json!({"S": "x".repeat(world.chance.below(2000))}),
        ];
        item.insert("e".into(), world.chance.pick(&others).clone());
    }
    Ok(item)
}

pub(crate) fn random_condition(world: &mut World) -> Option<Condition> {
    let name = world.chance.pick(&["pk", "a", "b", "d", "e"]).to_string();
    match world.chance.below(8) {
        0 => Some(Condition::Exists(name)),
        1 => Some(Condition::NotExists(name)),
        2 => Some(Condition::Equals("b".into(), key_value(world, 'N'))),
        3 => Some(Condition::Below("d".into(), world.chance.below(10) as i64 - 5)),
        _ => None,
    }
}

/// Puts a condition into a request.
pub(crate) fn with_condition(request: &mut Json, condition: Option<&Condition>) {
    let Some(condition) = condition else { return };
    let mut values =
        request.get("ExpressionAttributeValues").and_then(Json::as_object).cloned().unwrap_or_default();
    let text = condition.text(&mut values);
    let Some(request) = request.as_object_mut() else { return };
    request.insert("ConditionExpression".into(), json!(text));
    if !values.is_empty() {
        request.insert("ExpressionAttributeValues".into(), Json::Object(values));
    }
}

/// Both must agree.
pub(crate) fn same(what: &str, model: &Json, database: &Json) -> Result<(), String> {
    if model == database {
        return Ok(());
    }
    Err(format!("{what} differs\n  model:    {model}\n  database: {database}"))
}

/// Items without an order: as texts whose attributes stand in the order of their names, sorted.
pub(crate) fn unordered(items: Vec<Json>) -> Json {
    let mut texts: Vec<String> = items.iter().map(canonical).collect();
    texts.sort();
    json!(texts)
}

fn canonical(value: &Json) -> String {
    match value {
        Json::Object(members) => {
            let mut members: Vec<(&String, String)> =
                members.iter().map(|(name, value)| (name, canonical(value))).collect();
            members.sort();
            format!("{members:?}")
        }
        Json::Array(values) => format!("{:?}", values.iter().map(canonical).collect::<Vec<_>>()),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => value.to_string(),
    }
}

/// The answer must be an error of this kind.
pub(crate) fn refused(kind: &str, status: u16, answer: &Json) -> Result<(), String> {
    let told = answer.get("__type").and_then(Json::as_str).unwrap_or_default();
    if status == 400 && told.ends_with(kind) {
        return Ok(());
    }
    Err(format!("{kind} was due, the database answered {status} {answer}"))
}

pub(crate) fn accepted(status: u16, answer: &Json) -> Result<(), String> {
    if status == 200 {
        Ok(())
    } else {
        Err(format!("success was due, the database answered {status} {answer}"))
    }
}
