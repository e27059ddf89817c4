//! A request of every operation that is in order, and ways to spoil it that follow the bytes of an input. Knows no engine.

use std::sync::OnceLock;

use serde_json::{Map, Value as Json, json};

use crate::source::Source;

/// The table that every input begins with.
pub(crate) fn create() -> Json {
    json!({
        "TableName": "victim", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "N"},
            {"AttributeName": "s", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        "GlobalSecondaryIndexes": [{
            "IndexName": "by_s", "KeySchema": [{"AttributeName": "s", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["n"]}}],
        "LocalSecondaryIndexes": [{
            "IndexName": "by_local", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "s", "KeyType": "RANGE"}]}],
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"}})
}

/// The item that every input begins with.
pub(crate) fn item() -> Json {
    json!({
        "pk": {"S": "a"}, "sk": {"N": "1"}, "s": {"S": "text"}, "n": {"N": "1.5"}, "b": {"B": "AAEC"},
        "t": {"BOOL": true}, "z": {"NULL": true}, "l": {"L": [{"S": "x"}, {"N": "2"}]}, "m": {"M": {"k": {"L": []}}},
        "ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1", "2.5"]}, "bs": {"BS": ["AA=="]}})
}

fn key() -> Json {
    json!({"pk": {"S": "a"}, "sk": {"N": "1"}})
}

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/victim";

/// A request of every operation, with the operation's name.
pub(crate) fn valid() -> &'static [(&'static str, Json)] {
    static ALL: OnceLock<Vec<(&'static str, Json)>> = OnceLock::new();
    ALL.get_or_init(|| [of_items(), of_pages_and_batches(), of_tables(), of_streams_and_copies()].concat())
}

fn of_items() -> Vec<(&'static str, Json)> {
    vec![
        (
            "PutItem",
            json!({"TableName": "victim", "Item": item(), "ReturnValues": "ALL_OLD",
            "ConditionExpression": "attribute_not_exists(pk) OR n <> :n", "ReturnConsumedCapacity": "TOTAL",
            "ExpressionAttributeValues": {":n": {"N": "1"}}, "ReturnItemCollectionMetrics": "SIZE"}),
        ),
        (
            "GetItem",
            json!({"TableName": "victim", "Key": key(), "ProjectionExpression": "#s, l[0], m.k",
            "ExpressionAttributeNames": {"#s": "s"}, "ConsistentRead": true}),
        ),
        ("GetItem", json!({"TableName": "victim", "Key": key(), "AttributesToGet": ["s", "n"]})),
        (
            "UpdateItem",
            json!({"TableName": "victim", "Key": key(), "ReturnValues": "ALL_NEW",
            "UpdateExpression": "SET n = n + :n, l = list_append(l, :l) REMOVE m.k ADD c :n DELETE ss :s",
            "ConditionExpression": "attribute_exists(pk) AND (n > :n OR begins_with(s, :v))",
            "ExpressionAttributeValues": {":v": {"S": "a"}, ":n": {"N": "1"}, ":l": {"L": [{"S": "y"}]},
                ":s": {"SS": ["a"]}}}),
        ),
        (
            "UpdateItem",
            json!({"TableName": "victim", "Key": key(), "ReturnValues": "UPDATED_OLD",
            "AttributeUpdates": {"n": {"Action": "ADD", "Value": {"N": "1"}}, "s": {"Action": "DELETE"},
                "x": {"Action": "PUT", "Value": {"S": "y"}}},
            "Expected": {"n": {"Value": {"N": "1.5"}, "Exists": true}}, "ConditionalOperator": "AND"}),
        ),
        (
            "DeleteItem",
            json!({"TableName": "victim", "Key": key(), "ReturnValues": "ALL_OLD",
            "Expected": {"n": {"ComparisonOperator": "GE", "AttributeValueList": [{"N": "0"}]}}}),
        ),
    ]
}

fn of_pages_and_batches() -> Vec<(&'static str, Json)> {
    let values = json!({":v": {"S": "a"}, ":n": {"N": "1"}});
    vec![
        (
            "Query",
            json!({"TableName": "victim", "KeyConditionExpression": "pk = :v AND sk BETWEEN :n AND :n",
            "ExpressionAttributeValues": values, "FilterExpression": "contains(#s, :v) OR NOT size(l) > :n",
            "ExpressionAttributeNames": {"#s": "s"}, "ProjectionExpression": "pk, l[0], m.k", "Limit": 5,
            "ScanIndexForward": false, "ReturnConsumedCapacity": "INDEXES"}),
        ),
        (
            "Query",
            json!({"TableName": "victim", "IndexName": "by_local", "Select": "COUNT", "QueryFilter": {},
            "KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]},
                "s": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [{"S": "t"}]}}}),
        ),
        (
            "Query",
            json!({"TableName": "victim", "IndexName": "by_s", "KeyConditionExpression": "s = :v",
            "ExpressionAttributeValues": {":v": {"S": "text"}},
            "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"N": "0"}, "s": {"S": "text"}}}),
        ),
        (
            "Scan",
            json!({"TableName": "victim", "FilterExpression": "n BETWEEN :n AND :n", "IndexName": "by_local",
            "ExpressionAttributeValues": {":n": {"N": "1"}}, "Segment": 0, "TotalSegments": 2,
            "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"N": "0"}, "s": {"S": "text"}}}),
        ),
        (
            "BatchGetItem",
            json!({"RequestItems": {"victim": {"Keys": [key()], "ProjectionExpression": "pk, n"}},
            "ReturnConsumedCapacity": "INDEXES"}),
        ),
        (
            "BatchWriteItem",
            json!({"RequestItems": {"victim": [{"PutRequest": {"Item": item()}},
            {"DeleteRequest": {"Key": {"pk": {"S": "b"}, "sk": {"N": "1"}}}}]}}),
        ),
        (
            "TransactGetItems",
            json!({"TransactItems": [{"Get": {"TableName": "victim", "Key": key(),
            "ProjectionExpression": "s"}}]}),
        ),
        (
            "TransactWriteItems",
            json!({"ClientRequestToken": "t", "TransactItems": [
            {"Put": {"TableName": "victim", "Item": item()}},
            {"Update": {"TableName": "victim", "Key": {"pk": {"S": "e"}, "sk": {"N": "1"}},
                "UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}},
            {"Delete": {"TableName": "victim", "Key": {"pk": {"S": "c"}, "sk": {"N": "1"}}}},
            {"ConditionCheck": {"TableName": "victim", "Key": {"pk": {"S": "d"}, "sk": {"N": "1"}},
                "ConditionExpression": "attribute_not_exists(pk)"}}]}),
        ),
    ]
}

fn of_tables() -> Vec<(&'static str, Json)> {
    let throughput = json!({"ReadCapacityUnits": 1, "WriteCapacityUnits": 1});
    let mut another = create();
    put(&mut another, "TableName", json!("another"));
    put(&mut another, "Tags", json!([{"Key": "a", "Value": "b"}]));
    put(&mut another, "SSESpecification", json!({"Enabled": true}));
    vec![
        ("CreateTable", another),
        (
            "UpdateTable",
            json!({"TableName": "victim", "BillingMode": "PROVISIONED",
            "DeletionProtectionEnabled": false, "ProvisionedThroughput": throughput,
            "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by_s"}}]}),
        ),
        (
            "UpdateTable",
            json!({"TableName": "victim",
            "AttributeDefinitions": [{"AttributeName": "n", "AttributeType": "N"}],
            "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "by_n", "Projection": {"ProjectionType": "ALL"},
                "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}]}}]}),
        ),
        ("DescribeTable", json!({"TableName": "victim"})),
        ("ListTables", json!({"Limit": 3, "ExclusiveStartTableName": "abc"})),
        ("DeleteTable", json!({"TableName": "another"})),
        ("TagResource", json!({"ResourceArn": ARN, "Tags": [{"Key": "k", "Value": "v"}]})),
        ("UntagResource", json!({"ResourceArn": ARN, "TagKeys": ["k"]})),
        ("ListTagsOfResource", json!({"ResourceArn": ARN})),
        ("DescribeLimits", json!({})),
        ("DescribeEndpoints", json!({})),
        (
            "UpdateTimeToLive",
            json!({"TableName": "victim",
            "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "n"}}),
        ),
        ("DescribeTimeToLive", json!({"TableName": "victim"})),
    ]
}

fn of_streams_and_copies() -> Vec<(&'static str, Json)> {
    let stream = format!("{ARN}/stream/2023-11-14T22:18:20.000");
    let backup = format!("{ARN}/backup/01700000300000-00000000");
    vec![
        ("ListStreams", json!({"TableName": "victim", "Limit": 2})),
        ("DescribeStream", json!({"StreamArn": stream, "Limit": 2})),
        (
            "GetShardIterator",
            json!({"StreamArn": stream, "ShardId": "shardId-00000001700000300000-00000000",
            "ShardIteratorType": "TRIM_HORIZON"}),
        ),
        ("GetRecords", json!({"ShardIterator": stream, "Limit": 2})),
        ("DescribeContinuousBackups", json!({"TableName": "victim"})),
        (
            "UpdateContinuousBackups",
            json!({"TableName": "victim",
            "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 3}}),
        ),
        (
            "RestoreTableToPointInTime",
            json!({"SourceTableName": "victim", "TargetTableName": "restored",
            "UseLatestRestorableTime": true, "BillingModeOverride": "PAY_PER_REQUEST"}),
        ),
        ("CreateBackup", json!({"TableName": "victim", "BackupName": "copy"})),
        ("DescribeBackup", json!({"BackupArn": backup})),
        ("ListBackups", json!({"TableName": "victim", "BackupType": "ALL", "TimeRangeLowerBound": 1})),
        ("RestoreTableFromBackup", json!({"BackupArn": backup, "TargetTableName": "restored"})),
        ("DeleteBackup", json!({"BackupArn": backup})),
        (
            "EnableKinesisStreamingDestination",
            json!({"TableName": "victim", "StreamArn": "arn:aws:kinesis:x:y:stream/z"}),
        ),
        ("DescribeKinesisStreamingDestination", json!({"TableName": "victim"})),
        (
            "ExportTableToPointInTime",
            json!({"TableArn": ARN, "S3Bucket": "bucket", "ExportFormat": "DYNAMODB_JSON"}),
        ),
        ("ListExports", json!({"TableArn": ARN, "MaxResults": 2})),
        ("ListImports", json!({"TableArn": ARN})),
    ]
}

/// Puts something else in one place of a request, or takes something away.
pub(crate) fn spoil(source: &mut Source<'_>, request: &mut Json) {
    let mut places = Vec::new();
    collect(request, &mut String::new(), &mut places);
    let place = source.pick(&places).clone();
    let Some(node) = request.pointer_mut(&place) else { return };
    match source.byte() % 8 {
        0 => *node = junk(source),
        1 => take_away(source, node),
        2 => add(source, node),
        3 => {
            let copy = node.clone();
            if let Some(list) = node.as_array_mut() {
                let times = 1 + source.below(120);
                let one = list.first().cloned().unwrap_or(Json::Null);
                list.extend(std::iter::repeat_n(one, times));
            } else {
                *node = json!([copy]);
            }
        }
        4 => *node = nested(source),
        _ => *node = cousin(source, node),
    }
}

fn collect(node: &Json, path: &mut String, places: &mut Vec<String>) {
    places.push(path.clone());
    let length = path.len();
    match node {
        Json::Object(members) => {
            for (name, child) in members {
                path.push('/');
                path.push_str(&name.replace('~', "~0").replace('/', "~1"));
                collect(child, path, places);
                path.truncate(length);
            }
        }
        Json::Array(members) => {
            for (number, child) in members.iter().enumerate() {
                path.push_str(&format!("/{number}"));
                collect(child, path, places);
                path.truncate(length);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

fn take_away(source: &mut Source<'_>, node: &mut Json) {
    match node {
        Json::Object(members) => {
            let names: Vec<String> = members.keys().cloned().collect();
            if let Some(name) = names.get(source.below(names.len())) {
                members.remove(name);
            }
        }
        Json::Array(members) => drop(members.pop()),
        Json::String(text) => drop(text.pop()),
        Json::Null | Json::Bool(_) | Json::Number(_) => *node = Json::Null,
    }
}

const NAMES: [&str; 40] = [
    "pk",
    "sk",
    "s",
    "n",
    "l",
    "m",
    "S",
    "N",
    "B",
    "SS",
    "NS",
    "BS",
    "L",
    "M",
    "BOOL",
    "NULL",
    "TableName",
    "Key",
    "Item",
    "Limit",
    "Select",
    "IndexName",
    "KeyConditionExpression",
    "FilterExpression",
    "ConditionExpression",
    "UpdateExpression",
    "ProjectionExpression",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "ExclusiveStartKey",
    "Expected",
    "ReturnValues",
    "Segment",
    "TotalSegments",
    "AttributesToGet",
    "ConsistentRead",
    "ScanIndexForward",
    "Put",
    "ReturnValuesOnConditionCheckFailure",
    "ClientRequestToken",
];

fn add(source: &mut Source<'_>, node: &mut Json) {
    let (name, value) =
        (*source.pick(&NAMES), if source.byte().is_multiple_of(2) { junk(source) } else { plausible(source) });
    match node {
        Json::Object(members) => drop(members.insert(name.to_string(), value)),
        Json::Array(members) => members.push(value),
        Json::String(text) => text.push_str(&String::from_utf8_lossy(source.take(4))),
        Json::Null | Json::Bool(_) | Json::Number(_) => *node = value,
    }
}

/// A value that is probably of the wrong type.
fn junk(source: &mut Source<'_>) -> Json {
    static CHOICES: OnceLock<Vec<Json>> = OnceLock::new();
    let choices = CHOICES.get_or_init(|| {
        vec![
            json!(null),
            json!(true),
            json!(0),
            json!(-1),
            json!(1.5),
            json!(2_147_483_648_u64),
            json!(u64::MAX),
            json!(1e300),
            json!(""),
            json!([]),
            json!({}),
            json!([[]]),
            json!([null]),
            json!({"": ""}),
            json!({"S": 1}),
            json!({"S": "a", "N": "1"}),
            json!({"N": "1e1000"}),
            json!({"N": ""}),
            json!({"B": "not base64!"}),
            json!({"SS": []}),
            json!({"NS": ["1", "1.0"]}),
            json!({"NULL": false}),
            json!({"X": "y"}),
            json!({"S": null}),
        ]
    });
    source.pick(choices).clone()
}

/// An attribute value or a word that could stand in many places.
fn plausible(source: &mut Source<'_>) -> Json {
    static CHOICES: OnceLock<Vec<Json>> = OnceLock::new();
    let choices = CHOICES.get_or_init(|| {
        vec![
            json!({"S": "a"}),
            json!({"N": "1"}),
            json!({"N": "-0.5E-3"}),
            json!({"B": "AA=="}),
            json!({"BOOL": false}),
            json!({"NULL": true}),
            json!({"L": [{"N": "1"}]}),
            json!({"M": {"k": {"S": "v"}}}),
            json!({"SS": ["x", "y"]}),
            json!({"NS": ["1", "2"]}),
            json!({"BS": ["AQ=="]}),
            json!({"pk": {"S": "a"}, "sk": {"N": "1"}}),
            json!("victim"),
            json!("a = :v AND b < :n"),
            json!("SET a = :v"),
            json!("pk = :v"),
            json!("a, b.c, d[1]"),
            json!(1),
            json!("ALL_NEW"),
            json!("COUNT"),
            json!("INDEXES"),
            json!({":v": {"S": "a"}}),
            json!({"#s": "s"}),
            json!({"S": "x".repeat(1100)}),
            json!({"S": "x".repeat(2100)}),
        ]
    });
    source.pick(choices).clone()
}

/// Another value of the same JSON type, so that the request gets past its decoding.
fn cousin(source: &mut Source<'_>, node: &Json) -> Json {
    let words = [
        "",
        "a",
        "pk",
        "sk",
        "s",
        "by_s",
        "by_local",
        "victim",
        "another",
        "S",
        "N",
        "-1",
        "0",
        "1e125",
        "1E-130",
        "99999999999999999999999999999999999999",
        "HASH",
        "RANGE",
        "ALL_NEW",
        "ALL_OLD",
        "UPDATED_NEW",
        "SIZE",
        "TOTAL",
        "KEYS_ONLY",
        "INCLUDE",
        "ALL",
        "EQ",
        "BETWEEN",
        "IN",
        "NOT_NULL",
        ARN,
        "TRIM_HORIZON",
        "LATEST",
        "attribute_exists(a)",
        "size(l) > :n",
        "SET l[0] = :v",
        "REMOVE l[1], m.k",
        "ADD ns :n",
        "pk = :v AND sk > :n",
    ];
    match node {
        Json::String(text) if source.byte().is_multiple_of(2) => {
            let mut bytes = text.clone().into_bytes();
            let place = source.below(bytes.len().max(1));
            let piece = source.take(3);
            bytes.splice(place.min(bytes.len())..place.min(bytes.len()), piece.iter().copied());
            json!(String::from_utf8_lossy(&bytes))
        }
        Json::String(_) => json!(*source.pick(&words)),
        Json::Bool(value) => json!(!value),
        Json::Number(_) => {
            json!(*source.pick(&[0i64, -1, 1, 5, 100, 101, 1_000_000, 1_000_001, 2_147_483_647]))
        }
        Json::Array(members) => json!(members.iter().rev().collect::<Vec<_>>()),
        Json::Object(members) => {
            let mut more: Map<String, Json> = members.clone();
            more.insert((*source.pick(&NAMES)).to_string(), plausible(source));
            Json::Object(more)
        }
        Json::Null => plausible(source),
    }
}

/// Lists in maps in lists.
fn nested(source: &mut Source<'_>) -> Json {
    let levels = source.below(45);
    (0..levels).fold(json!({"S": "leaf"}), |value, level| {
        if level % 2 == 0 { json!({"M": {"k": value}}) } else { json!({"L": [value]}) }
    })
}

fn put(object: &mut Json, name: &str, value: Json) {
    if let Some(object) = object.as_object_mut() {
        object.insert(name.to_string(), value);
    }
}
