//! The AWS SDK for Rust: the story over all operations, one chapter a function. Knows only what the SDK shows.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{
    AttributeValue, BillingMode, ConditionCheck, CreateGlobalSecondaryIndexAction, Delete,
    DeleteGlobalSecondaryIndexAction, DeleteRequest, Get, GlobalSecondaryIndex, GlobalSecondaryIndexUpdate,
    IndexStatus, KeySchemaElement, KeyType, KeysAndAttributes, LocalSecondaryIndex,
    PointInTimeRecoveryStatus, ProjectionType, ProvisionedThroughput, Put, PutRequest,
    ReturnConsumedCapacity, ReturnItemCollectionMetrics, ReturnValue, ReturnValuesOnConditionCheckFailure,
    ScalarAttributeType as Kind, Select, SseSpecification, StreamSpecification, StreamViewType,
    TableDescription, TableStatus, Tag, TimeToLiveSpecification, TransactGetItem, TransactWriteItem, Update,
    WriteRequest,
};
use rust_story::{Item, attribute, client, item, keys, n, projection, s};
use std::time::{Duration, Instant};

const ORDERS: &str = "orders";

#[tokio::test]
async fn the_story() {
    let client = client();
    create(&client).await;
    tables(&client).await;
    items(&client).await;
    conditions(&client).await;
    batches_and_reading(&client).await;
    transactions(&client).await;
    index_added_and_dropped(&client).await;
    several_attributes_in_a_key(&client).await;
    settings(&client).await;
    errors(&client).await;
    delete(&client).await;
}

fn order(customer: &str, order_id: &str) -> Item {
    item([("customer", s(customer)), ("order_id", s(order_id))])
}

fn global(name: &str, key: &[&str], kind: ProjectionType, included: &[&str]) -> GlobalSecondaryIndex {
    GlobalSecondaryIndex::builder()
        .index_name(name)
        .set_key_schema(Some(keys(key)))
        .projection(projection(kind, included))
        .build()
        .expect("all fields are set")
}

async fn described(client: &Client, name: &str) -> TableDescription {
    client
        .describe_table()
        .table_name(name)
        .send()
        .await
        .expect("the table is there")
        .table
        .expect("it is described")
}

/// Polls until the table looks as wanted.
async fn until(client: &Client, name: &str, wanted: impl Fn(&TableDescription) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while !wanted(&described(client, name).await) {
        assert!(Instant::now() < deadline, "{name} is not as wanted after two minutes");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn active(table: &TableDescription) -> bool {
    table.table_status() == Some(&TableStatus::Active)
}

async fn create(client: &Client) {
    let local = LocalSecondaryIndex::builder()
        .index_name("by_amount")
        .set_key_schema(Some(keys(&["customer", "amount"])))
        .projection(projection(ProjectionType::All, &[]))
        .build()
        .expect("all fields are set");
    let definitions =
        ["customer", "order_id", "status", "day", "product"].map(|name| attribute(name, Kind::S));
    client
        .create_table()
        .table_name(ORDERS)
        .set_attribute_definitions(Some(
            definitions.into_iter().chain([attribute("amount", Kind::N)]).collect(),
        ))
        .set_key_schema(Some(keys(&["customer", "order_id"])))
        .global_secondary_indexes(global("by_status", &["status", "amount"], ProjectionType::All, &[]))
        .global_secondary_indexes(global("by_day", &["day"], ProjectionType::KeysOnly, &[]))
        .global_secondary_indexes(global("by_product", &["product"], ProjectionType::Include, &["note"]))
        .local_secondary_indexes(local)
        .billing_mode(BillingMode::PayPerRequest)
        .stream_specification(
            StreamSpecification::builder()
                .stream_enabled(true)
                .stream_view_type(StreamViewType::NewImage)
                .build()
                .expect("set"),
        )
        .sse_specification(SseSpecification::builder().enabled(true).build())
        .deletion_protection_enabled(true)
        .tags(Tag::builder().key("team").value("kitchen").build().expect("both are set"))
        .send()
        .await
        .expect("the table is made");
    client
        .create_table()
        .table_name("counters")
        .attribute_definitions(attribute("id", Kind::N))
        .set_key_schema(Some(keys(&["id"])))
        .provisioned_throughput(
            ProvisionedThroughput::builder()
                .read_capacity_units(5)
                .write_capacity_units(6)
                .build()
                .expect("both are set"),
        )
        .send()
        .await
        .expect("the table is made");
    until(client, ORDERS, active).await;
    until(client, "counters", active).await;
}

async fn tables(client: &Client) {
    let table = described(client, ORDERS).await;
    assert_eq!(table.key_schema(), keys(&["customer", "order_id"]));
    assert_eq!(table.global_secondary_indexes().len(), 3);
    let billing = table.billing_mode_summary().and_then(|summary| summary.billing_mode());
    assert_eq!(billing, Some(&BillingMode::PayPerRequest));
    assert_eq!(table.deletion_protection_enabled(), Some(true));
    assert!(table.latest_stream_arn().is_some_and(|arn| arn.contains("/stream/")));
    assert!(table.creation_date_time().is_some());
    let pages = client.list_tables().limit(1).into_paginator().items().send();
    assert_eq!(pages.collect::<Result<Vec<_>, _>>().await.expect("all pages come"), ["counters", ORDERS]);
    client
        .update_table()
        .table_name("counters")
        .billing_mode(BillingMode::PayPerRequest)
        .send()
        .await
        .expect("it switches");
    until(client, "counters", active).await;
    let billing =
        described(client, "counters").await.billing_mode_summary.and_then(|summary| summary.billing_mode);
    assert_eq!(billing, Some(BillingMode::PayPerRequest));
}

async fn items(client: &Client) {
    let mut every = order("types", "1");
    every.extend(item([
        ("number", n("-1.2345678901234567890123456789012345678")),
        ("bytes", AttributeValue::B(Blob::new([0, 255]))),
        ("yes", AttributeValue::Bool(true)),
        ("none", AttributeValue::Null(true)),
        ("list", AttributeValue::L(vec![s(""), n(1)])),
        ("map", AttributeValue::M(item([("in", AttributeValue::M(Item::new()))]))),
        ("strings", AttributeValue::Ss(vec!["a".to_owned()])),
        ("numbers", AttributeValue::Ns(vec!["1".to_owned()])),
        ("binaries", AttributeValue::Bs(vec![Blob::new([1])])),
    ]));
    client.put_item().table_name(ORDERS).set_item(Some(every.clone())).send().await.expect("it is kept");
    let found = client
        .get_item()
        .table_name(ORDERS)
        .set_key(Some(order("types", "1")))
        .consistent_read(true)
        .send()
        .await;
    assert_eq!(found.expect("it is read").item, Some(every));

    let mut new = order("cost", "1");
    new.extend(item([("status", s("new")), ("amount", n(1)), ("day", s("d")), ("product", s("p"))]));
    let put = client
        .put_item()
        .table_name(ORDERS)
        .set_item(Some(new))
        .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
        .return_item_collection_metrics(ReturnItemCollectionMetrics::Size)
        .send()
        .await
        .expect("it is kept");
    let cost = put.consumed_capacity().expect("it was asked for");
    assert_eq!(cost.capacity_units(), Some(5.0));
    assert_eq!(
        cost.local_secondary_indexes().expect("there is one")["by_amount"].capacity_units(),
        Some(1.0)
    );
    assert!(put.item_collection_metrics().is_some());

    let updated = client
        .update_item()
        .table_name(ORDERS)
        .set_key(Some(order("cost", "1")))
        .update_expression(
            "SET #s = :s, l = list_append(if_not_exists(l, :none), :more) REMOVE product ADD hits :one",
        )
        .expression_attribute_names("#s", "status")
        .expression_attribute_values(":s", s("paid"))
        .expression_attribute_values(":none", AttributeValue::L(vec![]))
        .expression_attribute_values(":more", AttributeValue::L(vec![n(7)]))
        .expression_attribute_values(":one", n(1))
        .return_values(ReturnValue::UpdatedNew)
        .send()
        .await
        .expect("it is changed");
    let expected = item([("status", s("paid")), ("l", AttributeValue::L(vec![n(7)])), ("hits", n(1))]);
    assert_eq!(updated.attributes, Some(expected));
    let gone = client
        .delete_item()
        .table_name(ORDERS)
        .set_key(Some(order("cost", "1")))
        .return_values(ReturnValue::AllOld);
    assert_eq!(gone.send().await.expect("it is gone").attributes.expect("it was there")["status"], s("paid"));
}

async fn conditions(client: &Client) {
    let held: Item = order("held", "1").into_iter().chain(item([("n", n(1))])).collect();
    client.put_item().table_name(ORDERS).set_item(Some(held.clone())).send().await.expect("it is kept");
    let error = client
        .put_item()
        .table_name(ORDERS)
        .set_item(Some(order("held", "1")))
        .condition_expression("attribute_not_exists(customer)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await
        .expect_err("the condition fails")
        .into_service_error();
    assert_eq!(error.message(), Some("The conditional request failed"));
    let aws_sdk_dynamodb::operation::put_item::PutItemError::ConditionalCheckFailedException(failure) = error
    else {
        panic!("another error: {error}");
    };
    assert_eq!(failure.item, Some(held));
}

async fn batches_and_reading(client: &Client) {
    for start in [0, 25] {
        let puts = (start..start + 25).map(|number| {
            let mut new = order(&format!("r{}", number % 2), &format!("o{number:02}"));
            new.extend(item([
                ("amount", n(-number)),
                ("note", s("n")),
                ("product", s("jam")),
                ("spot", n(number)),
            ]));
            if number % 5 == 0 {
                new.insert("status".to_owned(), s("fifth"));
            }
            put_request(new)
        });
        let answer = client
            .batch_write_item()
            .request_items(ORDERS, puts.collect())
            .send()
            .await
            .expect("all are kept");
        assert!(answer.unprocessed_items.is_none_or(|left| left.is_empty()));
    }
    let wanted = KeysAndAttributes::builder()
        .set_keys(Some(
            (0..100).map(|number| order(&format!("r{}", number % 2), &format!("o{number:02}"))).collect(),
        ))
        .build()
        .expect("there are keys");
    let found = client.batch_get_item().request_items(ORDERS, wanted).send().await.expect("they are read");
    assert_eq!(found.responses.expect("there are some")[ORDERS].len(), 50);

    let between = [("order_id BETWEEN :a AND :b", ["o09", "o12"], vec!["o10", "o12"])];
    let single = [
        ("order_id = :a", "o04", vec!["o04"]),
        ("order_id < :a", "o04", vec!["o00", "o02"]),
        ("order_id <= :a", "o04", vec!["o00", "o02", "o04"]),
        ("order_id > :a", "o44", vec!["o46", "o48"]),
        ("order_id >= :a", "o44", vec!["o44", "o46", "o48"]),
        ("begins_with(order_id, :a)", "o3", vec!["o30", "o32", "o34", "o36", "o38"]),
    ];
    for (condition, value, expected) in single {
        assert_eq!(ids(client, condition, &[(":a", value)], true).await, expected);
        assert_eq!(
            ids(client, condition, &[(":a", value)], false).await,
            expected.into_iter().rev().collect::<Vec<_>>()
        );
    }
    for (condition, [low, high], expected) in between {
        assert_eq!(ids(client, condition, &[(":a", low), (":b", high)], true).await, expected);
    }
    indexes_and_scans(client).await;
}

/// The orders of customer `r0` that a key condition finds.
async fn ids(client: &Client, condition: &str, values: &[(&str, &str)], forward: bool) -> Vec<String> {
    let mut query = client
        .query()
        .table_name(ORDERS)
        .key_condition_expression(format!("customer = :c AND {condition}"))
        .expression_attribute_values(":c", s("r0"))
        .scan_index_forward(forward);
    for (name, value) in values {
        query = query.expression_attribute_values(*name, s(value));
    }
    query.send().await.expect("the query is answered").items().iter().map(order_id).collect()
}

fn order_id(found: &Item) -> String {
    found["order_id"].as_s().expect("it is a string").clone()
}

fn put_request(new: Item) -> WriteRequest {
    WriteRequest::builder()
        .put_request(PutRequest::builder().set_item(Some(new)).build().expect("set"))
        .build()
}

async fn indexes_and_scans(client: &Client) {
    let sparse = client
        .query()
        .table_name(ORDERS)
        .index_name("by_status")
        .key_condition_expression("#s = :s")
        .filter_expression("spot <> :n")
        .expression_attribute_names("#s", "status")
        .expression_attribute_values(":s", s("fifth"))
        .expression_attribute_values(":n", n(40))
        .limit(3)
        .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
        .send()
        .await
        .expect("the query is answered");
    assert_eq!(sparse.items().iter().map(order_id).collect::<Vec<_>>(), ["o45", "o35"]);
    assert_eq!((sparse.count, sparse.scanned_count), (2, 3));
    assert_eq!(sparse.last_evaluated_key().expect("there is more").len(), 4);
    let local = client.query().table_name(ORDERS).index_name("by_amount").consistent_read(true);
    let local = local.key_condition_expression("customer = :c AND amount > :n").select(Select::Count);
    let local = local.expression_attribute_values(":c", s("r0")).expression_attribute_values(":n", n(-6));
    assert_eq!(local.send().await.expect("the query is answered").count, 3);

    let mut found = Vec::new();
    for segment in 0..3 {
        let scan = client
            .scan()
            .table_name(ORDERS)
            .filter_expression("product = :p")
            .segment(segment)
            .total_segments(3);
        let pages = scan.expression_attribute_values(":p", s("jam")).limit(7).into_paginator().items().send();
        found
            .extend(pages.collect::<Result<Vec<_>, _>>().await.expect("all pages come").iter().map(order_id));
    }
    found.sort();
    assert_eq!(found, (0..50).map(|number| format!("o{number:02}")).collect::<Vec<_>>());
    let many = (0..26).map(|number| {
        let delete =
            DeleteRequest::builder().set_key(Some(order("over", &number.to_string()))).build().expect("set");
        WriteRequest::builder().delete_request(delete).build()
    });
    let error = client
        .batch_write_item()
        .request_items(ORDERS, many.collect())
        .send()
        .await
        .expect_err("26 are too many");
    assert_eq!(error.code(), Some("ValidationException"));
}

async fn transactions(client: &Client) {
    let counter = item([("id", n(1000))]);
    let update = Update::builder()
        .table_name("counters")
        .set_key(Some(counter.clone()))
        .update_expression("ADD n :n")
        .expression_attribute_values(":n", n(5))
        .build()
        .expect("set");
    let put = Put::builder().table_name(ORDERS).set_item(Some(order("tx", "1"))).build().expect("set");
    let write = client
        .transact_write_items()
        .client_request_token("rust-story-token")
        .transact_items(TransactWriteItem::builder().update(update).build())
        .transact_items(TransactWriteItem::builder().put(put).build())
        .return_consumed_capacity(ReturnConsumedCapacity::Total);
    let answer = write.clone().send().await.expect("both are written");
    assert_eq!(answer.consumed_capacity().iter().filter_map(|one| one.capacity_units()).sum::<f64>(), 4.0);
    write.clone().send().await.expect("the same again is no new write");
    let get = |table: &str, key: Item| {
        let get = Get::builder().table_name(table).set_key(Some(key)).build().expect("set");
        TransactGetItem::builder().get(get).build()
    };
    let both = client
        .transact_get_items()
        .transact_items(get("counters", counter))
        .transact_items(get(ORDERS, order("a", "b")));
    let both = both.send().await.expect("both are read").responses.expect("there are two");
    assert_eq!(both[0].item.as_ref().expect("it is there")["n"], n(5));
    assert!(both[1].item.is_none());
    let mismatch =
        write.set_transact_items(None).transact_items(check("tx", "attribute_exists(customer)")).send().await;
    assert_eq!(
        mismatch.expect_err("the token was used").code(),
        Some("IdempotentParameterMismatchException")
    );

    let delete = Delete::builder().table_name(ORDERS).set_key(Some(order("tx", "2"))).build().expect("set");
    let error = client
        .transact_write_items()
        .transact_items(TransactWriteItem::builder().delete(delete).build())
        .transact_items(check("tx", "attribute_not_exists(customer)"))
        .send()
        .await
        .expect_err("the check fails")
        .into_service_error();
    let aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError::TransactionCanceledException(reasons) = error
    else {
        panic!("another error: {error}");
    };
    let codes: Vec<_> = reasons.cancellation_reasons().iter().filter_map(|reason| reason.code()).collect();
    assert_eq!(codes, ["None", "ConditionalCheckFailed"]);
}

fn check(customer: &str, condition: &str) -> TransactWriteItem {
    let check = ConditionCheck::builder()
        .table_name(ORDERS)
        .set_key(Some(order(customer, "1")))
        .condition_expression(condition);
    TransactWriteItem::builder().condition_check(check.build().expect("set")).build()
}

async fn index_added_and_dropped(client: &Client) {
    for number in 0..20 {
        let new = item([("id", n(number)), ("kind", s(if number % 2 == 0 { "even" } else { "odd" }))]);
        client.put_item().table_name("counters").set_item(Some(new)).send().await.expect("it is kept");
    }
    let index = CreateGlobalSecondaryIndexAction::builder()
        .index_name("by_kind")
        .set_key_schema(Some(keys(&["kind", "id"])))
        .projection(projection(ProjectionType::KeysOnly, &[]))
        .build()
        .expect("set");
    client
        .update_table()
        .table_name("counters")
        .attribute_definitions(attribute("id", Kind::N))
        .attribute_definitions(attribute("kind", Kind::S))
        .global_secondary_index_updates(GlobalSecondaryIndexUpdate::builder().create(index).build())
        .send()
        .await
        .expect("the index is begun");
    until(client, "counters", |table| {
        table
            .global_secondary_indexes()
            .iter()
            .all(|index| index.index_status() == Some(&IndexStatus::Active))
    })
    .await;
    let query = client
        .query()
        .table_name("counters")
        .index_name("by_kind")
        .key_condition_expression("kind = :k AND id >= :i");
    let query = query.expression_attribute_values(":k", s("odd")).expression_attribute_values(":i", n(15));
    let found = query.scan_index_forward(false).send().await.expect("the query is answered");
    assert_eq!(found.items().iter().map(|one| one["id"].clone()).collect::<Vec<_>>(), [n(19), n(17), n(15)]);
    let gone = DeleteGlobalSecondaryIndexAction::builder().index_name("by_kind").build().expect("set");
    let gone = GlobalSecondaryIndexUpdate::builder().delete(gone).build();
    client
        .update_table()
        .table_name("counters")
        .global_secondary_index_updates(gone)
        .send()
        .await
        .expect("it is dropped");
    until(client, "counters", |table| table.global_secondary_indexes().is_empty()).await;
}

async fn several_attributes_in_a_key(client: &Client) {
    let element = |name: &str, kind: KeyType| {
        KeySchemaElement::builder().attribute_name(name).key_type(kind).build().expect("set")
    };
    let key =
        vec![element("land", KeyType::Hash), element("part", KeyType::Hash), element("town", KeyType::Range)];
    let index = GlobalSecondaryIndex::builder().index_name("by_place").set_key_schema(Some(key));
    let index = index.projection(projection(ProjectionType::All, &[])).build().expect("set");
    client
        .create_table()
        .table_name("places")
        .set_attribute_definitions(Some(
            ["id", "land", "part", "town"].map(|name| attribute(name, Kind::S)).to_vec(),
        ))
        .set_key_schema(Some(keys(&["id"])))
        .global_secondary_indexes(index)
        .billing_mode(BillingMode::PayPerRequest)
        .send()
        .await
        .expect("the table is made");
    until(client, "places", active).await;
    for (id, town) in [("1", "thun"), ("2", "bern")] {
        let new = item([("id", s(id)), ("land", s("ch")), ("part", s("be")), ("town", s(town))]);
        client.put_item().table_name("places").set_item(Some(new)).send().await.expect("it is kept");
    }
    let query = client
        .query()
        .table_name("places")
        .index_name("by_place")
        .key_condition_expression("land = :l AND part = :p");
    let found = query
        .expression_attribute_values(":l", s("ch"))
        .expression_attribute_values(":p", s("be"))
        .send()
        .await;
    let found = found.expect("the query is answered");
    assert_eq!(found.items().iter().map(|one| one["id"].clone()).collect::<Vec<_>>(), [s("2"), s("1")]);
    client.delete_table().table_name("places").send().await.expect("it is gone");
}

async fn settings(client: &Client) {
    let arn = described(client, ORDERS).await.table_arn.expect("a table has one");
    let tag = Tag::builder().key("a").value("1").build().expect("both are set");
    client.tag_resource().resource_arn(&arn).tags(tag.clone()).send().await.expect("it is tagged");
    client.untag_resource().resource_arn(&arn).tag_keys("team").send().await.expect("it is untagged");
    let tags = client.list_tags_of_resource().resource_arn(&arn).send().await.expect("they are listed");
    assert_eq!(tags.tags(), [tag]);
    let live = TimeToLiveSpecification::builder()
        .enabled(true)
        .attribute_name("expires")
        .build()
        .expect("both are set");
    client
        .update_time_to_live()
        .table_name(ORDERS)
        .time_to_live_specification(live)
        .send()
        .await
        .expect("it is set");
    let live = client.describe_time_to_live().table_name(ORDERS).send().await.expect("it is described");
    assert_eq!(live.time_to_live_description().and_then(|live| live.attribute_name()), Some("expires"));
    let limits = client.describe_limits().send().await.expect("they are described");
    assert_eq!(limits.account_max_read_capacity_units(), Some(80_000));
    let endpoints = client.describe_endpoints().send().await.expect("they are described");
    assert_eq!(endpoints.endpoints()[0].cache_period_in_minutes(), 1440);
    let backups =
        client.describe_continuous_backups().table_name(ORDERS).send().await.expect("they are described");
    let recovery =
        backups.continuous_backups_description().and_then(|one| one.point_in_time_recovery_description());
    let status = recovery.and_then(|recovery| recovery.point_in_time_recovery_status());
    assert_eq!(status, Some(&PointInTimeRecoveryStatus::Disabled));
}

async fn errors(client: &Client) {
    let absent =
        client.describe_table().table_name("absent").send().await.expect_err("there is no such table");
    assert!(absent.into_service_error().is_resource_not_found_exception());
    let taken = client.create_table().table_name(ORDERS).attribute_definitions(attribute("id", Kind::S));
    let taken =
        taken.set_key_schema(Some(keys(&["id"]))).billing_mode(BillingMode::PayPerRequest).send().await;
    assert!(taken.expect_err("the name is taken").into_service_error().is_resource_in_use_exception());
    let short =
        client.get_item().table_name(ORDERS).key("customer", s("a")).send().await.expect_err("half a key");
    assert_eq!(short.code(), Some("ValidationException"));
    assert_eq!(short.raw_response().map(|answer| answer.status().as_u16()), Some(400));
}

async fn delete(client: &Client) {
    let kept = client.delete_table().table_name(ORDERS).send().await.expect_err("it is protected");
    assert_eq!(kept.code(), Some("ValidationException"));
    client
        .update_table()
        .table_name(ORDERS)
        .deletion_protection_enabled(false)
        .send()
        .await
        .expect("it is not any more");
    until(client, ORDERS, active).await;
    for name in [ORDERS, "counters"] {
        let gone = client.delete_table().table_name(name).send().await.expect("it is gone").table_description;
        assert_eq!(gone.and_then(|table| table.table_status), Some(TableStatus::Deleting));
    }
}
