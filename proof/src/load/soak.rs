//! A load that goes on: every kind of request by many clients, while the memory of the server is looked at once a second.
//! After the first third it must not grow.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::{get, megabytes, put, table};
use crate::chance::Chance;
use crate::report::Row;
use crate::server::{Folder, Server};
use crate::wire::Wire;

const CLIENTS: u64 = 16;
const KEYS: u64 = 20_000;
const MEMORY_BYTES_MAX: u64 = 600 << 20;

/// Runs for so many seconds.
pub(crate) fn run(larder: &Path, seconds: u64, seed: u64) -> Result<Row, String> {
    let folder = Folder::new("soak")?;
    let mut server = Server::larder(larder, &folder.path().join("data"))?;
    server.start()?;
    let mut wire = server.wire();
    let mut with_index = table("load");
    if let Some(request) = with_index.as_object_mut() {
        request.insert(
            "StreamSpecification".into(),
            json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"}),
        );
    }
    wire.must("CreateTable", &with_index)?;
    let (over, requests) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut line = Vec::new();
    let problems: Vec<String> = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (mut wire, over, requests) = (server.wire(), &over, &requests);
                scope.spawn(move || -> Result<(), String> {
                    let mut chance = Chance::new(seed, number);
                    while !over.load(Ordering::Relaxed) {
                        ask(&mut wire, &mut chance)?;
                        requests.fetch_add(1, Ordering::Relaxed);
                    }
                    Ok(())
                })
            })
            .collect();
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(seconds)
            && clients.iter().any(|client| !client.is_finished())
        {
            thread::sleep(Duration::from_secs(1));
            line.push(server.resident_bytes());
        }
        over.store(true, Ordering::Relaxed);
        let ends = clients
            .into_iter()
            .map(|client| client.join().unwrap_or_else(|_| Err("a client panicked".into())));
        ends.filter_map(Result::err).collect()
    });
    Ok(row(seconds, requests.load(Ordering::Relaxed), &line, problems))
}

fn row(seconds: u64, requests: u64, line: &[u64], mut problems: Vec<String>) -> Row {
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
    Row {
        name: "soak",
        did: format!(
            "{requests} requests of {CLIENTS} clients over {KEYS} keys with a stream; resident {} MB in the middle third, \
             {} MB in the last, at most {} MB",
            megabytes(middle),
            megabytes(last),
            megabytes(highest)
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
    let (operation, request): (&str, Json) = match chance.below(20) {
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
        _ => ("GetItem", get("load", key)),
    };
    let answer = wire.ask(operation, &request).map_err(|broken| broken.to_string())?;
    let is_conflict =
        matches!(answer.class(), "TransactionCanceledException" | "TransactionConflictException");
    if answer.status == 200 || is_conflict { Ok(()) } else { Err(format!("{operation}: {}", answer.body)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_grows_is_told() {
        let flat = vec![100 << 20; 30];
        assert!(row(30, 1, &flat, Vec::new()).problems.is_empty());
        let grows: Vec<u64> = (0..30).map(|second| (100 + second * 10) << 20).collect();
        assert_eq!(row(30, 1, &grows, Vec::new()).problems.len(), 1);
    }
}
