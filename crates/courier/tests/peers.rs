//! Copies between endpoints that are not ours: with few operations, little capacity and sudden refusals.

#![expect(clippy::unwrap_used, reason = "a test that panics is a test that failed")]

use client::{Endpoint, Failure};
use courier::copy::{self, Existing, Interrupted, Job, Report, Verify};
use courier::{Error, Watch};
use parking_lot::Mutex;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use tempfile::TempDir;

/// An endpoint with one table of few operations.
#[derive(Default)]
struct Peer {
    name: &'static str,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    description: Option<Json>,
    items: BTreeMap<String, Json>,
    /// Items of a batch that are taken; the others are left over. All if it is 0.
    takes: usize,
    /// Batches after which everything is refused; never if there is none.
    refuses_after: Option<usize>,
    batches: usize,
}

impl Peer {
    fn new(name: &'static str) -> Peer {
        Peer { name, ..Peer::default() }
    }

    /// A peer with a table of so many items.
    fn filled(name: &'static str, count: usize) -> Peer {
        let peer = Peer::new(name);
        let create = json!({
            "TableName": "Things",
            "AttributeDefinitions": [{ "AttributeName": "id", "AttributeType": "S" }],
            "KeySchema": [{ "AttributeName": "id", "KeyType": "HASH" }],
            "StreamSpecification": { "StreamEnabled": true, "StreamViewType": "KEYS_ONLY" },
        });
        peer.call("CreateTable", &create).unwrap();
        for number in 0..count {
            let item = json!({ "id": { "S": format!("{number:05}") }, "n": { "N": number.to_string() } });
            peer.inside.lock().items.insert(format!("{number:05}"), item);
        }
        peer
    }

    fn items(&self) -> BTreeMap<String, Json> {
        self.inside.lock().items.clone()
    }
}

impl Inside {
    fn create(&mut self, body: &Json) -> Json {
        let mut table = body.clone();
        let members = table.as_object_mut().unwrap();
        members.insert("TableStatus".to_owned(), json!("ACTIVE"));
        members.insert("CreationDateTime".to_owned(), json!(1.5));
        self.description = Some(table.clone());
        json!({ "TableDescription": table })
    }

    /// Three items a page; a segment has the items whose place is its number.
    fn scan(&self, body: &Json) -> Json {
        let number = |name: &str| usize::try_from(body.get(name).unwrap().as_u64().unwrap()).unwrap();
        let (segment, total) = (number("Segment"), number("TotalSegments"));
        let after = body.get("ExclusiveStartKey").map(key).unwrap_or_default();
        let mut left = self.items.iter().enumerate().filter(|(place, (key, _))| {
            place % total == segment && (after.is_empty() || key.as_str() > after.as_str())
        });
        let page: Vec<&Json> = left.by_ref().take(3).map(|(_, (_, item))| item).collect();
        let mut answer = json!({ "Items": page });
        if left.next().is_some() {
            let last = page.last().unwrap().get("id").unwrap();
            answer.as_object_mut().unwrap().insert("LastEvaluatedKey".to_owned(), json!({ "id": last }));
        }
        answer
    }

    fn write(&mut self, body: &Json) -> Json {
        self.batches += 1;
        let puts = body.get("RequestItems").unwrap().get("Things").unwrap().as_array().unwrap();
        assert!(!puts.is_empty() && puts.len() <= 25);
        let takes = if self.takes == 0 { puts.len() } else { self.takes.min(puts.len()) };
        for put in puts.iter().take(takes) {
            let item = put.get("PutRequest").unwrap().get("Item").unwrap();
            self.items.insert(key(item), item.clone());
        }
        json!({ "UnprocessedItems": { "Things": puts.get(takes..).unwrap() } })
    }

    fn read(&self, body: &Json) -> Json {
        let keys = body.get("RequestItems").unwrap().get("Things").unwrap().get("Keys").unwrap();
        let found: Vec<&Json> =
            keys.as_array().unwrap().iter().filter_map(|one| self.items.get(&key(one))).collect();
        json!({ "Responses": { "Things": found } })
    }
}

fn key(item: &Json) -> String {
    item.get("id").unwrap().get("S").unwrap().as_str().unwrap().to_owned()
}

impl Endpoint for Peer {
    fn call(&self, operation: &str, body: &Json) -> Result<Json, Failure> {
        let mut inside = self.inside.lock();
        if inside.refuses_after.is_some_and(|batches| inside.batches >= batches) {
            return Err(Failure::local("AccessDeniedException", "gone"));
        }
        match operation {
            "CreateTable" => Ok(inside.create(body)),
            "DescribeTable" => match &inside.description {
                Some(table) => Ok(json!({ "Table": table })),
                None => Err(Failure::local("ResourceNotFoundException", "no")),
            },
            "Scan" => Ok(inside.scan(body)),
            "BatchWriteItem" => Ok(inside.write(body)),
            "BatchGetItem" => Ok(inside.read(body)),
            _ => Err(Failure::local("UnknownOperationException", operation)),
        }
    }

    fn name(&self) -> String {
        self.name.to_owned()
    }
}

/// Keeps what is noted.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Watch for Notes {
    fn begins(&self, _what: &str, _items: Option<u64>) {}
    fn resumes(&self, _items: u64) {}
    fn moved(&self, _items: u64) {}
    fn ends(&self) {}
    fn note(&self, text: &str) {
        self.0.lock().push(text.to_owned());
    }
}

fn copied(from: &Peer, to: &Peer, folder: &TempDir, notes: &Notes) -> Result<Report, Error> {
    let job = Job {
        from,
        to,
        table: "Things",
        destination: "Things",
        parallel: 2,
        units_per_second: None,
        existing: Existing::Refuse,
        interrupted: Interrupted::GoOn,
        verify: Verify::After,
        folder: folder.path(),
    };
    copy::prepare(job, notes)?.run(notes)
}

#[test]
fn what_an_endpoint_lacks_is_left_out_with_a_note() {
    let (from, to, folder, notes) =
        (Peer::filled("here", 40), Peer::new("there"), TempDir::new().unwrap(), Notes::default());
    let report = copied(&from, &to, &folder, &notes).unwrap();
    assert!(report.is_good() && report.items == 40, "{report:?}");
    assert_eq!(from.items(), to.items());
    let notes = notes.0.into_inner();
    let told = |part: &str| notes.iter().any(|note| note.contains(part));
    assert!(told("DescribeTimeToLive") && told("DescribeContinuousBackups"), "{notes:?}");
    assert!(told("there has no UpdateTable"), "{notes:?}");
}

#[test]
fn what_is_left_over_is_sent_again() {
    let (from, to, folder) = (Peer::filled("here", 60), Peer::new("there"), TempDir::new().unwrap());
    to.inside.lock().takes = 2;
    let report = copied(&from, &to, &folder, &Notes::default()).unwrap();
    assert!(report.is_good(), "{report:?}");
    assert_eq!(from.items(), to.items());
}

#[test]
fn a_refusal_in_the_middle_costs_nothing_that_was_done() {
    let (from, to, folder) = (Peer::filled("here", 200), Peer::new("there"), TempDir::new().unwrap());
    to.inside.lock().refuses_after = Some(30);
    let failed = copied(&from, &to, &folder, &Notes::default()).unwrap_err();
    assert!(matches!(&failed, Error::Failed(text) if text.contains("gone")), "{failed}");
    let before = to.items().len() as u64;
    assert!((1..200).contains(&before), "{before}");
    to.inside.lock().refuses_after = None;
    let report = copied(&from, &to, &folder, &Notes::default()).unwrap();
    // What is written down when it ends is exactly what had been answered.
    assert_eq!((report.items, report.resumed), (200, before));
    assert!(report.is_good(), "{report:?}");
    assert_eq!(from.items(), to.items());
}

#[test]
fn a_table_made_anew_is_not_gone_on_with() {
    let (from, to, folder) = (Peer::filled("here", 200), Peer::new("there"), TempDir::new().unwrap());
    to.inside.lock().refuses_after = Some(10);
    copied(&from, &to, &folder, &Notes::default()).unwrap_err();
    {
        let mut inside = to.inside.lock();
        inside.refuses_after = None;
        let table = inside.description.as_mut().unwrap().as_object_mut().unwrap();
        table.insert("CreationDateTime".to_owned(), json!(2.5));
    }
    let refused = copied(&from, &to, &folder, &Notes::default()).unwrap_err();
    assert!(matches!(&refused, Error::Asked(text) if text.contains("--restart")), "{refused}");
}
