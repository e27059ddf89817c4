//! A load that goes on: every kind of request by many clients, while the memory of the server is looked at once a second.
//! After the first third it must hardly grow, and the folder must stay small: the same keys are written again and again, and
//! the table whose log of changes is kept for a day is written seldom.

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
/// What a line through the memory of the last two thirds may rise: caches fill more and more slowly, and memory tables come
/// and go, which tilts a short line by what it would not add in an hour.
const WOBBLE_BYTES_MAX: f64 = 32.0 * 1_048_576.0;
const GROWTH_BYTES_AN_HOUR_MAX: f64 = 64.0 * 1_048_576.0;
/// The caches and memory tables are filled by then. A run that is shorter says nothing of growth.
const WARM_SECONDS: usize = 60;
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
    let began = Instant::now();
    let mut problems: Vec<String> = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (wire, over, requests) = (server.wire(), &over, &requests);
                scope.spawn(move || {
                    let pause = Duration::from_micros(1_000_000 * CLIENTS / plan.rate.max(1));
                    client(wire, Chance::new(plan.seed, number), pause, over, requests)
                })
            })
            .collect();
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
    if !problems.is_empty() {
        problems.insert(0, format!("the server's log ends so:\n{}", server.last_words()));
    }
    let mut row = row(began.elapsed().as_secs(), requests.load(Ordering::Relaxed), &seen, problems);
    row.problems.extend(server.problems());
    Ok(row)
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
    let highest = line.iter().copied().max().unwrap_or(0);
    if line.is_empty() || line.contains(&0) {
        problems.push("the memory could not be looked at all the while".to_string());
    }
    let later = line.get(WARM_SECONDS.max(line.len() / 3)..).unwrap_or_default();
    let rise = rise(later);
    let rise_max = WOBBLE_BYTES_MAX + GROWTH_BYTES_AN_HOUR_MAX * later.len() as f64 / 3600.0;
    if rise > rise_max {
        problems.push(format!(
            "memory grows: a line through the last {} s rises by {:.0} MB, and {:.0} are allowed",
            later.len(),
            rise / 1_048_576.0,
            rise_max / 1_048_576.0
        ));
    }
    let growth = match later {
        [] => "too short to tell of growth".to_string(),
        _ => format!("a line through the last {} s rises by {:.0} MB", later.len(), rise / 1_048_576.0),
    };
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
            "{requests} requests, {} a second, of {CLIENTS} clients over {KEYS} keys, with an index, expiry and a stream; MB \
             resident, from the first twelfth to the last: {} (at most {}; {growth}); at most {} MB on the disk",
            requests / seconds.max(1),
            shown.join(" "),
            megabytes(highest),
            megabytes(seen.folder)
        ),
        seconds,
        problems,
    }
}

/// What a straight line through values, one a second, comes to from its first to its last: least squares.
fn rise(values: &[u64]) -> f64 {
    let count = values.len() as f64;
    let (middle, mean) = ((count - 1.0) / 2.0, values.iter().sum::<u64>() as f64 / count);
    let (mut along, mut square) = (0.0, 0.0);
    for (second, value) in values.iter().enumerate() {
        let from_middle = second as f64 - middle;
        along += from_middle * (*value as f64 - mean);
        square += from_middle * from_middle;
    }
    if square > 0.0 { along / square * (count - 1.0) } else { 0.0 }
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

    fn problems(line: Vec<u64>, folder: u64) -> Vec<String> {
        row(line.len() as u64, 1, &Seen { line, folder }, Vec::new()).problems
    }

    /// Megabytes for so many seconds.
    fn line(seconds: u64, of: impl Fn(u64) -> u64) -> Vec<u64> {
        (0..seconds).map(|second| of(second) << 20).collect()
    }

    #[test]
    fn a_line_that_grows_is_told() {
        assert_eq!(problems(line(180, |_| 100), 0), [""; 0]);
        // It fills, and then goes up and down.
        assert_eq!(problems(line(180, |second| 1 + second.min(60) * 4 + second % 40), 0), [""; 0]);
        let told = problems(line(180, |second| 100 + second / 2), 0);
        assert!(
            told.concat().starts_with("memory grows: a line through the last 120 s rises by 59 MB"),
            "{told:?}"
        );
        // In an hour less than 32 MB and 64 MB an hour, and more.
        assert_eq!(problems(line(3600, |second| 100 + second / 50), 0), [""; 0]);
        assert_eq!(problems(line(3600, |second| 100 + second / 30), 0).len(), 1);
        // Nothing is said of growth before the caches are full.
        assert_eq!(problems(line(30, |second| 100 + second * 10), 0), [""; 0]);
    }

    #[test]
    fn what_is_too_much_or_unknown_is_told() {
        assert_eq!(problems(line(30, |_| 700), 0).len(), 1);
        assert_eq!(problems(line(30, |_| 100), FOLDER_BYTES_MAX + 1).len(), 1);
        assert_eq!(problems(line(30, |second| u64::from(second < 20)), 0).len(), 1);
        assert_eq!(problems(Vec::new(), 0).len(), 1);
    }

    #[test]
    fn the_line_is_shown_in_twelve_parts() {
        let line = line(120, |second| second / 10 + 1);
        let row = row(120, 1, &Seen { line, folder: 0 }, Vec::new());
        assert!(row.did.contains(": 1 2 3 4 5 6 7 8 9 10 11 12 (at most 12;"), "{}", row.did);
    }
}
