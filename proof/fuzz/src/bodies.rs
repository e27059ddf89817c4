//! Bodies of every operation, sent one after the other to an engine in memory: each is answered, none with a fault of
//! ours, and every answer is JSON.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{Engine, Env, LifeCycle, Rest, Settings};
use serde_json::{Value as Json, json};
use storage::Config;

use crate::requests::{create, item, spoil, valid};
use crate::source::Source;

/// Requests that one input can send.
const REQUESTS_MAX: usize = 8;

/// A clock and chance without surprises.
struct Still(AtomicU64);

impl Env for Still {
    fn now_ms(&self) -> u64 {
        1_700_000_300_000 + self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn random(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

/// Sends what the bytes say.
pub fn check(bytes: &[u8]) {
    let settings = Settings { store: Config::Memory, life_cycle: LifeCycle::Immediate };
    let engine = Engine::open(settings, Arc::new(Still(AtomicU64::new(0)))).expect("memory can be opened");
    assert_eq!(send(&engine, "CreateTable", create().to_string().as_bytes()), 200);
    let first = json!({"TableName": "victim", "Item": item()});
    assert_eq!(send(&engine, "PutItem", first.to_string().as_bytes()), 200);
    let requests = valid();
    let mut source = Source::new(bytes);
    if source.byte().is_multiple_of(4) {
        let (operation, _) = source.pick(requests);
        send(&engine, operation, source.rest());
        return;
    }
    for _ in 0..REQUESTS_MAX {
        if source.is_empty() {
            break;
        }
        let (operation, mut request) = source.pick(requests).clone();
        for _ in 0..source.below(4) {
            spoil(&mut source, &mut request);
        }
        send(&engine, operation, request.to_string().as_bytes());
        if source.byte().is_multiple_of(8) {
            while engine.work() == Rest::Again {}
        }
    }
    put_back(&engine);
}

/// What a scan shows can be put again, and is shown the same way.
fn put_back(engine: &Engine) {
    let all = json!({"TableName": "victim"}).to_string();
    let (status, before) = ask(engine, "Scan", all.as_bytes());
    if status != 200 {
        return;
    }
    for item in before.get("Items").and_then(Json::as_array).into_iter().flatten() {
        let request = json!({"TableName": "victim", "Item": item});
        let (status, answer) = ask(engine, "PutItem", request.to_string().as_bytes());
        // An item that was there before its index may not fit it.
        assert!(status == 200 || status == 400, "{request}: {answer}");
    }
    let (_, after) = ask(engine, "Scan", all.as_bytes());
    assert_eq!(before, after, "what was shown was put again and is shown differently");
}

fn send(engine: &Engine, operation: &str, body: &[u8]) -> u16 {
    ask(engine, operation, body).0
}

fn ask(engine: &Engine, operation: &str, body: &[u8]) -> (u16, Json) {
    let service = match operation {
        "ListStreams" | "DescribeStream" | "GetShardIterator" | "GetRecords" => "DynamoDBStreams_20120810",
        _ => "DynamoDB_20120810",
    };
    let answer = wire::target(Some(&format!("{service}.{operation}")))
        .and_then(|name| wire::decode(name, body, "fuzz"))
        .and_then(|operation| engine.run(operation).wait());
    let mut bytes = Vec::new();
    let status = match &answer {
        Ok(output) => {
            wire::encode(output, body, &mut bytes);
            200
        }
        Err(error) => wire::encode_error(error, &mut bytes),
    };
    let shown = || format!("{operation} {}: {status} {answer:?}", String::from_utf8_lossy(body));
    assert!(status < 500, "{}", shown());
    if bytes.is_empty() {
        return (status, json!({}));
    }
    let json: Json = serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{error}: {}", shown()));
    assert!(status == 200 || json.get("__type").is_some(), "{}", shown());
    (status, json)
}
