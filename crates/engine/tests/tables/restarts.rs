//! What survives a restart, clean or not.

use std::path::Path;

use op::{
    BillingMode, CreateTable, IndexProjection, IndexSpec, IndexStatus, OnDemand, Operation, ScalarType,
    SseSpec, StreamSpec, StreamView, TableClass, TableDescription, TableStatus, Tag, TagResource,
    UpdateTable, UpdateTimeToLive, WarmThroughput,
};

use crate::world::{
    World, add_index, attribute, change, disk, hash, index, item, key, provisioned, range, table,
};

/// Everything a table can have.
fn rich(name: &str) -> CreateTable {
    let local = IndexSpec {
        key_schema: vec![hash("pk"), range("age")],
        projection: IndexProjection::Include(vec!["name".into(), "city".into()]),
        ..index("by_age", "pk")
    };
    let global = IndexSpec {
        key_schema: vec![hash("country"), hash("group"), range("age")],
        projection: IndexProjection::KeysOnly,
        on_demand: Some(OnDemand { read_max: Some(10), write_max: None }),
        ..index("by_place", "country")
    };
    CreateTable {
        attributes: vec![
            attribute("pk", ScalarType::S),
            attribute("sk", ScalarType::B),
            attribute("age", ScalarType::N),
            attribute("group", ScalarType::S),
            attribute("country", ScalarType::S),
        ],
        key_schema: vec![hash("pk"), range("sk")],
        local_indexes: vec![local],
        global_indexes: vec![global],
        on_demand: Some(OnDemand { read_max: Some(100), write_max: Some(50) }),
        warm: Some(WarmThroughput { read: Some(20_000), write: None }),
        stream: Some(StreamSpec { enabled: true, view: Some(StreamView::NewAndOldImages) }),
        sse: Some(SseSpec { enabled: true, kms: true, key: Some("a-key".into()) }),
        tags: vec![Tag { key: "team".into(), value: "a".into() }],
        class: Some(TableClass::StandardInfrequentAccess),
        deletion_protection: true,
        ..table(name)
    }
}

fn figures(table: &TableDescription) -> (u64, u64, u64, u64) {
    let index = &table.global_indexes[0];
    (table.item_count, table.size_bytes, index.item_count, index.size_bytes)
}

fn table_with_items(dir: &Path) -> (u64, u64, u64, u64) {
    let world = World::on_disk(dir);
    world.create(table("people")).unwrap();
    for number in 0..50 {
        world.put("people", item(number, (number % 2 == 0).then_some(number), 1)).unwrap();
    }
    world.update(add_index("people", "by_group", "group")).unwrap();
    world.work();
    world.remove("people", key(0)).unwrap();
    world.put("people", item(1, Some(7), 1)).unwrap();
    let described = world.describe("people").unwrap();
    assert_eq!((described.item_count, described.global_indexes[0].item_count), (49, 25));
    world.engine.close().unwrap();
    figures(&described)
}

#[test]
fn definitions_survive() {
    let dir = tempfile::tempdir().unwrap();
    let before = {
        let world = World::on_disk(dir.path());
        world.create(rich("rich")).unwrap();
        world.create(provisioned("plain", 3, 4)).unwrap();
        world.create(table("gone")).unwrap();
        world.delete("gone").unwrap();
        let tags = vec![Tag { key: "stage".into(), value: "test".into() }];
        let arn = world.describe("rich").unwrap().arn;
        world.run(Operation::TagResource(TagResource { arn, tags })).unwrap();
        let ttl = UpdateTimeToLive { table: "rich".into(), enabled: true, attribute: "ends".into() };
        world.run(Operation::UpdateTimeToLive(ttl)).unwrap();
        let on_demand = UpdateTable { billing: Some(BillingMode::PayPerRequest), ..change("plain") };
        world.update(on_demand).unwrap();
        (world.describe("rich").unwrap(), world.describe("plain").unwrap())
    };
    let world = World::on_disk(dir.path());
    assert_eq!(world.names(None, 100).0, ["plain", "rich"]);
    assert_eq!((world.describe("rich").unwrap(), world.describe("plain").unwrap()), before);
    assert_eq!(before.0.warm, WarmThroughput { read: Some(20_000), write: Some(4000) });
    let ttl = world.run(Operation::DescribeTimeToLive(op::DescribeTimeToLive { table: "rich".into() }));
    assert!(matches!(ttl, Ok(op::Output::TimeToLive(ttl)) if ttl.attribute.as_deref() == Some("ends")));
    let tags =
        world.run(Operation::ListTagsOfResource(op::ListTagsOfResource { arn: before.0.arn, next: None }));
    assert!(matches!(tags, Ok(op::Output::Tags(tags)) if tags.tags.len() == 2));
}

#[test]
fn figures_survive_a_clean_stop_without_a_count() {
    let dir = tempfile::tempdir().unwrap();
    let before = table_with_items(dir.path());
    let world = World::on_disk(dir.path());
    assert_eq!(figures(&world.describe("people").unwrap()), before);
}

#[test]
fn figures_are_counted_anew_after_a_stop_that_was_not_clean() {
    let dir = tempfile::tempdir().unwrap();
    let before = table_with_items(dir.path());
    drop(World::on_disk(dir.path())); // It has used the figures up and leaves none.
    let world = World::on_disk(dir.path());
    assert_eq!(world.describe("people").unwrap().item_count, 0);
    // Writes that come before the count are in the figures too, once.
    world.put("people", item(1000, Some(1), 1)).unwrap();
    world.remove("people", key(5)).unwrap();
    world.work();
    world.put("people", item(5, None, 1)).unwrap();
    world.remove("people", key(1000)).unwrap();
    assert_eq!(figures(&world.describe("people").unwrap()), before);
    world.engine.close().unwrap();
    drop(world);
    assert_eq!(figures(&World::on_disk(dir.path()).describe("people").unwrap()), before);
}

#[test]
fn a_count_that_was_not_finished_is_not_taken_for_one() {
    let dir = tempfile::tempdir().unwrap();
    let before = table_with_items(dir.path());
    drop(World::on_disk(dir.path()));
    World::on_disk(dir.path()).engine.close().unwrap();
    let world = World::on_disk(dir.path());
    world.work();
    assert_eq!(figures(&world.describe("people").unwrap()), before);
}

#[test]
fn an_index_that_was_being_filled_is_filled_to_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let count = 4000;
    {
        let world = World::on_disk(dir.path());
        world.create(table("people")).unwrap();
        crate::filling::load(&world, "people", count);
        world.update(add_index("people", "by_group", "group")).unwrap();
        assert_eq!(world.describe("people").unwrap().global_indexes[0].status, IndexStatus::Creating);
        world.engine.work();
        world.engine.close().unwrap();
    }
    for _ in 0..2 {
        let world = World::on_disk(dir.path());
        let described = world.describe("people").unwrap();
        assert_eq!(described.status, TableStatus::Updating);
        assert_eq!(described.global_indexes[0].backfilling, Some(true));
        for _ in 0..5 {
            world.engine.work();
        }
        world.put("people", item(7, Some(1), 2)).unwrap();
    }
    let world = World::on_disk(dir.path());
    world.work();
    crate::filling::check(&world, "people", "by_group");
    assert_eq!(world.describe("people").unwrap().status, TableStatus::Active);
}

#[test]
fn the_room_of_deleted_tables_comes_back_also_after_a_crash() {
    let dir = tempfile::tempdir().unwrap();
    let spaces = || storage::Store::open(disk(dir.path())).unwrap().spaces();
    {
        let world = World::on_disk(dir.path());
        world.create(rich("rich")).unwrap();
        world.create(table("people")).unwrap();
        world.put("people", item(1, None, 1)).unwrap();
        world.delete("people").unwrap(); // Nobody does the background work.
    }
    let before = spaces();
    let world = World::on_disk(dir.path());
    world.work();
    drop(world);
    let after = spaces();
    assert_eq!((before.len(), after.len()), (6, 5), "the full space goes, what was never used stays");
    let world = World::on_disk(dir.path());
    world.update(UpdateTable { deletion_protection: Some(false), ..change("rich") }).unwrap();
    world.delete("rich").unwrap();
    world.work();
    // Its stream can be read for a day.
    world.clock.advance(25 * 60 * 60 * 1000);
    world.work();
    drop(world);
    let last = spaces();
    assert!(
        after.iter().skip(1).all(|space| !last.contains(space)),
        "numbers are not used again: {after:?} {last:?}"
    );
}
