//! What holds of the disk that is only played: it obeys, and a crash leaves what it was told to leave.

use crate::setup::{order_put, put};
use bytes::Bytes;
use storage::{Config, Error, Flaw, Found, Key, Simulation, Space, Store, Tail};

const ITEMS: Space = Space(1);

fn open(simulation: &Simulation) -> Store {
    Store::open(Config::Simulated(simulation.clone())).unwrap()
}

fn value(store: &Store, key: &str) -> Option<Bytes> {
    store.get(ITEMS, key.as_bytes()).unwrap()
}

/// Three commits are on their way, and the first of them is durable.
fn three(simulation: &Simulation) -> Store {
    let store = open(simulation);
    store.create_space(ITEMS).unwrap();
    for key in ["a", "b", "c"] {
        order_put(&store, ITEMS, key.as_bytes(), b"1").unwrap();
    }
    assert_eq!(simulation.deliver(1), 1);
    store
}

#[test]
fn nothing_is_visible_before_it_is_delivered_but_to_writers() {
    let simulation = Simulation::default();
    let store = three(&simulation);
    assert_eq!((simulation.ordered(), simulation.durable()), (3, 1));
    assert!(value(&store, "a").is_some() && value(&store, "b").is_none());
    let mut seen = None;
    let keys = [Key::new(ITEMS, "b")];
    let ticket = store.apply(&keys, &mut |values| {
        seen = values[0].clone();
        None
    });
    assert_eq!(seen.as_deref(), Some(&b"1"[..]));
    store.wait(ticket.unwrap()).unwrap();
    assert_eq!(simulation.durable(), 2, "a wait delivers what it waits for, and no more");
    assert!(value(&store, "b").is_some() && value(&store, "c").is_none());
}

#[test]
fn a_crash_leaves_what_was_durable_and_the_whole_commits_of_its_tail() {
    let torn = |commits, cut, garbled| Tail { commits, cut, garbled };
    let cases = [
        (Tail::default(), 0),
        (torn(1, None, None), 1),
        (torn(0, Some(999), None), 0),
        (torn(1, Some(500), None), 1),
        (torn(0, None, Some(700)), 0),
        (torn(1, None, Some(0)), 1),
        (torn(9, Some(500), None), 2),
    ];
    for (tail, kept) in cases {
        let simulation = Simulation::default();
        let store = three(&simulation);
        simulation.crash(tail);
        assert!(matches!(order_put(&store, ITEMS, b"d", b"1"), Err(Error::Closed)));
        drop(store);
        let store = open(&simulation);
        assert_eq!(simulation.found(), Found { kept, lost: 0 }, "{tail:?}");
        let found = ["a", "b", "c"].map(|key| value(&store, key).is_some());
        assert_eq!(found, [true, kept > 0, kept > 1], "{tail:?}");
        put(&store, ITEMS, b"e", b"1");
        drop(store);
        assert!(value(&open(&simulation), "e").is_some(), "what follows a torn commit is read again");
    }
}

#[test]
fn a_failure_ends_writes_and_leaves_reads() {
    let simulation = Simulation::default();
    let store = three(&simulation);
    simulation.fail_after(1, false);
    assert_eq!(simulation.deliver(5), 1);
    assert!(simulation.has_failed());
    assert!(matches!(order_put(&store, ITEMS, b"d", b"1"), Err(Error::Failed { .. })));
    assert!(matches!(store.create_space(Space(2)), Err(Error::Failed { .. })));
    assert!(value(&store, "b").is_some() && value(&store, "c").is_none());
    assert!(matches!(store.close(), Err(Error::Failed { .. })));
}

#[test]
fn a_space_can_be_refused_and_one_that_fails_may_be_there_all_the_same() {
    let simulation = Simulation::default();
    let store = three(&simulation);
    simulation.refuse_space();
    assert!(matches!(store.create_space(Space(2)), Err(Error::Io { .. })));
    store.create_space(Space(2)).unwrap();
    simulation.fail_after(0, true);
    assert!(matches!(store.create_space(Space(3)), Err(Error::Failed { .. })));
    assert_eq!(store.spaces(), [ITEMS, Space(2)]);
    simulation.crash(Tail::default());
    drop(store);
    assert_eq!(open(&simulation).spaces(), [ITEMS, Space(2), Space(3)]);
}

#[test]
fn every_flaw_does_what_it_says() {
    let after_crash = |flaw, tail| {
        let simulation = Simulation::new(flaw);
        let store = three(&simulation);
        simulation.deliver(1);
        let early = value(&store, "c").is_some();
        simulation.crash(tail);
        drop(store);
        let store = open(&simulation);
        (early, ["a", "b", "c"].map(|key| value(&store, key).is_some()))
    };
    let cut = Tail { commits: 0, cut: Some(999), garbled: None };
    assert_eq!(after_crash(Flaw::None, cut), (false, [true, true, false]));
    assert_eq!(after_crash(Flaw::AcknowledgesEarly, Tail::default()), (false, [true, false, false]));
    assert_eq!(after_crash(Flaw::ForgetsSynced, Tail::default()), (false, [false, true, false]));
    assert_eq!(after_crash(Flaw::ShowsEarly, Tail::default()), (true, [true, true, false]));
    let garbled = Tail { commits: 0, cut: None, garbled: Some(150) };
    assert_eq!(after_crash(Flaw::ReplaysTorn, garbled).1, [true, true, true]);
}
