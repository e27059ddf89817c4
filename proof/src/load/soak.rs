//! A load that goes on: every kind of request by many clients, while the memory of the server is looked at once a second.
//! After the first third it must not grow, and neither may the folder: the same keys are written again and again, and the
//! table whose log of changes is kept for a day is written seldom.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value as Json, json};

use super::{get, megabytes, put, table};
use crate::chance::Chance;
use crate::report::Row;
use crate::server::{Folder, Server};
use crate::wire::Wire;

const CLIENTS: u64 = 16;
const KEYS: u64 = 20_000;
const MEMORY_BYTES_MAX: u64 = 600 << 20;
/// An hour at the usual rate writes tens of gigabytes; what stays of them is a few hundred megabytes.
const FOLDER_BYTES_MAX: u64 = 4 << 30;
/// Samples that the table shows.
const SHOWN: usize = 12;

/// How long, how fast, and from which seed.
pub(crate) struct Plan {
    pub(crate) seconds: u64,
    /// Requests a second of all clients together.
    pub(crate) rate: u64,
    pub(crate) seed: u64,
}

/// What was seen each second.
#[derive(Default)]
struct Seen {
    /// Resident bytes.
    line: Vec<u64>,
    /// The most that the folder held.
    folder: u64,
}

/// Runs until the time is over.
pub(crate) fn run(larder: &Path, plan: &Plan) -> Result<Row, String> {
    let folder = Folder::new("soak")?;
    let data = folder.path().join("data");
    let mut server = Server::larder(larder, &data)?;
    server.start()?;
    prepare(&mut server.wire())?;
    let (over, requests) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut seen = Seen::default();
    let problems: Vec<String> = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (wire, over, requests) = (server.wire(), &over, &requests);
                scope.spawn(move || {
                    let pause = Duration::from_micros(1_000_000 * CLIENTS / plan.rate.max(1));
                    client(wire, Chance::new(plan.seed, number), pause, over, requests)
                })
            })
            .collect();
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(plan.seconds)
            && clients.iter().any(|client| !client.is_finished())
        {
            thread::sleep(Duration::from_secs(1));
            seen.line.push(server.resident_bytes());
            if seen.line.len() % 60 == 0 {
                let bytes = folder_bytes(&data);
                seen.folder = seen.folder.max(bytes);
                eprintln!(
                    "soak: minute {}: {} MB resident, {} MB on the disk, {} requests",
                    seen.line.len() / 60,
                    megabytes(server.resident_bytes()),
                    megabytes(bytes),
                    requests.load(Ordering::Relaxed)
                );
            }
        }
        over.store(true, Ordering::Relaxed);
        let ends = clients
            .into_iter()
            .map(|client| client.join().unwrap_or_else(|_| Err("a client panicked".into())));
        ends.filter_map(Result::err).collect()
    });
    seen.folder = seen.folder.max(folder_bytes(&data));
    Ok(row(plan.seconds, requests.load(Ordering::Relaxed), &seen, problems))
}

/// The tables: one with an index and expiry, which takes nearly all of the load, and one with a stream.
fn prepare(wire: &mut Wire) -> Result<(), String> {
    let mut load = table("load");
    if let Some(request) = load.as_object_mut() {
        request.insert(
            "AttributeDefinitions".into(),
            json!([{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"}]),
        );
        request.insert(
            "GlobalSecondaryIndexes".into(),
            json!([{"IndexName": "by-n", "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"}}]),
        );
    }
    wire.must("CreateTable", &load)?;
    let expires = json!({"Enabled": true, "AttributeName": "until"});
    wire.must("UpdateTimeToLive", &json!({"TableName": "load", "TimeToLiveSpecification": expires}))?;
    let mut watched = table("watched");
    if let Some(request) = watched.as_object_mut() {
        request.insert(
            "StreamSpecification".into(),
            json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"}),
        );
    }
    wire.must("CreateTable", &watched).map(|_| ())
}

/// Asks at most once in a pause until it is over.
fn client(
    mut wire: Wire,
    mut chance: Chance,
    pause: Duration,
    over: &AtomicBool,
    requests: &AtomicU64,
) -> Result<(), String> {
    let mut due = Instant::now();
    while !over.load(Ordering::Relaxed) {
        ask(&mut wire, &mut chance)?;
        requests.fetch_add(1, Ordering::Relaxed);
        due += pause;
        let now = Instant::now();
        // What a slow moment held up is not caught up: the rate is a limit, not a promise.
        due = due.max(now);
        thread::sleep(due - now);
    }
    Ok(())
}

/// What the files of a folder and of those in it hold.
fn folder_bytes(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(data) if data.is_dir() => folder_bytes(&entry.path()),
        // A file with two names counts once.
        Ok(data) => data.len() / data.nlink().max(1),
        Err(_) => 0,
    });
    sizes.sum()
}

fn row(seconds: u64, requests: u64, seen: &Seen, mut problems: Vec<String>) -> Row {
    let line = &seen.line;
    let third = line.len() / 3;
    let middle = median(line.get(third..2 * third).unwrap_or_default());
    let last = median(line.get(2 * third..).unwrap_or_default());
    let highest = line.iter().copied().max().unwrap_or(0);
    if last > middle + middle / 4 + (32 << 20) {
        problems.push(format!("memory grows: {} MB, then {} MB", megabytes(middle), megabytes(last)));
    }
    if highest > MEMORY_BYTES_MAX {
        problems.push(format!("{} MB were resident", megabytes(highest)));
    }
    if seen.folder > FOLDER_BYTES_MAX {
        problems.push(format!("the folder held {} MB", megabytes(seen.folder)));
    }
    let part = line.len().div_ceil(SHOWN).max(1);
    let shown: Vec<String> = line.chunks(part).map(|part| megabytes(median(part)).to_string()).collect();
    Row {
        name: "soak",
        did: format!(
            "{requests} requests of {CLIENTS} clients over {KEYS} keys, with an index, expiry and a stream; MB resident, \
             from the first twelfth to the last: {} (at most {}); at most {} MB on the disk",
            shown.join(" "),
            megabytes(highest),
            megabytes(seen.folder)
        ),
        seconds,
        problems,
    }
}

fn median(values: &[u64]) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}

fn ask(wire: &mut Wire, chance: &mut Chance) -> Result<(), String> {
    let key = chance.below(KEYS);
    let name = json!({"S": format!("k{key}")});
    let (operation, request): (&str, Json) = match chance.below(24) {
        0..=6 => ("PutItem", put("load", key, chance.below(1500) as usize)),
        7 => ("PutItem", put("load", key, chance.below(60_000) as usize)),
        8..=9 => (
            "UpdateItem",
            json!({"TableName": "load", "Key": {"pk": name}, "UpdateExpression": "ADD c :one",
                "ExpressionAttributeValues": {":one": {"N": "1"}}}),
        ),
        10 => ("DeleteItem", json!({"TableName": "load", "Key": {"pk": name}})),
        11 => ("Scan", json!({"TableName": "load", "Limit": 50, "ExclusiveStartKey": {"pk": name}})),
        12 => {
            let puts: Vec<Json> = (0..10)
                .map(
                    |step| json!({"PutRequest": {"Item": put("load", (key + step) % KEYS, 200).get("Item")}}),
                )
                .collect();
            ("BatchWriteItem", json!({"RequestItems": {"load": puts}}))
        }
        13 => {
            let puts: Vec<Json> =
                (0..4).map(|step| json!({"Put": put("load", (key + step) % KEYS, 200)})).collect();
            ("TransactWriteItems", json!({"TransactItems": puts}))
        }
        14 => ("PutItem", put("watched", key % 500, 100)),
        15 => (
            "Query",
            json!({"TableName": "load", "IndexName": "by-n", "KeyConditionExpression": "n = :n",
                "ExpressionAttributeValues": {":n": {"N": key.to_string()}}}),
        ),
        16 => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
            let until = json!({"N": (now + chance.below(30)).to_string()});
            (
                "PutItem",
                json!({"TableName": "load", "Item": {"pk": {"S": format!("gone{key}")}, "until": until}}),
            )
        }
        17 if key.is_multiple_of(20) => return follow(wire),
        _ => ("GetItem", get("load", key)),
    };
    let answer = wire.ask(operation, &request).map_err(|broken| broken.to_string())?;
    let is_conflict =
        matches!(answer.class(), "TransactionCanceledException" | "TransactionConflictException");
    if answer.status == 200 || is_conflict { Ok(()) } else { Err(format!("{operation}: {}", answer.body)) }
}

/// Reads the latest records of the stream.
fn follow(wire: &mut Wire) -> Result<(), String> {
    let streams = wire.must("ListStreams", &json!({"TableName": "watched"}))?;
    let arn = streams.pointer("/Streams/0/StreamArn");
    let stream = wire.must("DescribeStream", &json!({"StreamArn": arn}))?;
    let shards = stream.pointer("/StreamDescription/Shards").and_then(Json::as_array);
    let shard = shards.and_then(|shards| shards.last()?.get("ShardId"));
    let from = json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
    let iterator = wire.must("GetShardIterator", &from)?;
    let records =
        wire.must("GetRecords", &json!({"ShardIterator": iterator.get("ShardIterator"), "Limit": 100}))?;
    if records.get("Records").is_some() { Ok(()) } else { Err(format!("GetRecords: {records}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(line: Vec<u64>, folder: u64) -> usize {
        row(30, 1, &Seen { line, folder }, Vec::new()).problems.len()
    }

    #[test]
    fn a_line_that_grows_is_told() {
        let flat = vec![100 << 20; 30];
        assert_eq!(problems(flat.clone(), 0), 0);
        let grows: Vec<u64> = (0..30).map(|second| (100 + second * 10) << 20).collect();
        assert_eq!(problems(grows, 0), 1);
        assert_eq!(problems(flat, FOLDER_BYTES_MAX + 1), 1);
    }

    #[test]
    fn the_line_is_shown_in_twelve_parts() {
        let line: Vec<u64> = (0..120).map(|second| (second / 10) << 20).collect();
        let row = row(120, 1, &Seen { line, folder: 0 }, Vec::new());
        assert!(row.did.contains(": 0 1 2 3 4 5 6 7 8 9 10 11 (at most 11)"), "{}", row.did);
    }
}
