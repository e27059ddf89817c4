//! What exports read: all items of a time, and what changed between two times, also if the table is gone meanwhile.

use std::collections::BTreeMap;

use engine::{Exported, LifeCycle, Progress};
use item::Item;
use op::{ExportScope, ExportView, Kind};

use crate::recovery::{indexed, switch};
use crate::world::{START_MS, World, disk, item, key};

fn begin(world: &World, scope: ExportScope) -> u64 {
    world.engine.export_begin("people", scope, &|_, _| {}).unwrap().copy
}

/// All pages of a copy.
fn read(world: &World, copy: u64) -> Vec<Exported> {
    let mut found: Vec<Exported> = Vec::new();
    loop {
        let after = found.last().map(|last| last.place.clone());
        let page = world.engine.export_page(copy, after.as_deref(), 7).unwrap();
        let is_last = page.len() < 7;
        found.extend(page);
        if is_last {
            return found;
        }
    }
}

fn items(world: &World, copy: u64) -> Vec<Item> {
    let found = read(world, copy);
    let mut items: Vec<Item> =
        found.iter().map(|exported| exported.new.as_ref().unwrap().decode().unwrap()).collect();
    items.sort_by_key(|item| format!("{:?}", item.get("pk")));
    items
}

fn incremental(from_ms: u64, to_ms: Option<u64>) -> ExportScope {
    ExportScope::Incremental { from_ms, to_ms, view: ExportView::NewAndOldImages }
}

/// Old and new versions by key, and when the change was made.
fn changes(world: &World, copy: u64) -> BTreeMap<String, (String, String, u64)> {
    let version =
        |item: Option<Item>| item.map_or_else(|| "none".to_string(), |item| format!("{:?}", item["version"]));
    read(world, copy)
        .into_iter()
        .map(|exported| {
            let change = exported.change.unwrap();
            assert_eq!(change.key.len(), 1);
            let old = version(change.old.map(|old| old.decode().unwrap()));
            let new = version(exported.new.map(|new| new.decode().unwrap()));
            (format!("{:?}", change.key["pk"]), (old, new, change.written_ms))
        })
        .collect()
}

#[test]
fn all_items_of_a_time_can_be_read_until_they_are_let_go() {
    let dir = tempfile::tempdir().unwrap();
    let open = || World::open(disk(dir.path()), LifeCycle::Realistic);
    let world = open();
    world.create(indexed()).unwrap();
    world.clock.advance(5000);
    world.work();
    switch(&world, true, None).unwrap();
    for number in 0..30 {
        world.put("people", item(number, Some(1), 1)).unwrap();
    }
    let expected = world.items("people", None);
    let time_ms = START_MS + 5000;
    world.clock.advance(5000);
    for number in 20..40 {
        world.put("people", item(number, Some(2), 2)).unwrap();
    }
    let copy = begin(&world, ExportScope::Full(Some(time_ms)));
    assert_eq!(world.engine.export_progress(copy), Progress::Making);
    assert!(world.engine.export_page(copy, None, 1).is_err());
    world.delete("people").unwrap();
    world.engine.close().unwrap();
    drop(world);
    let world = open();
    world.clock.advance(60_000);
    world.work();
    assert!(world.describe("people").is_err());
    let Progress::Ready { items: count, .. } = world.engine.export_progress(copy) else { panic!() };
    assert_eq!((count, items(&world, copy)), (30, expected));
    world.engine.close().unwrap();
    drop(world);
    let world = open();
    world.work();
    assert_eq!(items(&world, copy).len(), 30, "it stays until it is let go");
    world.engine.export_end(copy, &|_| {}).unwrap();
    assert_eq!(world.engine.export_progress(copy), Progress::Gone);
    world.work();
    assert!(world.engine.inspect().unwrap().keys().all(|key| !key.starts_with("copy ")));
}

#[test]
fn what_changed_between_two_times_is_told_once_an_item() {
    let world = World::in_memory(LifeCycle::Immediate);
    world.create(indexed()).unwrap();
    switch(&world, true, None).unwrap();
    for number in 0..6 {
        world.put("people", item(number, None, 1)).unwrap();
    }
    world.clock.advance(10_000);
    let from_ms = START_MS + 10_000;
    world.put("people", item(0, None, 2)).unwrap();
    world.clock.advance(1000);
    world.put("people", item(0, None, 3)).unwrap();
    world.remove("people", key(1)).unwrap();
    world.put("people", item(8, None, 1)).unwrap();
    world.put("people", item(9, None, 1)).unwrap();
    world.remove("people", key(9)).unwrap();
    world.clock.advance(1000);
    let to_ms = from_ms + 2000;
    // The end of the time is not part of it.
    world.put("people", item(0, None, 4)).unwrap();
    world.put("people", item(1, None, 4)).unwrap();
    world.put("people", item(2, None, 4)).unwrap();
    world.remove("people", key(8)).unwrap();
    let copy = begin(&world, incremental(from_ms, Some(to_ms)));
    world.work();
    let found = changes(&world, copy);
    let version = |number: u64| format!("{:?}", item(0, None, number)["version"]);
    let none = || "none".to_string();
    let name = |number: u64| format!("{:?}", key(number)["pk"]);
    let expected = BTreeMap::from([
        (name(0), (version(1), version(3), from_ms + 1000)),
        (name(1), (version(1), none(), from_ms + 1000)),
        (name(8), (none(), version(1), from_ms + 1000)),
        (name(9), (none(), none(), from_ms + 1000)),
    ]);
    assert_eq!(found, expected);
    let latest = begin(&world, incremental(to_ms, None));
    world.work();
    assert_eq!(changes(&world, latest).len(), 4);
}

#[test]
fn times_without_history_are_refused() {
    let world = World::in_memory(LifeCycle::Immediate);
    let refused = |scope| world.engine.export_begin("people", scope, &|_, _| {}).unwrap_err().kind;
    assert_eq!(refused(ExportScope::Full(None)), Kind::TableNotFound);
    world.create(indexed()).unwrap();
    assert_eq!(refused(ExportScope::Full(None)), Kind::PointInTimeRecoveryUnavailable);
    switch(&world, true, None).unwrap();
    assert_eq!(refused(ExportScope::Full(Some(START_MS - 1000))), Kind::InvalidExportTime);
    assert_eq!(refused(ExportScope::Full(Some(START_MS + 1000))), Kind::InvalidExportTime);
    assert_eq!(refused(incremental(START_MS - 1000, None)), Kind::InvalidExportTime);
    assert_eq!(refused(incremental(START_MS, Some(START_MS + 1000))), Kind::InvalidExportTime);
}
