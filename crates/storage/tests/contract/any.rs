//! What holds on every engine.

use crate::setup::{collect, delete, number, on_every_engine, order_put, put};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use storage::{Batch, Direction, Error, Key, Range, Space, Ticket};

const ITEMS: Space = Space(1);
const INDEX: Space = Space(2);

#[test]
fn a_value_is_read_back_replaced_and_deleted() {
    on_every_engine(|fixture| {
        let store = &fixture.store;
        store.create_space(ITEMS).unwrap();
        assert_eq!(store.get(ITEMS, b"a").unwrap(), None);
        put(store, ITEMS, b"a", b"1");
        assert_eq!(store.get(ITEMS, b"a").unwrap().as_deref(), Some(&b"1"[..]));
        put(store, ITEMS, b"a", b"2");
        assert_eq!(store.get(ITEMS, b"a").unwrap().as_deref(), Some(&b"2"[..]), "{}", fixture.name);
        put(store, ITEMS, b"empty", b"");
        assert_eq!(store.get(ITEMS, b"empty").unwrap().as_deref(), Some(&b""[..]));
        delete(store, ITEMS, b"a");
        delete(store, ITEMS, b"never there");
        assert_eq!(store.get(ITEMS, b"a").unwrap(), None);
    });
}

#[test]
fn the_last_write_of_a_key_in_a_batch_wins() {
    on_every_engine(|fixture| {
        let store = &fixture.store;
        store.create_space(ITEMS).unwrap();
        let keys = [Key::new(ITEMS, "a"), Key::new(ITEMS, "b")];
        let ticket = store.apply(&keys, &mut |_| {
            let mut batch = Batch::new();
            batch.put(ITEMS, "a", "first");
            batch.put(ITEMS, "b", "first");
            batch.delete(ITEMS, "b");
            batch.put(ITEMS, "a", "last");
            Some(batch)
        });
        store.wait(ticket.unwrap()).unwrap();
        assert_eq!(store.get(ITEMS, b"a").unwrap().as_deref(), Some(&b"last"[..]));
        assert_eq!(store.get(ITEMS, b"b").unwrap(), None);
    });
}

#[test]
fn decide_sees_values_in_the_order_of_the_keys() {
    on_every_engine(|fixture| {
        let store = &fixture.store;
        store.create_space(ITEMS).unwrap();
        put(store, ITEMS, b"a", b"1");
        put(store, ITEMS, b"c", b"3");
        let keys = [Key::new(ITEMS, "c"), Key::new(ITEMS, "b"), Key::new(ITEMS, "a"), Key::new(ITEMS, "c")];
        let mut seen = Vec::new();
        let ticket = store.apply(&keys, &mut |values| {
            seen = values.to_vec();
            None
        });
        assert_eq!(ticket.unwrap(), Ticket::NONE);
        let expected = [Some("3"), None, Some("1"), Some("3")];
        let expected: Vec<Option<Bytes>> = expected.map(|value| value.map(Bytes::from)).to_vec();
        assert_eq!(seen, expected, "{}", fixture.name);
    });
}

#[test]
fn counters_lose_no_update_under_sixteen_threads() {
    const THREADS: usize = 16;
    const ROUNDS: usize = 60;
    on_every_engine(|fixture| {
        let store = &fixture.store;
        store.create_space(ITEMS).unwrap();
        thread::scope(|scope| {
            for thread in 0..THREADS {
                scope.spawn(move || {
                    for round in 0..ROUNDS {
                        // Two keys in changing order: one that all threads share, one of a few.
                        let own = Key::new(ITEMS, format!("n{}", (thread + round) % 3));
                        let all = Key::new(ITEMS, "all");
                        let keys = if round % 2 == 0 { [own, all] } else { [all, own] };
                        let ticket = store.apply(&keys, &mut |values| {
                            let mut batch = Batch::new();
                            for (key, value) in keys.iter().zip(values) {
                                let next = number(value.as_ref()) + 1;
                                batch.put(key.space, key.bytes.clone(), next.to_be_bytes().to_vec());
                            }
                            Some(batch)
                        });
                        store.wait(ticket.unwrap()).unwrap();
                    }
                });
            }
        });
        let total = (THREADS * ROUNDS) as u64;
        assert_eq!(number(store.get(ITEMS, b"all").unwrap().as_ref()), total, "{}", fixture.name);
        let parts: u64 = (0..3)
            .map(|part| number(store.get(ITEMS, format!("n{part}").as_bytes()).unwrap().as_ref()))
            .sum();
        assert_eq!(parts, total, "{}", fixture.name);
    });
}

#[test]
fn a_batch_is_seen_whole_or_not_at_all_across_spaces() {
    on_every_engine(|fixture| {
        let store = &fixture.store;
        store.create_space(ITEMS).unwrap();
        store.create_space(INDEX).unwrap();
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let done = &done;
            scope.spawn(move || {
                for round in 1..=200_u64 {
                    let ticket = store.apply(&[Key::new(ITEMS, "a")], &mut |_| {
                        let mut batch = Batch::new();
                        for key in ["a", "b", "c"] {
                            batch.put(ITEMS, key, round.to_be_bytes().to_vec());
                            batch.put(INDEX, key, round.to_be_bytes().to_vec());
                        }
                        Some(batch)
                    });
                    store.wait(ticket.unwrap()).unwrap();
                    let seen = number(store.get(INDEX, b"c").unwrap().as_ref());
                    assert_eq!(seen, round, "a durable write is seen at once");
                }
                done.store(true, Ordering::Relaxed);
            });
            scope.spawn(move || {
                let mut newest = 0;
                while !done.load(Ordering::Relaxed) {
                    let snapshot = store.snapshot();
                    let values = [ITEMS, INDEX].map(|space| {
                        ["a", "b", "c"]
                            .map(|key| number(snapshot.get(space, key.as_bytes()).unwrap().as_ref()))
                    });
                    assert_eq!(values[0], values[1], "{}", fixture.name);
                    assert!(values[0].iter().all(|value| *value == values[0][0]), "{values:?}");
                    assert!(values[0][0] >= newest, "time went backward");
                    newest = values[0][0];
                    let single = number(store.get(ITEMS, b"b").unwrap().as_ref());
                    assert!(single >= newest, "a get is older than an earlier snapshot");
                    let later = number(store.get(INDEX, b"a").unwrap().as_ref());
                    assert!(later >= single, "two gets saw half of a batch");
                    newest = later;
                }
            });
        });
    });
}

#[test]
fn an_unknown_space_is_refused_and_nothing_of_the_batch_is_kept() {
    on_every_engine(|fixture| {
        let store = &fixture.store;
        store.create_space(ITEMS).unwrap();
        assert!(matches!(store.get(Space(9), b"a"), Err(Error::NoSpace { space: 9 })));
        assert!(matches!(store.drop_space(Space(9)), Err(Error::NoSpace { space: 9 })));
        let outcome = store.apply(&[Key::new(ITEMS, "a")], &mut |_| {
            let mut batch = Batch::new();
            batch.put(ITEMS, "a", "1");
            batch.put(Space(9), "a", "1");
            Some(batch)
        });
        assert!(matches!(outcome, Err(Error::NoSpace { space: 9 })), "{}", fixture.name);
        assert_eq!(store.get(ITEMS, b"a").unwrap(), None);
        let mut seen = None;
        store
            .apply(&[Key::new(ITEMS, "a")], &mut |values| {
                seen = values[0].clone();
                None
            })
            .unwrap();
        assert_eq!(seen, None);
    });
}

#[test]
fn scans_honour_every_bound_in_both_directions() {
    on_every_engine(|fixture| {
        let store = &fixture.store;
        store.create_space(ITEMS).unwrap();
        store.create_space(INDEX).unwrap();
        let mut model = BTreeMap::new();
        for number in (0..60_u8).step_by(3) {
            model.insert(vec![number], vec![number; 3]);
            model.insert(vec![number, 255], vec![number; 2]);
        }
        for (key, value) in &model {
            order_put(store, ITEMS, key, value).unwrap();
            order_put(store, INDEX, key, b"other").unwrap();
        }
        put(store, ITEMS, b"\xff\xff", b"high");
        model.insert(b"\xff\xff".to_vec(), b"high".to_vec());
        let bounds = |byte: u8| {
            [
                Bound::Included(Bytes::from(vec![byte])),
                Bound::Excluded(Bytes::from(vec![byte])),
                Bound::Included(Bytes::from(vec![byte, 255])),
                Bound::Unbounded,
            ]
        };
        for (low, high) in [(0, 59), (3, 3), (4, 30), (30, 4), (58, 255), (60, 70)] {
            for from in bounds(low) {
                for to in bounds(high) {
                    let range = Range { from: from.clone(), to };
                    let within = |key: &Vec<u8>| {
                        let above = match &range.from {
                            Bound::Included(from) => key[..] >= from[..],
                            Bound::Excluded(from) => key[..] > from[..],
                            Bound::Unbounded => true,
                        };
                        let below = match &range.to {
                            Bound::Included(to) => key[..] <= to[..],
                            Bound::Excluded(to) => key[..] < to[..],
                            Bound::Unbounded => true,
                        };
                        above && below
                    };
                    let mut expected: Vec<(Bytes, Bytes)> = model
                        .iter()
                        .filter(|(key, _)| within(key))
                        .map(|(key, value)| (key.clone().into(), value.clone().into()))
                        .collect();
                    assert_eq!(collect(store, ITEMS, &range, Direction::Forward), expected, "{range:?}");
                    expected.reverse();
                    assert_eq!(collect(store, ITEMS, &range, Direction::Backward), expected, "{range:?}");
                }
            }
        }
        let prefixed = collect(store, ITEMS, &Range::prefix(&b"\x03"[..]), Direction::Forward);
        assert_eq!(prefixed.len(), 2);
        let high = collect(store, ITEMS, &Range::prefix(&b"\xff"[..]), Direction::Forward);
        assert_eq!(high.len(), 1);
    });
}

#[test]
fn a_scan_ends_where_its_visitor_breaks_off() {
    on_every_engine(|fixture| {
        let store = &fixture.store;
        store.create_space(ITEMS).unwrap();
        for key in [b"a", b"b", b"c"] {
            put(store, ITEMS, key, b"1");
        }
        let mut seen = Vec::new();
        store
            .scan(ITEMS, &Range::all(), Direction::Backward, &mut |key, _| {
                seen.push(key.to_vec());
                if key == b"b" { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .unwrap();
        assert_eq!(seen, [b"c".to_vec(), b"b".to_vec()]);
    });
}

#[test]
fn large_values_and_long_keys_survive() {
    on_every_engine(|fixture| {
        let store = &fixture.store;
        store.create_space(ITEMS).unwrap();
        let keys: Vec<Key> = (0..100_u8).map(|number| Key::new(ITEMS, vec![number; 6000])).collect();
        let value = |number: u8| -> Vec<u8> {
            (0..410_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8 ^ number).collect()
        };
        let ticket = store.apply(&keys, &mut |_| {
            let mut batch = Batch::new();
            for (number, key) in (0..).zip(&keys) {
                batch.put(ITEMS, key.bytes.clone(), value(number));
            }
            Some(batch)
        });
        store.wait(ticket.unwrap()).unwrap();
        for (number, key) in (0..).zip(&keys) {
            let found = store.get(ITEMS, &key.bytes).unwrap().unwrap();
            assert!(found[..] == value(number)[..], "value {number} on {}", fixture.name);
        }
        assert!(store.bytes_on_disk(ITEMS) > 0);
    });
}

#[test]
fn a_snapshot_does_not_change() {
    on_every_engine(|fixture| {
        let store = &fixture.store;
        store.create_space(ITEMS).unwrap();
        for number in 0..100_u8 {
            order_put(store, ITEMS, &[number], b"old").unwrap();
        }
        put(store, ITEMS, b"last", b"old");
        let snapshot = store.snapshot();
        for number in 0..100_u8 {
            if number % 2 == 0 {
                put(store, ITEMS, &[number], b"new")
            } else {
                delete(store, ITEMS, &[number])
            }
        }
        put(store, ITEMS, b"added", b"new");
        let mut seen = 0;
        snapshot
            .scan(ITEMS, &Range::all(), Direction::Forward, &mut |_, value| {
                assert_eq!(value, b"old", "{}", fixture.name);
                seen += 1;
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!(seen, 101);
        assert_eq!(snapshot.get(ITEMS, &[1]).unwrap().as_deref(), Some(&b"old"[..]));
        assert_eq!(snapshot.get(ITEMS, b"added").unwrap(), None);
        assert_eq!(store.get(ITEMS, &[2]).unwrap().as_deref(), Some(&b"new"[..]));
        assert_eq!(collect(store, ITEMS, &Range::all(), Direction::Forward).len(), 52);
    });
}

#[test]
fn a_dropped_space_comes_back_empty() {
    on_every_engine(|fixture| {
        let store = &fixture.store;
        store.create_space(ITEMS).unwrap();
        store.create_space(INDEX).unwrap();
        for round in 0..3 {
            put(store, ITEMS, b"a", b"1");
            assert!(store.get(ITEMS, b"a").unwrap().is_some());
            order_put(store, ITEMS, b"queued", b"1").unwrap();
            store.drop_space(ITEMS).unwrap();
            assert_eq!(store.spaces(), [INDEX]);
            assert!(matches!(store.get(ITEMS, b"a"), Err(Error::NoSpace { .. })));
            assert!(matches!(order_put(store, ITEMS, b"a", b"1"), Err(Error::NoSpace { .. })));
            store.create_space(ITEMS).unwrap();
            store.create_space(ITEMS).unwrap();
            assert_eq!(store.spaces(), [ITEMS, INDEX]);
            assert_eq!(store.get(ITEMS, b"a").unwrap(), None, "round {round} on {}", fixture.name);
            let mut seen = None;
            store
                .apply(&[Key::new(ITEMS, "queued")], &mut |values| {
                    seen = values[0].clone();
                    None
                })
                .unwrap();
            assert_eq!(seen, None, "a pending value outlived its space");
        }
    });
}

#[test]
fn a_closed_store_refuses_commits_and_still_reads() {
    on_every_engine(|fixture| {
        let store = &fixture.store;
        store.create_space(ITEMS).unwrap();
        let ticket = order_put(store, ITEMS, b"a", b"1").unwrap();
        store.close().unwrap();
        store.close().unwrap();
        store.wait(ticket).unwrap();
        assert_eq!(store.get(ITEMS, b"a").unwrap().as_deref(), Some(&b"1"[..]));
        assert!(matches!(order_put(store, ITEMS, b"a", b"2"), Err(Error::Closed)), "{}", fixture.name);
        assert!(matches!(store.create_space(INDEX), Err(Error::Closed)));
    });
}

#[test]
fn writers_and_droppers_and_readers_at_once_do_not_hang() {
    on_every_engine(|fixture| {
        let store = &fixture.store;
        store.create_space(ITEMS).unwrap();
        thread::scope(|scope| {
            for thread in 0..4_u8 {
                scope.spawn(move || {
                    for round in 0..50_u8 {
                        let space = Space(u64::from(thread % 2) + 10);
                        match order_put(store, space, &[round], &[thread]) {
                            Ok(ticket) => store.wait(ticket).unwrap(),
                            Err(Error::NoSpace { .. }) => thread::yield_now(),
                            Err(error) => panic!("{error}"),
                        }
                        put(store, ITEMS, &[thread, round], &[round]);
                        let found = store.get(ITEMS, &[thread, round]).unwrap();
                        assert_eq!(found.as_deref(), Some(&[round][..]), "{}", fixture.name);
                    }
                });
            }
            scope.spawn(move || {
                for _ in 0..5 {
                    for space in [Space(10), Space(11)] {
                        store.create_space(space).unwrap();
                    }
                    for space in [Space(10), Space(11)] {
                        store.drop_space(space).unwrap();
                    }
                }
            });
        });
        assert_eq!(collect(store, ITEMS, &Range::all(), Direction::Forward).len(), 200);
    });
}
