//! The states that tables and indexes pass through.

use engine::{LifeCycle, Rest};
use op::{IndexStatus, Kind, TableStatus, Throughput, UpdateTable};

use crate::world::{World, add_index, change, drop_index, index, item, provisioned, table};

#[test]
fn at_once_means_that_the_answer_tells_the_state_and_the_next_call_its_end() {
    let world = World::in_memory(LifeCycle::Immediate);
    let request = op::CreateTable {
        attributes: ["pk", "group"].map(|name| crate::world::attribute(name, op::ScalarType::S)).to_vec(),
        global_indexes: vec![index("by_group", "group")],
        ..table("people")
    };
    let created = world.create(request).unwrap();
    assert_eq!(created.status, TableStatus::Creating);
    assert_eq!(created.global_indexes[0].status, IndexStatus::Creating);
    assert_eq!(created.global_indexes[0].backfilling, None);
    let described = world.describe("people").unwrap();
    assert_eq!(described.status, TableStatus::Active);
    assert_eq!(described.global_indexes[0].status, IndexStatus::Active);
    assert_eq!(described.attributes[0].name, "group", "attributes are told in the order of their names");

    let dropped = world.update(drop_index("people", "by_group")).unwrap();
    assert_eq!(
        (dropped.status, dropped.global_indexes[0].status),
        (TableStatus::Updating, IndexStatus::Deleting)
    );
    let described = world.describe("people").unwrap();
    assert_eq!((described.status, described.global_indexes.len()), (TableStatus::Active, 0));
    assert_eq!(described.attributes.len(), 1, "the index took its attribute with it");

    assert_eq!(world.delete("people").unwrap().status, TableStatus::Deleting);
    let gone = world.describe("people").unwrap_err();
    assert_eq!(gone.message, "Requested resource not found: Table: people not found");
    assert_eq!(world.names(None, 100), (Vec::new(), None));
}

#[test]
fn realistic_states_last_until_their_time_is_over() {
    let world = World::in_memory(LifeCycle::Realistic);
    world.create(table("people")).unwrap();
    world.work();
    assert_eq!(world.describe("people").unwrap().status, TableStatus::Creating);
    assert_eq!(world.put("people", item(1, None, 1)).unwrap_err().message, "Requested resource not found");
    let busy = world.delete("people").unwrap_err();
    assert_eq!(busy.kind, Kind::ResourceInUse);
    assert_eq!(
        busy.message,
        "Attempt to change a resource which is still in use: Table is being created: people"
    );

    world.clock.advance(3000);
    world.work();
    assert_eq!(world.describe("people").unwrap().status, TableStatus::Active);
    world.put("people", item(1, Some(1), 1)).unwrap();

    world.update(add_index("people", "by_group", "group")).unwrap();
    let filling = world.describe("people").unwrap();
    assert_eq!(
        (filling.status, filling.global_indexes[0].status),
        (TableStatus::Updating, IndexStatus::Creating)
    );
    assert_eq!(filling.global_indexes[0].backfilling, Some(true));
    assert_eq!(
        world.delete("people").unwrap_err().message,
        "Attempt to change a resource which is still in use: Cannot delete table while indexes are being created, \
         updated, or deleted."
    );
    world.work();
    let filled = world.describe("people").unwrap();
    assert_eq!(
        (filled.status, filled.global_indexes[0].status),
        (TableStatus::Updating, IndexStatus::Active)
    );
    world.clock.advance(2000);
    world.work();
    assert_eq!(world.describe("people").unwrap().status, TableStatus::Active);

    assert_eq!(world.delete("people").unwrap().status, TableStatus::Deleting);
    assert_eq!(world.describe("people").unwrap().status, TableStatus::Deleting);
    assert_eq!(world.create(table("people")).unwrap_err().message, "Table already exists: people");
    world.clock.advance(2000);
    world.work();
    assert_eq!(world.describe("people").unwrap_err().kind, Kind::ResourceNotFound);
    world.create(table("people")).unwrap();
}

#[test]
fn a_table_that_is_updating_takes_nothing_but_its_protection() {
    let world = World::in_memory(LifeCycle::Realistic);
    world.create(provisioned("people", 5, 5)).unwrap();
    world.clock.advance(3000);
    world.work();
    let faster = |read| UpdateTable { throughput: Some(Throughput { read, write: 5 }), ..change("people") };
    let answer = world.update(faster(6)).unwrap();
    assert_eq!(answer.status, TableStatus::Updating);
    assert_eq!(answer.throughput.units.read, 5, "the answer tells the units as they were");
    let busy = world.update(faster(7)).unwrap_err();
    assert_eq!(
        busy.message,
        "Attempt to change a resource which is still in use: Table is being updated: people"
    );
    world.update(UpdateTable { deletion_protection: Some(true), ..change("people") }).unwrap();
    world.clock.advance(2000);
    world.work();
    let described = world.describe("people").unwrap();
    assert_eq!((described.status, described.throughput.units.read), (TableStatus::Active, 6));
    assert_eq!(described.throughput.increased_ms, Some(crate::world::START_MS + 3000));
    let message = "Resource cannot be deleted as it is currently protected against deletion. Disable deletion \
                   protection first.";
    assert_eq!(world.delete("people").unwrap_err().message, message);
}

#[test]
fn work_tells_when_the_next_state_ends() {
    let world = World::in_memory(LifeCycle::Realistic);
    assert_eq!(world.engine.work(), Rest::Until(std::time::Duration::from_secs(30)));
    world.create(table("people")).unwrap();
    world.engine.wait_for_work(std::time::Duration::from_secs(60)); // A new state has woken the one who waits.
    world.work();
    assert_eq!(world.engine.work(), Rest::Until(std::time::Duration::from_secs(3)));
}

#[test]
fn tables_are_listed_in_the_order_of_their_names() {
    let world = World::in_memory(LifeCycle::Immediate);
    for name in ["beta", "alpha", "delta", "Gamma"] {
        world.create(table(name)).unwrap();
    }
    let names = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(world.names(None, 100), (names(&["Gamma", "alpha", "beta", "delta"]), None));
    assert_eq!(world.names(None, 2), (names(&["Gamma", "alpha"]), Some("alpha".into())));
    assert_eq!(world.names(Some("alpha"), 2), (names(&["beta", "delta"]), None));
    assert_eq!(world.names(Some("b"), 1), (names(&["beta"]), Some("beta".into())));
}
