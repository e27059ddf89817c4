//! Whether two tables hold the same items: first by their sums, and if those differ, item by item.
//! Knows how to read both; changes neither.

use crate::digest::{self, Sum};
use crate::error::Error;
use crate::page::{self, Side, each_page};
use crate::patience::{self, Backoff};
use crate::watch::Watch;
use parking_lot::Mutex;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

/// Keys that one BatchGetItem may have.
const KEYS_MAX: usize = 100;
/// Differences that are shown.
const EXAMPLES_MAX: usize = 5;

/// How the destination differs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Differences {
    /// Items of the source that it has not.
    pub missing: u64,
    /// Items that are not the same on both sides.
    pub changed: u64,
    /// Items that only it has.
    pub extra: u64,
    /// Keys of some that are missing or changed.
    pub examples: Vec<String>,
}

impl Differences {
    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        self.missing == 0 && self.changed == 0 && self.extra == 0
    }
}

/// The sum of all items of a table.
pub(crate) fn sum(side: Side<'_>, parallel: usize, watch: &dyn Watch) -> Result<Sum, Error> {
    let whole = Mutex::new(Sum::default());
    each_page(side, parallel, |items| {
        let mut sum = Sum::default();
        items.iter().for_each(|item| sum.add(item));
        whole.lock().join(sum);
        watch.moved(items.len() as u64);
        Ok(())
    })?;
    Ok(whole.into_inner())
}

/// Compares item by item; `there` is how many items the destination has.
pub(crate) fn compare(
    source: Side<'_>,
    destination: Side<'_>,
    keys: &[String],
    there: u64,
    (parallel, watch): (usize, &dyn Watch),
) -> Result<Differences, Error> {
    let found = Mutex::new((Differences::default(), 0_u64));
    each_page(source, parallel, |items| {
        for some in items.chunks(KEYS_MAX) {
            let differing = differing(destination, some, keys)?;
            let mut found = found.lock();
            let (differences, seen) = &mut *found;
            *seen += some.len() as u64;
            for (key, kind) in differing {
                match kind {
                    Kind::Missing => differences.missing += 1,
                    Kind::Changed => differences.changed += 1,
                }
                if differences.examples.len() < EXAMPLES_MAX {
                    differences.examples.push(key);
                }
            }
        }
        watch.moved(items.len() as u64);
        Ok(())
    })?;
    let (mut differences, seen) = found.into_inner();
    differences.extra = there.saturating_sub(seen - differences.missing);
    Ok(differences)
}

enum Kind {
    Missing,
    Changed,
}

/// Which of these items the destination has not, or not so.
fn differing(destination: Side<'_>, items: &[Json], keys: &[String]) -> Result<Vec<(String, Kind)>, Error> {
    let mut wanted: BTreeMap<u128, (String, u128)> = BTreeMap::new();
    for item in items {
        let key = page::key_of(item, keys);
        wanted.insert(digest::digest(&key), (key.to_string(), digest::digest(item)));
    }
    let mut there: BTreeMap<u128, u128> = BTreeMap::new();
    let mut asked: Vec<Json> = items.iter().map(|item| page::key_of(item, keys)).collect();
    let mut backoff = Backoff::new();
    while !asked.is_empty() {
        let tables = Map::from_iter([(
            destination.table.to_owned(),
            json!({ "Keys": asked, "ConsistentRead": true }),
        )]);
        let mut answer =
            patience::call(destination.endpoint, "BatchGetItem", &json!({ "RequestItems": tables }))
                .map_err(|failure| {
                    Error::during(&format!("{} cannot be read", destination.table), &failure)
                })?;
        let found = answer.get("Responses").and_then(|tables| tables.get(destination.table)?.as_array());
        let count = there.len();
        for item in found.into_iter().flatten() {
            there.insert(digest::digest(&page::key_of(item, keys)), digest::digest(item));
        }
        let left = answer
            .get_mut("UnprocessedKeys")
            .and_then(|tables| tables.get_mut(destination.table)?.get_mut("Keys"));
        asked = match left.map(Json::take) {
            Some(Json::Array(left)) => left,
            _ => Vec::new(),
        };
        if !asked.is_empty() && there.len() == count && !backoff.wait_busy() {
            return Err(Error::Failed(format!("{} has not been answering for long", destination.table)));
        }
    }
    let differing = wanted.into_iter().filter_map(|(mark, (key, digest))| match there.get(&mark) {
        None => Some((key, Kind::Missing)),
        Some(other) => (*other != digest).then_some((key, Kind::Changed)),
    });
    Ok(differing.collect())
}
