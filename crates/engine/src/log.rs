//! The log of a table: one record for each change of an item, appended in the commit that makes the change. Streams and
//! recovery read it. Knows how a record lies in its bytes, and what a stamp means.
//!
//! The store stamps records in the order of commits. We let a stamp begin with the milliseconds at which the change was
//! made, so that a time is a place in the log, and whatever is read up to a time is a consistent state.

use std::ops::{Bound, ControlFlow};

use bytes::Bytes;
use item::Item;
use storage::{Batch, Direction, Range, Snapshot, Space, Stamp, Store};

use crate::catalog::Catalog;
use crate::layout;
use crate::schema::{KeySchema, Log, Table};

/// Commits that share a millisecond are told apart by this many bits.
const COUNTER_BITS: u32 = 20;

const HAS_OLD: u8 = 1;
const HAS_NEW: u8 = 2;
const HAS_KEYS: u8 = 4;
const EXISTED: u8 = 8;
const EXISTS: u8 = 16;
const EXPIRED: u8 = 32;

/// A place in a log: between two records, or at one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) stamp: Stamp,
    pub(crate) place: u8,
}

/// Why an item changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Somebody asked for it.
    Request,
    /// Its time was over.
    Expiry,
}

/// A change of an item: where it lies, and its values before and after, none where it was not there.
pub(crate) struct Changed<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) old: Option<&'a Bytes>,
    pub(crate) new: Option<&'a Bytes>,
    pub(crate) cause: Cause,
}

/// What the log holds of a change. Images are there only if somebody wanted them when it was made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    pub(crate) position: Position,
    /// Where the item lies in its table.
    pub(crate) key: Bytes,
    pub(crate) existed: bool,
    pub(crate) exists: bool,
    pub(crate) cause: Cause,
    /// The value that was there.
    pub(crate) old: Option<Bytes>,
    /// The value that is there now.
    pub(crate) new: Option<Bytes>,
    /// The key attributes, if there is neither image.
    pub(crate) keys: Option<Bytes>,
}

impl Position {
    /// Before everything with this stamp.
    pub(crate) fn at(stamp: Stamp) -> Position {
        Position { stamp, place: 0 }
    }

    /// After this record.
    pub(crate) fn next(self) -> Position {
        match self.place.checked_add(1) {
            Some(place) => Position { stamp: self.stamp, place },
            None => Position::at(Stamp(self.stamp.0.saturating_add(1))),
        }
    }

    /// The last place before a stamp.
    pub(crate) fn before(stamp: Stamp) -> Position {
        Position { stamp: Stamp(stamp.0.saturating_sub(1)), place: u8::MAX }
    }

    /// The position as the API writes it: decimal digits whose order is that of the positions.
    pub(crate) fn sequence_number(self) -> String {
        format!("{:021}", (u128::from(self.stamp.0) << 8) | u128::from(self.place))
    }

    /// The position that the API writes so.
    pub(crate) fn from_sequence_number(text: &str) -> Option<Position> {
        let number: u128 = text.parse().ok()?;
        let place = u8::try_from(number & 0xFF).ok()?;
        Some(Position { stamp: Stamp(u64::try_from(number >> 8).ok()?), place })
    }

    pub(crate) fn key(self) -> Bytes {
        self.stamp.key(self.place)
    }
}

/// The first stamp of a millisecond.
pub(crate) fn stamp_of(ms: u64) -> Stamp {
    Stamp(ms.min(u64::MAX >> COUNTER_BITS) << COUNTER_BITS)
}

/// The millisecond of a stamp.
pub(crate) fn ms_of(stamp: Stamp) -> u64 {
    stamp.0 >> COUNTER_BITS
}

/// Microseconds since 1970. Those within a millisecond tell only the order.
pub(crate) fn us_of(stamp: Stamp) -> u64 {
    let within = stamp.0 & ((1 << COUNTER_BITS) - 1);
    ms_of(stamp).saturating_mul(1000).saturating_add(within.min(999))
}

/// A stamp between all that is ordered and all that will be.
pub(crate) fn boundary(store: &Store, now_ms: u64) -> Stamp {
    store.raise_stamp(stamp_of(now_ms));
    Stamp(store.last_stamp().0.saturating_add(1))
}

/// The records from one position to before another.
pub(crate) fn between(from: Position, to: Option<Stamp>) -> Range {
    let to = to.map_or(Bound::Unbounded, |stamp| Bound::Excluded(Position::at(stamp).key()));
    Range { from: Bound::Included(from.key()), to }
}

/// Shows the records of a range, in order or against it, until `visit` breaks off. A damaged record is none.
pub(crate) fn scan(
    view: &Snapshot,
    log: &Log,
    range: &Range,
    direction: Direction,
    visit: &mut dyn FnMut(Record) -> ControlFlow<()>,
) -> Result<(), storage::Error> {
    scan_space(view, log.space, range, direction, visit)
}

/// The same of a log that is known by its space only, because its table may be gone.
pub(crate) fn scan_space(
    view: &Snapshot,
    space: Space,
    range: &Range,
    direction: Direction,
    visit: &mut dyn FnMut(Record) -> ControlFlow<()>,
) -> Result<(), storage::Error> {
    view.scan(space, range, direction, &mut |key, value| match read(key, value) {
        Some(record) => visit(record),
        None => {
            tracing::error!(space = space.0, "a record of a log is damaged");
            ControlFlow::Continue(())
        }
    })
}

/// The stamp of the last record, if there is one.
fn last(store: &Store, log: &Log) -> Result<Option<Stamp>, storage::Error> {
    let mut last = None;
    store.scan(log.space, &Range::all(), Direction::Backward, &mut |key, _| {
        last = Stamp::read(key).map(|(stamp, _)| stamp);
        ControlFlow::Break(())
    })?;
    Ok(last)
}

/// Later stamps follow those that were given before the database was opened.
pub(crate) fn go_on(store: &Store, catalog: &Catalog) -> Result<(), storage::Error> {
    for copy in catalog.copies() {
        store.raise_stamp(copy.at);
    }
    for table in catalog.here_and_gone() {
        let Some(log) = &table.log else { continue };
        let shards = log.streams.iter().flat_map(|stream| &stream.shards);
        let holds = log.holds.iter().map(|hold| hold.from);
        let recovery = log.recovery.map(|recovery| recovery.since);
        let bounds = shards.flat_map(|shard| [Some(shard.from), shard.to]).flatten();
        let known = bounds.chain(holds).chain(recovery).max();
        if let Some(stamp) = last(store, log)?.max(known) {
            store.raise_stamp(stamp);
        }
    }
    Ok(())
}

/// Appends the record of a change, if the table has a log that is kept.
pub(crate) fn append(table: &Table, changed: &Changed<'_>, least: Stamp, batch: &mut Batch) {
    let Some(log) = table.log.as_ref().filter(|log| log.is_kept()) else { return };
    let old = changed.old.filter(|_| log.keeps_old());
    let new = changed.new.filter(|_| log.keeps_new());
    // Only streams show the key attributes, and there they can be read from any image.
    let wants_keys = old.is_none() && new.is_none() && log.stream().is_some();
    let keys = if wants_keys { keys(&table.key, changed) } else { None };
    let mut flags = 0;
    for (flag, is_set) in [
        (HAS_OLD, old.is_some()),
        (HAS_NEW, new.is_some()),
        (HAS_KEYS, keys.is_some()),
        (EXISTED, changed.old.is_some()),
        (EXISTS, changed.new.is_some()),
        (EXPIRED, changed.cause == Cause::Expiry),
    ] {
        flags |= if is_set { flag } else { 0 };
    }
    let images = [old, new.or(keys.as_ref())];
    let bytes = images.iter().flatten().map(|image| image.len()).sum::<usize>();
    let mut out = Vec::with_capacity(1 + 2 * size_of::<u32>() + changed.key.len() + bytes);
    out.push(flags);
    append_part(&mut out, changed.key);
    if let Some(old) = old {
        append_part(&mut out, old);
    }
    if let Some(rest) = new.or(keys.as_ref()) {
        out.extend_from_slice(rest);
    }
    log.grown.fetch_add(out.len() as u64, std::sync::atomic::Ordering::Relaxed);
    batch.append(log.space, least, out);
}

fn read(key: &[u8], value: &[u8]) -> Option<Record> {
    let (stamp, place) = Stamp::read(key)?;
    let (flags, rest) = value.split_first()?;
    let has = |flag: u8| flags & flag != 0;
    let (key, rest) = read_part(rest)?;
    let (old, rest) = match has(HAS_OLD) {
        true => read_part(rest).map(|(old, rest)| (Some(old), rest))?,
        false => (None, rest),
    };
    let rest = Bytes::copy_from_slice(rest);
    Some(Record {
        position: Position { stamp, place },
        key,
        existed: has(EXISTED),
        exists: has(EXISTS),
        cause: if has(EXPIRED) { Cause::Expiry } else { Cause::Request },
        old,
        new: has(HAS_NEW).then(|| rest.clone()),
        keys: has(HAS_KEYS).then_some(rest),
    })
}

/// The key attributes as a value. The item is decoded for them, but only where no image is kept.
fn keys(schema: &KeySchema, changed: &Changed<'_>) -> Option<Bytes> {
    let (_, stored) = layout::read_value(changed.new.or(changed.old)?)?;
    let keys = key_attributes(schema, stored.decode()?);
    Some(layout::value(&keys, item::item_bytes(&keys)))
}

/// What of an item is its key.
pub(crate) fn key_attributes(schema: &KeySchema, mut item: Item) -> Item {
    item.retain(|name, _| schema.has(name));
    item
}

fn append_part(out: &mut Vec<u8>, part: &[u8]) {
    out.extend_from_slice(&u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend_from_slice(part);
}

fn read_part(bytes: &[u8]) -> Option<(Bytes, &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (part, rest) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    Some((Bytes::copy_from_slice(part), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_are_in_the_order_of_positions() {
        let first = Position { stamp: stamp_of(1_700_000_000_000), place: 0 };
        let last = Position { place: u8::MAX, ..first };
        let texts = [first, first.next(), last, last.next()].map(Position::sequence_number);
        assert!(texts.is_sorted() && texts.iter().all(|text| text.len() == 21), "{texts:?}");
        for text in &texts {
            assert_eq!(&Position::from_sequence_number(text).unwrap().sequence_number(), text);
        }
        for wrong in ["", "x", "-1", "999999999999999999999999999999"] {
            assert_eq!(Position::from_sequence_number(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_stamp_tells_its_time() {
        assert_eq!(ms_of(stamp_of(1_700_000_000_123)), 1_700_000_000_123);
        assert_eq!(ms_of(Stamp(stamp_of(5).0 + 7)), 5);
    }

    #[test]
    fn a_record_that_is_cut_is_no_record() {
        let mut value = vec![HAS_OLD | EXISTED];
        append_part(&mut value, b"key");
        append_part(&mut value, b"old");
        let key = Stamp(9).key(1);
        let record = read(&key, &value).unwrap();
        assert_eq!((record.key.as_ref(), record.old.as_deref()), (&b"key"[..], Some(&b"old"[..])));
        assert!(record.existed && !record.exists && record.new.is_none());
        for length in 0..value.len() {
            assert_eq!(read(&key, &value[..length]), None, "{length} bytes");
        }
    }
}
