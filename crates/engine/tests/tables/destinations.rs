//! Destinations from the outside of the engine: which changes wait for them, and what is remembered as delivered.

use engine::Delivery;
use op::{
    DescribeKinesisStreamingDestination, DestinationStatus, DisableKinesisStreamingDestination,
    EnableKinesisStreamingDestination, Error, Kind, KinesisDestination, Operation, Output, RecordEvent,
};

use crate::world::{World, item, key, table};

const STREAM: &str = "arn:aws:kinesis:us-east-1:000000000000:stream/changes";

fn enable(world: &World, stream: &str) -> Result<Output, Error> {
    world.run(Operation::EnableKinesisStreamingDestination(EnableKinesisStreamingDestination {
        table: "people".into(),
        stream: stream.into(),
        precision: None,
    }))
}

fn disable(world: &World) -> Result<Output, Error> {
    world.run(Operation::DisableKinesisStreamingDestination(DisableKinesisStreamingDestination {
        table: "people".into(),
        stream: STREAM.into(),
    }))
}

fn destinations(world: &World) -> Vec<KinesisDestination> {
    let request = DescribeKinesisStreamingDestination { table: "people".into() };
    match world.run(Operation::DescribeKinesisStreamingDestination(request)).unwrap() {
        Output::KinesisDestinations(found) => found.destinations,
        other => panic!("DescribeKinesisStreamingDestination answered {other:?}"),
    }
}

fn only(world: &World) -> Delivery {
    let mut deliveries = world.engine.deliveries();
    assert_eq!(deliveries.len(), 1);
    deliveries.remove(0)
}

#[test]
fn who_cannot_deliver_says_so() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    world.create(table("people")).unwrap();
    let refused = enable(&world, STREAM).unwrap_err();
    assert_eq!(refused.kind, Kind::Validation);
    assert!(refused.message.contains("--kinesis-endpoint"), "{}", refused.message);
}

#[test]
fn changes_wait_until_they_are_delivered_also_across_restarts() {
    let dir = tempfile::tempdir().unwrap();
    let open = || {
        let world = World::on_disk(dir.path());
        world.engine.open_deliveries();
        world
    };
    let world = open();
    world.create(table("people")).unwrap();
    world.put("people", item(1, None, 1)).unwrap();
    enable(&world, STREAM).unwrap();
    assert!(enable(&world, STREAM).unwrap_err().message.contains("must be DISABLED or ENABLE_FAILED"));
    world.put("people", item(1, None, 2)).unwrap();
    world.put("people", item(2, None, 1)).unwrap();
    world.remove("people", key(2)).unwrap();
    let delivery = only(&world);
    assert!(delivery.is_new);
    world.engine.answer_delivery(&delivery, None).unwrap();
    let parcels = world.engine.parcels(&delivery, 2).unwrap();
    let events: Vec<RecordEvent> = parcels.iter().map(|parcel| parcel.record.event).collect();
    assert_eq!(events, [RecordEvent::Modify, RecordEvent::Insert]);
    assert_eq!(parcels[0].record.old, Some(item(1, None, 1)));
    assert_eq!(parcels[0].record.new, Some(item(1, None, 2)));
    world.engine.note_delivered(&delivery, &parcels[1]).unwrap();
    drop(world);

    let world = open();
    let delivery = only(&world);
    assert!(!delivery.is_new);
    let parcels = world.engine.parcels(&delivery, 10).unwrap();
    assert_eq!(parcels.len(), 1);
    assert_eq!(parcels[0].record.event, RecordEvent::Remove);
    disable(&world).unwrap();
    world.put("people", item(3, None, 1)).unwrap();
    assert!(world.engine.deliveries().is_empty());
    assert_eq!(destinations(&world)[0].status, DestinationStatus::Disabled);
    assert!(disable(&world).unwrap_err().message.contains("must be ACTIVE to perform DISABLE"));
    enable(&world, STREAM).unwrap();
    assert!(world.engine.parcels(&only(&world), 10).unwrap().is_empty(), "what was before stays undelivered");
}

#[test]
fn a_destination_that_is_not_there_fails_and_a_third_is_too_many() {
    let world = World::in_memory(engine::LifeCycle::Immediate);
    world.engine.open_deliveries();
    world.create(table("people")).unwrap();
    enable(&world, STREAM).unwrap();
    world.engine.answer_delivery(&only(&world), Some("no such stream")).unwrap();
    let failed = &destinations(&world)[0];
    assert_eq!(failed.status, DestinationStatus::EnableFailed);
    assert_eq!(failed.description.as_deref(), Some("no such stream"));
    for number in 0..2 {
        enable(&world, &format!("{STREAM}{number}")).unwrap();
    }
    assert_eq!(enable(&world, STREAM).unwrap_err().kind, Kind::LimitExceeded);
}
