//! The spaces of the store behind tables and indexes: none is lost, none is left behind, and a missing one is noticed.

use std::path::Path;

use engine::{Engine, LifeCycle, Settings, SystemEnv};
use op::{Kind, Operation, StreamSpec, UpdateTable, UpdateTimeToLive};
use std::sync::Arc;
use storage::{Batch, Error, Space, Store};

use crate::world::{World, add_index, disk, item, table};

/// The catalog's own space, and those kept ready.
const BESIDE_TABLES: usize = 1 + 8;

fn spaces(dir: &Path) -> Vec<Space> {
    Store::open(disk(dir)).unwrap().spaces()
}

#[test]
fn ready_spaces_are_neither_lost_nor_piled_up() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::on_disk(dir.path());
    world.create(table("people")).unwrap();
    world.work();
    // Each of these takes a space for its index before it is refused.
    let no_stream = Some(StreamSpec { enabled: false, view: None });
    for _ in 0..20 {
        let refused = UpdateTable { stream: no_stream, ..add_index("people", "by_group", "group") };
        world.update(refused).unwrap_err();
    }
    world.work();
    drop(world);
    assert_eq!(spaces(dir.path()).len(), BESIDE_TABLES + 1);

    // Empty tables whose spaces were not dropped before the end are more than are kept ready.
    let world = World::on_disk(dir.path());
    for number in 0..6 {
        world.create(table(&format!("brief{number}"))).unwrap();
    }
    world.work();
    for number in 0..6 {
        world.delete(&format!("brief{number}")).unwrap();
    }
    drop(world);
    let world = World::on_disk(dir.path());
    world.work();
    drop(world);
    assert_eq!(spaces(dir.path()).len(), BESIDE_TABLES + 1);
}

/// The folder has room for a thousand spaces. Those of deleted tables are dropped in the background, which is not done here.
#[test]
fn deleted_tables_keep_nobody_from_making_others() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::on_disk(dir.path());
    for number in 0..1010 {
        let name = format!("brief{number}");
        world.create(table(&name)).unwrap();
        world.delete(&name).unwrap();
    }
    let kept = (0..).map(|number| world.create(table(&format!("kept{number}"))));
    let (count, refusal) = kept.enumerate().find_map(|(count, made)| Some((count, made.err()?))).unwrap();
    assert_eq!(refusal.kind, Kind::LimitExceeded);
    assert!(count > 980, "{count} tables had room");
}

#[test]
fn a_table_without_its_space_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::on_disk(dir.path());
    world.create(table("people")).unwrap();
    world.put("people", item(1, None, 1)).unwrap();
    drop(world);
    let store = Store::open(disk(dir.path())).unwrap();
    let first = *store.spaces().iter().find(|space| space.0 > 0).unwrap();
    store.drop_space(first).unwrap();
    drop(store);
    let settings = Settings { store: disk(dir.path()), life_cycle: LifeCycle::Immediate };
    let opened = Engine::open(settings, Arc::new(SystemEnv::new()));
    assert!(matches!(opened.err(), Some(Error::Corrupt { .. })));
}

/// A space may have been an index that was given up while it was being filled. How far that came says nothing about
/// the next index in the same space.
#[test]
fn an_index_in_a_used_space_is_filled_from_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::on_disk(dir.path());
    world.create(table("people")).unwrap();
    world.work();
    for number in 0..20 {
        world.put("people", item(number, Some(number), 1)).unwrap();
    }
    drop(world);
    let store = Store::open(disk(dir.path())).unwrap();
    let left = store.apply(&[], &mut |_| {
        let mut batch = Batch::new();
        for space in store.spaces() {
            batch.put(Space(0), [b"fill/".as_slice(), &space.0.to_be_bytes()].concat(), vec![0xFF; 9]);
        }
        Some(batch)
    });
    store.wait(left.unwrap()).unwrap();
    drop(store);
    // In the real life cycle an index is filled later, so the end comes before its first step.
    let world = World::open(disk(dir.path()), LifeCycle::Realistic);
    world.update(add_index("people", "by_group", "group")).unwrap();
    drop(world);
    let world = World::on_disk(dir.path());
    world.work();
    assert_eq!(world.items("people", Some("by_group")).len(), 20);
}

/// The work that expiry leaves behind must not write a table down that is gone.
#[test]
fn a_table_deleted_while_it_learns_to_expire_stays_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::on_disk(dir.path());
    world.create(table("people")).unwrap();
    world.put("people", item(1, None, 1)).unwrap();
    let expiry = UpdateTimeToLive { table: "people".into(), enabled: true, attribute: "ends".into() };
    world.run(Operation::UpdateTimeToLive(expiry)).unwrap();
    world.delete("people").unwrap();
    world.work();
    drop(world);
    assert!(World::on_disk(dir.path()).names(None, 10).0.is_empty());
}
