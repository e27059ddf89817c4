//! Operations on many items that need not succeed together. Each file has the request's model, `decode` and `encode`.

pub(crate) mod batch_get_item;
pub(crate) mod batch_write_item;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::fields::{Fields, Pairs};
use crate::json::{self, Json};

/// The entries of `RequestItems`, in the order of the request; of equal names the last one counts, at the place of the
/// first. Decoding and echoing what was not processed count the tables by this.
fn request_items<'t, 'a>(pairs: &'t Pairs<'a>) -> Vec<(&'t str, &'t Json<'a>)> {
    let mut places = BTreeMap::new();
    let mut entries: Vec<(&str, &Json<'a>)> = Vec::with_capacity(pairs.len());
    for (name, value) in pairs {
        let place = *places.entry(name.as_ref()).or_insert(entries.len());
        match entries.get_mut(place) {
            Some(entry) => entry.1 = value,
            None => entries.push((name, value)),
        }
    }
    entries
}

/// Reads a request's `RequestItems` again, to echo parts of it. The body was decoded before, so it is in order.
fn reread<T>(request_body: &[u8], echo: impl FnOnce(&[(&str, &Json<'_>)]) -> T) -> Option<T> {
    let tree = json::parse(request_body).ok()?;
    let pairs = Fields::of(&tree).ok()?.map("RequestItems").ok()??;
    Some(echo(&request_items(pairs)))
}
