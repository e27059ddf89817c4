//! What holds of appended values on every engine.

use crate::setup::{collect, on_every_engine, put};
use bytes::Bytes;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use storage::{Batch, Direction, Key, Range, Space, Stamp, Ticket};

const ITEMS: Space = Space(1);
const LOG: Space = Space(2);

fn append(store: &storage::Store, least: u64, values: &[&str]) -> Ticket {
    store
        .apply(&[], &mut |_| {
            let mut batch = Batch::new();
            for value in values {
                batch.append(LOG, Stamp(least), value.as_bytes().to_vec());
            }
            Some(batch)
        })
        .unwrap()
}

fn log(store: &storage::Store) -> Vec<(Bytes, Bytes)> {
    collect(store, LOG, &Range::all(), Direction::Forward)
}

fn stamps(store: &storage::Store) -> Vec<(u64, u8, String)> {
    let entries = log(store);
    let read = |(key, value): &(Bytes, Bytes)| {
        let (stamp, place) = Stamp::read(key).unwrap();
        (stamp.0, place, String::from_utf8(value.to_vec()).unwrap())
    };
    entries.iter().map(read).collect()
}

#[test]
fn a_commit_has_one_stamp_and_a_later_one_a_greater() {
    on_every_engine(|fixture| {
        let store = &fixture.store;
        store.create_space(LOG).unwrap();
        assert_eq!(store.last_stamp(), Stamp(0));
        append(store, 100, &["a", "b"]);
        append(store, 100, &["c"]);
        append(store, 50, &["d"]);
        let ticket = append(store, 200, &["e"]);
        assert_eq!(store.last_stamp(), Stamp(200));
        store.wait(ticket).unwrap();
        let expected = [(100, 0, "a"), (100, 1, "b"), (101, 0, "c"), (102, 0, "d"), (200, 0, "e")];
        assert_eq!(stamps(store), expected.map(|(stamp, place, value)| (stamp, place, value.to_owned())));
        store.raise_stamp(Stamp(300));
        store.raise_stamp(Stamp(10));
        let ticket = append(store, 0, &["f"]);
        store.wait(ticket).unwrap();
        assert_eq!(stamps(store).last().unwrap().0, 301);
    });
}

#[test]
fn a_commit_without_appended_values_takes_no_stamp() {
    on_every_engine(|fixture| {
        let store = &fixture.store;
        store.create_space(ITEMS).unwrap();
        put(store, ITEMS, b"a", b"1");
        assert_eq!(store.last_stamp(), Stamp(0));
    });
}

#[test]
fn what_can_be_read_is_all_up_to_some_stamp() {
    on_every_engine(|fixture| {
        let store = &fixture.store;
        store.create_space(LOG).unwrap();
        store.create_space(ITEMS).unwrap();
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let writers: Vec<_> = (0..4_u8)
                .map(|writer| {
                    scope.spawn(move || {
                        let mut last = Ticket::NONE;
                        for _ in 0..200 {
                            let keys = [Key::new(ITEMS, vec![writer])];
                            let ticket = store.apply(&keys, &mut |_| {
                                let mut batch = Batch::new();
                                batch.put(ITEMS, vec![writer], "x");
                                batch.append(LOG, Stamp(1), vec![writer]);
                                Some(batch)
                            });
                            last = last.max(ticket.unwrap());
                        }
                        store.wait(last).unwrap();
                    })
                })
                .collect();
            let done = &done;
            scope.spawn(move || {
                while !done.load(Ordering::Acquire) {
                    let seen = log(store);
                    // Stamps are given one by one here, so a hole would be a value that came late.
                    for (number, (key, _)) in (1..).zip(&seen) {
                        assert_eq!(Stamp::read(key).unwrap().0, Stamp(number));
                    }
                }
            });
            // OBSERVED: work on the engine's files beside commits once showed readers a part of a commit.
            for number in 10..26 {
                store.create_space(Space(number)).unwrap();
                store.drop_space(Space(number)).unwrap();
            }
            for writer in writers {
                writer.join().unwrap();
            }
            done.store(true, Ordering::Release);
        });
        assert_eq!(log(store).len(), 800);
    });
}
