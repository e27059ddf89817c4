//! What the tests of this crate share: requests that must be refused with a text, and answers that must be written.

use op::{Kind, Name, Operation, Output};

use crate::{decode, encode};

/// Decodes a request that is in order.
#[track_caller]
pub(crate) fn accept(name: Name, body: &str) -> Operation {
    match decode(name, body.as_bytes(), "localhost:8000") {
        Ok(operation) => operation,
        Err(error) => panic!("{body}: {error:?}"),
    }
}

/// Each request is refused with its text. A text that begins with `~` is of a SerializationException; the others are
/// of ValidationExceptions. `#` stands for `1 validation error detected: ` and `…` for
/// ` failed to satisfy constraint: Member must`.
#[track_caller]
pub(crate) fn refuse(name: Name, rows: &[(&str, &str)]) {
    for (body, expected) in rows {
        let error = match decode(name, body.as_bytes(), "localhost:8000") {
            Ok(operation) => panic!("{body}: {operation:?}"),
            Err(error) => error,
        };
        let expected = expected.replace('…', " failed to satisfy constraint: Member must").replacen(
            '#',
            "1 validation error detected: ",
            usize::from(expected.starts_with('#')),
        );
        match expected.strip_prefix('~') {
            Some(text) => {
                assert_eq!((error.kind, error.message.as_str()), (Kind::Serialization, text), "{body}")
            }
            None => assert_eq!((error.kind, error.message), (Kind::Validation, expected), "{body}"),
        }
    }
}

/// The body of an answer.
pub(crate) fn written(output: &Output, request_body: &str) -> String {
    let mut out = Vec::new();
    encode(output, request_body.as_bytes(), &mut out);
    String::from_utf8(out).expect("bodies are UTF-8")
}

/// A sequence of numbers without pattern, the same in every run.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

/// A request that is in order, of every operation.
const REQUESTS: &[(Name, &str)] = &[
    (
        Name::PutItem,
        r##"{"TableName":"tab","Item":{"pk":{"S":"a\u00e9"},"n":{"N":"1.5"},"b":{"B":"YQ=="},"l":{"L":[{"NULL":true},{"BOOL":false}]},"m":{"M":{"x":{"SS":["a"]}}},"ns":{"NS":["1"]},"bs":{"BS":["YQ=="]}},"ConditionExpression":"#a = :a","ExpressionAttributeNames":{"#a":"a"},"ExpressionAttributeValues":{":a":{"S":"x"}},"ReturnValues":"ALL_OLD","ReturnConsumedCapacity":"TOTAL"}"##,
    ),
    (
        Name::PutItem,
        r#"{"TableName":"tab","Item":{"pk":{"S":"a"}},"Expected":{"a":{"ComparisonOperator":"IN","AttributeValueList":[{"S":"x"}]},"b":{"Exists":false},"c":{"Value":{"N":"1"}}},"ConditionalOperator":"OR"}"#,
    ),
    (
        Name::UpdateItem,
        r#"{"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/tab","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET a = :a REMOVE b","ExpressionAttributeValues":{":a":{"S":"x"}},"ReturnValues":"UPDATED_NEW"}"#,
    ),
    (
        Name::UpdateItem,
        r#"{"TableName":"tab","Key":{"pk":{"S":"a"}},"AttributeUpdates":{"a":{"Value":{"S":"x"},"Action":"PUT"},"b":{"Action":"DELETE"}}}"#,
    ),
    (Name::DeleteItem, r#"{"TableName":"tab","Key":{"pk":{"S":"a"}},"ReturnItemCollectionMetrics":"SIZE"}"#),
    (
        Name::GetItem,
        r##"{"TableName":"tab","Key":{"pk":{"S":"a"}},"ProjectionExpression":"a.b[1],#c","ExpressionAttributeNames":{"#c":"c"},"ConsistentRead":true}"##,
    ),
    (
        Name::Query,
        r#"{"TableName":"tab","IndexName":"idx","KeyConditionExpression":"pk = :p AND sk > :s","FilterExpression":"x = :s","ExpressionAttributeValues":{":p":{"S":"a"},":s":{"N":"1"}},"Limit":3,"ScanIndexForward":false,"Select":"COUNT","ExclusiveStartKey":{"pk":{"S":"a"}}}"#,
    ),
    (
        Name::Query,
        r#"{"TableName":"tab","KeyConditions":{"pk":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"a"}]}},"QueryFilter":{"x":{"ComparisonOperator":"NULL"}},"AttributesToGet":["a","b"]}"#,
    ),
    (
        Name::Scan,
        r#"{"TableName":"tab","FilterExpression":"attribute_exists(a)","Segment":1,"TotalSegments":4,"Limit":1}"#,
    ),
    (
        Name::BatchGetItem,
        r#"{"RequestItems":{"tab":{"Keys":[{"pk":{"S":"a"}},{"pk":{"S":"b"}}],"ConsistentRead":true},"other":{"Keys":[{"pk":{"N":"1"}}]}}}"#,
    ),
    (
        Name::BatchWriteItem,
        r#"{"RequestItems":{"tab":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}},{"DeleteRequest":{"Key":{"pk":{"S":"b"}}}}]}}"#,
    ),
    (Name::TransactGetItems, r#"{"TransactItems":[{"Get":{"TableName":"tab","Key":{"pk":{"S":"a"}}}}]}"#),
    (
        Name::TransactWriteItems,
        r#"{"TransactItems":[{"Put":{"TableName":"tab","Item":{"pk":{"S":"a"}}}},{"Update":{"TableName":"tab","Key":{"pk":{"S":"b"}},"UpdateExpression":"SET a = :a","ExpressionAttributeValues":{":a":{"N":"1"}}}},{"Delete":{"TableName":"tab","Key":{"pk":{"S":"c"}}}},{"ConditionCheck":{"TableName":"tab","Key":{"pk":{"S":"d"}},"ConditionExpression":"attribute_exists(pk)"}}],"ClientRequestToken":"token"}"#,
    ),
    (
        Name::CreateTable,
        r#"{"TableName":"tab","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"N"},{"AttributeName":"g","AttributeType":"B"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":2},"GlobalSecondaryIndexes":[{"IndexName":"gidx","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"},"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":2}}],"LocalSecondaryIndexes":[{"IndexName":"lidx","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"g","KeyType":"RANGE"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x"]}}],"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"},"SSESpecification":{"Enabled":true,"SSEType":"KMS"},"TableClass":"STANDARD","Tags":[{"Key":"a","Value":"b"}],"DeletionProtectionEnabled":true,"WarmThroughput":{"ReadUnitsPerSecond":12000}}"#,
    ),
    (
        Name::UpdateTable,
        r#"{"TableName":"tab","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"x","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"idx","KeySchema":[{"AttributeName":"x","KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}},{"Update":{"IndexName":"abc","OnDemandThroughput":{"MaxReadRequestUnits":5}}}]}"#,
    ),
    (Name::DeleteTable, r#"{"TableName":"tab"}"#),
    (Name::DescribeTable, r#"{"TableName":"tab"}"#),
    (Name::ListTables, r#"{"ExclusiveStartTableName":"tab","Limit":10}"#),
    (Name::DescribeContinuousBackups, r#"{"TableName":"tab"}"#),
    (Name::DescribeEndpoints, "{}"),
    (Name::DescribeLimits, "{}"),
    (Name::DescribeTimeToLive, r#"{"TableName":"tab"}"#),
    (
        Name::UpdateTimeToLive,
        r#"{"TableName":"tab","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"ttl"}}"#,
    ),
    (Name::ListTagsOfResource, r#"{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab"}"#),
    (
        Name::TagResource,
        r#"{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab","Tags":[{"Key":"a","Value":"b"}]}"#,
    ),
    (
        Name::UntagResource,
        r#"{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab","TagKeys":["a"]}"#,
    ),
    (
        Name::ListStreams,
        r#"{"TableName":"tab","Limit":3,"ExclusiveStartStreamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab/stream/2026-11-15T00:00:00.000"}"#,
    ),
    (
        Name::DescribeStream,
        r#"{"StreamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab/stream/2026-11-15T00:00:00.000","Limit":3,"ExclusiveStartShardId":"shardId-00000001791316726480-abcdef01","ShardFilter":{"Type":"CHILD_SHARDS","ShardId":"shardId-00000001791316726480-abcdef01"}}"#,
    ),
    (
        Name::GetShardIterator,
        r#"{"StreamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab/stream/2026-11-15T00:00:00.000","ShardId":"shardId-00000001791316726480-abcdef01","ShardIteratorType":"AT_SEQUENCE_NUMBER","SequenceNumber":"100000000000000000001"}"#,
    ),
    (
        Name::GetShardIterator,
        r#"{"StreamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab/stream/2026-11-15T00:00:00.000","ShardId":"shardId-00000001791316726480-abcdef01","ShardIteratorType":"AT_TIMESTAMP","Timestamp":1791316726.480}"#,
    ),
    (Name::GetRecords, r#"{"ShardIterator":"x","Limit":10}"#),
    (
        Name::UpdateContinuousBackups,
        r#"{"TableName":"tab","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":7}}"#,
    ),
    (
        Name::RestoreTableToPointInTime,
        r#"{"SourceTableName":"tab","TargetTableName":"new","RestoreDateTime":1791316726.480,"BillingModeOverride":"PROVISIONED","ProvisionedThroughputOverride":{"ReadCapacityUnits":1,"WriteCapacityUnits":2},"GlobalSecondaryIndexOverride":[{"IndexName":"idx","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x"]},"ProvisionedThroughput":{"ReadCapacityUnits":3,"WriteCapacityUnits":4}}],"LocalSecondaryIndexOverride":[{"IndexName":"lidx","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"g","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],"SSESpecificationOverride":{"Enabled":true,"SSEType":"KMS","KMSMasterKeyId":"k"}}"#,
    ),
    (
        Name::RestoreTableToPointInTime,
        r#"{"SourceTableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab","TargetTableName":"new","UseLatestRestorableTime":true,"OnDemandThroughputOverride":{"MaxReadRequestUnits":5,"MaxWriteRequestUnits":5}}"#,
    ),
    (Name::CreateBackup, r#"{"TableName":"tab","BackupName":"bak"}"#),
    (
        Name::DescribeBackup,
        r#"{"BackupArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab/backup/01791504762511-2779fadd"}"#,
    ),
    (
        Name::DeleteBackup,
        r#"{"BackupArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab/backup/01791504762511-2779fadd"}"#,
    ),
    (
        Name::ListBackups,
        r#"{"TableName":"tab","Limit":3,"TimeRangeLowerBound":1.5,"TimeRangeUpperBound":2,"ExclusiveStartBackupArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab/backup/01791504762511-2779fadd","BackupType":"ALL"}"#,
    ),
    (
        Name::RestoreTableFromBackup,
        r#"{"BackupArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab/backup/01791504762511-2779fadd","TargetTableName":"new","BillingModeOverride":"PAY_PER_REQUEST","GlobalSecondaryIndexOverride":[],"LocalSecondaryIndexOverride":[]}"#,
    ),
    (
        Name::ExportTableToPointInTime,
        r##"{"TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab","ExportTime":1791316726.480,"ClientToken":"token","S3Bucket":"bucket","S3BucketOwner":"000000000000","S3Prefix":"pre","S3SseAlgorithm":"KMS","S3SseKmsKeyId":"key","ExportFormat":"ION","ExportType":"FULL_EXPORT","FilterSpecification":{"FilterExpression":"#a > :a","ProjectionExpression":"#a","KeyConditionExpression":"pk = :p","ExpressionAttributeNames":{"#a":"a"},"ExpressionAttributeValues":{":a":{"N":"1"},":p":{"S":"x"}}}}"##,
    ),
    (
        Name::ExportTableToPointInTime,
        r#"{"TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab","S3Bucket":"bucket","ExportType":"INCREMENTAL_EXPORT","IncrementalExportSpecification":{"ExportFromTime":1,"ExportToTime":2.5,"ExportViewType":"NEW_IMAGE"}}"#,
    ),
    (
        Name::DescribeExport,
        r#"{"ExportArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab/export/01791504762511-2779fadd"}"#,
    ),
    (
        Name::ListExports,
        r#"{"TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab","MaxResults":3,"NextToken":"x"}"#,
    ),
    (
        Name::ImportTable,
        r#"{"ClientToken":"token","S3BucketSource":{"S3Bucket":"bucket","S3BucketOwner":"000000000000","S3KeyPrefix":"pre"},"InputFormat":"CSV","InputFormatOptions":{"Csv":{"Delimiter":";","HeaderList":["pk","x"]}},"InputCompressionType":"GZIP","TableCreationParameters":{"TableName":"tab","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST","OnDemandThroughput":{"MaxReadRequestUnits":5},"SSESpecification":{"Enabled":true,"SSEType":"KMS"},"GlobalSecondaryIndexes":[{"IndexName":"idx","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]}}"#,
    ),
    (
        Name::DescribeImport,
        r#"{"ImportArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab/import/01791504762511-2779fadd"}"#,
    ),
    (
        Name::ListImports,
        r#"{"TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab","PageSize":3,"NextToken":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}"#,
    ),
    (
        Name::StartBulkPutItems,
        r#"{"ClientToken":"token","TableName":"tab","InputS3Configuration":{"S3Bucket":"bucket","S3BucketOwner":"000000000000","S3KeyPrefix":"pre","InputFormat":"ION","InputCompressionType":"ZSTD"},"OutputS3Configuration":{"S3Bucket":"bucket","S3BucketOwner":"000000000000","S3KeyPrefix":"pre","S3SseAlgorithm":"KMS","S3SseKmsKeyId":"key","OutputType":["ERROR","CONDITION_CHECK_FAILURE"]},"MaxWriteRequestUnits":2000,"PerformanceTier":"ACCELERATED"}"#,
    ),
    (
        Name::DescribeBulkOperation,
        r#"{"BulkOperationArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab/bulk/01791504762511-2779fadd"}"#,
    ),
    (
        Name::CancelBulkOperation,
        r#"{"BulkOperationArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab/bulk/01791504762511-2779fadd"}"#,
    ),
    (Name::ListBulkOperations, r#"{"MaxResults":3,"NextToken":"0123456789abcdef"}"#),
    (
        Name::EnableKinesisStreamingDestination,
        r#"{"TableName":"tab","StreamArn":"arn:aws:kinesis:us-east-1:000000000000:stream/changes","EnableKinesisStreamingConfiguration":{"ApproximateCreationDateTimePrecision":"MICROSECOND"}}"#,
    ),
    (
        Name::DisableKinesisStreamingDestination,
        r#"{"TableName":"tab","StreamArn":"arn:aws:kinesis:us-east-1:000000000000:stream/changes"}"#,
    ),
    (
        Name::UpdateKinesisStreamingDestination,
        r#"{"TableName":"tab","StreamArn":"arn:aws:kinesis:us-east-1:000000000000:stream/changes","UpdateKinesisStreamingConfiguration":{"ApproximateCreationDateTimePrecision":"MICROSECOND"}}"#,
    ),
    (Name::DescribeKinesisStreamingDestination, r#"{"TableName":"tab"}"#),
];

/// What is put in place of a value when a request is changed.
const PIECES: &[&str] = &[
    "null",
    "true",
    "3",
    "-1",
    "0",
    "1.5",
    "1e999",
    "\"\"",
    "\"x\"",
    "\"tab\"",
    "[]",
    "{}",
    "[null]",
    "[3]",
    "[[]]",
    "[{}]",
    "{\"a\":null}",
    "{\"a\":{}}",
    "{\"S\":\"\"}",
    "{\"N\":\"x\"}",
    "{\"SS\":[]}",
    "{\"B\":\"!\"}",
    "{\"M\":{\"\":{\"S\":\"\"}}}",
    "{\"L\":[3]}",
    "\"arn:aws:dynamodb:::table/tab\"",
    "\"\\ud800\"",
    "\"((((\"",
];

#[test]
fn every_operation_is_decoded() {
    for name in Name::all() {
        let is_decoded = decode(name, b"[]", "").is_err_and(|error| error.kind != Kind::UnknownOperation);
        assert_eq!(is_decoded, REQUESTS.iter().any(|row| row.0 == name), "{name:?}");
        assert!(is_decoded || !name.is_built(), "{name:?}");
    }
    for (name, body) in REQUESTS {
        accept(*name, body);
    }
}

/// Puts a piece in place of any value. Whatever is accepted, the model accepts too: `Request::decode` checks that in
/// tests.
#[test]
fn requests_with_one_value_changed_are_answered() {
    for (name, body) in REQUESTS {
        let starts: Vec<usize> =
            body.char_indices().filter(|(_, c)| matches!(c, ':' | '[' | ',')).map(|(at, _)| at + 1).collect();
        for start in starts {
            if let Some(length) = value_length(&body[start..]) {
                for piece in PIECES {
                    let changed = format!("{}{piece}{}", &body[..start], &body[start + length..]);
                    answer(*name, changed.as_bytes());
                }
            }
        }
    }
}

/// Decodes a request. What the fast way refuses as unmet, a rule of the model must have put into words.
#[track_caller]
fn answer(name: Name, body: &[u8]) {
    if let Err(error) = decode(name, body, "") {
        let text = String::from_utf8_lossy(body);
        assert!(!error.message.contains("is missing or not valid"), "{text}: {error:?}");
    }
}

/// The length of the value at the start of the text, if one is there.
fn value_length(text: &str) -> Option<usize> {
    (1..=text.len()).filter(|end| text.is_char_boundary(*end)).find(|end| {
        let next = text.as_bytes().get(*end);
        matches!(next, Some(b',' | b'}' | b']')) && crate::json::parse(&text.as_bytes()[..*end]).is_ok()
    })
}

#[test]
fn requests_with_random_bytes_changed_are_answered() {
    let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
    for round in 0..40_000 {
        let (name, body) = REQUESTS[round % REQUESTS.len()];
        let mut bytes = body.as_bytes().to_vec();
        for _ in 0..=chance.below(3) {
            bytes.extend(bytes.is_empty().then_some(b'{'));
            let at = chance.below(bytes.len());
            match chance.below(4) {
                0 => bytes[at] = chance.below(256) as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"{}[]\",:0\\"[chance.below(9)]),
                _ => bytes.truncate(at + 1),
            }
        }
        answer(name, &bytes);
    }
}

#[test]
fn bodies_that_are_no_objects_are_refused() {
    for name in Name::all().filter(|name| name.is_built()) {
        for body in ["", " ", "x", "3", "\"x\"", "[]", "[{}]", "true", "{", "{}x", "\u{feff}{}"] {
            let error = decode(name, body.as_bytes(), "").expect_err(body);
            assert_eq!(error.kind, Kind::Serialization, "{body}");
        }
    }
}

#[test]
fn hostile_bodies_are_refused_in_time() {
    let nested =
        |open: &str, count: usize| format!("{{\"TableName\":\"tab\",\"Item\":{}", open.repeat(count));
    for open in ["{\"a\":{\"M\":", "{\"a\":{\"L\":[", "[", "{\"a\":"] {
        for count in [30, 100, 100_000] {
            assert!(decode(Name::PutItem, nested(open, count).as_bytes(), "").is_err());
        }
    }
    let wide: String = (0..200_000).map(|n| format!(",\"k{n}\":0")).collect();
    assert!(decode(Name::GetItem, format!("{{\"TableName\":\"tab\"{wide}}}").as_bytes(), "").is_err());
    let tables: String = (0..50_000).map(|n| format!("\"t{n}!\":[],")).collect();
    let body = format!("{{\"RequestItems\":{{{tables}\"x\":[]}}}}");
    let error = decode(Name::BatchWriteItem, body.as_bytes(), "").expect_err("names are not valid");
    assert!(error.message.len() < 1 << 20);
}
