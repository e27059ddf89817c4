//! Stores for tests and short forms of common calls. Knows no single test.

use bytes::Bytes;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use storage::{Batch, Config, Direction, Durability, Error, Key, Range, Simulation, Space, Store, Ticket};
use tempfile::TempDir;

/// A store and the folder it may need.
pub(crate) struct Fixture {
    pub(crate) store: Arc<Store>,
    pub(crate) name: &'static str,
    _dir: Option<TempDir>,
}

pub(crate) fn disk_config(dir: &Path, durability: Durability) -> Config {
    Config::Disk { dir: dir.to_path_buf(), durability, cache_bytes: 8 << 20 }
}

pub(crate) fn open(dir: &Path) -> Store {
    Store::open(disk_config(dir, Durability::Sync)).expect("the folder opens")
}

/// Runs a test on every engine.
pub(crate) fn on_every_engine(test: impl Fn(&Fixture)) {
    let memory = Store::open(Config::Memory).expect("memory opens");
    test(&Fixture { store: Arc::new(memory), name: "memory", _dir: None });
    let played = Store::open(Config::Simulated(Simulation::default())).expect("a played disk opens");
    test(&Fixture { store: Arc::new(played), name: "simulated", _dir: None });
    for (name, durability) in [("sync", Durability::Sync), ("relaxed", Durability::Relaxed)] {
        let dir = TempDir::new().expect("a folder");
        let store = Store::open(disk_config(dir.path(), durability)).expect("the folder opens");
        test(&Fixture { store: Arc::new(store), name, _dir: Some(dir) });
    }
}

/// Writes without looking, naming every key, and waits.
pub(crate) fn put(store: &Store, space: Space, key: &[u8], value: &[u8]) {
    let ticket = order_put(store, space, key, value).expect("ordered");
    store.wait(ticket).expect("durable");
}

pub(crate) fn order_put(store: &Store, space: Space, key: &[u8], value: &[u8]) -> Result<Ticket, Error> {
    let key = Key::new(space, Bytes::copy_from_slice(key));
    store.apply(std::slice::from_ref(&key), &mut |_| {
        let mut batch = Batch::new();
        batch.put(space, key.bytes.clone(), Bytes::copy_from_slice(value));
        Some(batch)
    })
}

pub(crate) fn delete(store: &Store, space: Space, key: &[u8]) {
    let key = Key::new(space, Bytes::copy_from_slice(key));
    let decided = store.apply(std::slice::from_ref(&key), &mut |_| {
        let mut batch = Batch::new();
        batch.delete(space, key.bytes.clone());
        Some(batch)
    });
    store.wait(decided.expect("ordered")).expect("durable");
}

/// All keys and values of a range.
pub(crate) fn collect(
    store: &Store,
    space: Space,
    range: &Range,
    direction: Direction,
) -> Vec<(Bytes, Bytes)> {
    let mut found = Vec::new();
    store
        .scan(space, range, direction, &mut |key, value| {
            found.push((Bytes::copy_from_slice(key), Bytes::copy_from_slice(value)));
            ControlFlow::Continue(())
        })
        .expect("scanned");
    found
}

pub(crate) fn number(value: Option<&Bytes>) -> u64 {
    value.map_or(0, |bytes| u64::from_be_bytes(bytes.as_ref().try_into().expect("eight bytes")))
}
