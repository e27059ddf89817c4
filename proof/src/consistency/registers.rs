//! Single items that are put, updated, deleted and read in every way there is: by key, through both kinds of index, in
//! batches and in transactions. What is seen of each item goes to `linear`.

use serde_json::{Value as Json, json};

use super::client::{Client, End, Heard, as_number, number, unusual};
use super::linear::{Expected, Held, Outcome, Step, Timed};

pub(crate) const TABLE: &str = "registers";
/// Items in use at a time: few, so that clients meet.
const ITEMS: u64 = 6;

/// How the table is made.
pub(crate) fn table() -> Json {
    json!({
        "TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"},
            {"AttributeName": "v", "AttributeType": "N"}, {"AttributeName": "m", "AttributeType": "S"}],
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        "LocalSecondaryIndexes": [{
            "IndexName": "by_value", "Projection": {"ProjectionType": "KEYS_ONLY"},
            "KeySchema": [
                {"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "v", "KeyType": "RANGE"}]}],
        "GlobalSecondaryIndexes": [{
            "IndexName": "by_mark", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [
                {"AttributeName": "m", "KeyType": "HASH"}, {"AttributeName": "v", "KeyType": "RANGE"}]}]})
}

/// Asks one random thing of one item or of some.
pub(crate) fn ask(client: &mut Client<'_>) -> Result<(), End> {
    let first = client.shared.generation() * ITEMS;
    let item = first + client.chance.below(ITEMS);
    match client.chance.below(100) {
        0..=47 => write(client, item),
        48..=55 => write_some(client, first),
        56..=67 => {
            let consistent = client.chance.one_in(2);
            let request = json!({"TableName": TABLE, "Key": key(item), "ConsistentRead": consistent});
            let (heard, body) = client.read("GetItem", &request)?;
            remember(client, item, &heard, "GetItem", Step::Read(held(body.get("Item"))));
            Ok(())
        }
        68..=87 => read_through_index(client, item),
        _ => read_some(client, first),
    }
}

/// Looks at an item at the end of a run.
pub(crate) fn look(client: &mut Client<'_>, item: u64) -> Result<(), End> {
    let request = json!({"TableName": TABLE, "Key": key(item), "ConsistentRead": true});
    let (heard, body) = client.read("GetItem", &request)?;
    remember(client, item, &heard, "GetItem", Step::Read(held(body.get("Item"))));
    Ok(())
}

/// How many items a run of so many generations has used.
pub(crate) fn items(generations: u64) -> u64 {
    (generations + 1) * ITEMS
}

fn write(client: &mut Client<'_>, item: u64) -> Result<(), End> {
    let value = client.shared.value();
    let expected = expectation(client, item);
    let mut values = json!({});
    let mut request = json!({"TableName": TABLE});
    let (operation, new) = match client.chance.below(5) {
        0 | 1 => {
            put(&mut request, "Item", full(item, value));
            ("PutItem", Some(value))
        }
        2 | 3 => {
            put(&mut request, "Key", key(item));
            put(&mut request, "UpdateExpression", json!("SET v = :v, m = :m"));
            put(&mut values, ":v", number(value));
            put(&mut values, ":m", json!({"S": name(item)}));
            ("UpdateItem", Some(value))
        }
        _ => {
            put(&mut request, "Key", key(item));
            ("DeleteItem", None)
        }
    };
    match expected {
        Expected::Anything => {}
        Expected::Exactly(None) => {
            put(&mut request, "ConditionExpression", json!("attribute_not_exists(pk)"))
        }
        Expected::Exactly(Some(wanted)) => {
            put(&mut request, "ConditionExpression", json!("v = :wanted"));
            put(&mut values, ":wanted", number(wanted));
        }
    }
    if values.as_object().is_some_and(|values| !values.is_empty()) {
        put(&mut request, "ExpressionAttributeValues", values);
    }
    let tells = client.chance.one_in(2);
    if tells {
        put(&mut request, "ReturnValues", json!("ALL_OLD"));
        put(&mut request, "ReturnValuesOnConditionCheckFailure", json!("ALL_OLD"));
    }
    let heard = client.ask(operation, &request)?;
    let outcome = match &heard.answer {
        None => Outcome::Unknown,
        Some(answer) if answer.status == 200 => {
            Outcome::Done { saw: tells.then(|| held(answer.body.get("Attributes"))) }
        }
        Some(answer) if answer.class() == "ConditionalCheckFailedException" => {
            Outcome::Refused { saw: tells.then(|| held(answer.body.get("Item"))) }
        }
        Some(answer) => return Err(unusual(operation, &request, answer)),
    };
    remember(client, item, &heard, operation, Step::Write { new, expected, outcome });
    if heard.answer.is_none() { Err(End::Gone) } else { Ok(()) }
}

/// Half of the writes have a condition: that the item is as this client last saw it, or that it is not there.
fn expectation(client: &mut Client<'_>, item: u64) -> Expected {
    if client.chance.one_in(2) {
        return Expected::Anything;
    }
    let last = client.seen.steps.iter().rev().take(40).find(|(other, _)| *other == item);
    match last.map(|(_, timed)| &timed.step) {
        Some(Step::Read(seen)) => Expected::Exactly(*seen),
        Some(Step::Write { new, outcome: Outcome::Done { .. }, .. }) => Expected::Exactly(*new),
        Some(Step::Write { outcome: Outcome::Refused { saw: Some(saw) }, .. }) => Expected::Exactly(*saw),
        Some(Step::Write { .. }) | None => Expected::Exactly(None),
    }
}

/// Puts or deletes some items in a batch or in a transaction.
fn write_some(client: &mut Client<'_>, first: u64) -> Result<(), End> {
    let count = client.chance.between(2, 4);
    let chosen: Vec<(u64, Held)> = client
        .chance
        .distinct(count, ITEMS)
        .into_iter()
        .map(|place| (first + place, (!client.chance.one_in(4)).then(|| client.shared.value())))
        .collect();
    let (operation, request) = if client.chance.one_in(2) {
        let writes: Vec<Json> = chosen
            .iter()
            .map(|(item, new)| match new {
                Some(value) => json!({"PutRequest": {"Item": full(*item, *value)}}),
                None => json!({"DeleteRequest": {"Key": key(*item)}}),
            })
            .collect();
        ("BatchWriteItem", json!({"RequestItems": {TABLE: writes}}))
    } else {
        let writes: Vec<Json> = chosen
            .iter()
            .map(|(item, new)| match new {
                Some(value) => json!({"Put": {"TableName": TABLE, "Item": full(*item, *value)}}),
                None => json!({"Delete": {"TableName": TABLE, "Key": key(*item)}}),
            })
            .collect();
        ("TransactWriteItems", json!({"TransactItems": writes}))
    };
    let heard = client.ask(operation, &request)?;
    let outcome = match &heard.answer {
        None => Outcome::Unknown,
        Some(answer) if answer.status == 200 => Outcome::Done { saw: None },
        Some(answer) => return Err(unusual(operation, &request, answer)),
    };
    let left =
        heard.answer.as_ref().and_then(|answer| answer.body.pointer(&format!("/UnprocessedItems/{TABLE}")));
    let left: Vec<Json> = left.and_then(Json::as_array).cloned().unwrap_or_default();
    // What a batch left over because of a transaction has not been written.
    for (item, new) in chosen.into_iter().filter(|(item, _)| !left.iter().any(|one| is_about(one, *item))) {
        remember(client, item, &heard, operation, Step::Write { new, expected: Expected::Anything, outcome });
    }
    if heard.answer.is_none() { Err(End::Gone) } else { Ok(()) }
}

/// Whether a write of a batch is about an item.
fn is_about(write: &Json, item: u64) -> bool {
    let name = json!(name(item));
    ["/PutRequest/Item/pk/S", "/DeleteRequest/Key/pk/S"]
        .iter()
        .any(|place| write.pointer(place) == Some(&name))
}

/// Finds an item by a query of the table, of its local index or of its global index.
fn read_through_index(client: &mut Client<'_>, item: u64) -> Result<(), End> {
    let mut request = json!({"TableName": TABLE, "ExpressionAttributeValues": {":key": {"S": name(item)}}});
    let how = match client.chance.below(4) {
        0 => {
            put(&mut request, "KeyConditionExpression", json!("pk = :key"));
            "Query of the table"
        }
        1 => {
            put(&mut request, "IndexName", json!("by_value"));
            put(&mut request, "ConsistentRead", json!(true));
            put(&mut request, "KeyConditionExpression", json!("pk = :key"));
            "Query of the local index"
        }
        _ => {
            put(&mut request, "IndexName", json!("by_mark"));
            put(&mut request, "KeyConditionExpression", json!("m = :key"));
            "Query of the global index"
        }
    };
    let (heard, body) = client.read("Query", &request)?;
    let items = body.get("Items").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    if items.len() > 1 {
        return Err(End::Wrong(format!("one item was found more than once: {request} gave {body}")));
    }
    remember(client, item, &heard, how, Step::Read(held(items.first())));
    Ok(())
}

/// Reads some items in a batch or in a transaction.
fn read_some(client: &mut Client<'_>, first: u64) -> Result<(), End> {
    let count = client.chance.between(2, 4);
    let chosen: Vec<u64> =
        client.chance.distinct(count, ITEMS).into_iter().map(|place| first + place).collect();
    let (how, heard, found): (&'static str, Heard, Vec<Json>) = if client.chance.one_in(2) {
        let keys: Vec<Json> = chosen.iter().map(|item| key(*item)).collect();
        let request = json!({"RequestItems": {TABLE: {"Keys": keys, "ConsistentRead": true}}});
        let (heard, body) = client.read("BatchGetItem", &request)?;
        let found = body.pointer(&format!("/Responses/{TABLE}")).and_then(Json::as_array);
        ("BatchGetItem", heard, found.cloned().unwrap_or_default())
    } else {
        let gets: Vec<Json> =
            chosen.iter().map(|item| json!({"Get": {"TableName": TABLE, "Key": key(*item)}})).collect();
        let (heard, body) = client.read("TransactGetItems", &json!({"TransactItems": gets}))?;
        let found = body.get("Responses").and_then(Json::as_array).cloned().unwrap_or_default();
        let items = found.into_iter().filter_map(|one| one.get("Item").cloned()).collect();
        ("TransactGetItems", heard, items)
    };
    for item in chosen {
        let wanted = json!({"S": name(item)});
        let one = found.iter().find(|one| one.get("pk") == Some(&wanted));
        remember(client, item, &heard, how, Step::Read(held(one)));
    }
    Ok(())
}

fn remember(client: &mut Client<'_>, item: u64, heard: &Heard, how: &'static str, step: Step) {
    let Heard { called, answered, .. } = *heard;
    let timed = Timed { client: client.number, called, answered, how, step };
    client.seen.steps.push((item, timed));
}

fn name(item: u64) -> String {
    format!("r{item}")
}

fn key(item: u64) -> Json {
    json!({"pk": {"S": name(item)}, "sk": {"S": "x"}})
}

fn full(item: u64, value: u64) -> Json {
    json!({"pk": {"S": name(item)}, "sk": {"S": "x"}, "v": number(value), "m": {"S": name(item)}})
}

fn held(item: Option<&Json>) -> Held {
    as_number(item?.get("v")?)
}

fn put(object: &mut Json, name: &str, value: Json) {
    if let Some(object) = object.as_object_mut() {
        object.insert(name.to_string(), value);
    }
}
