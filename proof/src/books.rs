//! What writers put into a database and what of it must be there after a crash. Every writer owns its items and has one
//! request under way at most, so an item holds what was last acknowledged or what was under way, nothing else.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::chance::Chance;
use crate::wire::{Broken, Wire};

/// The two tables, each with indexes of its own.
pub(crate) const TABLES: [&str; 2] = ["accounts", "ledger"];
/// Items of one writer that are written alone, in each table.
const SINGLES: u64 = 5;
/// Items of one writer that are always written together.
const GROUPS: [&[u64]; 3] = [&[100, 101], &[102, 103, 104], &[105, 106, 107, 108]];
const LARGE: u64 = 200;
const LARGE_BYTES: usize = 250_000;
const SETTLE_TIME_MAX: Duration = Duration::from_secs(60);

/// One item: the table's place in `TABLES`, the writer, the member.
pub(crate) type Place = (usize, u64, u64);
/// The number an item carries, or none when it is not there.
pub(crate) type Held = Option<u64>;

/// One request with the moments around it.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) places: Vec<(Place, Held)>,
    pub(crate) sent: u64,
    pub(crate) acknowledged: Option<u64>,
}

/// How the tables are made.
pub(crate) fn tables() -> [Json; 2] {
    let named = |name: &str, kind: &str| json!({"AttributeName": name, "AttributeType": kind});
    let part = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    [
        json!({"TableName": TABLES[0], "BillingMode": "PAY_PER_REQUEST", "KeySchema": [part("pk", "HASH")],
            "AttributeDefinitions": [named("pk", "S"), named("team", "S"), named("number", "N")],
            "GlobalSecondaryIndexes": [{"IndexName": "by_team", "Projection": {"ProjectionType": "KEYS_ONLY"},
                "KeySchema": [part("team", "HASH"), part("number", "RANGE")]}]}),
        json!({"TableName": TABLES[1], "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [part("pk", "HASH"), part("sk", "RANGE")],
            "AttributeDefinitions": [named("pk", "S"), named("sk", "S"), named("team", "S"), named("number", "N")],
            "LocalSecondaryIndexes": [{"IndexName": "by_number", "Projection": {"ProjectionType": "KEYS_ONLY"},
                "KeySchema": [part("pk", "HASH"), part("number", "RANGE")]}],
            "GlobalSecondaryIndexes": [{"IndexName": "by_team", "Projection": {"ProjectionType": "ALL"},
                "KeySchema": [part("team", "HASH")]}]}),
    ]
}

/// A writer of one run of a server.
pub(crate) struct Writer<'a> {
    pub(crate) number: u64,
    pub(crate) chance: Chance,
    pub(crate) wire: Wire,
    /// Every so many requests one of a large item.
    pub(crate) large_every: u64,
    /// Tells the moment.
    pub(crate) moment: &'a (dyn Fn() -> u64 + Sync),
}

/// What a writer did, and an answer that nobody should get.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) events: Vec<Event>,
    pub(crate) problem: Option<String>,
}

impl Writer<'_> {
    /// Writes until the server is gone or `goes_on` says no.
    pub(crate) fn run(mut self, goes_on: &dyn Fn() -> bool) -> Written {
        let mut written = Written::default();
        while goes_on() {
            let (operation, request, places) = self.request();
            let sent = (self.moment)();
            let outcome = self.wire.ask(operation, &request);
            let acknowledged = match outcome {
                Ok(answer) if answer.status == 200 => Some((self.moment)()),
                Ok(answer) => {
                    let told: String = answer.body.to_string().chars().take(300).collect();
                    written.problem = Some(format!("{operation} was answered {} {told}", answer.status));
                    None
                }
                Err(Broken::Unsent(_)) => break,
                Err(Broken::Unanswered(_)) => None,
            };
            written.events.push(Event { places, sent, acknowledged });
            if acknowledged.is_none() {
                break;
            }
        }
        written
    }

    fn request(&mut self) -> (&'static str, Json, Vec<(Place, Held)>) {
        let number = self.chance.below(1 << 48) + 1;
        let table = self.chance.below(2) as usize;
        let single = (table, self.number, self.chance.below(SINGLES));
        if self.large_every > 0 && self.chance.one_in(self.large_every) {
            let place = (table, self.number, LARGE);
            return (
                "PutItem",
                json!({"TableName": name(table), "Item": item(place, number)}),
                vec![(place, Some(number))],
            );
        }
        match self.chance.below(10) {
            0..=3 => {
                let request = json!({"TableName": name(table), "Item": item(single, number)});
                ("PutItem", request, vec![(single, Some(number))])
            }
            4..=5 => {
                let (expression, values) = update(number);
                let request = json!({"TableName": name(table), "Key": key(single), "UpdateExpression": expression,
                    "ExpressionAttributeNames": {"#n": "number", "#t": "team"}, "ExpressionAttributeValues": values});
                ("UpdateItem", request, vec![(single, Some(number))])
            }
            6 => {
                let request = json!({"TableName": name(table), "Key": key(single)});
                ("DeleteItem", request, vec![(single, None)])
            }
            _ => {
                let places: Vec<Place> = self
                    .chance
                    .pick(&GROUPS)
                    .iter()
                    .map(|member| ((member % 2) as usize, self.number, *member))
                    .collect();
                let puts: Vec<Json> = places
                    .iter()
                    .map(|place| json!({"Put": {"TableName": name(place.0), "Item": item(*place, number)}}))
                    .collect();
                let places = places.into_iter().map(|place| (place, Some(number))).collect();
                ("TransactWriteItems", json!({"TransactItems": puts}), places)
            }
        }
    }
}

/// What may be where, after everything up to a moment has happened and nothing later has.
pub(crate) fn allowed(
    held: &BTreeMap<Place, Held>,
    events: &[Vec<Event>],
    moment: u64,
) -> BTreeMap<Place, Vec<Held>> {
    let mut allowed: BTreeMap<Place, Vec<Held>> =
        held.iter().map(|(place, held)| (*place, vec![*held])).collect();
    for event in events.iter().flatten().filter(|event| event.sent <= moment) {
        let is_safe = event.acknowledged.is_some_and(|acknowledged| acknowledged <= moment);
        for (place, held) in &event.places {
            let choices = allowed.entry(*place).or_insert_with(|| vec![None]);
            if is_safe {
                choices.clear();
            }
            choices.push(*held);
        }
    }
    allowed
}

/// What is there, after it was compared with what may be: the wrong things are told, and how much was looked at.
pub(crate) struct Found {
    pub(crate) held: BTreeMap<Place, Held>,
    pub(crate) problems: Vec<String>,
    /// Items and index entries that were compared.
    pub(crate) compared: u64,
}

/// Reads both tables and all their indexes.
pub(crate) fn verify(wire: &mut Wire, allowed: &BTreeMap<Place, Vec<Held>>) -> Result<Found, String> {
    let mut found = Found { held: BTreeMap::new(), problems: Vec::new(), compared: 0 };
    for (number, table) in TABLES.iter().enumerate() {
        settle(wire, table)?;
        let items = pages(wire, &json!({"TableName": table, "ConsistentRead": true}))?;
        for item in &items {
            match place_of(number, item) {
                Some((place, held)) => drop(found.held.insert(place, held)),
                None => found.problems.push(format!("{table} holds {item}, which nobody wrote")),
            }
        }
        indexes(wire, table, &items, &mut found)?;
    }
    for (place, choices) in allowed {
        let held = found.held.get(place).copied().flatten();
        found.compared += 1;
        if !choices.contains(&held) {
            found.problems.push(format!("{place:?} holds {held:?}, allowed is {choices:?}"));
        }
    }
    for place in found.held.keys().filter(|place| !allowed.contains_key(place)) {
        found.problems.push(format!("{place:?} is there, but was never sent"));
    }
    groups(&mut found);
    Ok(found)
}

/// All items of a Query or Scan.
pub(crate) fn pages(wire: &mut Wire, request: &Json) -> Result<Vec<Json>, String> {
    let mut request = request.clone();
    let mut items = Vec::new();
    loop {
        let mut answer = wire.must("Scan", &request)?;
        if let Some(Json::Array(more)) = answer.get_mut("Items").map(Json::take) {
            items.extend(more);
        }
        let Some(last) = answer.get("LastEvaluatedKey").cloned() else { return Ok(items) };
        if let Some(request) = request.as_object_mut() {
            request.insert("ExclusiveStartKey".into(), last);
        }
    }
}

/// Waits until a table and its indexes are as they will stay, and names the indexes.
pub(crate) fn settle(wire: &mut Wire, table: &str) -> Result<Vec<Json>, String> {
    let began = Instant::now();
    loop {
        let answer = wire.must("DescribeTable", &json!({"TableName": table}))?;
        let indexes: Vec<Json> = ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"]
            .iter()
            .filter_map(|kind| answer.pointer(&format!("/Table/{kind}"))?.as_array().cloned())
            .flatten()
            .collect();
        let is_done = |index: &Json| index.get("IndexStatus").is_none_or(|status| status == "ACTIVE");
        if indexes.iter().all(is_done) && answer.pointer("/Table/TableStatus") == Some(&json!("ACTIVE")) {
            return Ok(indexes);
        }
        if began.elapsed() > SETTLE_TIME_MAX {
            return Err(format!("{table} does not come to rest: {answer}"));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Every index holds exactly the items of its table that have its keys.
fn indexes(wire: &mut Wire, table: &str, items: &[Json], found: &mut Found) -> Result<(), String> {
    for index in settle(wire, table)? {
        let parts: Vec<&str> = index
            .get("KeySchema")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .filter_map(|part| part.get("AttributeName")?.as_str())
            .collect();
        let mut shown: Vec<&str> = vec!["pk", "sk"];
        shown.extend(&parts);
        let cut = |item: &Json| -> String {
            shown.iter().map(|name| item.get(*name).map(Json::to_string).unwrap_or_default() + "|").collect()
        };
        let mut due: Vec<String> =
            items.iter().filter(|item| parts.iter().all(|part| item.get(*part).is_some())).map(cut).collect();
        let entries = pages(wire, &json!({"TableName": table, "IndexName": index.get("IndexName")}))?;
        let mut there: Vec<String> = entries.iter().map(cut).collect();
        due.sort();
        there.sort();
        found.compared += there.len() as u64;
        if due != there {
            let missing: Vec<&String> = due.iter().filter(|entry| !there.contains(entry)).take(3).collect();
            let extra: Vec<&String> = there.iter().filter(|entry| !due.contains(entry)).take(3).collect();
            let name = index.get("IndexName").cloned().unwrap_or_default();
            found.problems.push(format!("index {name} of {table}: missing {missing:?}, too many {extra:?}"));
        }
    }
    Ok(())
}

/// The members of a group carry one number.
fn groups(found: &mut Found) {
    let mut writers: Vec<u64> = found.held.keys().map(|(_, writer, _)| *writer).collect();
    writers.dedup();
    writers.sort_unstable();
    writers.dedup();
    for writer in writers {
        for group in GROUPS {
            let numbers: Vec<Held> = group
                .iter()
                .map(|member| found.held.get(&((member % 2) as usize, writer, *member)).copied().flatten())
                .collect();
            if numbers.iter().any(|number| Some(number) != numbers.first()) {
                found
                    .problems
                    .push(format!("writer {writer}: half of a transaction is there: {group:?} {numbers:?}"));
            }
        }
    }
}

fn name(table: usize) -> &'static str {
    TABLES.get(table).copied().unwrap_or_default()
}

fn key(place: Place) -> Json {
    let (table, writer, member) = place;
    if table == 0 {
        json!({"pk": {"S": format!("{writer}-{member}")}})
    } else {
        json!({"pk": {"S": writer.to_string()}, "sk": {"S": member.to_string()}})
    }
}

/// An item whose other attributes follow from its number; a third of them are in no index of teams.
fn item(place: Place, number: u64) -> Json {
    let mut item = key(place);
    if let Some(item) = item.as_object_mut() {
        item.insert("number".into(), json!({"N": number.to_string()}));
        if !number.is_multiple_of(3) {
            item.insert("team".into(), json!({"S": format!("t{}", number % 7)}));
        }
        if number.is_multiple_of(2) {
            item.insert("state".into(), json!({"S": format!("s{}", number % 5)}));
        }
        let bytes = if place.2 == LARGE { LARGE_BYTES } else { (number % 300) as usize };
        item.insert("padding".into(), json!({"S": Chance::new(number, place.2).text(bytes)}));
    }
    item
}

fn update(number: u64) -> (&'static str, Json) {
    let value = json!({"N": number.to_string()});
    if !number.is_multiple_of(3) {
        ("SET #n = :n, #t = :t", json!({":n": value, ":t": {"S": format!("t{}", number % 7)}}))
    } else {
        ("SET #n = :n REMOVE #t", json!({":n": value}))
    }
}

fn place_of(table: usize, item: &Json) -> Option<(Place, Held)> {
    let number = item.pointer("/number/N")?.as_str()?.parse().ok();
    let partition = item.pointer("/pk/S")?.as_str()?;
    let (writer, member) =
        if table == 0 { partition.split_once('-')? } else { (partition, item.pointer("/sk/S")?.as_str()?) };
    Some(((table, writer.parse().ok()?, member.parse().ok()?), number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(place: Place, held: Held, sent: u64, acknowledged: Option<u64>) -> Event {
        Event { places: vec![(place, held)], sent, acknowledged }
    }

    #[test]
    fn what_was_acknowledged_replaces_what_was_there() {
        let place = (0, 1, 2);
        let events = [vec![event(place, Some(1), 1, Some(2)), event(place, Some(2), 3, Some(6))]];
        let held = BTreeMap::new();
        assert_eq!(allowed(&held, &events, 0).get(&place), None);
        assert_eq!(allowed(&held, &events, 1).get(&place), Some(&vec![None, Some(1)]));
        assert_eq!(allowed(&held, &events, 2).get(&place), Some(&vec![Some(1)]));
        assert_eq!(allowed(&held, &events, 5).get(&place), Some(&vec![Some(1), Some(2)]));
        assert_eq!(allowed(&held, &events, 6).get(&place), Some(&vec![Some(2)]));
    }

    #[test]
    fn half_of_a_group_is_told() {
        let mut found = Found { held: BTreeMap::new(), problems: Vec::new(), compared: 0 };
        found.held.insert((0, 1, 100), Some(5));
        groups(&mut found);
        assert_eq!(found.problems.len(), 1);
        found.held.insert((1, 1, 101), Some(5));
        found.problems.clear();
        groups(&mut found);
        assert!(found.problems.is_empty());
    }
}
