//! Tables: made, changed, described, deleted, compared as a whole.

use serde_json::{Value as Json, json};

use super::{TABLES, accepted, any_table, refused, same, unordered};
use crate::model::{Index, Schema, Table};
use crate::world::World;

pub(crate) const INDEXES_MAX: usize = 4;

pub(crate) fn create(world: &mut World) -> Result<(), String> {
    let name = (*world.chance.pick(&TABLES)).to_string();
    let schema = random_schema(world);
    let request = create_request(&name, &schema);
    let (status, answer) = world.ask("CreateTable", &request)?;
    if world.model.tables.contains_key(&name) {
        return refused("ResourceInUseException", status, &answer);
    }
    accepted(status, &answer)?;
    world.model.tables.insert(name, Table::new(schema));
    Ok(())
}

pub(super) fn delete(world: &mut World) -> Result<(), String> {
    let name = (*world.chance.pick(&TABLES)).to_string();
    let (status, answer) = world.ask("DeleteTable", &json!({"TableName": name}))?;
    match world.model.tables.remove(&name) {
        Some(_) => accepted(status, &answer),
        None => refused("ResourceNotFoundException", status, &answer),
    }
}

/// Adds or drops a global index. The new one is filled with what is there.
pub(super) fn change_indexes(world: &mut World) -> Result<(), String> {
    let name = any_table(world);
    world.work();
    let globals: Vec<String> = {
        let indexes = &super::schema(world, &name)?.indexes;
        indexes.iter().filter(|index| !index.is_local).map(|index| index.name.clone()).collect()
    };
    if globals.len() < INDEXES_MAX && world.chance.one_in(2) || globals.is_empty() {
        return add_index(world, &name);
    }
    let dropped = world.chance.pick(&globals).clone();
    let request =
        json!({"TableName": name, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": dropped}}]});
    let (status, answer) = world.ask("UpdateTable", &request)?;
    accepted(status, &answer)?;
    world.work();
    let table = world.model.tables.get_mut(&name).ok_or("the model has no such table")?;
    table.schema.indexes.retain(|index| index.name != dropped);
    Ok(())
}

fn add_index(world: &mut World, name: &str) -> Result<(), String> {
    let index = random_index(world, "global", None);
    let mut schema = super::schema(world, name)?.clone();
    if schema.indexes.iter().any(|other| other.name == index.name) {
        return Ok(());
    }
    let update = json!({"Create": index_request(&index)});
    schema.indexes.push(index);
    let request = json!({
        "TableName": name,
        "AttributeDefinitions": definitions(&schema),
        "GlobalSecondaryIndexUpdates": [update],
    });
    let (status, answer) = world.ask("UpdateTable", &request)?;
    accepted(status, &answer)?;
    world.work();
    world.model.tables.get_mut(name).ok_or("the model has no such table")?.schema = schema;
    compare(world, name)
}

/// Switches expiry on or off. What is there when it is switched on expires too.
pub(super) fn set_expiry(world: &mut World) -> Result<(), String> {
    let name = any_table(world);
    let enabled = world.chance.one_in(2);
    let specification = json!({"Enabled": enabled, "AttributeName": "ttl"});
    let request = json!({"TableName": name, "TimeToLiveSpecification": specification});
    let (status, answer) = world.ask("UpdateTimeToLive", &request)?;
    let table = world.model.tables.get_mut(&name).ok_or("the model has no such table")?;
    if table.expires == enabled {
        return refused("ValidationException", status, &answer);
    }
    accepted(status, &answer)?;
    table.expires = enabled;
    world.work();
    compare(world, &name)
}

/// Counts of items are exact once the background work is done.
pub(super) fn describe(world: &mut World) -> Result<(), String> {
    let name = any_table(world);
    world.work();
    let (status, answer) = world.ask("DescribeTable", &json!({"TableName": name}))?;
    accepted(status, &answer)?;
    let table = world.model.tables.get(&name).ok_or("the model has no such table")?;
    same_counts(table, &answer)
}

/// A description tells how many items the table and its indexes have.
pub(crate) fn same_counts(table: &Table, answer: &Json) -> Result<(), String> {
    let told = answer.pointer("/Table/ItemCount").unwrap_or(&Json::Null);
    same("ItemCount", &json!(table.len()), told)?;
    for index in &table.schema.indexes {
        let lists = ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"].map(|list| format!("/Table/{list}"));
        let all = lists.iter().filter_map(|list| answer.pointer(list)?.as_array()).flatten();
        let told = all.into_iter().find(|told| told.get("IndexName") == Some(&json!(index.name)));
        let count = told.and_then(|told| told.get("ItemCount")).unwrap_or(&Json::Null);
        same(&format!("ItemCount of {}", index.name), &json!(table.entries(Some(index)).len()), count)?;
    }
    Ok(())
}

/// Everything a table and its indexes hold.
pub(crate) fn compare(world: &mut World, name: &str) -> Result<(), String> {
    let table = world.model.tables.get(name).ok_or("the model has no such table")?.clone();
    let sources = std::iter::once(None).chain(table.schema.indexes.iter().map(Some));
    for index in sources {
        let mut request = json!({"TableName": name});
        if let (Some(index), Some(request)) = (index, request.as_object_mut()) {
            request.insert("IndexName".into(), json!(index.name));
        }
        let found = super::pages::all_pages(world, "Scan", &request)?;
        let what = index.map_or("the table", |index| index.name.as_str());
        let model = table.entries(index).into_iter().map(Json::Object).collect();
        same(what, &unordered(model), &unordered(found))?;
    }
    Ok(())
}

pub(crate) fn random_schema(world: &mut World) -> Schema {
    let kind = |world: &mut World| *world.chance.pick(&['S', 'N']);
    let mut key = vec![("pk".to_string(), kind(world))];
    let mut indexes = Vec::new();
    if !world.chance.one_in(3) {
        key.push(("sk".to_string(), kind(world)));
        for _ in 0..world.chance.below(3) {
            indexes.push(random_index(world, "local", key.first().cloned()));
        }
    }
    for _ in 0..world.chance.below(3) {
        indexes.push(random_index(world, "global", None));
    }
    let mut seen = Vec::new();
    indexes.retain(|index: &Index| {
        let is_new = !seen.contains(&index.name);
        seen.push(index.name.clone());
        is_new
    });
    Schema { key, indexes }
}

pub(crate) fn random_index(world: &mut World, kind: &str, hash: Option<(String, char)>) -> Index {
    let attributes: Vec<(String, char)> =
        super::ATTRIBUTES.iter().take(3).map(|(name, kind)| (name.to_string(), *kind)).collect();
    let is_local = hash.is_some();
    let first = hash.unwrap_or_else(|| world.chance.pick(&attributes).clone());
    let mut key = vec![first.clone()];
    let second = world.chance.pick(&attributes).clone();
    if second != first && (is_local || !world.chance.one_in(3)) {
        key.push(second);
    }
    if is_local && key.len() == 1 {
        key.push(("b".into(), 'N'));
    }
    let included = match world.chance.below(3) {
        0 => None,
        1 => Some(Vec::new()),
        _ => Some(vec!["d".to_string(), "e".to_string()]),
    };
    Index { name: format!("{kind}-{}", world.chance.below(5)), is_local, key, included }
}

pub(crate) fn create_request(name: &str, schema: &Schema) -> Json {
    let mut request = json!({
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": definitions(schema),
        "KeySchema": key_schema(&schema.key),
    });
    for (member, is_local) in [("LocalSecondaryIndexes", true), ("GlobalSecondaryIndexes", false)] {
        let indexes: Vec<Json> =
            schema.indexes.iter().filter(|index| index.is_local == is_local).map(index_request).collect();
        if let Some(request) = request.as_object_mut().filter(|_| !indexes.is_empty()) {
            request.insert(member.into(), json!(indexes));
        }
    }
    request
}

pub(crate) fn index_request(index: &Index) -> Json {
    let projection = match &index.included {
        None => json!({"ProjectionType": "ALL"}),
        Some(names) if names.is_empty() => json!({"ProjectionType": "KEYS_ONLY"}),
        Some(names) => json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": names}),
    };
    json!({"IndexName": index.name, "KeySchema": key_schema(&index.key), "Projection": projection})
}

fn key_schema(key: &[(String, char)]) -> Json {
    let element = |(place, (name, _)): (usize, &(String, char))| json!({"AttributeName": name, "KeyType": if place == 0 { "HASH" } else { "RANGE" }});
    key.iter().enumerate().map(element).collect()
}

pub(crate) fn definitions(schema: &Schema) -> Json {
    let mut all: Vec<&(String, char)> =
        schema.key.iter().chain(schema.indexes.iter().flat_map(|index| &index.key)).collect();
    all.sort();
    all.dedup();
    all.iter().map(|(name, kind)| json!({"AttributeName": name, "AttributeType": kind.to_string()})).collect()
}
