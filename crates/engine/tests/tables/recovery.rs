//! Recovery to a point in time: how far it reaches, and that a restored table is what the other one was, whatever is
//! written meanwhile and whenever the database is opened again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use engine::{LifeCycle, Rest};
use item::Item;
use op::{
    BillingMode, ContinuousBackups, CreateTable, DescribeContinuousBackups, Error, IndexSpec, Kind,
    Operation, Output, RestoreOverrides, RestoreTableToPointInTime, ScalarType, StreamSpec, StreamView,
    TableDescription, TableStatus, Throughput, UpdateContinuousBackups,
};

use crate::world::{START_MS, World, attribute, change, disk, index, item, key, table};

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

pub(crate) fn switch(world: &World, enabled: bool, days: Option<u32>) -> Result<ContinuousBackups, Error> {
    let request = UpdateContinuousBackups { table: "people".into(), enabled, period_days: days };
    match world.run(Operation::UpdateContinuousBackups(request))? {
        Output::ContinuousBackups(window) => Ok(window),
        other => panic!("UpdateContinuousBackups answered {other:?}"),
    }
}

fn window(world: &World) -> Option<(u32, u64, u64)> {
    let request = DescribeContinuousBackups { table: "people".into() };
    match world.run(Operation::DescribeContinuousBackups(request)).unwrap() {
        Output::ContinuousBackups(window) => window
            .recovery
            .map(|window| (window.period_days, window.earliest_ms.unwrap(), window.latest_ms.unwrap())),
        other => panic!("DescribeContinuousBackups answered {other:?}"),
    }
}

fn asked(target: &str, time_ms: Option<u64>) -> RestoreTableToPointInTime {
    RestoreTableToPointInTime {
        source: "people".into(),
        target: target.into(),
        time_ms,
        overrides: RestoreOverrides::default(),
    }
}

fn restore(world: &World, request: RestoreTableToPointInTime) -> Result<TableDescription, Error> {
    match world.run(Operation::RestoreTableToPointInTime(Box::new(request)))? {
        Output::TableChanged(table) => Ok(*table),
        other => panic!("RestoreTableToPointInTime answered {other:?}"),
    }
}

pub(crate) fn indexed() -> CreateTable {
    CreateTable {
        attributes: vec![attribute("pk", ScalarType::S), attribute("group", ScalarType::S)],
        global_indexes: vec![index("by_group", "group")],
        ..table("people")
    }
}

/// Puts some items, each a second after the other, so that every second has a state of its own.
fn fill(world: &World, numbers: std::ops::Range<u64>, version: u64) {
    for number in numbers {
        world.put("people", item(number, Some(number % 3), version)).unwrap();
        world.clock.advance(1000);
    }
}

fn kind(result: Result<impl std::fmt::Debug, Error>) -> Kind {
    result.unwrap_err().kind
}

#[test]
fn the_window_grows_to_its_period() {
    let world = World::in_memory(LifeCycle::Immediate);
    world.create(table("people")).unwrap();
    assert_eq!(window(&world), None);
    switch(&world, true, None).unwrap();
    assert_eq!(window(&world), Some((35, START_MS, START_MS)));
    world.clock.advance(2 * DAY_MS);
    switch(&world, true, Some(1)).unwrap();
    assert_eq!(window(&world), Some((1, START_MS + DAY_MS, START_MS + 2 * DAY_MS)));
    switch(&world, true, Some(7)).unwrap();
    assert_eq!(window(&world).unwrap().1, START_MS + DAY_MS, "what was let go cannot be reached again");
    switch(&world, false, None).unwrap();
    assert_eq!(window(&world), None);
    switch(&world, true, None).unwrap();
    assert_eq!(window(&world).unwrap().1, START_MS + 2 * DAY_MS, "it begins anew");
}

#[test]
fn any_second_can_be_restored() {
    let world = World::in_memory(LifeCycle::Immediate);
    world.create(indexed()).unwrap();
    fill(&world, 0..5, 1);
    switch(&world, true, None).unwrap();
    let mut states: Vec<(u64, Vec<Item>)> = Vec::new();
    for number in 0..8 {
        let now_ms = window(&world).unwrap().2;
        match number % 3 {
            0 => world.remove("people", key(number)).unwrap(),
            _ => world.put("people", item(number, Some(number), number)).unwrap(),
        }
        states.push((now_ms, world.items("people", None)));
        world.clock.advance(1000);
    }
    for (place, (time_ms, items)) in states.iter().enumerate() {
        let name = format!("at-{place}");
        let answer = restore(&world, asked(&name, Some(*time_ms))).unwrap();
        assert_eq!(answer.status, TableStatus::Creating);
        let summary = answer.restore.unwrap();
        assert_eq!((summary.in_progress, summary.time_ms), (true, *time_ms));
        assert_eq!(&world.items(&name, None), items, "{place}");
        let indexed: Vec<Item> = items.iter().filter(|item| item.contains_key("group")).cloned().collect();
        assert_eq!(world.items(&name, Some("by_group")), indexed, "{place}");
        let now = world.describe(&name).unwrap();
        assert_eq!((now.status, now.item_count), (TableStatus::Active, items.len() as u64));
        assert_eq!(now.global_indexes[0].item_count, indexed.len() as u64);
        assert_eq!(now.restore, None, "where it came from is told only while it is being restored");
        // It is a table like any other.
        world.put(&name, item(99, Some(9), 9)).unwrap();
        assert_eq!(world.describe(&name).unwrap().item_count, items.len() as u64 + 1);
    }
    restore(&world, asked("latest", None)).unwrap();
    assert_eq!(world.items("latest", None), world.items("people", None));
    assert_eq!(world.describe("latest").unwrap().size_bytes, world.describe("people").unwrap().size_bytes);
}

#[test]
fn what_cannot_be_restored_is_refused() {
    let world = World::in_memory(LifeCycle::Realistic);
    assert_eq!(kind(switch(&world, true, None)), Kind::TableNotFound);
    assert_eq!(kind(restore(&world, asked("copy", None))), Kind::TableNotFound);
    world.create(table("people")).unwrap();
    assert_eq!(kind(switch(&world, true, None)), Kind::TableNotFound);
    world.clock.advance(10_000);
    world.work();
    let refused = restore(&world, asked("copy", None)).unwrap_err();
    assert_eq!(refused.kind, Kind::PointInTimeRecoveryUnavailable);
    assert_eq!(refused.message, "Point in time recovery is not enabled for table 'people'");
    switch(&world, true, Some(1)).unwrap();
    let since_ms = window(&world).unwrap().1;
    assert_eq!(kind(restore(&world, asked("copy", Some(since_ms - 1000)))), Kind::InvalidRestoreTime);
    assert_eq!(kind(restore(&world, asked("copy", Some(since_ms + 1000)))), Kind::InvalidRestoreTime);
    assert_eq!(kind(restore(&world, asked("people", None))), Kind::TableAlreadyExists);
    restore(&world, asked("copy", None)).unwrap();
    assert_eq!(kind(restore(&world, asked("copy", None))), Kind::TableInUse);
    assert_eq!(kind(world.delete("copy")), Kind::ResourceInUse);
    world.work();
    assert_eq!(world.describe("copy").unwrap().status, TableStatus::Creating, "tables take their time");
    world.clock.advance(3000);
    world.work();
    assert_eq!(world.describe("copy").unwrap().status, TableStatus::Active);
    world.clock.advance(2 * DAY_MS);
    assert_eq!(kind(restore(&world, asked("late", Some(since_ms)))), Kind::InvalidRestoreTime);
}

#[test]
fn settings_of_the_source_are_taken_over_or_overridden() {
    let world = World::in_memory(LifeCycle::Immediate);
    let stream = StreamSpec { enabled: true, view: Some(StreamView::KeysOnly) };
    world.create(CreateTable { stream: Some(stream), deletion_protection: true, ..indexed() }).unwrap();
    world.put("people", item(1, Some(1), 1)).unwrap();
    switch(&world, true, None).unwrap();
    let with = |target: &str, overrides: RestoreOverrides| {
        restore(&world, RestoreTableToPointInTime { overrides, ..asked(target, None) })
    };
    let plain = with("plain", RestoreOverrides::default()).unwrap();
    assert_eq!((plain.stream, plain.deletion_protection), (None, false));
    assert_eq!(plain.billing.unwrap().mode, BillingMode::PayPerRequest);
    assert_eq!(plain.attributes.len(), 2);
    let none = RestoreOverrides { global_indexes: Some(Vec::new()), ..RestoreOverrides::default() };
    let bare = with("bare", none).unwrap();
    assert!(bare.global_indexes.is_empty() && bare.attributes.len() == 1);
    let units = Throughput { read: 5, write: 6 };
    let provisioned = |index: IndexSpec| RestoreOverrides {
        billing: Some(BillingMode::Provisioned),
        throughput: Some(units),
        global_indexes: Some(vec![index]),
        ..RestoreOverrides::default()
    };
    let spec = IndexSpec { throughput: Some(units), ..index("by_group", "group") };
    let changed = with("changed", provisioned(spec.clone())).unwrap();
    assert_eq!((changed.billing, changed.throughput.units), (None, units));
    assert_eq!(changed.global_indexes[0].throughput.units, units);
    let renamed = with("renamed", provisioned(IndexSpec { name: "other".into(), ..spec.clone() })).unwrap();
    assert_eq!(renamed.global_indexes[0].name, "other");
    for wrong in [
        provisioned(IndexSpec { projection: op::IndexProjection::KeysOnly, ..spec.clone() }),
        provisioned(IndexSpec { throughput: None, ..spec.clone() }),
        RestoreOverrides { throughput: Some(units), ..RestoreOverrides::default() },
        RestoreOverrides {
            billing: Some(BillingMode::Provisioned),
            throughput: Some(units),
            ..RestoreOverrides::default()
        },
    ] {
        let refused = with("wrong", wrong.clone()).unwrap_err();
        assert_eq!(refused.kind, Kind::Validation, "{wrong:?}");
        assert!(refused.message.starts_with("Invalid Request: "), "{}", refused.message);
    }
    assert!(world.describe("wrong").is_err());
}

#[test]
fn history_is_trimmed_to_its_period() {
    let world = World::in_memory(LifeCycle::Immediate);
    world.create(table("people")).unwrap();
    switch(&world, true, Some(1)).unwrap();
    fill(&world, 0..20, 1);
    let records = || world.engine.inspect().unwrap().keys().filter(|key| key.starts_with("log ")).count();
    world.work();
    assert_eq!(records(), 20);
    world.clock.advance(2 * DAY_MS);
    world.work();
    assert_eq!(records(), 0);
    fill(&world, 20..30, 1);
    switch(&world, false, None).unwrap();
    world.work();
    assert_eq!(records(), 0);
}

#[test]
fn a_restore_goes_on_after_a_restart_even_if_its_source_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    // Nothing is done at once where tables take their time.
    let open = || World::open(disk(dir.path()), LifeCycle::Realistic);
    let world = open();
    world.create(indexed()).unwrap();
    world.clock.advance(5000);
    world.work();
    for number in 0..600 {
        world.put("people", item(number, Some(number % 7), 1)).unwrap();
    }
    switch(&world, true, None).unwrap();
    world.clock.advance(5000);
    let expected = world.items("people", None);
    let time_ms = window(&world).unwrap().2;
    world.clock.advance(5000);
    for number in 0..1100 {
        world.put("people", item(number, None, 2)).unwrap();
    }
    restore(&world, asked("copy", Some(time_ms))).unwrap();
    switch(&world, false, None).unwrap();
    world.delete("people").unwrap();
    world.clock.advance(5000);
    world.engine.work();
    assert!(world.describe("people").is_err());
    world.engine.close().unwrap();
    drop(world);
    for steps in [2, 5, usize::MAX] {
        let world = open();
        world.clock.advance(60_000);
        (0..steps).take_while(|_| world.engine.work() == Rest::Again).count();
        let now = world.describe("copy").unwrap();
        if steps != usize::MAX {
            assert!(now.restore.unwrap().in_progress);
            continue;
        }
        assert_eq!((now.item_count, now.status), (600, TableStatus::Active));
        assert_eq!(world.items("copy", None), expected);
        assert_eq!(world.items("copy", Some("by_group")).len(), 600);
    }
}

#[test]
fn a_state_is_whole_while_others_write() {
    let world = World::in_memory(LifeCycle::Immediate);
    world.create(indexed()).unwrap();
    for number in 0..10_000 {
        world.put("people", item(number, Some(1), 0)).unwrap();
    }
    switch(&world, true, None).unwrap();
    world.update(change("people")).unwrap();
    let ends = Arc::new(AtomicBool::new(false));
    let writer = {
        let (engine, ends, clock) = (Arc::clone(&world.engine), Arc::clone(&ends), Arc::clone(&world.clock));
        let world = World { engine, clock };
        thread::spawn(move || {
            let mut version = 1;
            while !ends.load(Ordering::SeqCst) {
                // All versions up to some place are new, all behind it old.
                for number in 0..10_000 {
                    world.put("people", item(number, Some(1), version)).unwrap();
                }
                version += 1;
            }
        })
    };
    for round in 0..3 {
        let name = format!("copy-{round}");
        restore(&world, asked(&name, None)).unwrap();
        world.work();
        let items = world.items(&name, None);
        let versions: Vec<String> = items.iter().map(|item| format!("{:?}", item["version"])).collect();
        assert_eq!(versions.len(), 10_000);
        let changes = versions.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(changes <= 1, "{changes} changes: no moment was like this");
    }
    ends.store(true, Ordering::SeqCst);
    writer.join().unwrap();
}

#[test]
fn a_clock_that_was_put_back_leaves_the_latest_state_only() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::on_disk(dir.path());
    world.create(table("people")).unwrap();
    switch(&world, true, None).unwrap();
    world.clock.advance(3 * DAY_MS);
    fill(&world, 0..2, 1);
    drop(world);
    // The clock of a world begins anew.
    let world = World::on_disk(dir.path());
    fill(&world, 2..4, 1);
    world.clock.advance(5000);
    let now_ms = window(&world).unwrap().2;
    let refused = restore(&world, asked("then", Some(now_ms - 2000))).unwrap_err();
    assert_eq!(refused.kind, Kind::InvalidRestoreTime);
    assert!(refused.message.contains("put back"), "{}", refused.message);
    restore(&world, asked("latest", None)).unwrap();
    world.work();
    assert_eq!(world.items("latest", None), world.items("people", None));
}
