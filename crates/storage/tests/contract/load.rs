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
const LARGE_PUTS: u64 = 132;
const LARGE_BYTES: usize = 256 * 1024;

#[test]
fn full_memory_tables_are_written_out_under_a_burst_of_commits() {
    let (done, finished) = mpsc::channel();
    // The store may hang for ever if it fails this, so it is left behind then.
    thread::spawn(move || {
        burst();
        done.send(()).unwrap();
    });
    finished.recv_timeout(Duration::from_secs(120)).expect("the store goes on writing");
}

/// Fills one memory table after the other with the same keys, so that the worker has much to merge, and makes thousands
/// of small commits meanwhile.
fn burst() {
    let dir = TempDir::new().unwrap();
    let store = Store::open(disk_config(dir.path(), Durability::Relaxed)).unwrap();
    store.create_space(SPACE).unwrap();
    let mut chance = 1;
    for round in 0..6 {
        for number in 0..LARGE_PUTS {
            put(&store, number, noise(&mut chance));
        }
        // The fourth file begins a merge, and the next memory table is full before that ends.
        let small_puts = if round % 4 == 0 { 2000 } else { 0 };
        for number in 0..small_puts {
            put(&store, LARGE_PUTS + number, Bytes::from_static(b"small"));
        }
    }
    for number in 0..LARGE_PUTS {
        let value = store.get(SPACE, &number.to_be_bytes()).unwrap();
        assert_eq!(value.map(|value| value.len()), Some(LARGE_BYTES));
    }
    store.close().unwrap();
}

/// Bytes that cannot be made smaller.
fn noise(chance: &mut u64) -> Bytes {
    let mut bytes = Vec::with_capacity(LARGE_BYTES);
    while bytes.len() < LARGE_BYTES {
        *chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        bytes.extend_from_slice(&chance.rotate_left(32).to_le_bytes());
    }
    bytes.into()
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
