//! What a disk must bear: more than the engine can write out at once.

use crate::setup::disk_config;
use bytes::Bytes;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use storage::{Batch, Durability, Key, Space, Store};
use tempfile::TempDir;

const SPACE: Space = Space(1);
/// A little more than one memory table takes.
const LARGE_PUTS: u64 = 68;
const LARGE_BYTES: usize = 256 * 1024;

#[test]
fn a_long_burst_of_small_commits_does_not_stop_the_store() {
    let (done, finished) = mpsc::channel();
    // The store may hang for ever if it fails this, so it is left behind then.
    thread::spawn(move || {
        burst();
        done.send(()).unwrap();
    });
    finished.recv_timeout(Duration::from_secs(120)).expect("the store goes on writing");
}

/// Fills one memory table after the other, with thousands of small commits while the worker is busy with the last one.
fn burst() {
    let dir = TempDir::new().unwrap();
    let store = Store::open(disk_config(dir.path(), Durability::Relaxed)).unwrap();
    store.create_space(SPACE).unwrap();
    for round in 0..6 {
        for number in 0..LARGE_PUTS {
            put(&store, round * 1000 + number, vec![round as u8; LARGE_BYTES].into());
        }
        for number in 0..4000 {
            put(&store, 1_000_000 + number, Bytes::from_static(b"small"));
        }
    }
    store.close().unwrap();
}

fn put(store: &Store, number: u64, value: Bytes) {
    let key = Key::new(SPACE, number.to_be_bytes().to_vec());
    let ordered = store.apply(std::slice::from_ref(&key), &mut |_| {
        let mut batch = Batch::new();
        batch.put(SPACE, key.bytes.clone(), value.clone());
        Some(batch)
    });
    store.wait(ordered.unwrap()).unwrap();
}
