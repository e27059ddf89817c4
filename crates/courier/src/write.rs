//! Items written in batches, until the endpoint has taken every one of them.
//! Knows BatchWriteItem and the pace; knows not where items come from.

use crate::error::Error;
use crate::patience::{self, Backoff};
use crate::rate::Rate;
use client::Endpoint;
use serde_json::{Map, Value as Json, json};

/// Items that one request may have.
pub(crate) const BATCH_ITEMS_MAX: usize = 25;
/// Bytes of JSON that one request may have, well below the 16 MB that endpoints take.
pub(crate) const BATCH_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Bytes that one unit writes.
const UNIT_BYTES: f64 = 1024.0;

/// Where items are written.
pub(crate) struct Writer<'a> {
    pub(crate) endpoint: &'a dyn Endpoint,
    pub(crate) table: &'a str,
    pub(crate) rate: &'a Rate,
}

impl Writer<'_> {
    /// Writes items, no two of them with the same key, at most [`BATCH_ITEMS_MAX`]. Their JSON is of this size.
    pub(crate) fn write(&self, items: Vec<Json>, bytes: usize) -> Result<(), Error> {
        let puts = items.into_iter().map(|item| json!({ "PutRequest": { "Item": item } }));
        let mut left: Vec<Json> = puts.collect();
        let mut backoff = Backoff::new();
        let mut thought = bytes as f64 / UNIT_BYTES + left.len() as f64 / 2.0;
        while !left.is_empty() {
            self.rate.spend(thought);
            let count = left.len();
            let mut body = json!({ "ReturnConsumedCapacity": "TOTAL" });
            let requests = Map::from_iter([(self.table.to_owned(), Json::Array(left))]);
            if let Some(members) = body.as_object_mut() {
                members.insert("RequestItems".to_owned(), Json::Object(requests));
            }
            let mut answer = patience::call(self.endpoint, "BatchWriteItem", &body).map_err(|failure| {
                let what = format!("{} refuses items of {}", self.endpoint.name(), self.table);
                Error::during(&what, &failure)
            })?;
            let spent = units(&answer);
            left = unprocessed(&mut answer, self.table);
            if let Some(spent) = spent {
                self.rate.correct(thought, spent);
            }
            if left.len() < count {
                backoff = Backoff::new();
            }
            // What was left over was throttled: asking at once would only be throttled again.
            if !left.is_empty() && !backoff.wait_busy() {
                return Err(Error::Failed(format!(
                    "{} has taken no item of {} for a long time",
                    self.endpoint.name(),
                    self.table
                )));
            }
            thought *= left.len() as f64 / count as f64;
        }
        Ok(())
    }
}

/// The units that an answer says were spent.
fn units(answer: &Json) -> Option<f64> {
    let tables = answer.get("ConsumedCapacity")?.as_array()?;
    tables.iter().map(|table| table.get("CapacityUnits")?.as_f64()).sum()
}

fn unprocessed(answer: &mut Json, table: &str) -> Vec<Json> {
    let left = answer.get_mut("UnprocessedItems").and_then(|tables| tables.get_mut(table)).map(Json::take);
    match left {
        Some(Json::Array(requests)) => requests,
        _ => Vec::new(),
    }
}

/// Items that are to be written together: a batch ends before it has too many or too large ones.
pub(crate) struct Batch {
    pub(crate) items: Vec<Json>,
    pub(crate) bytes: usize,
}

impl Batch {
    pub(crate) fn new() -> Batch {
        Batch { items: Vec::with_capacity(BATCH_ITEMS_MAX), bytes: 0 }
    }

    /// Whether an item of this size still fits.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.items.len() < BATCH_ITEMS_MAX && (self.items.is_empty() || self.bytes + bytes <= BATCH_BYTES_MAX)
    }

    pub(crate) fn push(&mut self, item: Json, bytes: usize) {
        self.items.push(item);
        self.bytes += bytes;
    }
}

/// How many bytes a JSON document has when it is written.
pub(crate) fn json_bytes(json: &Json) -> usize {
    struct Counter(usize);
    impl std::io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    // Counting cannot fail, and values from JSON can be written as JSON.
    let _counted = serde_json::to_writer(&mut counter, json);
    counter.0
}
