//! A request of every operation that is in order; `$STREAM` and the like stand for names that an engine gives. Knows no
//! engine.

use std::sync::OnceLock;

use serde_json::{Value as Json, json};

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

/// The table that every input begins with, by its long name.
pub(crate) const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/victim";

/// A request of every operation, with the operation's name.
pub(crate) fn valid() -> &'static [(&'static str, Json)] {
    static ALL: OnceLock<Vec<(&'static str, Json)>> = OnceLock::new();
    ALL.get_or_init(|| {
        [of_items(), of_pages_and_batches(), of_tables(), of_streams_and_recovery(), of_jobs_and_settings()]
            .concat()
    })
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

fn of_streams_and_recovery() -> Vec<(&'static str, Json)> {
    vec![
        ("ListStreams", json!({"TableName": "victim", "Limit": 2})),
        ("DescribeStream", json!({"StreamArn": "$STREAM", "Limit": 2})),
        (
            "GetShardIterator",
            json!({"StreamArn": "$STREAM", "ShardId": "$SHARD", "ShardIteratorType": "AFTER_SEQUENCE_NUMBER",
            "SequenceNumber": "$NUMBER"}),
        ),
        (
            "GetShardIterator",
            json!({"StreamArn": "$STREAM", "ShardId": "$SHARD", "ShardIteratorType": "TRIM_HORIZON"}),
        ),
        ("GetRecords", json!({"ShardIterator": "$ITERATOR", "Limit": 2})),
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
        (
            "RestoreTableToPointInTime",
            json!({"SourceTableArn": ARN, "TargetTableName": "restored", "RestoreDateTime": 1_700_000_300.5,
            "GlobalSecondaryIndexOverride": [], "LocalSecondaryIndexOverride": []}),
        ),
        ("CreateBackup", json!({"TableName": "victim", "BackupName": "copy"})),
        ("DescribeBackup", json!({"BackupArn": "$BACKUP"})),
        (
            "ListBackups",
            json!({"TableName": "victim", "BackupType": "ALL", "TimeRangeLowerBound": 1, "Limit": 1,
            "TimeRangeUpperBound": 1_800_000_000.25, "ExclusiveStartBackupArn": "$BACKUP"}),
        ),
        (
            "RestoreTableFromBackup",
            json!({"BackupArn": "$BACKUP", "TargetTableName": "restored",
            "SSESpecificationOverride": {"Enabled": true}}),
        ),
        ("DeleteBackup", json!({"BackupArn": "$BACKUP"})),
    ]
}

fn of_jobs_and_settings() -> Vec<(&'static str, Json)> {
    let kinesis = json!({"TableName": "victim", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/z",
        "EnableKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MICROSECOND"}});
    let mut made = create();
    put(&mut made, "TableName", json!("made"));
    if let Some(made) = made.as_object_mut() {
        made.remove("LocalSecondaryIndexes");
        made.remove("StreamSpecification");
    }
    vec![
        ("EnableKinesisStreamingDestination", kinesis.clone()),
        ("DisableKinesisStreamingDestination", kinesis),
        (
            "UpdateKinesisStreamingDestination",
            json!({"TableName": "victim", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/z",
            "UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MILLISECOND"}}),
        ),
        ("DescribeKinesisStreamingDestination", json!({"TableName": "victim"})),
        (
            "ExportTableToPointInTime",
            json!({"TableArn": ARN, "S3Bucket": "bucket", "ExportFormat": "ION", "ExportTime": 1_700_000_300,
            "S3Prefix": "out/", "ClientToken": "t", "S3SseAlgorithm": "AES256"}),
        ),
        (
            "ExportTableToPointInTime",
            json!({"TableArn": ARN, "S3Bucket": "bucket", "ExportType": "INCREMENTAL_EXPORT",
            "IncrementalExportSpecification": {"ExportFromTime": 1_700_000_300, "ExportToTime": 1_700_001_300,
                "ExportViewType": "NEW_IMAGE"}}),
        ),
        ("DescribeExport", json!({"ExportArn": format!("{ARN}/export/01695353076000-a1e9a8d1")})),
        ("ListExports", json!({"TableArn": ARN, "MaxResults": 2})),
        (
            "ImportTable",
            json!({"ClientToken": "t", "S3BucketSource": {"S3Bucket": "files", "S3KeyPrefix": "in/"},
            "InputFormat": "CSV", "InputCompressionType": "GZIP", "TableCreationParameters": made,
            "InputFormatOptions": {"Csv": {"Delimiter": ";", "HeaderList": ["pk", "sk"]}}}),
        ),
        ("DescribeImport", json!({"ImportArn": format!("{ARN}/import/01695353076000-a1e9a8d1")})),
        ("ListImports", json!({"TableArn": ARN, "PageSize": 5})),
        (
            "StartBulkPutItems",
            json!({"TableName": "victim", "ClientToken": "t", "MaxWriteRequestUnits": 2000,
            "PerformanceTier": "STANDARD",
            "InputS3Configuration": {"S3Bucket": "files", "S3KeyPrefix": "in/", "InputFormat": "DYNAMODB_JSON"},
            "OutputS3Configuration": {"S3Bucket": "files", "OutputType": ["ERROR"]}}),
        ),
        ("DescribeBulkOperation", json!({"BulkOperationArn": "$BULK"})),
        ("ListBulkOperations", json!({"MaxResults": 5})),
        ("CancelBulkOperation", json!({"BulkOperationArn": "$BULK"})),
        ("PutResourcePolicy", json!({"ResourceArn": ARN, "Policy": "{}", "ExpectedRevisionId": "1"})),
        ("GetResourcePolicy", json!({"ResourceArn": ARN})),
        (
            "UpdateContributorInsights",
            json!({"TableName": "victim", "IndexName": "by_s", "ContributorInsightsAction": "ENABLE"}),
        ),
        ("DescribeContributorInsights", json!({"TableName": "victim"})),
    ]
}

fn put(object: &mut Json, name: &str, value: Json) {
    if let Some(object) = object.as_object_mut() {
        object.insert(name.to_string(), value);
    }
}
