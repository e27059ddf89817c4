//! What holds on a disk only: the folder, durability, room given back.

use crate::setup::{collect, disk_config, open, order_put, put};
use bytes::Bytes;
use std::fs;
use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::thread::{self, Thread};
use storage::{Batch, Config, Direction, Durability, Error, Key, Range, Space, Store};
use tempfile::TempDir;

const ITEMS: Space = Space(1);

#[test]
fn everything_is_there_after_a_clean_restart() {
    for durability in [Durability::Sync, Durability::Relaxed] {
        let dir = TempDir::new().unwrap();
        for round in 0..4_u8 {
            let store = Store::open(disk_config(dir.path(), durability)).unwrap();
            store.create_space(ITEMS).unwrap();
            store.create_space(Space(u64::MAX - u64::from(round))).unwrap();
            for number in 0..200_u8 {
                order_put(&store, ITEMS, &[round, number], &vec![number; 2000]).unwrap();
            }
            store.close().unwrap();
            drop(store);
            let store = open(dir.path());
            assert_eq!(store.spaces().len(), usize::from(round) + 2);
            let found = collect(&store, ITEMS, &Range::all(), Direction::Forward);
            assert_eq!(found.len(), 200 * (usize::from(round) + 1));
            assert!(found.iter().all(|(key, value)| value[..] == vec![key[1]; 2000]));
        }
    }
}

#[test]
fn a_dropped_space_stays_dropped_after_a_restart() {
    let dir = TempDir::new().unwrap();
    {
        let store = open(dir.path());
        store.create_space(ITEMS).unwrap();
        store.create_space(Space(2)).unwrap();
        put(&store, ITEMS, b"a", b"old");
        store.drop_space(ITEMS).unwrap();
    }
    {
        let store = open(dir.path());
        assert_eq!(store.spaces(), [Space(2)]);
        store.create_space(ITEMS).unwrap();
        assert_eq!(store.get(ITEMS, b"a").unwrap(), None);
        put(&store, ITEMS, b"b", b"new");
    }
    let store = open(dir.path());
    assert_eq!(store.get(ITEMS, b"a").unwrap(), None);
    assert_eq!(store.get(ITEMS, b"b").unwrap().as_deref(), Some(&b"new"[..]));
}

#[test]
fn spaces_created_after_drops_and_restarts_are_not_lost() {
    let dir = TempDir::new().unwrap();
    let mut expected = std::collections::BTreeSet::new();
    let mut next = 0;
    for round in 0..12_u64 {
        let store = open(dir.path());
        assert_eq!(store.spaces(), expected.iter().copied().collect::<Vec<_>>(), "round {round}");
        for space in &expected {
            let value = store.get(*space, b"name").unwrap();
            assert_eq!(value.as_deref(), Some(&space.0.to_be_bytes()[..]), "round {round}, {space:?}");
        }
        // The newest spaces go first: their numbers in the engine are the ones that could be given again.
        for _ in 0..(round % 4) {
            if let Some(space) = expected.pop_last() {
                store.drop_space(space).unwrap();
            }
        }
        for number in 0..(round % 3 + 1) {
            let space = Space(next);
            next += 1;
            store.create_space(space).unwrap();
            if number % 2 == 1 {
                store.drop_space(space).unwrap();
                continue;
            }
            put(&store, space, b"name", &space.0.to_be_bytes());
            expected.insert(space);
        }
    }
}

#[test]
fn an_empty_space_created_after_a_drop_and_a_restart_is_not_lost() {
    let dir = TempDir::new().unwrap();
    for round in 0..6_u64 {
        let store = open(dir.path());
        let expected: Vec<Space> = if round == 0 { Vec::new() } else { vec![Space(round - 1)] };
        assert_eq!(store.spaces(), expected, "round {round}");
        for space in expected {
            store.drop_space(space).unwrap();
        }
        drop(store);
        let store = open(dir.path());
        assert!(store.spaces().is_empty());
        store.create_space(Space(round)).unwrap();
    }
}

#[test]
fn apply_sees_an_ordered_value_before_reads_do() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    store.create_space(ITEMS).unwrap();
    // The committer is kept busy with a large group, so that what is ordered next must wait.
    let mut saw_hidden = 0;
    for round in 0..20_u64 {
        let bulk = order_put(&store, Space(1), b"bulk", &vec![round as u8; 4 << 20]).unwrap();
        let mut expected = round * 100;
        for step in 0..100_u64 {
            let next = (round * 100 + step + 1).to_be_bytes();
            let ticket = store
                .apply(&[Key::new(ITEMS, "n")], &mut |values| {
                    let seen = crate::setup::number(values[0].as_ref());
                    assert_eq!(seen, expected, "apply missed an ordered value");
                    let mut batch = Batch::new();
                    batch.put(ITEMS, "n", Bytes::copy_from_slice(&next));
                    Some(batch)
                })
                .unwrap();
            expected += 1;
            let visible = crate::setup::number(store.get(ITEMS, b"n").unwrap().as_ref());
            if visible < expected {
                saw_hidden += 1;
            }
            if step == 99 {
                // A refusal that read an undurable value has to wait for that value.
                let refusal = store.apply(&[Key::new(ITEMS, "n")], &mut |_| None).unwrap();
                assert!(refusal == ticket || refusal == storage::Ticket::NONE);
                store.wait(refusal).unwrap();
                assert_eq!(crate::setup::number(store.get(ITEMS, b"n").unwrap().as_ref()), expected);
            }
        }
        store.wait(bulk).unwrap();
    }
    assert!(saw_hidden > 0, "reads saw every value before its sync");
}

#[test]
fn a_durable_future_wakes_its_task() {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    store.create_space(ITEMS).unwrap();
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    for number in 0..50_u8 {
        let ticket = order_put(&store, ITEMS, &[number], b"1").unwrap();
        drop(store.durable(ticket));
        let mut durable = pin!(store.durable(ticket));
        while durable.as_mut().poll(&mut context).is_pending() {
            thread::park();
        }
        assert!(store.get(ITEMS, &[number]).unwrap().is_some());
    }
}

#[test]
fn a_second_open_of_a_folder_is_refused_at_once() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    let second = Store::open(disk_config(dir.path(), Durability::Sync));
    assert!(matches!(second, Err(Error::Locked { .. })));
    drop(store);
    open(dir.path());
}

#[test]
fn another_format_is_refused() {
    let dir = TempDir::new().unwrap();
    drop(open(dir.path()));
    fs::write(dir.path().join("FORMAT"), "larder 7\n").unwrap();
    let error = Store::open(disk_config(dir.path(), Durability::Sync)).err();
    assert!(matches!(error, Some(Error::NewerFormat { found: 7, known: 2 })), "{error:?}");
    fs::write(dir.path().join("FORMAT"), "larder 1\n").unwrap();
    let error = Store::open(disk_config(dir.path(), Durability::Sync)).err();
    assert!(matches!(error, Some(Error::OlderFormat { found: 1, known: 2 })), "{error:?}");
    fs::write(dir.path().join("FORMAT"), "nonsense").unwrap();
    let error = Store::open(disk_config(dir.path(), Durability::Sync)).err();
    assert!(matches!(error, Some(Error::Corrupt { .. })), "{error:?}");
    fs::remove_file(dir.path().join("FORMAT")).unwrap();
    let error = Store::open(disk_config(dir.path(), Durability::Sync)).err();
    assert!(matches!(error, Some(Error::Corrupt { .. })), "{error:?}");
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let below = file.join("data");
    let error = Store::open(disk_config(&below, Durability::Sync)).err();
    match error {
        Some(Error::Unwritable { dir, .. }) => assert_eq!(dir, below),
        other => panic!("{other:?}"),
    }
}

#[test]
fn leftovers_of_an_interrupted_first_start_do_no_harm() {
    let dir = TempDir::new().unwrap();
    drop(open(dir.path()));
    fs::remove_dir_all(dir.path().join("data")).unwrap();
    fs::create_dir(dir.path().join("data")).unwrap();
    fs::write(dir.path().join("data/MANIFEST.new"), "half").unwrap();
    let store = open(dir.path());
    assert!(store.spaces().is_empty());
}

#[test]
fn room_of_replaced_values_and_dropped_spaces_comes_back() {
    let dir = TempDir::new().unwrap();
    let store = Store::open(Config::Disk {
        dir: dir.path().to_path_buf(),
        durability: Durability::Relaxed,
        cache_bytes: 0,
    })
    .unwrap();
    store.create_space(ITEMS).unwrap();
    // Values that do not compress, so that sizes can be compared: 24 MB live, written eight times.
    let mut state = 1_u64;
    let mut random = |bytes: usize| -> Vec<u8> {
        let words = bytes / 8;
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_le_bytes()
        };
        (0..words).flat_map(next).collect()
    };
    let mut ticket = storage::Ticket::NONE;
    for _ in 0..8 {
        for number in 0..240_u32 {
            let value = random(100_000);
            ticket = order_put(&store, ITEMS, &number.to_be_bytes(), &value).unwrap();
        }
    }
    store.wait(ticket).unwrap();
    let live_bytes = 24_000_000;
    // Five files of the log, three that wait for a fourth to be merged, and the merged one; without merges it were 350 MB.
    let full = settled(dir.path(), |bytes| bytes < 12 * live_bytes);
    assert!(full < 12 * live_bytes, "{full} bytes for {live_bytes} live ones in 192 MB of writes");
    store.drop_space(ITEMS).unwrap();
    let after = settled(dir.path(), |bytes| bytes < full);
    assert!(after < full, "dropping the space freed nothing: {full} to {after}");
    let tables = folder_bytes(&dir.path().join("data/spaces"));
    drop(store);
    drop(open(dir.path()));
    let tables_later = folder_bytes(&dir.path().join("data/spaces"));
    assert!(tables_later <= tables && tables_later < 1_000_000, "{tables_later} bytes of tables stayed");
}

/// The size of a folder once it is small enough, or after a time that is enough for a busy machine.
fn settled(dir: &Path, small_enough: impl Fn(u64) -> bool) -> u64 {
    for _ in 0..1200 {
        if small_enough(folder_bytes(dir)) {
            break;
        }
        thread::sleep(std::time::Duration::from_millis(100));
    }
    folder_bytes(dir)
}

/// Bytes a folder takes on the disk.
fn folder_bytes(dir: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let Ok(entries) = fs::read_dir(dir) else { return 0 };
    let bytes = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => folder_bytes(&entry.path()),
        // A file with two names counts once.
        Ok(metadata) => metadata.blocks() * 512 / metadata.nlink().max(1),
        Err(_) => 0,
    };
    entries.flatten().map(bytes).sum()
}
