//! Indexes that are added to tables with items, while items are written.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use engine::LifeCycle;
use item::Item;
use op::{
    BatchWriteItem, CapacityDetail, IndexStatus, Kind, MetricsDetail, Operation, TableStatus, Write,
    WritesOfTable,
};

use crate::world::{World, add_index, drop_index, item, key, table};

/// Writes so many items, two of three of which have a group.
pub(crate) fn load(world: &World, table: &str, count: u64) {
    let numbers: Vec<u64> = (0..count).collect();
    for part in numbers.chunks(25) {
        let put =
            |number: &u64| Write::Put(item(*number, (!number.is_multiple_of(3)).then_some(number % 10), 0));
        let writes = WritesOfTable {
            named: table.into(),
            table: table.into(),
            writes: part.iter().map(put).collect(),
        };
        let request = BatchWriteItem {
            tables: vec![writes],
            capacity: CapacityDetail::None,
            metrics: MetricsDetail::None,
        };
        world.run(Operation::BatchWriteItem(request)).unwrap();
    }
}

/// The index has the entries that the table's items ask for, and both are counted right.
pub(crate) fn check(world: &World, table: &str, index: &str) {
    let items = world.items(table, None);
    let expected: Vec<Item> = items.iter().filter(|item| item.contains_key("group")).cloned().collect();
    let entries = world.items(table, Some(index));
    assert_eq!(entries.len(), expected.len());
    assert_eq!(entries, expected);
    let described = world.describe(table).unwrap();
    let bytes = |items: &[Item]| items.iter().map(|item| item::item_bytes(item) as u64).sum::<u64>();
    assert_eq!((described.item_count, described.size_bytes), (items.len() as u64, bytes(&items)));
    let index = described.global_indexes.iter().find(|other| other.name == index).unwrap();
    assert_eq!((index.status, index.backfilling), (IndexStatus::Active, None));
    assert_eq!((index.item_count, index.size_bytes), (expected.len() as u64, bytes(&expected)));
}

#[test]
fn an_index_on_a_small_table_is_there_at_once() {
    let world = World::in_memory(LifeCycle::Immediate);
    world.create(table("people")).unwrap();
    load(&world, "people", 300);
    let answer = world.update(add_index("people", "by_group", "group")).unwrap();
    assert_eq!(
        (answer.status, answer.global_indexes[0].status),
        (TableStatus::Updating, IndexStatus::Creating)
    );
    assert_eq!(answer.global_indexes[0].backfilling, Some(false));
    assert_eq!(world.describe("people").unwrap().status, TableStatus::Active);
    check(&world, "people", "by_group");
}

#[test]
fn an_index_that_is_being_filled_can_be_given_up() {
    let world = World::in_memory(LifeCycle::Immediate);
    world.create(table("people")).unwrap();
    load(&world, "people", 2500);
    world.update(add_index("people", "by_group", "group")).unwrap();
    let second = world.update(add_index("people", "by_version", "version")).unwrap_err();
    assert_eq!(second.kind, Kind::LimitExceeded);
    world.update(drop_index("people", "by_group")).unwrap();
    world.work();
    let described = world.describe("people").unwrap();
    assert_eq!((described.status, described.global_indexes.len()), (TableStatus::Active, 0));
    world.update(add_index("people", "by_group", "group")).unwrap();
    world.work();
    check(&world, "people", "by_group");
}

#[test]
fn writes_go_on_while_an_index_is_filled() {
    writes_go_on(&World::in_memory(LifeCycle::Immediate));
    let dir = tempfile::tempdir().unwrap();
    writes_go_on(&World::on_disk(dir.path()));
}

fn writes_go_on(world: &World) {
    let count = 5000;
    world.create(table("people")).unwrap();
    load(world, "people", count);
    let filled = AtomicBool::new(false);
    let written = AtomicBool::new(false);
    thread::scope(|scope| {
        for writer in 0..3 {
            let (filled, written) = (&filled, &written);
            scope.spawn(move || {
                let mut chance = writer + 1_u64;
                let mut version = 0;
                while !filled.load(Ordering::SeqCst) || version < 300 {
                    version += 1;
                    chance = chance
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    write_something(world, (chance >> 33) % (count + 100), chance >> 60, version);
                    written.store(true, Ordering::SeqCst);
                }
            });
        }
        while !written.load(Ordering::SeqCst) {
            thread::yield_now();
        }
        world.update(add_index("people", "by_group", "group")).unwrap();
        assert_eq!(world.describe("people").unwrap().status, TableStatus::Updating);
        while world.describe("people").unwrap().status != TableStatus::Active {
            world.engine.work();
        }
        filled.store(true, Ordering::SeqCst);
    });
    world.work();
    check(world, "people", "by_group");
}

fn write_something(world: &World, number: u64, choice: u64, version: u64) {
    match choice {
        0..4 => world.remove("people", key(number)),
        4..8 => world.put("people", item(number, None, version)),
        _ => world.put("people", item(number, Some(version % 10), version)),
    }
    .unwrap();
}
