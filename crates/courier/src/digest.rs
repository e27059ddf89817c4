//! A checksum of items that does not ask in which order they come, nor how equal values are written.
//! Knows DynamoDB JSON and no tables.

use item::Number;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

/// How many items, and what they add up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sum {
    pub(crate) items: u64,
    /// The sum of the first half of each item's SHA-256.
    pub(crate) digest: u128,
}

impl Sum {
    /// Adds an item.
    pub(crate) fn add(&mut self, item: &Json) {
        self.items += 1;
        self.digest = self.digest.wrapping_add(digest(item));
    }

    /// Adds everything of another sum.
    pub(crate) fn join(&mut self, other: Sum) {
        self.items += other.items;
        self.digest = self.digest.wrapping_add(other.digest);
    }
}

/// The checksum of one item.
pub(crate) fn digest(item: &Json) -> u128 {
    let mut bytes = Vec::new();
    attributes(item, &mut bytes);
    let whole = Sha256::digest(&bytes);
    let half = whole.first_chunk::<16>().copied().unwrap_or_default();
    u128::from_be_bytes(half)
}

/// Attributes in the order of their names, each length first so that no two items read alike.
fn attributes(item: &Json, out: &mut Vec<u8>) {
    let mut members: Vec<(&String, &Json)> = item.as_object().into_iter().flatten().collect();
    members.sort_unstable_by_key(|(name, _)| *name);
    count(members.len(), out);
    for (name, typed) in members {
        text(name, out);
        value(typed, out);
    }
}

fn value(typed: &Json, out: &mut Vec<u8>) {
    let Some((kind, inside)) = typed.as_object().and_then(|members| members.iter().next()) else {
        return text(&typed.to_string(), out);
    };
    text(kind, out);
    match (kind.as_str(), inside) {
        ("N", Json::String(number)) => text(&plain(number), out),
        ("SS" | "BS", Json::Array(members)) => set(members, str::to_owned, out),
        ("NS", Json::Array(members)) => set(members, plain, out),
        ("L", Json::Array(values)) => {
            count(values.len(), out);
            for typed in values {
                value(typed, out);
            }
        }
        ("M", Json::Object(_)) => attributes(inside, out),
        (_, Json::String(inside)) => text(inside, out),
        (_, other) => text(&other.to_string(), out),
    }
}

/// Members of a set in one order, whatever order the endpoint gives them in.
fn set(members: &[Json], form: impl Fn(&str) -> String, out: &mut Vec<u8>) {
    let mut members: Vec<String> =
        members.iter().map(|member| form(member.as_str().unwrap_or_default())).collect();
    members.sort_unstable();
    count(members.len(), out);
    for member in members {
        text(&member, out);
    }
}

/// A number in the one form that equal numbers share.
fn plain(number: &str) -> String {
    Number::parse(number).map_or_else(|_| number.to_owned(), |number| number.to_string())
}

fn text(text: &str, out: &mut Vec<u8>) {
    count(text.len(), out);
    out.extend_from_slice(text.as_bytes());
}

fn count(number: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&(number as u64).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sum(items: &[Json]) -> Sum {
        let mut sum = Sum::default();
        items.iter().for_each(|item| sum.add(item));
        sum
    }

    #[test]
    fn order_and_writing_do_not_matter() {
        let one = json!({ "a": { "N": "1.50" }, "b": { "SS": ["x", "y"] }, "c": { "NS": ["1", "20"] } });
        let same = json!({ "c": { "NS": ["2e1", "1.0"] }, "b": { "SS": ["y", "x"] }, "a": { "N": "15e-1" } });
        let other = json!({ "a": { "S": "z" } });
        assert_eq!(sum(&[one.clone(), other.clone()]), sum(&[other, same]));
    }

    #[test]
    fn every_difference_matters() {
        let items = [
            json!({ "a": { "S": "1" } }),
            json!({ "a": { "N": "1" } }),
            json!({ "a": { "N": "1.0000000000000000000000000000000000001" } }),
            json!({ "a": { "B": "MQ==" } }),
            json!({ "a": { "SS": ["1"] } }),
            json!({ "a": { "L": [{ "S": "1" }] } }),
            json!({ "a": { "L": [{ "S": "1" }, { "S": "2" }] } }),
            json!({ "a": { "L": [{ "S": "2" }, { "S": "1" }] } }),
            json!({ "a": { "M": { "b": { "S": "1" } } } }),
            json!({ "a": { "M": { "b": { "S": "2" } } } }),
            json!({ "a": { "BOOL": true } }),
            json!({ "a": { "BOOL": false } }),
            json!({ "a": { "NULL": true } }),
            json!({ "a": { "S": "1" }, "b": { "S": "" } }),
            json!({ "ab": { "S": "1" } }),
        ];
        for (place, left) in items.iter().enumerate() {
            for right in items.iter().skip(place + 1) {
                assert_ne!(digest(left), digest(right), "{left} {right}");
            }
        }
        let [first, second, ..] = &items;
        assert_ne!(sum(&[first.clone(), first.clone()]), sum(&[first.clone(), second.clone()]));
    }
}
