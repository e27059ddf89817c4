//! When items expire: an entry for each, ordered by its time, written with the item. A sweep then costs what expires,
//! not what the table holds.

use bytes::Bytes;
use item::{Item, Value};
use storage::{Batch, Range};

use crate::schema::{Expiry, Table};

/// OBSERVED: what expired more than five years ago is taken for a mistake and stays.
const PAST_SECONDS_MAX: u64 = 5 * 365 * 24 * 60 * 60;
const SECONDS_BYTES: usize = 8;

/// Puts into the batch what a change of an item means for its expiry.
pub(crate) fn maintain(
    table: &Table,
    key: &[u8],
    before: Option<&Item>,
    after: Option<&Item>,
    batch: &mut Batch,
) {
    let Some((expiry, attribute)) = of(table) else { return };
    let seconds = |item: Option<&Item>| item.and_then(|item| seconds(item, attribute));
    let (old, new) = (seconds(before), seconds(after));
    if old == new {
        return;
    }
    if let Some(old) = old {
        batch.delete(expiry.space, entry(old, key));
    }
    if let Some(new) = new {
        batch.put(expiry.space, entry(new, key), Bytes::new());
    }
}

/// Where a table's expiry entries lie and which attribute they come from, if its items expire.
pub(crate) fn of(table: &Table) -> Option<(&Expiry, &str)> {
    Some((table.ttl.expiry.as_ref()?, table.ttl.attribute.as_deref()?))
}

/// When an item expires, in seconds since 1970. Anything but a number from one on means never.
pub(crate) fn seconds(item: &Item, attribute: &str) -> Option<u64> {
    match item.get(attribute)? {
        Value::N(number) => {
            number.whole().and_then(|whole| u64::try_from(whole).ok()).filter(|seconds| *seconds > 0)
        }
        Value::S(_)
        | Value::B(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_)
        | Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_) => None,
    }
}

/// The entry of an item that expires at this time.
pub(crate) fn entry(seconds: u64, key: &[u8]) -> Bytes {
    [&seconds.to_be_bytes(), key].concat().into()
}

/// The time and the item's key of an entry.
pub(crate) fn read_entry(entry: &[u8]) -> Option<(u64, Bytes)> {
    let seconds = entry.first_chunk::<SECONDS_BYTES>()?;
    Some((u64::from_be_bytes(*seconds), Bytes::copy_from_slice(entry.get(SECONDS_BYTES..)?)))
}

/// The entries of what has expired by now.
pub(crate) fn due(now_ms: u64) -> Range {
    let now = now_ms / 1000;
    let bound = |seconds: u64| Bytes::copy_from_slice(&seconds.to_be_bytes());
    Range {
        from: std::ops::Bound::Included(bound(now.saturating_sub(PAST_SECONDS_MAX))),
        to: std::ops::Bound::Excluded(bound(now + 1)),
    }
}
