//! Transactions: all of it or nothing, with a reason for each action.

use serde_json::{Value as Json, json};

use super::items::Change;
use super::{accepted, any_table, random_condition, random_item, random_key, refused, same, with_condition};
use crate::model::{Condition, Item};
use crate::world::World;

/// An action and what it comes to in the model.
struct Action {
    table: String,
    key: Item,
    request: Json,
    /// `None`, or the code of the reason that stops it.
    reason: &'static str,
    /// Whether the table takes no such item, whatever is in it.
    is_unfit: bool,
    after: Option<Item>,
    writes: bool,
}

pub(crate) fn write(world: &mut World) -> Result<(), String> {
    let mut actions: Vec<Action> = Vec::new();
    for _ in 0..=world.chance.below(4) {
        let action = random_action(world)?;
        if !actions.iter().any(|other| other.table == action.table && other.key == action.key) {
            actions.push(action);
        }
    }
    let requests: Vec<&Json> = actions.iter().map(|action| &action.request).collect();
    let mut request = json!({"TransactItems": requests});
    let token = world.chance.one_in(2);
    if let Some(request) = request.as_object_mut().filter(|_| token) {
        let text = format!("token-{}", world.chance.next());
        request.insert("ClientRequestToken".into(), json!(text));
    }
    let (status, answer) = world.ask("TransactWriteItems", &request)?;
    let reasons = reasons(&actions);
    if reasons.iter().any(|reason| *reason != "None") {
        refused("TransactionCanceledException", status, &answer)?;
        let told = answer.get("CancellationReasons").and_then(Json::as_array).cloned().unwrap_or_default();
        let codes: Vec<&Json> = told.iter().filter_map(|reason| reason.get("Code")).collect();
        return same("the reasons", &json!(reasons), &json!(codes));
    }
    accepted(status, &answer)?;
    if token && world.chance.one_in(2) {
        // The same once more must change nothing, or the comparisons that follow will tell.
        let (status, answer) = world.ask("TransactWriteItems", &request)?;
        accepted(status, &answer)?;
    }
    for action in actions.into_iter().filter(|action| action.writes) {
        let table = world.model.tables.get_mut(&action.table).ok_or("the model has no such table")?;
        match action.after {
            Some(item) => drop(table.put(item)),
            None => drop(table.delete(&action.key)),
        }
    }
    Ok(())
}

/// The code of each action's reason. A put that does not fit its table is found before any item is looked at: then
/// nothing else is told.
fn reasons(actions: &[Action]) -> Vec<&'static str> {
    let is_unfit = actions.iter().any(|action| action.is_unfit);
    let reason = |action: &Action| if is_unfit && !action.is_unfit { "None" } else { action.reason };
    actions.iter().map(reason).collect()
}

fn random_action(world: &mut World) -> Result<Action, String> {
    let table = any_table(world);
    let condition = random_condition(world);
    match world.chance.below(4) {
        0 => put(world, table, condition),
        1 => update(world, table, condition),
        2 => delete(world, table, condition),
        _ => check(world, table),
    }
}

fn reason(condition: Option<&Condition>, before: Option<&Item>) -> &'static str {
    match condition {
        Some(condition) if !condition.holds(before) => "ConditionalCheckFailed",
        _ => "None",
    }
}

fn put(world: &mut World, table: String, condition: Option<Condition>) -> Result<Action, String> {
    let item = random_item(world, &table)?;
    let model = world.model.tables.get(&table).ok_or("the model has no such table")?;
    let is_unfit = !model.accepts(&item);
    let reason = if is_unfit { "ValidationError" } else { reason(condition.as_ref(), model.get(&item)) };
    let mut request = json!({"TableName": table, "Item": item});
    with_condition(&mut request, condition.as_ref());
    let key = model.key_of(&item);
    Ok(Action {
        table,
        key,
        request: json!({"Put": request}),
        reason,
        is_unfit,
        after: Some(item),
        writes: true,
    })
}

fn update(world: &mut World, table: String, condition: Option<Condition>) -> Result<Action, String> {
    let key = random_key(world, &table)?;
    let mut change = Change::random(world);
    if change.is_nothing() {
        change = Change::Add(1);
    }
    let model = world.model.tables.get(&table).ok_or("the model has no such table")?;
    let before = model.get(&key);
    let after = change.apply(before.unwrap_or(&key)).filter(|after| change.fits(model, after));
    let reason = match reason(condition.as_ref(), before) {
        "None" if after.is_none() => "ValidationError",
        reason => reason,
    };
    let mut request = json!({"TableName": table, "Key": key});
    change.write(&mut request);
    with_condition(&mut request, condition.as_ref());
    Ok(Action {
        table,
        key,
        request: json!({"Update": request}),
        reason,
        is_unfit: false,
        after,
        writes: true,
    })
}

fn delete(world: &mut World, table: String, condition: Option<Condition>) -> Result<Action, String> {
    let key = random_key(world, &table)?;
    let model = world.model.tables.get(&table).ok_or("the model has no such table")?;
    let reason = reason(condition.as_ref(), model.get(&key));
    let mut request = json!({"TableName": table, "Key": key});
    with_condition(&mut request, condition.as_ref());
    Ok(Action {
        table,
        key,
        request: json!({"Delete": request}),
        reason,
        is_unfit: false,
        after: None,
        writes: true,
    })
}

fn check(world: &mut World, table: String) -> Result<Action, String> {
    let key = random_key(world, &table)?;
    let condition = random_condition(world).unwrap_or(Condition::Exists("pk".into()));
    let model = world.model.tables.get(&table).ok_or("the model has no such table")?;
    let reason = reason(Some(&condition), model.get(&key));
    let mut request = json!({"TableName": table, "Key": key});
    with_condition(&mut request, Some(&condition));
    Ok(Action {
        table,
        key,
        request: json!({"ConditionCheck": request}),
        reason,
        is_unfit: false,
        after: None,
        writes: false,
    })
}

pub(crate) fn get(world: &mut World) -> Result<(), String> {
    let mut gets: Vec<(String, Item)> = Vec::new();
    for _ in 0..=world.chance.below(5) {
        let table = any_table(world);
        let key = random_key(world, &table)?;
        if !gets.contains(&(table.clone(), key.clone())) {
            gets.push((table, key));
        }
    }
    let requests: Vec<Json> =
        gets.iter().map(|(table, key)| json!({"Get": {"TableName": table, "Key": key}})).collect();
    let (status, answer) = world.ask("TransactGetItems", &json!({"TransactItems": requests}))?;
    accepted(status, &answer)?;
    let due: Vec<Json> = gets
        .iter()
        .map(|(table, key)| match world.model.tables.get(table).and_then(|table| table.get(key)) {
            Some(item) => json!({"Item": item}),
            None => json!({}),
        })
        .collect();
    same("the items", &json!(due), answer.get("Responses").unwrap_or(&Json::Null))
}
