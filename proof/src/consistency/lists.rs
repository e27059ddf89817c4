//! Lists that only grow, appended to and read in transactions over several items, by single requests, and through an
//! index that shows all lists of a generation at once. What is seen goes to `serial`.

use serde_json::{Value as Json, json};

use super::client::{Client, End, Heard, as_number, is_conflict, number, unusual};
use super::serial::{List, Outcome, Transaction};

pub(crate) const TABLE: &str = "lists";
/// Lists in use at a time.
const LISTS: u64 = 5;

/// How the table is made.
pub(crate) fn table() -> Json {
    json!({
        "TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "g", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [{
            "IndexName": "by_generation", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}]}]})
}

/// Appends to lists, reads them, or both.
pub(crate) fn ask(client: &mut Client<'_>) -> Result<(), End> {
    let generation = client.shared.generation();
    match client.chance.below(10) {
        0..=2 => append(client, generation, Vec::new()),
        3..=4 => {
            let lists = some(client, generation);
            let seen = read(client, generation, &lists)?;
            append(client, generation, seen)
        }
        5 => append_alone(client, generation),
        6 => read_page(client, generation),
        _ => {
            let lists = some(client, generation);
            read(client, generation, &lists).map(drop)
        }
    }
}

/// Reads all lists of a generation at the end of a run.
pub(crate) fn look(client: &mut Client<'_>, generation: u64) -> Result<(), End> {
    let lists: Vec<List> = (0..LISTS).map(|place| generation * LISTS + place).collect();
    read(client, generation, &lists).map(drop)
}

fn some(client: &mut Client<'_>, generation: u64) -> Vec<List> {
    let count = client.chance.between(1, 4);
    client.chance.distinct(count, LISTS).into_iter().map(|place| generation * LISTS + place).collect()
}

/// Appends to some lists in one transaction, on the condition that those in `unchanged` are as they were seen. As lists
/// only grow, the same length is the same list: a success has seen it once more.
fn append(client: &mut Client<'_>, generation: u64, unchanged: Vec<(List, Vec<u64>)>) -> Result<(), End> {
    let lists = some(client, generation);
    let appended: Vec<(List, u64)> = lists.iter().map(|list| (*list, client.shared.value())).collect();
    let mut actions: Vec<Json> = Vec::new();
    for (list, element) in &appended {
        let mut update = update(*list, generation, *element);
        if let Some((_, seen)) = unchanged.iter().find(|(other, _)| other == list) {
            condition(&mut update, seen.len());
        }
        actions.push(json!({"Update": update}));
    }
    for (list, seen) in unchanged.iter().filter(|(list, _)| !lists.contains(list)) {
        let mut check = json!({"TableName": TABLE, "Key": key(*list)});
        condition(&mut check, seen.len());
        actions.push(json!({"ConditionCheck": check}));
    }
    let request = json!({"TransactItems": actions});
    let heard = client.ask("TransactWriteItems", &request)?;
    let outcome = match &heard.answer {
        None => Outcome::Unknown,
        Some(answer) if answer.status == 200 => Outcome::Done,
        Some(answer) if answer.class() == "TransactionCanceledException" => {
            if unchanged.is_empty() && !is_conflict(answer) {
                return Err(unusual("TransactWriteItems", &request, answer));
            }
            Outcome::Refused
        }
        Some(answer) => return Err(unusual("TransactWriteItems", &request, answer)),
    };
    let seen = if outcome == Outcome::Done { unchanged } else { Vec::new() };
    remember(client, generation, &heard, Transaction { called: 0, answered: 0, appended, seen, outcome });
    if heard.answer.is_none() { Err(End::Gone) } else { Ok(()) }
}

/// Appends by one UpdateItem, whose answer shows the list.
fn append_alone(client: &mut Client<'_>, generation: u64) -> Result<(), End> {
    let list = generation * LISTS + client.chance.below(LISTS);
    let element = client.shared.value();
    let mut request = update(list, generation, element);
    if let Some(request) = request.as_object_mut() {
        request.insert("ReturnValues".into(), json!("ALL_NEW"));
    }
    let heard = client.ask("UpdateItem", &request)?;
    let (outcome, seen) = match &heard.answer {
        None => (Outcome::Unknown, Vec::new()),
        Some(answer) if answer.status == 200 => {
            let mut elements = elements(answer.body.get("Attributes"));
            if elements.pop() != Some(element) {
                return Err(unusual("UpdateItem", &request, answer));
            }
            (Outcome::Done, vec![(list, elements)])
        }
        Some(answer) if is_conflict(answer) => (Outcome::Refused, Vec::new()),
        Some(answer) => return Err(unusual("UpdateItem", &request, answer)),
    };
    let appended = vec![(list, element)];
    remember(client, generation, &heard, Transaction { called: 0, answered: 0, appended, seen, outcome });
    if heard.answer.is_none() { Err(End::Gone) } else { Ok(()) }
}

fn read(client: &mut Client<'_>, generation: u64, lists: &[List]) -> Result<Vec<(List, Vec<u64>)>, End> {
    let gets: Vec<Json> =
        lists.iter().map(|list| json!({"Get": {"TableName": TABLE, "Key": key(*list)}})).collect();
    let (heard, body) = client.read("TransactGetItems", &json!({"TransactItems": gets}))?;
    let found = body.get("Responses").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let items = found.iter().map(|one| elements(one.get("Item")));
    let seen: Vec<(List, Vec<u64>)> = lists.iter().copied().zip(items).collect();
    let outcome = Outcome::Done;
    let transaction =
        Transaction { called: 0, answered: 0, appended: Vec::new(), seen: seen.clone(), outcome };
    remember(client, generation, &heard, transaction);
    Ok(seen)
}

/// Reads all lists by one page of the index, which the store shows as of one moment.
fn read_page(client: &mut Client<'_>, generation: u64) -> Result<(), End> {
    let request = json!({"TableName": TABLE, "IndexName": "by_generation", "KeyConditionExpression": "g = :g",
        "ExpressionAttributeValues": {":g": {"S": generation.to_string()}}});
    let (heard, body) = client.read("Query", &request)?;
    let found = body.get("Items").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let seen = (0..LISTS)
        .map(|place| generation * LISTS + place)
        .map(|list| {
            let wanted = key(list);
            let item = found.iter().find(|item| item.get("pk") == wanted.get("pk"));
            (list, elements(item))
        })
        .collect();
    let outcome = Outcome::Done;
    remember(
        client,
        generation,
        &heard,
        Transaction { called: 0, answered: 0, appended: Vec::new(), seen, outcome },
    );
    Ok(())
}

fn remember(client: &mut Client<'_>, generation: u64, heard: &Heard, transaction: Transaction) {
    let timed = Transaction { called: heard.called, answered: heard.answered, ..transaction };
    client.seen.transactions.push((generation, timed));
}

fn key(list: List) -> Json {
    json!({"pk": {"S": format!("l{list}")}})
}

fn update(list: List, generation: u64, element: u64) -> Json {
    json!({
        "TableName": TABLE, "Key": key(list),
        "UpdateExpression": "SET l = list_append(if_not_exists(l, :none), :one), g = :g",
        "ExpressionAttributeValues": {
            ":none": {"L": []}, ":one": {"L": [number(element)]}, ":g": {"S": generation.to_string()}}})
}

/// The list has as many elements as it was seen with.
fn condition(action: &mut Json, length: usize) {
    let Some(action) = action.as_object_mut() else { return };
    if length == 0 {
        action.insert("ConditionExpression".into(), json!("attribute_not_exists(pk)"));
        return;
    }
    action.insert("ConditionExpression".into(), json!("size(l) = :length"));
    let values = action.entry("ExpressionAttributeValues").or_insert_with(|| json!({}));
    if let Some(values) = values.as_object_mut() {
        values.insert(":length".into(), number(length as u64));
    }
}

fn elements(item: Option<&Json>) -> Vec<u64> {
    let list = item.and_then(|item| item.pointer("/l/L")).and_then(Json::as_array);
    list.map(|list| list.iter().filter_map(as_number).collect()).unwrap_or_default()
}
