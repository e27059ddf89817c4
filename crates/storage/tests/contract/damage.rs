//! Torn and flipped bytes: repaired or refused, never wrong data, never a panic.

use crate::setup::{disk_config, open, put};
use std::fs;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use storage::{Direction, Durability, Error, Range, Space, Store};
use tempfile::TempDir;

const ITEMS: Space = Space(1);
const WRITES: u8 = 20;

/// A folder with some writes, all of them in the log; and how long the log was after each of them. A clean end adds a mark
/// behind the last one, which says that all of them are on the disk.
fn written() -> (TempDir, PathBuf, Vec<usize>) {
    let dir = TempDir::new().unwrap();
    let journal = dir.path().join("data/0.jnl");
    let store = open(dir.path());
    store.create_space(ITEMS).unwrap();
    // The record that makes a space has 64 bytes, the last of which are zero.
    let mut ends = vec![64];
    for number in 0..WRITES {
        put(&store, ITEMS, &[number], &[number.wrapping_add(1); 2000]);
        ends.push(content(&journal).len().next_multiple_of(8));
    }
    drop(store);
    (dir, journal, ends)
}

/// A journal up to its last byte that is not zero.
fn content(journal: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut file = fs::File::open(journal).unwrap();
    // The tests write far less than a megabyte, the rest of the file is made in advance.
    file.by_ref().take(1 << 20).read_to_end(&mut bytes).unwrap();
    let length = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    bytes.truncate(length);
    bytes
}

/// How many writes are there; they must be the first ones, with the right values.
fn check(store: &Store) -> usize {
    let mut found = 0;
    store
        .scan(ITEMS, &Range::all(), Direction::Forward, &mut |key, value| {
            assert_eq!(key, [found as u8], "a write is missing in the middle");
            assert!(value.iter().all(|byte| *byte == found as u8 + 1) && value.len() == 2000);
            found += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
    found
}

#[test]
fn a_torn_tail_is_cut_off_and_what_stood_before_stays() {
    // Six bytes at the end of a record only fill it up.
    for cut_bytes in [7, 12, 13, 600, 1990, 2030, 2050] {
        let (dir, journal, ends) = written();
        let bytes = content(&journal);
        fs::write(&journal, &bytes[..ends[usize::from(WRITES)] - cut_bytes]).unwrap();
        let store = open(dir.path());
        assert_eq!(check(&store), usize::from(WRITES) - 1, "cut {cut_bytes} of {}", bytes.len());
        put(&store, ITEMS, &[WRITES - 1], &[WRITES; 2000]);
        drop(store);
        assert_eq!(check(&open(dir.path())), usize::from(WRITES));
    }
}

#[test]
fn sectors_that_never_reached_the_disk_are_a_torn_tail() {
    let (dir, journal, ends) = written();
    let mut bytes = content(&journal);
    bytes.truncate(ends[usize::from(WRITES)]);
    let start = ends[usize::from(WRITES) - 1];
    let sector = (start + 600).next_multiple_of(512);
    bytes[sector..sector + 512].fill(0);
    fs::write(&journal, &bytes).unwrap();
    assert_eq!(check(&open(dir.path())), usize::from(WRITES) - 1);
}

#[test]
fn garbage_behind_the_last_write_is_cut_off() {
    let garbage: [&[u8]; 5] =
        [b"garbage", &[1; 40], &[2; 3000], &[3, 3, 3], &[1, 1, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 2]];
    for garbage in garbage {
        let (dir, journal, _) = written();
        let mut bytes = content(&journal);
        bytes.extend_from_slice(garbage);
        fs::write(&journal, &bytes).unwrap();
        let store = open(dir.path());
        assert_eq!(check(&store), usize::from(WRITES));
        put(&store, ITEMS, &[WRITES], &[WRITES + 1; 2000]);
        drop(store);
        assert_eq!(check(&open(dir.path())), usize::from(WRITES) + 1);
    }
}

#[test]
fn a_flipped_byte_in_the_journal_is_refused() {
    let (dir, journal, ends) = written();
    let sound = content(&journal);
    for batch in [0, 7, usize::from(WRITES) - 1] {
        let start = ends[batch];
        let end = ends[batch + 1];
        // The head, which has forty bytes, tag, room, lengths, key, value.
        let places = (0..40).chain([40, 41, 49, 50, 53, 54, 60, 1000]);
        for at in places.map(|offset| start + offset).chain([end - 7]) {
            let mut bytes = sound.clone();
            bytes[at] ^= 0x10;
            fs::write(&journal, &bytes).unwrap();
            match Store::open(disk_config(dir.path(), Durability::Sync)) {
                Err(Error::Corrupt { file, .. }) => assert_eq!(file, journal),
                Err(other) => panic!("byte {at}: {other}"),
                Ok(_) => panic!("byte {at} (batch {batch} from {start} to {end}) went unnoticed"),
            }
        }
    }
    fs::write(&journal, &sound).unwrap();
    assert_eq!(check(&open(dir.path())), usize::from(WRITES));
}

#[test]
fn a_missing_part_of_the_log_is_noticed() {
    let (dir, journal, _) = written();
    fs::remove_file(&journal).unwrap();
    assert!(matches!(opened(dir.path()), Some(Error::Corrupt { file, .. }) if file == journal));
}

#[test]
fn a_missing_manifest_is_noticed() {
    let (dir, _, _) = written();
    let manifest = dir.path().join("data/MANIFEST");
    fs::remove_file(&manifest).unwrap();
    assert!(matches!(opened(dir.path()), Some(Error::Corrupt { file, .. }) if file == manifest));
}

#[test]
fn missing_files_of_a_space_are_noticed() {
    let dir = TempDir::new().unwrap();
    fill_tables(dir.path());
    let spaces = dir.path().join("data/spaces");
    let space = fs::read_dir(&spaces).unwrap().next().unwrap().unwrap().path();
    fs::rename(&space, dir.path().join("elsewhere")).unwrap();
    assert!(matches!(opened(dir.path()), Some(Error::Corrupt { file, .. }) if file == space));
}

fn opened(dir: &Path) -> Option<Error> {
    Store::open(disk_config(dir, Durability::Sync)).err()
}

#[test]
fn a_flipped_byte_in_a_table_file_never_gives_wrong_data() {
    let dir = TempDir::new().unwrap();
    fill_tables(dir.path());
    let tables = files_below(&dir.path().join("data/spaces"), "tables");
    assert!(!tables.is_empty(), "nothing was written out to tables");
    let mut refused = 0;
    for table in tables.into_iter().take(2) {
        let sound = fs::read(&table).unwrap();
        let step = (sound.len() / 12).max(1);
        for at in (0..sound.len()).step_by(step).chain(sound.len().saturating_sub(200)..sound.len()) {
            if at % 9 != 0 && at + 200 >= sound.len() {
                continue;
            }
            let mut bytes = sound.clone();
            bytes[at] ^= 0x20;
            fs::write(&table, &bytes).unwrap();
            refused += usize::from(is_refused(dir.path()));
        }
        fs::write(&table, &sound).unwrap();
    }
    assert!(refused > 10, "only {refused} flips were noticed");
    assert!(!is_refused(dir.path()), "the sound folder opens again");
}

/// Reads everything; wrong data is a failed test, an error naming a place is an answer.
fn is_refused(dir: &Path) -> bool {
    let outcome = Store::open(disk_config(dir, Durability::Sync)).and_then(|store| {
        let mut found = 0_u32;
        for number in (0..4000_u32).step_by(397) {
            let value = store.get(ITEMS, &number.to_be_bytes())?;
            assert_eq!(value.as_deref(), Some(&table_value(number)[..]), "get of {number}");
        }
        store.scan(ITEMS, &Range::all(), Direction::Forward, &mut |key, value| {
            assert_eq!(key, found.to_be_bytes(), "scan at {found}");
            assert_eq!(value, table_value(found), "scan at {found}");
            found += 1;
            ControlFlow::Continue(())
        })?;
        assert_eq!(found, 4000, "the scan ended early without an error");
        Ok(())
    });
    match outcome {
        Ok(()) => false,
        Err(Error::Corrupt { file, .. }) => {
            assert!(file.starts_with(dir));
            true
        }
        Err(other) => panic!("{other}"),
    }
}

fn table_value(number: u32) -> Vec<u8> {
    (0..1500_u32).map(|at| (at.wrapping_add(number).wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

/// More than one slot of the log takes (32 MB), so that a memory table is written out. Each round is waited for: on a busy
/// machine the next one would otherwise be in the same group, and replace it before it is written.
fn fill_tables(dir: &Path) {
    let store = Store::open(disk_config(dir, Durability::Relaxed)).unwrap();
    store.create_space(ITEMS).unwrap();
    let mut ticket = storage::Ticket::NONE;
    for _ in 0..6 {
        for number in 0..4000_u32 {
            ticket =
                crate::setup::order_put(&store, ITEMS, &number.to_be_bytes(), &table_value(number)).unwrap();
        }
        store.wait(ticket).unwrap();
    }
    // On a busy machine this takes a while.
    let is_written_out = (0..2400).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        !files_below(&dir.join("data/spaces"), "tables").is_empty()
    });
    assert!(is_written_out, "nothing was written out to tables");
    store.close().unwrap();
}

/// All files in folders of this name.
fn files_below(dir: &Path, folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_below(&path, folder));
        } else if path.parent().is_some_and(|parent| parent.ends_with(folder)) {
            found.push(path);
        }
    }
    found.sort();
    found
}
