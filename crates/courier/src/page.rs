//! A table read in parallel: pages of a segment, one after the other.
//! Knows Scan and no destination.

use crate::error::Error;
use crate::parallel::in_parallel;
use crate::patience;
use client::Endpoint;
use serde_json::{Map, Value as Json, json};
use std::sync::atomic::Ordering;

/// A table somewhere.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub(crate) endpoint: &'a dyn Endpoint,
    pub(crate) table: &'a str,
}

/// A part of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment<'a> {
    pub(crate) table: &'a str,
    pub(crate) number: usize,
    pub(crate) total: usize,
}

/// A page of items.
pub(crate) struct Page {
    pub(crate) items: Vec<Json>,
    /// Where the next page begins; none after the last.
    pub(crate) next: Option<Json>,
}

/// The page of a segment after this key.
pub(crate) fn read(
    endpoint: &dyn Endpoint,
    segment: Segment<'_>,
    after: Option<&Json>,
) -> Result<Page, Error> {
    let mut body = json!({
        "TableName": segment.table,
        // What was acknowledged before the move began is moved.
        "ConsistentRead": true,
        "Segment": segment.number,
        "TotalSegments": segment.total,
    });
    if let (Some(after), Some(body)) = (after, body.as_object_mut()) {
        body.insert("ExclusiveStartKey".to_owned(), after.clone());
    }
    let what = || format!("{} cannot be read at {}", segment.table, endpoint.name());
    let mut answer =
        patience::call(endpoint, "Scan", &body).map_err(|failure| Error::during(&what(), &failure))?;
    let next = answer.get_mut("LastEvaluatedKey").map(Json::take).filter(Json::is_object);
    match answer.get_mut("Items").map(Json::take) {
        Some(Json::Array(items)) => Ok(Page { items, next }),
        _ => Err(Error::Failed(format!("{}: a page without items was answered", what()))),
    }
}

/// The key of an item.
pub(crate) fn key_of(item: &Json, names: &[String]) -> Json {
    let parts = names.iter().filter_map(|name| Some((name.clone(), item.get(name)?.clone())));
    Json::Object(parts.collect::<Map<String, Json>>())
}

/// Calls for every page of a table, several at once.
pub(crate) fn each_page(
    side: Side<'_>,
    parallel: usize,
    visit: impl Fn(Vec<Json>) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    in_parallel(parallel, parallel, |number, stopping| {
        let segment = Segment { table: side.table, number, total: parallel };
        let mut after = None;
        while !stopping.load(Ordering::Relaxed) {
            let page = read(side.endpoint, segment, after.as_ref())?;
            visit(page.items)?;
            match page.next {
                None => return Ok(()),
                next => after = next,
            }
        }
        Ok(())
    })
}
