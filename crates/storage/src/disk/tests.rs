//! The engine with small slots of the log, so that memory tables are written out and merged all the time. It must agree with
//! a map.

use super::*;
use crate::space::Key;
use crate::store::{Config, Store};
use std::collections::BTreeMap;
use std::fs;
use std::ops::{Bound, ControlFlow};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

fn config(dir: &Path, durability: Durability) -> Config {
    Config::Disk { dir: dir.to_path_buf(), durability, cache_bytes: 1 << 20 }
}

#[test]
fn a_failed_commit_ends_writes_and_leaves_reads() {
    let dir = tempfile::TempDir::new().unwrap();
    let store = Store::open(config(dir.path(), Durability::Sync)).unwrap();
    let space = Space(1);
    store.create_space(space).unwrap();
    let write = |value: &'static str| {
        store.apply(&[Key::new(space, "a")], &mut |_| {
            let mut batch = Batch::new();
            batch.put(space, "a", value);
            Some(batch)
        })
    };
    store.wait(write("1").unwrap()).unwrap();
    store.engine_failure(Error::Failed { detail: "the disk said no".into() });
    assert!(matches!(write("2"), Err(Error::Failed { .. })));
    assert!(matches!(store.wait(Ticket(99)), Err(Error::Failed { .. })));
    assert!(matches!(store.create_space(Space(2)), Err(Error::Failed { .. })));
    assert!(matches!(store.drop_space(space), Err(Error::Failed { .. })));
    assert_eq!(store.spaces(), [space]);
    assert_eq!(store.get(space, b"a").unwrap().as_deref(), Some(&b"1"[..]));
    assert!(matches!(store.close(), Err(Error::Failed { .. })));
}

/// Numbers that look random and are the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

type Model = BTreeMap<Space, BTreeMap<Vec<u8>, Vec<u8>>>;

/// A key of one of a few lengths, so that one is often the beginning of another.
fn key(chance: &mut Chance) -> Vec<u8> {
    let mut key = chance.below(300).to_string().into_bytes();
    key.truncate(chance.below(3) as usize + 1);
    key
}

fn commit(store: &Store, model: &mut Model, chance: &mut Chance) -> Ticket {
    let spaces: Vec<Space> = model.keys().copied().collect();
    let mut writes = Vec::new();
    for _ in 0..=chance.below(6) {
        let space = spaces[chance.below(spaces.len() as u64) as usize];
        let value = (chance.below(4) > 0).then(|| vec![chance.below(256) as u8; chance.below(3000) as usize]);
        writes.push((space, key(chance), value));
    }
    let keys: Vec<Key> = writes.iter().map(|(space, key, _)| Key::new(*space, key.clone())).collect();
    let ticket = store
        .apply(&keys, &mut |values| {
            for (key, value) in keys.iter().zip(values) {
                let expected = model.get(&key.space).and_then(|space| space.get(&key.bytes[..]));
                assert_eq!(value.as_deref(), expected.map(Vec::as_slice), "{key:?}");
            }
            let mut batch = Batch::new();
            for (space, key, value) in &writes {
                match value {
                    Some(value) => batch.put(*space, key.clone(), value.clone()),
                    None => batch.delete(*space, key.clone()),
                }
            }
            Some(batch)
        })
        .unwrap();
    for (space, key, value) in writes {
        let space = model.get_mut(&space).unwrap();
        match value {
            Some(value) => drop(space.insert(key, value)),
            None => drop(space.remove(&key)),
        }
    }
    ticket
}

fn compare(
    scan: impl Fn(Space, &Range, Direction, &mut Visit<'_>) -> Result<(), Error>,
    model: &Model,
    chance: &mut Chance,
) {
    for (space, expected) in model {
        let bound = |chance: &mut Chance| match chance.below(3) {
            0 => Bound::Unbounded,
            1 => Bound::Included(Bytes::from(key(chance))),
            _ => Bound::Excluded(Bytes::from(key(chance))),
        };
        let range = Range { from: bound(chance), to: bound(chance) };
        let in_range = |key: &Vec<u8>| {
            let above = match &range.from {
                Bound::Unbounded => true,
                Bound::Included(from) => key[..] >= from[..],
                Bound::Excluded(from) => key[..] > from[..],
            };
            above
                && match &range.to {
                    Bound::Unbounded => true,
                    Bound::Included(to) => key[..] <= to[..],
                    Bound::Excluded(to) => key[..] < to[..],
                }
        };
        let expected: Vec<(Vec<u8>, Vec<u8>)> = expected
            .iter()
            .filter(|(key, _)| in_range(key))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        for direction in [Direction::Forward, Direction::Backward] {
            let mut found = Vec::new();
            scan(*space, &range, direction, &mut |key, value| {
                found.push((key.to_vec(), value.to_vec()));
                ControlFlow::Continue(())
            })
            .unwrap();
            if direction == Direction::Backward {
                found.reverse();
            }
            assert!(found == expected, "{space:?} {range:?} {direction:?}");
        }
    }
}

#[test]
fn what_is_read_agrees_with_a_map_through_writing_out_merging_and_restarts() {
    for (seed, durability) in [(1, Durability::Sync), (2, Durability::Relaxed), (3, Durability::Relaxed)] {
        let dir = TempDir::new().unwrap();
        let mut chance = Chance(seed);
        let mut model = Model::new();
        let mut store = Store::open(config(dir.path(), durability)).unwrap();
        let mut next_space = 0;
        let mut snapshots = Vec::new();
        for step in 0..1500 {
            if model.len() < 2 || (model.len() < 5 && chance.below(60) == 0) {
                // A number that was there before is taken again now and then.
                let space = Space(next_space % 7);
                next_space += 1;
                if model.contains_key(&space) {
                    continue;
                }
                store.create_space(space).unwrap();
                model.insert(space, BTreeMap::new());
            }
            let ticket = commit(&store, &mut model, &mut chance);
            if chance.below(90) == 0 {
                let space = *model.keys().next().unwrap();
                store.drop_space(space).unwrap();
                model.remove(&space);
                snapshots.clear();
            }
            if chance.below(25) == 0 {
                store.wait(ticket).unwrap();
                compare(
                    |space, range, direction, visit| store.scan(space, range, direction, visit),
                    &model,
                    &mut chance,
                );
                snapshots.push((store.snapshot(), model.clone()));
                for (snapshot, then) in &snapshots {
                    compare(
                        |space, range, direction, visit| snapshot.scan(space, range, direction, visit),
                        then,
                        &mut chance,
                    );
                }
                snapshots.truncate(3);
            }
            if chance.below(150) == 0 {
                snapshots.clear();
                drop(store);
                store = Store::open(config(dir.path(), durability)).unwrap();
                let expected: Vec<Space> = model.keys().copied().collect();
                assert_eq!(store.spaces(), expected, "seed {seed}, step {step}");
                compare(
                    |space, range, direction, visit| store.scan(space, range, direction, visit),
                    &model,
                    &mut chance,
                );
            }
        }
        let files = fs::read_dir(dir.path().join("data/spaces")).unwrap().count();
        assert!(files > 0, "nothing was written out");
        let slots = fs::read_dir(dir.path().join("data")).unwrap().flatten();
        let slots =
            slots.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "jnl")).count();
        assert!((1..=8).contains(&slots), "{slots} slots of the log");
    }
}

#[test]
fn a_reader_may_go_on_when_its_space_is_dropped_and_its_files_go_later() {
    let dir = TempDir::new().unwrap();
    let store = Store::open(config(dir.path(), Durability::Relaxed)).unwrap();
    let space = Space(1);
    store.create_space(space).unwrap();
    for number in 0..400_u32 {
        let ticket = store
            .apply(&[Key::new(space, number.to_be_bytes().to_vec())], &mut |_| {
                let mut batch = Batch::new();
                batch.put(space, number.to_be_bytes().to_vec(), vec![7; 2000]);
                Some(batch)
            })
            .unwrap();
        // One group of all would be one record, for which a slot is made that is large enough.
        if number % 20 == 0 {
            store.wait(ticket).unwrap();
        }
    }
    let spaces = dir.path().join("data/spaces");
    let folders = || fs::read_dir(&spaces).unwrap().count();
    let within_a_minute = |expected: usize| {
        (0..3000).any(|_| {
            thread::sleep(Duration::from_millis(20));
            folders() == expected
        })
    };
    // Five memory tables are full, so the first ones are on their way out. They are read from files after a new start.
    assert!(within_a_minute(1));
    store.close().unwrap();
    drop(store);
    let store = Store::open(config(dir.path(), Durability::Relaxed)).unwrap();
    assert_eq!(folders(), 1);
    let mut found = 0;
    store
        .scan(space, &Range::all(), Direction::Forward, &mut |_, value| {
            if found == 0 {
                store.drop_space(space).unwrap();
                thread::sleep(Duration::from_millis(100));
                assert_eq!(folders(), 1, "the files went while they were read");
            }
            assert_eq!(value, [7; 2000]);
            found += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(found, 400);
    assert!(within_a_minute(0));
    assert!(matches!(store.get(space, b"a"), Err(Error::NoSpace { .. })));
    assert!(deleted_files_open(&spaces) == 0, "files are gone but still take room");
}

/// Files below a folder that are removed and still open.
fn deleted_files_open(folder: &Path) -> usize {
    let Ok(open) = fs::read_dir("/proc/self/fd") else { return 0 };
    let names = open.flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
    names.filter(|name| name.starts_with(folder) && name.to_string_lossy().ends_with("(deleted)")).count()
}

#[test]
fn readers_see_whole_commits_while_memory_tables_are_written_out_and_merged() {
    let dir = TempDir::new().unwrap();
    let store = Store::open(config(dir.path(), Durability::Relaxed)).unwrap();
    let spaces = [Space(1), Space(2), Space(3)];
    for space in spaces {
        store.create_space(space).unwrap();
    }
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = || {
            while !over.load(Ordering::Relaxed) {
                let snapshot = store.snapshot();
                let value = |space: Space| snapshot.get(space, b"n").unwrap().map(|value| value.slice(..8));
                let found = spaces.map(value);
                assert!(found.iter().all(|value| *value == found[0]), "{found:?}");
                let scanned = spaces.map(|space| {
                    let mut first = None;
                    let mut visit = |_: &[u8], value: &[u8]| {
                        first = Some(Bytes::copy_from_slice(&value[..8]));
                        ControlFlow::Break(())
                    };
                    snapshot.scan(space, &Range::all(), Direction::Backward, &mut visit).unwrap();
                    first
                });
                assert_eq!(scanned, found);
            }
        };
        scope.spawn(reader);
        scope.spawn(reader);
        for number in 0..6000_u64 {
            let keys = spaces.map(|space| Key::new(space, "n"));
            let ticket = store
                .apply(&keys, &mut |_| {
                    let mut batch = Batch::new();
                    for space in spaces {
                        let mut value = number.to_be_bytes().to_vec();
                        value.resize(300, 1);
                        batch.put(space, "n", value);
                    }
                    Some(batch)
                })
                .unwrap();
            if number % 8 == 0 {
                store.wait(ticket).unwrap();
            }
        }
        over.store(true, Ordering::Relaxed);
    });
}
