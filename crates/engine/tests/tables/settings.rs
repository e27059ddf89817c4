//! Tags, expiry and what the account is told.

use engine::LifeCycle;
use op::{
    DescribeContinuousBackups, DescribeTimeToLive, Kind, ListTagsOfResource, Operation, Output, Tag,
    TagResource, TimeToLive, TtlStatus, UntagResource, UpdateTimeToLive,
};

use crate::world::{World, table};

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/people";

fn tag(world: &World, arn: &str, tags: &[(&str, &str)]) -> Result<Output, op::Error> {
    let tags =
        tags.iter().map(|(key, value)| Tag { key: key.to_string(), value: value.to_string() }).collect();
    world.run(Operation::TagResource(TagResource { arn: arn.into(), tags }))
}

fn tags(world: &World) -> Vec<(String, String)> {
    match world
        .run(Operation::ListTagsOfResource(ListTagsOfResource { arn: ARN.into(), next: None }))
        .unwrap()
    {
        Output::Tags(tags) => tags.tags.into_iter().map(|tag| (tag.key, tag.value)).collect(),
        other => panic!("ListTagsOfResource answered {other:?}"),
    }
}

fn set_ttl(world: &World, enabled: bool, attribute: &str) -> Result<Output, op::Error> {
    let request = UpdateTimeToLive { table: "people".into(), enabled, attribute: attribute.into() };
    world.run(Operation::UpdateTimeToLive(request))
}

fn ttl(world: &World) -> TimeToLive {
    match world.run(Operation::DescribeTimeToLive(DescribeTimeToLive { table: "people".into() })).unwrap() {
        Output::TimeToLive(ttl) => ttl,
        other => panic!("DescribeTimeToLive answered {other:?}"),
    }
}

#[test]
fn tags_are_added_replaced_and_removed() {
    let world = World::in_memory(LifeCycle::Immediate);
    world.create(table("people")).unwrap();
    tag(&world, ARN, &[("team", "a"), ("stage", "test")]).unwrap();
    tag(&world, ARN, &[("team", "b")]).unwrap();
    assert_eq!(tags(&world), [("team".into(), "b".into()), ("stage".into(), "test".into())]);
    let request = UntagResource { arn: ARN.into(), keys: vec!["team".into(), "unknown".into()] };
    world.run(Operation::UntagResource(request)).unwrap();
    assert_eq!(tags(&world), [("stage".to_string(), "test".to_string())]);
    let many: Vec<String> = (0..50).map(|number| format!("tag {number}")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|key| (key.as_str(), "")).collect();
    let refused = tag(&world, ARN, &many).unwrap_err();
    assert_eq!(refused.message, "Number of Tags exceed the current limit for the provided ResourceArn");
    assert_eq!(tags(&world).len(), 1, "a refused request changes nothing");
    let unknown = "arn:aws:dynamodb:us-east-1:000000000000:table/nobody";
    let refused = tag(&world, unknown, &[("a", "b")]).unwrap_err();
    assert_eq!(refused.message, format!("Requested resource not found: ResourcArn: {unknown} not found"));
    let request = ListTagsOfResource { arn: unknown.into(), next: None };
    assert_eq!(world.run(Operation::ListTagsOfResource(request)).unwrap_err().kind, Kind::AccessDenied);
}

#[test]
fn expiry_is_switched_on_and_off_by_the_same_attribute() {
    let world = World::in_memory(LifeCycle::Immediate);
    assert_eq!(set_ttl(&world, true, "ends").unwrap_err().kind, Kind::ResourceNotFound);
    world.create(table("people")).unwrap();
    let check = |enabled, attribute: &str, message: &str| {
        assert_eq!(set_ttl(&world, enabled, attribute).unwrap_err(), op::Error::validation(message));
    };
    check(false, "ends", "TimeToLive is already disabled");
    set_ttl(&world, true, "ends").unwrap();
    assert_eq!(ttl(&world), TimeToLive { status: TtlStatus::Enabled, attribute: Some("ends".into()) });
    check(true, "ends", "TimeToLive is already enabled");
    let other = "TimeToLive is active on a different AttributeName: current AttributeName is ends";
    check(true, "other", other);
    check(false, "other", other);
    set_ttl(&world, false, "ends").unwrap();
    assert_eq!(ttl(&world), TimeToLive { status: TtlStatus::Disabled, attribute: None });
}

#[test]
fn expiry_takes_a_while_where_the_life_cycle_has_delays() {
    let world = World::in_memory(LifeCycle::Realistic);
    world.create(table("people")).unwrap();
    assert_eq!(set_ttl(&world, true, "ends").unwrap_err().kind, Kind::ResourceNotFound);
    let request = DescribeTimeToLive { table: "people".into() };
    assert_eq!(
        world.run(Operation::DescribeTimeToLive(request)).unwrap_err().message,
        "Cannot describe time to live while table is in CREATING state: Current table state is CREATING"
    );
    world.clock.advance(3000);
    world.work();
    set_ttl(&world, true, "ends").unwrap();
    assert_eq!(ttl(&world).status, TtlStatus::Enabling);
    let again = set_ttl(&world, false, "ends").unwrap_err();
    assert_eq!(again.message, "Time to live has been modified multiple times within a fixed interval");
    world.clock.advance(2000);
    assert_eq!(ttl(&world).status, TtlStatus::Enabled);
    set_ttl(&world, false, "ends").unwrap();
    assert_eq!(ttl(&world), TimeToLive { status: TtlStatus::Disabling, attribute: Some("ends".into()) });
}

#[test]
fn recovery_is_off_for_tables_that_are_there() {
    let world = World::in_memory(LifeCycle::Immediate);
    let ask = || {
        world.run(Operation::DescribeContinuousBackups(DescribeContinuousBackups { table: "people".into() }))
    };
    let refused = ask().unwrap_err();
    assert_eq!((refused.kind, refused.message.as_str()), (Kind::TableNotFound, "Table not found: people"));
    world.create(table("people")).unwrap();
    assert!(matches!(ask(), Ok(Output::ContinuousBackups(backups)) if backups.recovery.is_none()));
}
