//! What a disk must bear: more than the engine can write out at once.

use crate::setup::disk_config;
use bytes::Bytes;
use std::pin::pin;
use std::sync::mpsc;
use std::task::{Context, Waker};
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

#[test]
fn who_would_add_to_a_long_queue_can_wait_without_a_thread() {
    let dir = TempDir::new().unwrap();
    let store = Store::open(disk_config(dir.path(), Durability::Sync)).unwrap();
    store.create_space(SPACE).unwrap();
    let held = Key::new(SPACE, "held");
    let order = |key: &Key, bytes: usize| {
        let value = Bytes::from(vec![b'x'; bytes]);
        store.apply(std::slice::from_ref(key), &mut |_| {
            let mut batch = Batch::new();
            batch.put(SPACE, key.bytes.clone(), value.clone());
            Some(batch)
        })
    };
    assert_eq!(store.backlog(), None);
    let (release, released) = mpsc::channel::<()>();
    let (tell, told) = mpsc::channel();
    let (store_seen, order_seen, held_seen) = (&store, &order, &held);
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut is_held = false;
            while !is_held {
                let ticket = order_seen(held_seen, 1).unwrap();
                // Whoever decides about a key keeps the committer from it, and so from what is queued behind.
                let decided = store_seen.apply(std::slice::from_ref(held_seen), &mut |_| {
                    let mut durable = pin!(store_seen.durable(ticket));
                    is_held = durable.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending();
                    if is_held {
                        tell.send(()).unwrap();
                        released.recv().unwrap();
                    }
                    None
                });
                decided.unwrap();
            }
        });
        told.recv().unwrap();
        let mut last = None;
        for number in 0..LARGE_PUTS * 4 {
            if store.backlog().is_some() {
                break;
            }
            last = Some(order(&Key::new(SPACE, number.to_be_bytes().to_vec()), LARGE_BYTES).unwrap());
        }
        let first = store.backlog().expect("the queue has a limit");
        assert!(first <= last.unwrap(), "what is waited for is queued already");
        release.send(()).unwrap();
        store.wait(first).unwrap();
        store.wait(last.unwrap()).unwrap();
        assert_eq!(store.backlog(), None);
    });
    store.close().unwrap();
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
