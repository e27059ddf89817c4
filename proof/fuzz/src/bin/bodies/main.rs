//! Bodies of every operation, sent one after the other to an engine in memory: each is answered, none with a fault of
//! ours, every answer is JSON, an index holds what its table holds, and what a scan shows can be put again.
#![no_main]

mod requests;
mod spoil;

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{Engine, Env, LifeCycle, Rest, Settings};
use serde::de::IgnoredAny;
use serde_json::{Value as Json, json};
use storage::Config;

use crate::requests::{create, item, valid};
use crate::spoil::{spoil, tear};
use proof_fuzz::source::Source;

/// Requests that one input can send.
const REQUESTS_MAX: usize = 4;
/// Inputs that one engine serves, if none of them changes tables: its log grows with them.
const INPUTS_MAX: u32 = 500;
/// Tokens of one input mean nothing to the next, which comes so much later.
const BETWEEN_INPUTS_MS: u64 = 20 * 60_000;

/// A clock and chance without surprises.
#[derive(Default)]
struct Still {
    moved_ms: AtomicU64,
    count: AtomicU64,
}

impl Env for Still {
    fn now_ms(&self) -> u64 {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        1_700_000_300_000 + count + self.moved_ms.load(Ordering::Relaxed)
    }

    fn random(&self) -> u64 {
        self.count.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

/// An engine with one table and one item. To make one takes longer than most inputs do, so it is used again as long as
/// nothing but items has changed, and those are brought back to what they were.
struct Ready {
    engine: Engine,
    clock: Arc<Still>,
    /// What the engine calls its stream and other things.
    names: [(&'static str, String); 6],
    inputs: u32,
    is_changed: bool,
}

thread_local! {
    static READY: RefCell<Option<Ready>> = const { RefCell::new(None) };
}

/// Sends what the bytes say.
fn check(bytes: &[u8]) {
    READY.with(|ready| {
        let mut ready = ready.borrow_mut();
        let used = ready.get_or_insert_with(Ready::new);
        used.take_in(&mut Source::new(bytes));
        if used.is_changed || used.inputs >= INPUTS_MAX {
            *ready = None;
        }
    });
}

impl Ready {
    fn new() -> Ready {
        let clock = Arc::new(Still::default());
        let settings = Settings { store: Config::Memory, life_cycle: LifeCycle::Immediate };
        let env: Arc<dyn Env> = clock.clone();
        let engine = Engine::open(settings, env).expect("memory can be opened");
        let mut ready = Ready { engine, clock, names: Default::default(), inputs: 0, is_changed: false };
        let made = ready.must("CreateTable", &create());
        ready.must("PutItem", &first());
        let recovery = json!({"TableName": "victim",
            "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}});
        ready.must("UpdateContinuousBackups", &recovery);
        let backup = ready.must("CreateBackup", &json!({"TableName": "victim", "BackupName": "copy"}));
        let bulk = json!({"TableName": "victim", "InputS3Configuration": {"S3Bucket": "files",
            "InputFormat": "DYNAMODB_JSON"}});
        let (_, bulk) = ready.ask("StartBulkPutItems", &bulk);
        while ready.engine.work() == Rest::Again {}
        let stream = text(&made, "/TableDescription/LatestStreamArn");
        let shards = ready.must("DescribeStream", &json!({"StreamArn": stream}));
        let shard = text(&shards, "/StreamDescription/Shards/0/ShardId");
        let number = text(&shards, "/StreamDescription/Shards/0/SequenceNumberRange/StartingSequenceNumber");
        let iterator = json!({"StreamArn": stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
        let iterator = text(&ready.must("GetShardIterator", &iterator), "/ShardIterator");
        ready.names = [
            ("$STREAM", stream),
            ("$SHARD", shard),
            ("$NUMBER", number),
            ("$ITERATOR", iterator),
            ("$BACKUP", text(&backup, "/BackupDetails/BackupArn")),
            ("$BULK", text(&bulk, "/BulkOperationArn")),
        ];
        ready.is_changed = false;
        ready
    }

    fn take_in(&mut self, source: &mut Source<'_>) {
        self.inputs += 1;
        self.clock.moved_ms.fetch_add(BETWEEN_INPUTS_MS, Ordering::Relaxed);
        let requests = valid();
        // What is no JSON at all, and what is nearly some.
        let manner = source.byte();
        if manner.is_multiple_of(8) {
            let (operation, request) = source.pick(requests);
            let body = if manner.is_multiple_of(16) {
                source.rest().to_vec()
            } else {
                tear(source, self.named(request).into_bytes())
            };
            self.send(operation, &body);
        }
        for _ in 0..REQUESTS_MAX {
            if source.is_empty() {
                break;
            }
            let (operation, mut request) = source.pick(requests).clone();
            for _ in 0..source.below(4) {
                spoil(source, &mut request);
            }
            self.send(operation, self.named(&request).as_bytes());
            if source.byte().is_multiple_of(16) {
                while self.engine.work() == Rest::Again {}
            }
        }
        self.put_back();
    }

    /// The text of a request, with the names that this engine gave.
    fn named(&self, request: &Json) -> String {
        let mut body = request.to_string();
        for (short, name) in &self.names {
            if body.contains(short) {
                body = body.replace(short, name);
            }
        }
        body
    }

    /// What a scan shows can be put again, and is shown the same way. Then only the first item is left.
    fn put_back(&mut self) {
        let all = json!({"TableName": "victim"});
        let (status, before) = self.ask("Scan", &all);
        if status != 200 {
            self.is_changed = true;
            return;
        }
        let items = before.get("Items").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        if matches!(items, [only] if Some(only) == first().get("Item")) {
            return;
        }
        if !self.is_changed {
            let indexed = items.iter().filter(|item| item.get("s").is_some()).count();
            for index in ["by_s", "by_local"] {
                let (_, shown) = self.ask("Scan", &json!({"TableName": "victim", "IndexName": index}));
                let count = shown.get("Count").and_then(Json::as_u64);
                assert_eq!(count, Some(indexed as u64), "{index} disagrees with its table: {shown} {before}");
            }
        }
        for item in items {
            let request = json!({"TableName": "victim", "Item": item});
            let (status, answer) = self.ask("PutItem", &request);
            // An item that was there before its index may not fit it.
            assert!(status == 200 || status == 400 && self.is_changed, "{request}: {answer}");
        }
        let (_, after) = self.ask("Scan", &all);
        assert_eq!(before, after, "what was shown was put again and is shown differently");
        if self.is_changed {
            return;
        }
        for item in items {
            let key = json!({"pk": item.get("pk"), "sk": item.get("sk")});
            self.must("DeleteItem", &json!({"TableName": "victim", "Key": key}));
        }
        self.must("PutItem", &first());
    }

    fn must(&mut self, operation: &str, request: &Json) -> Json {
        let (status, answer) = self.ask(operation, request);
        assert_eq!(status, 200, "{operation} {request}: {answer}");
        answer
    }

    fn ask(&mut self, operation: &str, request: &Json) -> (u16, Json) {
        let body = request.to_string();
        let (status, bytes) = self.send(operation, body.as_bytes());
        (status, serde_json::from_slice(&bytes).unwrap_or_default())
    }

    fn send(&mut self, operation: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let service = match operation {
            "ListStreams" | "DescribeStream" | "GetShardIterator" | "GetRecords" => {
                "DynamoDBStreams_20120810"
            }
            _ => "DynamoDB_20120810",
        };
        let answer = wire::target(Some(&format!("{service}.{operation}")))
            .and_then(|name| wire::decode(name, body, "fuzz"))
            .and_then(|operation| self.engine.run(operation).wait());
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
        if status == 200 {
            self.is_changed |= changes_more_than_items(operation);
            let is_json = bytes.is_empty() || serde_json::from_slice::<IgnoredAny>(&bytes).is_ok();
            assert!(is_json, "no JSON: {}", shown());
        } else {
            let json: Json = serde_json::from_slice(&bytes).unwrap_or_default();
            assert!(json.get("__type").is_some_and(Json::is_string), "{}", shown());
        }
        (status, bytes)
    }
}

/// Whether another input would see that this one succeeded.
fn changes_more_than_items(operation: &str) -> bool {
    let is_looking = ["Describe", "List", "Get"].iter().any(|word| operation.starts_with(word));
    let of_items = ["PutItem", "UpdateItem", "DeleteItem", "Query", "Scan", "BatchGetItem", "BatchWriteItem"];
    let is_of_items = of_items.contains(&operation) || operation.starts_with("Transact");
    // A few more copies, jobs and tags lead nowhere else.
    let is_harmless = matches!(
        operation,
        "CreateBackup" | "TagResource" | "UntagResource" | "ExportTableToPointInTime" | "StartBulkPutItems"
    );
    !(is_looking || is_of_items || is_harmless)
}

fn first() -> Json {
    json!({"TableName": "victim", "Item": item()})
}

fn text(answer: &Json, pointer: &str) -> String {
    answer.pointer(pointer).and_then(Json::as_str).unwrap_or_default().to_string()
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check(bytes));
