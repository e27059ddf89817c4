//! What was committed lately, in order, in memory. Knows no disk and no files.

use bytes::Bytes;
use crossbeam_skiplist::SkipMap;
use parking_lot::Mutex;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};

/// What an entry costs beside its bytes.
const ENTRY_BYTES: u64 = 160;

/// So many entries are freed without a rest.
const FREED_AT_ONCE: usize = 512;

/// Values of all rooms by room, key and commit. Only the committer adds to it; anybody reads, without a lock.
#[derive(Default)]
pub(super) struct Memtable {
    entries: SkipMap<Name, Option<Bytes>>,
    bytes: AtomicU64,
    stored_bytes: AtomicU64,
    /// Bytes of each room.
    rooms: Mutex<BTreeMap<u64, u64>>,
}

/// A key of a room as a commit wrote it. Of one key the newest comes first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    room: u64,
    key: Bytes,
    commit: Reverse<u64>,
}

/// A key, and what a commit wrote: no value means deleted.
pub(super) type Entry = (Bytes, Option<Bytes>);

impl Memtable {
    pub(super) fn add(&self, room: u64, key: Bytes, value: Option<Bytes>, commit: u64) {
        let bytes = (key.len() + value.as_ref().map_or(0, Bytes::len)) as u64;
        self.bytes.fetch_add(bytes + ENTRY_BYTES, Ordering::Relaxed);
        self.stored_bytes.fetch_add(bytes, Ordering::Relaxed);
        *self.rooms.lock().entry(room).or_default() += bytes;
        self.entries.insert(Name { room, key, commit: Reverse(commit) }, value);
    }

    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// How much of that are keys and values.
    pub(super) fn stored_bytes(&self) -> u64 {
        self.stored_bytes.load(Ordering::Relaxed)
    }

    /// What was written last to a key, up to this commit; nothing if the key is not here.
    pub(super) fn get(&self, room: u64, key: &[u8], commit: u64) -> Option<Option<Bytes>> {
        let from = Name { room, key: Bytes::copy_from_slice(key), commit: Reverse(commit) };
        let entry = self.entries.lower_bound(Bound::Included(&from))?;
        let found = entry.key();
        (found.room == room && found.key == key).then(|| entry.value().clone())
    }

    /// Every key of a range with what was written last to it, up to this commit, in ascending order.
    pub(super) fn ascending<'a>(
        &'a self,
        room: u64,
        from: Bound<&Bytes>,
        to: Bound<&Bytes>,
        commit: u64,
    ) -> impl Iterator<Item = Entry> + use<'a> {
        let mut last: Option<Bytes> = None;
        self.entries.range(names(room, from, to)).filter_map(move |entry| {
            let name = entry.key();
            if name.commit.0 > commit || last.as_ref() == Some(&name.key) {
                return None;
            }
            last = Some(name.key.clone());
            Some((name.key.clone(), entry.value().clone()))
        })
    }

    /// The same in descending order.
    pub(super) fn descending<'a>(
        &'a self,
        room: u64,
        from: Bound<&Bytes>,
        to: Bound<&Bytes>,
        commit: u64,
    ) -> impl Iterator<Item = Entry> + use<'a> {
        // Of one key the oldest comes first here, so the last one that counts is the one to show.
        let mut entries = self.entries.range(names(room, from, to)).rev().peekable();
        std::iter::from_fn(move || {
            loop {
                let first = entries.next()?;
                let is_same_key = |key: &Bytes| *key == first.key().key;
                let mut newest = (first.key().commit.0 <= commit).then(|| first.value().clone());
                while let Some(entry) = entries.next_if(|entry| is_same_key(&entry.key().key)) {
                    if entry.key().commit.0 <= commit {
                        newest = Some(entry.value().clone());
                    }
                }
                if let Some(value) = newest {
                    return Some((first.key().key.clone(), value));
                }
            }
        })
    }

    /// Every key of a room with what was written last to it, and by which commit.
    pub(super) fn newest(&self, room: u64) -> impl Iterator<Item = (Entry, u64)> {
        let mut last: Option<Bytes> = None;
        self.entries.range(names(room, Bound::Unbounded, Bound::Unbounded)).filter_map(move |entry| {
            let name = entry.key();
            if last.as_ref() == Some(&name.key) {
                return None;
            }
            last = Some(name.key.clone());
            Some(((name.key.clone(), entry.value().clone()), name.commit.0))
        })
    }

    /// Frees it in small pieces, with a call of `rest` after each: there may be hundreds of thousands of values.
    pub(super) fn free(self, mut rest: impl FnMut()) {
        for (place, _) in self.entries.into_iter().enumerate() {
            if place % FREED_AT_ONCE == 0 {
                rest();
            }
        }
    }

    /// The rooms that it holds something of, with how many bytes of each.
    pub(super) fn rooms(&self) -> BTreeMap<u64, u64> {
        self.rooms.lock().clone()
    }
}

/// The names of the keys between two bounds, whoever wrote them.
fn names(room: u64, from: Bound<&Bytes>, to: Bound<&Bytes>) -> (Bound<Name>, Bound<Name>) {
    let newest = |room, key: &Bytes| Name { room, key: key.clone(), commit: Reverse(u64::MAX) };
    let oldest = |room, key: &Bytes| Name { room, key: key.clone(), commit: Reverse(0) };
    let from = match from {
        Bound::Included(key) => Bound::Included(newest(room, key)),
        Bound::Excluded(key) => Bound::Excluded(oldest(room, key)),
        Bound::Unbounded => Bound::Included(newest(room, &Bytes::new())),
    };
    let to = match to {
        Bound::Included(key) => Bound::Included(oldest(room, key)),
        Bound::Excluded(key) => Bound::Excluded(newest(room, key)),
        // No key is empty, so this name comes before all of the next room.
        Bound::Unbounded => Bound::Excluded(newest(room.saturating_add(1), &Bytes::new())),
    };
    (from, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Bytes {
        Bytes::copy_from_slice(text.as_bytes())
    }

    /// Room 1: a written by commits 1, 3 and 5, b by 2 and deleted by 4, c by 4. Rooms 0 and 2 hold other values.
    fn filled() -> Memtable {
        let memtable = Memtable::default();
        for room in [0, 2] {
            memtable.add(room, bytes("b"), Some(bytes("other")), 1);
        }
        for (key, value, commit) in [
            ("a", Some("1"), 1),
            ("b", Some("2"), 2),
            ("a", Some("3"), 3),
            ("b", None, 4),
            ("c", Some("4"), 4),
            ("a", Some("5"), 5),
        ] {
            memtable.add(1, bytes(key), value.map(bytes), commit);
        }
        memtable
    }

    fn told(entries: impl Iterator<Item = Entry>) -> String {
        let tell = |(key, value): Entry| {
            let value =
                value.map_or_else(|| "-".to_owned(), |value| String::from_utf8_lossy(&value).into_owned());
            format!("{}{value}", String::from_utf8_lossy(&key))
        };
        entries.map(tell).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_reader_sees_what_was_written_up_to_its_commit() {
        let memtable = filled();
        let all = (Bound::Unbounded, Bound::Unbounded);
        for (commit, ascending, descending) in [
            (0, "", ""),
            (1, "a1", "a1"),
            (2, "a1 b2", "b2 a1"),
            (3, "a3 b2", "b2 a3"),
            (4, "a3 b- c4", "c4 b- a3"),
            (9, "a5 b- c4", "c4 b- a5"),
        ] {
            assert_eq!(told(memtable.ascending(1, all.0, all.1, commit)), ascending, "up to {commit}");
            assert_eq!(told(memtable.descending(1, all.0, all.1, commit)), descending, "up to {commit}");
        }
        assert_eq!(memtable.get(1, b"a", 4), Some(Some(bytes("3"))));
        assert_eq!(memtable.get(1, b"b", 4), Some(None));
        assert_eq!(memtable.get(1, b"b", 1), None);
        assert_eq!(memtable.get(1, b"aa", 9), None);
    }

    #[test]
    fn bounds_hold_in_both_directions() {
        let memtable = filled();
        let (a, b, c) = (bytes("a"), bytes("b"), bytes("c"));
        for (from, to, expected) in [
            (Bound::Included(&a), Bound::Excluded(&c), "a5 b-"),
            (Bound::Excluded(&a), Bound::Included(&c), "b- c4"),
            (Bound::Excluded(&b), Bound::Unbounded, "c4"),
            (Bound::Unbounded, Bound::Included(&a), "a5"),
            (Bound::Included(&b), Bound::Included(&b), "b-"),
        ] {
            assert_eq!(told(memtable.ascending(1, from, to, 9)), expected);
            let backwards: Vec<&str> = expected.split(' ').rev().collect();
            assert_eq!(told(memtable.descending(1, from, to, 9)), backwards.join(" "));
        }
    }

    #[test]
    fn the_newest_of_each_key_is_written_out() {
        let memtable = filled();
        let newest: Vec<(Entry, u64)> = memtable.newest(1).collect();
        assert_eq!(newest.iter().map(|(_, commit)| *commit).collect::<Vec<_>>(), [5, 4, 4]);
        assert_eq!(told(newest.into_iter().map(|(entry, _)| entry)), "a5 b- c4");
        assert_eq!(memtable.rooms(), BTreeMap::from([(0, 6), (1, 11), (2, 6)]));
    }
}
