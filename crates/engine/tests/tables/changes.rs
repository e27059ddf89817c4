//! What UpdateTable changes, and what it refuses.

use engine::LifeCycle;
use op::{
    BillingMode, CreateTable, IndexSpec, IndexUpdate, Kind, OnDemand, ScalarType, SseSpec, StreamSpec,
    StreamView, TableClass, Throughput, UpdateTable, WarmThroughput,
};

use crate::world::{
    START_MS, World, add_index, attribute, change, drop_index, hash, index, provisioned, range, table,
};

const INVALID: &str = "One or more parameter values were invalid: ";

fn units(read: u64, write: u64) -> Throughput {
    Throughput { read, write }
}

fn update_index(name: &str, throughput: Option<Throughput>) -> Vec<IndexUpdate> {
    vec![IndexUpdate::Update { name: name.into(), throughput, on_demand: None, warm: None }]
}

fn stream(enabled: bool) -> Option<StreamSpec> {
    Some(StreamSpec { enabled, view: enabled.then_some(StreamView::NewImage) })
}

/// Tables `demand` and `units`, each with a global index `by_group`; `demand` also has a local one and a stream.
fn world() -> World {
    let world = World::in_memory(LifeCycle::Immediate);
    let attributes = ["pk", "sk", "group", "age"].map(|name| attribute(name, ScalarType::S)).to_vec();
    let local = IndexSpec { key_schema: vec![hash("pk"), range("age")], ..index("by_age", "pk") };
    let demand = CreateTable {
        attributes,
        key_schema: vec![hash("pk"), range("sk")],
        local_indexes: vec![local],
        global_indexes: vec![index("by_group", "group")],
        stream: stream(true),
        ..table("demand")
    };
    world.create(demand).unwrap();
    let by_group = IndexSpec { throughput: Some(units(2, 2)), ..index("by_group", "group") };
    let units = CreateTable {
        attributes: ["pk", "group"].map(|name| attribute(name, ScalarType::S)).to_vec(),
        global_indexes: vec![by_group],
        ..provisioned("units", 5, 5)
    };
    world.create(units).unwrap();
    world
}

fn check(world: &World, request: UpdateTable, kind: Kind, message: &str) {
    let shown = format!("{request:?}");
    let before = world.describe(&request.name).ok();
    let name = request.name.clone();
    let error = world.update(request).expect_err(&shown);
    assert_eq!((error.kind, error.message.as_str()), (kind, message), "{shown}");
    assert_eq!(world.describe(&name).ok(), before, "a refused change changes nothing: {shown}");
}

fn invalid(world: &World, request: UpdateTable, detail: &str) {
    check(world, request, Kind::Validation, &format!("{INVALID}{detail}"));
}

#[test]
fn units_and_billing_are_checked_against_the_table() {
    let world = world();
    let billing = |name: &str, mode| UpdateTable { billing: Some(mode), ..change(name) };
    let throughput =
        |name: &str, read, write| UpdateTable { throughput: Some(units(read, write)), ..change(name) };
    check(
        &world,
        throughput("units", 5, 5),
        Kind::Validation,
        "The provisioned throughput for the table will not change. The requested value equals the current value. \
         Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. Current \
         WriteCapacityUnits provisioned for the table: 5. Requested WriteCapacityUnits: 5. Refer to the Amazon \
         DynamoDB Developer Guide for current limits and how to request higher limits.",
    );
    let neither = "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST";
    invalid(&world, throughput("demand", 1, 1), neither);
    let both = UpdateTable { throughput: Some(units(1, 1)), ..billing("units", BillingMode::PayPerRequest) };
    invalid(&world, both, neither);
    invalid(
        &world,
        billing("demand", BillingMode::Provisioned),
        "ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
    );
    let without_index =
        UpdateTable { throughput: Some(units(1, 1)), ..billing("demand", BillingMode::Provisioned) };
    invalid(&world, without_index, "ProvisionedThroughput must be specified for index: by_group");
    let bounds = OnDemand { read_max: Some(10), write_max: None };
    invalid(
        &world,
        UpdateTable { on_demand: Some(bounds), ..change("units") },
        "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED",
    );
    let warm = WarmThroughput { read: Some(12_000), write: Some(100) };
    invalid(
        &world,
        UpdateTable { warm: Some(warm), ..change("demand") },
        "Requested WriteUnitsPerSecond for WarmThroughput for table is lower than current WarmThroughput, decreasing \
         WarmThroughput is not supported",
    );
    check(
        &world,
        change("nobody"),
        Kind::ResourceNotFound,
        "Requested resource not found: Table: nobody not found",
    );
}

#[test]
fn indexes_are_checked_against_the_table() {
    let world = world();
    let update = |name: &str, updates| UpdateTable { index_updates: updates, ..change(name) };
    check(
        &world,
        add_index("demand", "by_group", "group"),
        Kind::Validation,
        "Attempting to create an index which already exists",
    );
    let undefined =
        UpdateTable { attributes: vec![attribute("x", ScalarType::S)], ..add_index("demand", "by_y", "y") };
    let message = "One or more parameter values were invalid: Some index key attributes are not defined in \
                   AttributeDefinitions. Keys: [y], AttributeDefinitions: [x]";
    check(&world, undefined, Kind::Validation, message);
    let nothing_defined = UpdateTable { attributes: Vec::new(), ..add_index("demand", "by_y", "y") };
    invalid(&world, nothing_defined, "AttributeDefinitions is not specified for index: by_y");
    invalid(
        &world,
        add_index("units", "by_y", "y"),
        "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: by_y",
    );
    let spec = IndexSpec { throughput: Some(units(1, 1)), ..index("by_y", "y") };
    let with_units =
        UpdateTable { index_updates: vec![IndexUpdate::Create(spec)], ..add_index("demand", "by_y", "y") };
    invalid(
        &world,
        with_units,
        "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: by_y when BillingMode is \
         PAY_PER_REQUEST",
    );
    let missing = "Requested resource not found: Index by_y for table units";
    check(&world, drop_index("units", "by_y"), Kind::ResourceNotFound, missing);
    check(&world, update("units", update_index("by_y", Some(units(1, 1)))), Kind::ResourceNotFound, missing);
    let local = "Cannot delete an index that is not a GlobalSecondaryIndex: by_age";
    check(&world, drop_index("demand", "by_age"), Kind::Validation, local);
    invalid(
        &world,
        update("demand", update_index("by_group", Some(units(1, 1)))),
        "The only Updates for index: by_group when TableThroughputMode is PAY_PER_REQUEST can be to \
         OnDemandThroughput, WarmThroughput",
    );
    let same = world.update(update("units", update_index("by_group", Some(units(2, 2))))).unwrap_err();
    assert!(same.message.starts_with("The provisioned throughput for the index by_group will not change."));
    let twice =
        [update_index("by_group", Some(units(3, 3))), update_index("by_group", Some(units(4, 4)))].concat();
    invalid(
        &world,
        update("units", twice),
        "Only one global secondary index update per index is allowed simultaneously. Index: by_group",
    );
    let two = UpdateTable {
        attributes: vec![attribute("x", ScalarType::S)],
        index_updates: vec![IndexUpdate::Create(index("by_x", "x")), IndexUpdate::Delete("by_group".into())],
        ..change("demand")
    };
    let one =
        "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table";
    check(&world, two, Kind::LimitExceeded, one);
}

#[test]
fn a_table_has_twenty_global_indexes_at_most() {
    let world = world();
    for number in 1..20 {
        world.update(add_index("demand", &format!("index_{number}"), "y")).unwrap();
    }
    assert_eq!(world.describe("demand").unwrap().global_indexes.len(), 20);
    let message =
        "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of 20";
    check(&world, add_index("demand", "index_20", "y"), Kind::LimitExceeded, message);
}

#[test]
fn streams_keys_and_classes_change_only_when_they_change() {
    let world = world();
    let with_stream = |name: &str, enabled| UpdateTable { stream: stream(enabled), ..change(name) };
    let label = world.describe("demand").unwrap().latest_stream.unwrap();
    assert_eq!(label.0, "2026-11-15T21:07:41.241");
    let already = "Table already has an enabled stream: TableName: demand";
    check(&world, with_stream("demand", true), Kind::Validation, already);
    let no_stream = "Table has no stream to disable: TableName: units";
    check(&world, with_stream("units", false), Kind::Validation, no_stream);
    world.update(with_stream("demand", false)).unwrap();
    let described = world.describe("demand").unwrap();
    assert_eq!((described.stream, described.latest_stream), (None, Some(label.clone())));
    world.clock.advance(1);
    world.update(with_stream("demand", true)).unwrap();
    assert_ne!(world.describe("demand").unwrap().latest_stream, Some(label));

    let sse = |enabled, key: Option<&str>| UpdateTable {
        sse: Some(SseSpec { enabled, kms: enabled, key: key.map(Into::into) }),
        ..change("demand")
    };
    invalid(&world, sse(false, None), "Table is already encrypted by default");
    let answer = world.update(sse(true, None)).unwrap();
    assert!(!answer.sse.unwrap().enabled, "the answer tells that it is being changed");
    let key = world.describe("demand").unwrap().sse.unwrap();
    assert!(key.enabled && key.key_arn.starts_with("arn:aws:kms:us-east-1:000000000000:key/"));
    invalid(
        &world,
        sse(true, Some(&key.key_arn)),
        "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to change \
         Master Key",
    );
    world.update(sse(false, None)).unwrap();
    assert_eq!(world.describe("demand").unwrap().sse, None);

    let class = |class| UpdateTable { class: Some(class), ..change("demand") };
    world.update(class(TableClass::Standard)).unwrap();
    assert_eq!(world.describe("demand").unwrap().class, None);
    world.update(class(TableClass::StandardInfrequentAccess)).unwrap();
    let described = world.describe("demand").unwrap().class.unwrap();
    assert_eq!(described.class, TableClass::StandardInfrequentAccess);
    assert_eq!(described.since_ms, Some(START_MS + 1));
}

#[test]
fn a_table_is_billed_the_other_way_and_back() {
    let world = world();
    let on_demand = UpdateTable { billing: Some(BillingMode::PayPerRequest), ..change("units") };
    world.update(on_demand.clone()).unwrap();
    world.update(on_demand).unwrap(); // What it is already is no error.
    let described = world.describe("units").unwrap();
    assert_eq!(described.billing.map(|billing| billing.on_demand_since_ms), Some(Some(START_MS)));
    assert_eq!((described.throughput.units, described.warm.read), (units(0, 0), Some(12_000)));
    assert_eq!(described.global_indexes[0].throughput.units, units(0, 0));
    let bounds = OnDemand { read_max: Some(7), write_max: Some(-1) };
    world.update(UpdateTable { on_demand: Some(bounds), ..change("units") }).unwrap();
    let bounds = OnDemand { read_max: Some(7), write_max: None };
    assert_eq!(world.describe("units").unwrap().on_demand, Some(bounds));
    let back = UpdateTable {
        billing: Some(BillingMode::Provisioned),
        throughput: Some(units(9, 9)),
        index_updates: update_index("by_group", Some(units(8, 8))),
        ..change("units")
    };
    world.update(back).unwrap();
    let described = world.describe("units").unwrap();
    assert_eq!(described.billing.map(|billing| billing.mode), Some(BillingMode::Provisioned));
    assert_eq!((described.throughput.units, described.on_demand), (units(9, 9), None));
    assert_eq!(described.global_indexes[0].throughput.units, units(8, 8));
}

#[test]
fn decreases_are_counted_by_the_day() {
    let world = world();
    for read in [4, 3] {
        world.update(UpdateTable { throughput: Some(units(read, 5)), ..change("units") }).unwrap();
    }
    assert_eq!(world.describe("units").unwrap().throughput.decreases_today, 2);
    world.clock.advance(3 * 60 * 60 * 1000);
    assert_eq!(world.describe("units").unwrap().throughput.decreases_today, 0);
}
