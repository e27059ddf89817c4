//! Ways to spoil a request that follow the bytes of an input. Knows no engine.

use std::sync::OnceLock;

use serde_json::{Map, Value as Json, json};

use crate::requests::ARN;
use proof_fuzz::source::Source;

/// Puts something else in one place of a request, or takes something away.
pub(crate) fn spoil(source: &mut Source<'_>, request: &mut Json) {
    let mut before = source.below(count(request));
    let Some(node) = find(request, &mut before) else { return };
    match source.byte() % 8 {
        0 => *node = junk(source),
        1 => take_away(source, node),
        2 => add(source, node),
        3 => {
            let copy = node.clone();
            if let Some(list) = node.as_array_mut() {
                let times = 1 + source.below(120);
                let one = list.first().cloned().unwrap_or(Json::Null);
                list.extend(std::iter::repeat_n(one, times));
            } else {
                *node = json!([copy]);
            }
        }
        4 => *node = nested(source),
        _ => *node = cousin(source, node),
    }
}

/// Pieces of JSON, and what only looks like some.
const PIECES: [&str; 24] = [
    "",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "\\udfff\\ud800",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "NaN",
    "-",
    "1e400",
    "0.10",
    "1E+5",
    "/**/",
    "{}",
    "\u{feff}",
    "\"TableName\":\"victim\",",
    "\"Key\":{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"}},",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
];

/// Puts something else in up to four places of a text, of which few are between values, or ends it there.
pub(crate) fn tear(source: &mut Source<'_>, mut text: Vec<u8>) -> Vec<u8> {
    for _ in 0..=source.below(4) {
        let start = source.below(text.len());
        match source.byte() % 8 {
            0 => text.truncate(start),
            manner => {
                let end = (start + source.below(12)).min(text.len());
                let raw = source.below(12);
                let piece = if manner < 4 { source.take(raw) } else { source.pick(&PIECES).as_bytes() };
                text.splice(start..end, piece.iter().copied());
            }
        }
    }
    text
}

/// How many places there are in a request, itself among them.
fn count(node: &Json) -> usize {
    match node {
        Json::Object(members) => 1 + members.values().map(count).sum::<usize>(),
        Json::Array(members) => 1 + members.iter().map(count).sum::<usize>(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => 1,
    }
}

/// The place that so many others come before.
fn find<'a>(node: &'a mut Json, before: &mut usize) -> Option<&'a mut Json> {
    if *before == 0 {
        return Some(node);
    }
    *before -= 1;
    match node {
        Json::Object(members) => members.values_mut().find_map(|child| find(child, before)),
        Json::Array(members) => members.iter_mut().find_map(|child| find(child, before)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    }
}

fn take_away(source: &mut Source<'_>, node: &mut Json) {
    match node {
        Json::Object(members) => {
            let names: Vec<String> = members.keys().cloned().collect();
            if let Some(name) = names.get(source.below(names.len())) {
                members.remove(name);
            }
        }
        Json::Array(members) => drop(members.pop()),
        Json::String(text) => drop(text.pop()),
        Json::Null | Json::Bool(_) | Json::Number(_) => *node = Json::Null,
    }
}

const NAMES: [&str; 40] = [
    "pk",
    "sk",
    "s",
    "n",
    "l",
    "m",
    "S",
    "N",
    "B",
    "SS",
    "NS",
    "BS",
    "L",
    "M",
    "BOOL",
    "NULL",
    "TableName",
    "Key",
    "Item",
    "Limit",
    "Select",
    "IndexName",
    "KeyConditionExpression",
    "FilterExpression",
    "ConditionExpression",
    "UpdateExpression",
    "ProjectionExpression",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "ExclusiveStartKey",
    "Expected",
    "ReturnValues",
    "Segment",
    "TotalSegments",
    "AttributesToGet",
    "ConsistentRead",
    "ScanIndexForward",
    "Put",
    "ReturnValuesOnConditionCheckFailure",
    "ClientRequestToken",
];

fn add(source: &mut Source<'_>, node: &mut Json) {
    let (name, value) = (
        *source.pick(&NAMES),
        if source.byte().is_multiple_of(2) { junk(source) } else { plausible(source) },
    );
    match node {
        Json::Object(members) => drop(members.insert(name.to_string(), value)),
        Json::Array(members) => members.push(value),
        Json::String(text) => text.push_str(&String::from_utf8_lossy(source.take(4))),
        Json::Null | Json::Bool(_) | Json::Number(_) => *node = value,
    }
}

/// A value that is probably of the wrong type.
fn junk(source: &mut Source<'_>) -> Json {
    static CHOICES: OnceLock<Vec<Json>> = OnceLock::new();
    let choices = CHOICES.get_or_init(|| {
        vec![
            json!(null),
            json!(true),
            json!(0),
            json!(-1),
            json!(1.5),
            json!(2_147_483_648_u64),
            json!(u64::MAX),
            json!(1e300),
            json!(""),
            json!([]),
            json!({}),
            json!([[]]),
            json!([null]),
            json!({"": ""}),
            json!({"S": 1}),
            json!({"S": "a", "N": "1"}),
            json!({"N": "1e1000"}),
            json!({"N": ""}),
            json!({"B": "not base64!"}),
            json!({"SS": []}),
            json!({"NS": ["1", "1.0"]}),
            json!({"NULL": false}),
            json!({"X": "y"}),
            json!({"S": null}),
        ]
    });
    source.pick(choices).clone()
}

/// An attribute value or a word that could stand in many places.
fn plausible(source: &mut Source<'_>) -> Json {
    static CHOICES: OnceLock<Vec<Json>> = OnceLock::new();
    let choices = CHOICES.get_or_init(|| {
        vec![
            json!({"S": "a"}),
            json!({"N": "1"}),
            json!({"N": "-0.5E-3"}),
            json!({"B": "AA=="}),
            json!({"BOOL": false}),
            json!({"NULL": true}),
            json!({"L": [{"N": "1"}]}),
            json!({"M": {"k": {"S": "v"}}}),
            json!({"SS": ["x", "y"]}),
            json!({"NS": ["1", "2"]}),
            json!({"BS": ["AQ=="]}),
            json!({"pk": {"S": "a"}, "sk": {"N": "1"}}),
            json!("victim"),
            json!("a = :v AND b < :n"),
            json!("SET a = :v"),
            json!("pk = :v"),
            json!("a, b.c, d[1]"),
            json!(1),
            json!("ALL_NEW"),
            json!("COUNT"),
            json!("INDEXES"),
            json!({":v": {"S": "a"}}),
            json!({"#s": "s"}),
            json!({"S": "x".repeat(1100)}),
            json!({"S": "x".repeat(2100)}),
        ]
    });
    source.pick(choices).clone()
}

const WORDS: [&str; 47] = [
    "",
    "a",
    "pk",
    "sk",
    "s",
    "by_s",
    "by_local",
    "victim",
    "another",
    "S",
    "N",
    "-1",
    "0",
    "1e125",
    "1E-130",
    "99999999999999999999999999999999999999",
    "HASH",
    "RANGE",
    "ALL_NEW",
    "ALL_OLD",
    "UPDATED_NEW",
    "SIZE",
    "TOTAL",
    "KEYS_ONLY",
    "INCLUDE",
    "ALL",
    "EQ",
    "BETWEEN",
    "IN",
    "NOT_NULL",
    ARN,
    "TRIM_HORIZON",
    "LATEST",
    "$STREAM",
    "$BACKUP",
    "DYNAMODB_JSON",
    "ION",
    "2024-02-29T23:59:60.5+05:30",
    "1e9",
    "GZIP",
    "[99999999999999999999]",
    "attribute_exists(a)",
    "size(l) > :n",
    "SET l[0] = :v",
    "REMOVE l[1], m.k",
    "ADD ns :n",
    "pk = :v AND sk > :n",
];

/// Another value of the same JSON type, so that the request gets past its decoding.
fn cousin(source: &mut Source<'_>, node: &Json) -> Json {
    match node {
        Json::String(text) if source.byte().is_multiple_of(2) => {
            let mut bytes = text.clone().into_bytes();
            let place = source.below(bytes.len().max(1));
            let piece = source.take(3);
            bytes.splice(place.min(bytes.len())..place.min(bytes.len()), piece.iter().copied());
            json!(String::from_utf8_lossy(&bytes))
        }
        Json::String(_) => json!(*source.pick(&WORDS)),
        Json::Bool(value) => json!(!value),
        Json::Number(_) => {
            json!(*source.pick(&[0i64, -1, 1, 5, 100, 101, 1_000_000, 1_000_001, 2_147_483_647]))
        }
        Json::Array(members) => json!(members.iter().rev().collect::<Vec<_>>()),
        Json::Object(members) => {
            let mut more: Map<String, Json> = members.clone();
            more.insert((*source.pick(&NAMES)).to_string(), plausible(source));
            Json::Object(more)
        }
        Json::Null => plausible(source),
    }
}

/// Lists in maps in lists.
fn nested(source: &mut Source<'_>) -> Json {
    let levels = source.below(45);
    (0..levels).fold(json!({"S": "leaf"}), |value, level| {
        if level % 2 == 0 { json!({"M": {"k": value}}) } else { json!({"L": [value]}) }
    })
}
