//! What writers put into a database and what of it must be there after a crash. Every writer owns its items and has one
//! request under way at most, so an item holds what was last acknowledged or what was under way, nothing else.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::chance::Chance;
use crate::wire::{Broken, Wire};

/// The two tables, each with indexes of its own.
pub(crate) const TABLES: [&str; 2] = ["accounts", "ledger"];
/// The one whose changes are in a stream.
const FOLLOWED: &str = TABLES[1];
/// Items of one writer that are written alone, in each table.
const SINGLES: u64 = 5;
/// Items of one writer that are always written together.
const GROUPS: [&[u64]; 3] = [&[100, 101], &[102, 103, 104], &[105, 106, 107, 108]];
const LARGE: u64 = 200;
const LARGE_BYTES: usize = 250_000;
const SETTLE_TIME_MAX: Duration = Duration::from_secs(60);

/// One item: the table's place in `TABLES`, the writer, the member.
pub(crate) type Place = (usize, u64, u64);
/// What an item holds, or none when it is not there.
pub(crate) type Held = Option<Version>;

/// Which writes an item shows; all its attributes follow from their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    /// The last write.
    number: u64,
    /// The last one that wrote it whole, below the updates that followed; 0 if there was none.
    base: u64,
}

/// What a request does to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Put(u64),
    Update(u64),
    Delete,
    /// What a look showed after a request whose outcome nobody knew.
    Found(Held),
}

/// One request with the moments around it.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) places: Vec<(Place, Change)>,
    pub(crate) sent: u64,
    pub(crate) acknowledged: Option<u64>,
}

impl Change {
    fn apply(self, held: Held) -> Held {
        match self {
            Change::Put(number) => Some(Version { number, base: number }),
            Change::Update(number) => Some(Version { number, base: held.map_or(0, |held| held.base) }),
            Change::Delete => None,
            Change::Found(found) => found,
        }
    }
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
            "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"},
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

    fn request(&mut self) -> (&'static str, Json, Vec<(Place, Change)>) {
        let number = self.chance.below(1 << 48) + 1;
        let table = self.chance.below(2) as usize;
        let single = (table, self.number, self.chance.below(SINGLES));
        if self.large_every > 0 && self.chance.one_in(self.large_every) {
            // Not in the other table: its stream would become long to read.
            let place = (0, self.number, LARGE);
            let request = json!({"TableName": TABLES[0], "Item": put(place, number)});
            return ("PutItem", request, vec![(place, Change::Put(number))]);
        }
        match self.chance.below(10) {
            0..=3 => {
                let request = json!({"TableName": name(table), "Item": put(single, number)});
                ("PutItem", request, vec![(single, Change::Put(number))])
            }
            4..=5 => {
                let (expression, values) = update(number);
                let request = json!({"TableName": name(table), "Key": key(single), "UpdateExpression": expression,
                    "ExpressionAttributeNames": {"#n": "number", "#t": "team"}, "ExpressionAttributeValues": values});
                ("UpdateItem", request, vec![(single, Change::Update(number))])
            }
            6 => {
                let request = json!({"TableName": name(table), "Key": key(single)});
                ("DeleteItem", request, vec![(single, Change::Delete)])
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
                    .map(|place| json!({"Put": {"TableName": name(place.0), "Item": put(*place, number)}}))
                    .collect();
                let places = places.into_iter().map(|place| (place, Change::Put(number))).collect();
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
        for (place, change) in &event.places {
            let choices = allowed.entry(*place).or_insert_with(|| vec![None]);
            let changed: Vec<Held> = choices.iter().map(|held| change.apply(*held)).collect();
            if is_safe {
                choices.clear();
            }
            choices.extend(changed);
            choices.dedup();
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
        for found_item in &items {
            match place_of(number, found_item) {
                Some((place, version)) if item(place, version) == *found_item => {
                    found.held.insert(place, Some(version));
                }
                Some(_) | None => {
                    let told: String = found_item.to_string().chars().take(500).collect();
                    found.problems.push(format!("{table} holds {told}, which nobody wrote"));
                }
            }
        }
        indexes(wire, table, &items, &mut found)?;
        if *table == FOLLOWED {
            stream(wire, table, &items, &mut found)?;
        }
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

/// Every index holds exactly the items of its table that have its keys, with all that it is to show of them.
fn indexes(wire: &mut Wire, table: &str, items: &[Json], found: &mut Found) -> Result<(), String> {
    for index in settle(wire, table)? {
        let parts: Vec<&str> = index
            .get("KeySchema")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .filter_map(|part| part.get("AttributeName")?.as_str())
            .collect();
        let shows_all = index.pointer("/Projection/ProjectionType") == Some(&json!("ALL"));
        let is_shown = |name: &str| shows_all || name == "pk" || name == "sk" || parts.contains(&name);
        let cut = |item: &Json| -> Json {
            let shown = item.as_object().into_iter().flatten().filter(|(name, _)| is_shown(name));
            Json::Object(shown.map(|(name, value)| (name.clone(), value.clone())).collect())
        };
        let is_due = |item: &&Json| parts.iter().all(|part| item.get(*part).is_some());
        let due = items.iter().filter(is_due).map(cut);
        let entries = pages(wire, &json!({"TableName": table, "IndexName": index.get("IndexName")}))?;
        found.compared += entries.len() as u64;
        let name = index.get("IndexName").cloned().unwrap_or_default();
        found
            .problems
            .extend(difference(due, entries).map(|told| format!("index {name} of {table}: {told}")));
    }
    Ok(())
}

/// What is missing and what is too much, if there is a difference.
pub(crate) fn difference(due: impl Iterator<Item = Json>, there: Vec<Json>) -> Option<String> {
    let sorted = |items: &mut dyn Iterator<Item = Json>| -> Vec<String> {
        let mut texts: Vec<String> = items.map(|item| item.to_string()).collect();
        texts.sort();
        texts
    };
    let (due, there) = (sorted(&mut { due }), sorted(&mut there.into_iter()));
    let not_in = |some: &[String], others: &[String]| -> Vec<String> {
        let missing = some.iter().filter(|item| others.binary_search(item).is_err());
        missing.take(3).map(|item| item.chars().take(300).collect()).collect()
    };
    (due != there).then(|| {
        let (missing, extra) = (not_in(&due, &there), not_in(&there, &due));
        format!("{} instead of {}, missing {missing:?}, too many {extra:?}", there.len(), due.len())
    })
}

/// The stream, read from its beginning, makes the table as it is.
fn stream(wire: &mut Wire, table: &str, items: &[Json], found: &mut Found) -> Result<(), String> {
    let described = wire.must("DescribeTable", &json!({"TableName": table}))?;
    let arn = described.pointer("/Table/LatestStreamArn").cloned().ok_or("the table has no stream")?;
    let mut made: BTreeMap<String, Json> = BTreeMap::new();
    for shard in shards(wire, &arn)? {
        let asked = json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
        let mut next = wire.must("GetShardIterator", &asked)?.get("ShardIterator").cloned();
        while let Some(iterator) = next.take() {
            let mut answer = wire.must("GetRecords", &json!({"ShardIterator": iterator}))?;
            let records = answer.get_mut("Records").and_then(Json::as_array_mut).map(std::mem::take);
            let records = records.unwrap_or_default();
            if !records.is_empty() {
                next = answer.get("NextShardIterator").filter(|next| !next.is_null()).cloned();
            }
            found.compared += records.len() as u64;
            for mut record in records {
                let key = record.pointer("/dynamodb/Keys").map(Json::to_string).unwrap_or_default();
                match record.pointer_mut("/dynamodb/NewImage").map(Json::take) {
                    Some(image) => made.insert(key, image),
                    None => made.remove(&key),
                };
            }
        }
    }
    let told = difference(items.iter().cloned(), made.into_values().collect());
    found.problems.extend(told.map(|told| format!("the stream of {table} makes another table: {told}")));
    Ok(())
}

/// The shards of a stream, the oldest first.
fn shards(wire: &mut Wire, arn: &Json) -> Result<Vec<Json>, String> {
    let mut request = json!({"StreamArn": arn});
    let mut shards = Vec::new();
    loop {
        let answer = wire.must("DescribeStream", &request)?;
        let listed = answer.pointer("/StreamDescription/Shards").and_then(Json::as_array);
        shards.extend(listed.into_iter().flatten().filter_map(|shard| shard.get("ShardId").cloned()));
        let Some(last) = answer.pointer("/StreamDescription/LastEvaluatedShardId").cloned() else {
            return Ok(shards);
        };
        if let Some(request) = request.as_object_mut() {
            request.insert("ExclusiveStartShardId".into(), last);
        }
    }
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

/// An item as a put writes it.
fn put(place: Place, number: u64) -> Json {
    item(place, Version { number, base: number })
}

/// An item whose attributes follow from the numbers of its writes; a third of them are in no index of teams.
fn item(place: Place, version: Version) -> Json {
    let Version { number, base } = version;
    let mut item = key(place);
    if let Some(item) = item.as_object_mut() {
        item.insert("number".into(), json!({"N": number.to_string()}));
        if !number.is_multiple_of(3) {
            item.insert("team".into(), json!({"S": format!("t{}", number % 7)}));
        }
        if base == 0 {
            return Json::Object(std::mem::take(item));
        }
        item.insert("base".into(), json!({"N": base.to_string()}));
        if base.is_multiple_of(2) {
            item.insert("state".into(), json!({"S": format!("s{}", base % 5)}));
        }
        let bytes = if place.2 == LARGE { LARGE_BYTES } else { (base % 300) as usize };
        item.insert("padding".into(), json!({"S": Chance::new(base, place.2).text(bytes)}));
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

fn place_of(table: usize, item: &Json) -> Option<(Place, Version)> {
    let number = item.pointer("/number/N")?.as_str()?.parse().ok()?;
    let base = match item.pointer("/base/N") {
        Some(base) => base.as_str()?.parse().ok()?,
        None => 0,
    };
    let partition = item.pointer("/pk/S")?.as_str()?;
    let (writer, member) =
        if table == 0 { partition.split_once('-')? } else { (partition, item.pointer("/sk/S")?.as_str()?) };
    Some(((table, writer.parse().ok()?, member.parse().ok()?), Version { number, base }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = (0, 1, 2);

    fn event(change: Change, sent: u64, acknowledged: Option<u64>) -> Event {
        Event { places: vec![(PLACE, change)], sent, acknowledged }
    }

    fn version(number: u64, base: u64) -> Held {
        Some(Version { number, base })
    }

    #[test]
    fn what_was_acknowledged_replaces_what_was_there() {
        let events = [vec![event(Change::Put(1), 1, Some(2)), event(Change::Put(2), 3, Some(6))]];
        let at = |moment| allowed(&BTreeMap::new(), &events, moment).get(&PLACE).cloned();
        assert_eq!(at(0), None);
        assert_eq!(at(1), Some(vec![None, version(1, 1)]));
        assert_eq!(at(2), Some(vec![version(1, 1)]));
        assert_eq!(at(5), Some(vec![version(1, 1), version(2, 2)]));
        assert_eq!(at(6), Some(vec![version(2, 2)]));
    }

    #[test]
    fn an_update_keeps_what_the_last_put_wrote() {
        let changes = [Change::Put(1), Change::Update(2), Change::Delete, Change::Update(3)];
        let all = changes.iter().zip(0..).map(|(change, at)| event(*change, at * 2 + 1, Some(at * 2 + 2)));
        let events = [all.collect::<Vec<_>>()];
        let at = |moment| allowed(&BTreeMap::new(), &events, moment).get(&PLACE).cloned();
        assert_eq!(at(4), Some(vec![version(2, 1)]));
        assert_eq!(at(5), Some(vec![version(2, 1), None]));
        assert_eq!(at(8), Some(vec![version(3, 0)]));
        // A put of which nobody heard, and an update after it: the put may be below it, or what was there before.
        let held = BTreeMap::from([(PLACE, version(7, 7))]);
        let events = [vec![event(Change::Put(8), 1, None), event(Change::Update(9), 2, Some(3))]];
        assert_eq!(allowed(&held, &events, 3).get(&PLACE), Some(&vec![version(9, 7), version(9, 8)]));
    }

    #[test]
    fn an_item_shows_which_writes_made_it() {
        for version in
            [Version { number: 9, base: 4 }, Version { number: 10, base: 10 }, Version { number: 3, base: 0 }]
        {
            assert_eq!(place_of(0, &item(PLACE, version)), Some((PLACE, version)));
        }
        assert_ne!(item(PLACE, Version { number: 9, base: 4 }), item(PLACE, Version { number: 9, base: 6 }));
    }

    #[test]
    fn differences_are_told() {
        let items = |numbers: &[u64]| numbers.iter().map(|number| json!(number)).collect::<Vec<_>>();
        assert_eq!(difference(items(&[1, 2]).into_iter(), items(&[2, 1])), None);
        let told = difference(items(&[1, 2, 2]).into_iter(), items(&[2, 3])).unwrap_or_default();
        assert_eq!(told, r#"2 instead of 3, missing ["1"], too many ["3"]"#);
        assert!(difference(items(&[1, 1]).into_iter(), items(&[1])).is_some());
    }

    #[test]
    fn half_of_a_group_is_told() {
        let mut found = Found { held: BTreeMap::new(), problems: Vec::new(), compared: 0 };
        found.held.insert((0, 1, 100), version(5, 5));
        groups(&mut found);
        assert_eq!(found.problems.len(), 1);
        found.held.insert((1, 1, 101), version(5, 5));
        found.problems.clear();
        groups(&mut found);
        assert!(found.problems.is_empty());
    }
}
