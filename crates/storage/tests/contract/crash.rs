//! Kills a writing process with SIGKILL and looks at what it left. The test binary runs itself as that process.

use crate::setup::{collect, disk_config, number, open, put};
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;
use storage::{Batch, Direction, Durability, Key, Range, Space, Store};
use tempfile::TempDir;

const ITEMS: Space = Space(1);
const INDEX: Space = Space(2);
/// Spaces above this one come and go while items are written.
const FIRST_EXTRA: u64 = 100;
const WRITERS: u8 = 6;
const DIR_VARIABLE: &str = "STORAGE_CRASH_DIR";
const MODE_VARIABLE: &str = "STORAGE_CRASH_RELAXED";

#[test]
fn no_confirmed_write_is_missing_after_kill_nine_when_synced() {
    survives(Durability::Sync);
}

#[test]
fn no_confirmed_write_is_missing_after_kill_nine_when_relaxed() {
    // Relaxed commits are in the system's hands, so the end of the process alone must not lose them either.
    survives(Durability::Relaxed);
}

/// Not a test: the process that is killed. It does nothing unless a parent asks for it.
#[test]
fn writer_of_the_crash_tests() {
    let Ok(dir) = env::var(DIR_VARIABLE) else { return };
    let durability = if env::var(MODE_VARIABLE).is_ok() { Durability::Relaxed } else { Durability::Sync };
    let store = Store::open(disk_config(Path::new(&dir), durability)).expect("the folder opens");
    store.create_space(ITEMS).expect("created");
    store.create_space(INDEX).expect("created");
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let store = &store;
            scope.spawn(move || write_for_ever(store, writer));
        }
        scope.spawn(|| create_and_drop_for_ever(&store));
    });
}

/// Counts the writer's sixteen items up, one after the other. Each commit moves the item's index entry, too.
fn write_for_ever(store: &Store, writer: u8) {
    for step in 0_u64.. {
        let item = (step % 16) as u8;
        let key = Key::new(ITEMS, vec![writer, item]);
        let mut written = 0;
        let ticket = store
            .apply(std::slice::from_ref(&key), &mut |values| {
                let before = number(values[0].as_ref().map(|value| value.slice(..8)).as_ref());
                written = before + 1;
                let mut batch = Batch::new();
                batch.put(ITEMS, key.bytes.clone(), item_bytes(written));
                batch.delete(INDEX, index_key(writer, item, before));
                batch.put(INDEX, index_key(writer, item, written), vec![writer, item]);
                Some(batch)
            })
            .expect("ordered");
        store.wait(ticket).expect("durable");
        let mut out = std::io::stdout().lock();
        writeln!(out, "ack {writer} {item} {written}").expect("the parent listens");
    }
}

/// Creates spaces with one value each and drops every other one of them.
fn create_and_drop_for_ever(store: &Store) {
    let newest = store.spaces().last().map_or(0, |space| space.0).max(FIRST_EXTRA);
    let say = |line: String| writeln!(std::io::stdout().lock(), "{line}").expect("the parent listens");
    for number in newest + 1.. {
        let space = Space(number);
        say(format!("making {number}"));
        store.create_space(space).expect("created");
        put(store, space, b"name", &number.to_be_bytes());
        say(format!("made {number}"));
        if number % 2 == 0 {
            say(format!("dropping {number}"));
            store.drop_space(space).expect("dropped");
            say(format!("dropped {number}"));
        }
    }
}

/// The number, and bytes that depend on it: a mixture of two values would show.
fn item_bytes(number: u64) -> Bytes {
    let mut bytes = number.to_be_bytes().to_vec();
    bytes.resize(300 + (number % 7) as usize * 900, number as u8);
    bytes.into()
}

fn index_key(writer: u8, item: u8, number: u64) -> Vec<u8> {
    let mut key = number.to_be_bytes().to_vec();
    key.extend([writer, item]);
    key
}

/// What the killed process had told its parent.
#[derive(Default)]
struct Told {
    items: BTreeMap<(u8, u8), u64>,
    made: BTreeSet<u64>,
    dropping: BTreeSet<u64>,
    dropped: BTreeSet<u64>,
}

impl Told {
    /// Takes a line in; the last one may be cut off by the kill, so only lines with their end count.
    fn hear(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let numbers: Vec<u64> = words.iter().filter_map(|word| word.parse().ok()).collect();
        match (words[0], &numbers[..]) {
            ("ack", [writer, item, counted]) => {
                let newest = self.items.entry((*writer as u8, *item as u8)).or_default();
                *newest = (*counted).max(*newest);
            }
            // The number of the last space that was dropped is taken again after a restart.
            ("making", [space]) => {
                for names in [&mut self.made, &mut self.dropping, &mut self.dropped] {
                    names.remove(space);
                }
            }
            ("made", [space]) => _ = self.made.insert(*space),
            ("dropping", [space]) => _ = self.dropping.insert(*space),
            ("dropped", [space]) => _ = self.dropped.insert(*space),
            _ => {}
        }
    }
}

fn survives(durability: Durability) {
    let dir = TempDir::new().unwrap();
    let mut told = Told::default();
    for round in 0..6_u64 {
        run_and_kill(dir.path(), durability, Duration::from_millis(120 + 70 * round), &mut told);
        let store = open(dir.path());
        check_spaces(&store, &told);
        let confirmed = &told.items;
        let items = collect(&store, ITEMS, &Range::all(), Direction::Forward);
        let found: BTreeMap<(u8, u8), u64> = items
            .iter()
            .map(|(key, value)| {
                let counted = number(Some(&value.slice(..8)));
                assert_eq!(*value, item_bytes(counted), "a value is a mixture");
                ((key[0], key[1]), counted)
            })
            .collect();
        for (name, least) in confirmed {
            let stored = found.get(name).copied().unwrap_or(0);
            assert!(stored >= *least, "round {round}: {name:?} is {stored}, {least} was confirmed");
        }
        let mut entries = 0;
        store
            .scan(INDEX, &Range::all(), Direction::Forward, &mut |key, value| {
                let counted = u64::from_be_bytes(key[..8].try_into().unwrap());
                assert_eq!(found.get(&(value[0], value[1])), Some(&counted), "index and items disagree");
                entries += 1;
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!(entries, found.len(), "round {round}: an item has no entry or two");
    }
    assert!(told.items.values().sum::<u64>() > 100, "the writers hardly ran");
    assert!(!told.made.is_empty(), "no space was made");
}

fn check_spaces(store: &Store, told: &Told) {
    let found: BTreeSet<u64> = store.spaces().iter().map(|space| space.0).collect();
    for space in told.made.difference(&told.dropping) {
        assert!(found.contains(space), "space {space} is lost");
        let name = store.get(Space(*space), b"name").unwrap();
        assert_eq!(number(name.as_ref()), *space, "space {space} lost its value");
    }
    assert!(told.dropped.is_disjoint(&found), "a dropped space came back");
}

/// Runs the writers for a while, kills them, and notes what they had confirmed.
fn run_and_kill(dir: &Path, durability: Durability, after: Duration, told: &mut Told) {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "crash::writer_of_the_crash_tests", "--nocapture", "--test-threads=1"]);
    command.env(DIR_VARIABLE, dir).stdout(Stdio::piped()).stderr(Stdio::inherit());
    if durability == Durability::Relaxed {
        command.env(MODE_VARIABLE, "1");
    }
    let mut child = command.spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut killer = None;
    let mut line = String::new();
    while out.read_line(&mut line).unwrap() > 0 {
        if let Some(whole) = line.strip_suffix('\n') {
            // The first line shares its line with the name of the test.
            told.hear(whole.rsplit(" ... ").next().unwrap_or_default());
        }
        line.clear();
        if killer.is_none() && !told.items.is_empty() {
            let id = child.id().to_string();
            killer = Some(thread::spawn(move || {
                thread::sleep(after);
                Command::new("kill").args(["-9", &id]).status().unwrap();
            }));
        }
    }
    child.wait().unwrap();
    killer.expect("the writers confirmed something").join().unwrap();
}
