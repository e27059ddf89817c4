//! A disk that is nearly full: what adds something is refused or waits, the rest goes on, and all goes on when there is
//! room.

use engine::{LifeCycle, Rest};
use item::Item;
use op::{
    BatchWriteItem, CapacityDetail, Kind, MetricsDetail, Operation, TransactAct, TransactAction,
    TransactWriteItems, Write, WritesOfTable,
};

use crate::world::{World, add_index, drop_index, item, key, table};

fn batch(write: Write) -> Operation {
    let writes = vec![Write::Delete(key(100)), write];
    let tables = vec![WritesOfTable { named: "t".into(), table: "t".into(), writes }];
    let (capacity, metrics) = (CapacityDetail::None, MetricsDetail::None);
    Operation::BatchWriteItem(BatchWriteItem { tables, capacity, metrics })
}

fn transaction(act: TransactAct) -> Operation {
    let action = TransactAction { table: "t".into(), act, on_failure: op::OnFailure::None };
    Operation::TransactWriteItems(TransactWriteItems {
        actions: vec![action],
        token: None,
        digest: 0,
        capacity: CapacityDetail::None,
        metrics: MetricsDetail::None,
    })
}

fn full(count: u64) -> (tempfile::TempDir, World) {
    let dir = tempfile::tempdir().unwrap();
    let world = World::on_disk(dir.path());
    world.engine.keep_free(0);
    world.create(table("t")).unwrap();
    for number in 0..count {
        world.put("t", item(number, Some(number), 0)).unwrap();
    }
    world.engine.keep_free(u64::MAX);
    (dir, world)
}

#[test]
fn what_adds_is_refused_and_what_removes_is_not() {
    let (_dir, world) = full(6);
    let put = |item: Item| TransactAct::Put { item, condition: None };
    let adds = [
        world.put("t", item(9, None, 0)).map(|()| None),
        world.create(table("u")).map(|_| None),
        world.run(batch(Write::Put(item(9, None, 0)))).map(Some),
        world.run(transaction(put(item(9, None, 0)))).map(Some),
    ];
    for outcome in adds {
        let error = outcome.unwrap_err();
        assert_eq!(error.kind, Kind::ServiceUnavailable);
        assert!(error.message.starts_with("The disk is nearly full: "), "{}", error.message);
    }
    world.remove("t", key(0)).unwrap();
    world.run(batch(Write::Delete(key(1)))).unwrap();
    world.run(transaction(TransactAct::Delete { key: key(2), condition: None })).unwrap();
    assert_eq!(world.items("t", None).len(), 3);
    world.engine.keep_free(0);
    world.put("t", item(9, None, 0)).unwrap();
    assert_eq!(world.items("t", None).len(), 4);
    world.engine.keep_free(u64::MAX);
    world.delete("t").unwrap();
    assert!(world.names(None, 10).0.is_empty());
}

#[test]
fn an_index_waits_for_room_and_does_not_keep_others_from_their_work() {
    let (_dir, world) = full(40);
    world.engine.keep_free(0);
    world.create(table("u")).unwrap();
    world.update(add_index("u", "old", "group")).unwrap();
    world.work();
    world.engine.keep_free(u64::MAX);
    world.update(add_index("t", "by-group", "group")).unwrap();
    world.update(drop_index("u", "old")).unwrap();
    world.work();
    let state = |name: &str| world.describe(name).unwrap();
    assert!(state("u").global_indexes.is_empty(), "what makes room does not wait");
    assert_ne!(state("t").global_indexes[0].status, op::IndexStatus::Active);
    assert!(matches!(world.engine.work(), Rest::Until(pause) if pause.as_secs() <= 1));
    world.engine.keep_free(0);
    world.work();
    assert_eq!(state("t").global_indexes[0].status, op::IndexStatus::Active);
    assert_eq!(world.items("t", Some("by-group")).len(), 40);
}

#[test]
fn a_database_in_memory_has_no_disk() {
    let world = World::in_memory(LifeCycle::Immediate);
    world.engine.keep_free(u64::MAX);
    assert!(world.engine.has_room());
    world.create(table("t")).unwrap();
    world.put("t", item(1, None, 0)).unwrap();
}
