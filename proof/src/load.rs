//! Servers under conditions that nobody wishes for: too many connections, callers who stop half way, a full disk, a clock
//! that jumps, and a load that does not end.

mod clock;
mod full;
mod soak;
mod sockets;

pub(crate) use clock::run as clock;
pub(crate) use full::run as full;
pub(crate) use soak::{Plan as Soak, run as soak};
pub(crate) use sockets::run as sockets;

use serde_json::{Value as Json, json};

use crate::chance::Chance;

/// A table with nothing but a partition key.
fn table(name: &str) -> Json {
    json!({"TableName": name, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]})
}

/// A put of an item of about so many bytes.
fn put(table: &str, key: u64, bytes: usize) -> Json {
    json!({"TableName": table, "Item": {"pk": {"S": format!("k{key}")}, "n": {"N": key.to_string()},
        "padding": {"S": Chance::new(key, bytes as u64).text(bytes)}}})
}

/// A get of that item.
fn get(table: &str, key: u64) -> Json {
    json!({"TableName": table, "ConsistentRead": true, "Key": {"pk": {"S": format!("k{key}")}}})
}

/// Whether an answer shows the item of a key.
fn shows(answer: &Json, key: u64) -> bool {
    answer.pointer("/Item/n/N").and_then(Json::as_str) == Some(key.to_string().as_str())
}

/// Bytes in the unit that people read.
fn megabytes(bytes: u64) -> u64 {
    bytes >> 20
}
