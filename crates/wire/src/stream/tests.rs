//! Requests and answers of operations on streams.

use item::{Item, Value};
use op::{
    KeyElement, KeyKind, Name, Operation, Output, Record, RecordEvent, Records, Shard, ShardPosition,
    StreamDescription, StreamStatus, StreamSummary, StreamView, Streams,
};

use crate::testing::{accept, refuse, written};

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/tab/stream/2026-11-15T00:00:00.000";
const SHARD: &str = "shardId-00000001791316726480-abcdef01";

#[test]
fn streams_are_asked_for() {
    let Operation::ListStreams(all) = accept(Name::ListStreams, "{}") else { panic!() };
    assert_eq!((all.table, all.start, all.limit), (None, None, 100));
    let body = format!(r#"{{"StreamArn":"{ARN}","Limit":3,"ExclusiveStartShardId":"{SHARD}"}}"#);
    let Operation::DescribeStream(asked) = accept(Name::DescribeStream, &body) else { panic!() };
    assert_eq!((asked.arn.as_str(), asked.limit, asked.children_of), (ARN, 3, None));
    assert_eq!(asked.start.as_deref(), Some(SHARD));
    let body =
        format!(r#"{{"StreamArn":"{ARN}","ShardFilter":{{"Type":"CHILD_SHARDS","ShardId":"{SHARD}"}}}}"#);
    let Operation::DescribeStream(asked) = accept(Name::DescribeStream, &body) else { panic!() };
    assert_eq!(asked.children_of.as_deref(), Some(SHARD));
    let Operation::GetRecords(asked) = accept(Name::GetRecords, r#"{"ShardIterator":"x"}"#) else { panic!() };
    assert_eq!((asked.iterator.as_str(), asked.limit), ("x", 1000));
}

#[test]
fn places_in_shards_are_asked_for() {
    let number = "100000000000000000001";
    for (rest, position) in [
        (r#""TRIM_HORIZON""#.to_owned(), ShardPosition::TrimHorizon),
        (r#""LATEST""#.to_owned(), ShardPosition::Latest),
        (
            format!(r#""AT_SEQUENCE_NUMBER","SequenceNumber":"{number}""#),
            ShardPosition::At(number.to_owned()),
        ),
        (
            format!(r#""AFTER_SEQUENCE_NUMBER","SequenceNumber":"{number}""#),
            ShardPosition::After(number.to_owned()),
        ),
        (r#""AT_TIMESTAMP","Timestamp":1791316726.480"#.to_owned(), ShardPosition::AtTime(1_791_316_726_480)),
        (r#""AT_TIMESTAMP","Timestamp":-5"#.to_owned(), ShardPosition::AtTime(0)),
        (r#""AT_TIMESTAMP","Timestamp":1e300"#.to_owned(), ShardPosition::AtTime(253_402_300_799_999)),
    ] {
        let body = format!(r#"{{"StreamArn":"{ARN}","ShardId":"{SHARD}","ShardIteratorType":{rest}}}"#);
        let Operation::GetShardIterator(asked) = accept(Name::GetShardIterator, &body) else { panic!() };
        assert_eq!(asked.position, position, "{body}");
    }
}

#[test]
fn requests_on_streams_are_refused() {
    refuse(
        Name::ListStreams,
        &[
            (r#"{"Limit":0}"#, "#Value '0' at 'limit'… have value greater than or equal to 1"),
            (r#"{"Limit":101}"#, "#Value '101' at 'limit'… have value less than or equal to 100"),
            (r#"{"Limit":"1"}"#, "~STRING_VALUE cannot be converted to Integer"),
            (
                r#"{"TableName":"a!"}"#,
                "2 validation errors detected: Value 'a!' at 'tableName'… satisfy regular expression pattern: \
                 [a-zA-Z0-9_.-]+; Value 'a!' at 'tableName'… have length greater than or equal to 3",
            ),
            (r#"{"ExclusiveStartStreamArn":"x"}"#, "Invalid StreamArn"),
        ],
    );
    let with = |rest: &str| format!(r#"{{"StreamArn":"{ARN}"{rest}}}"#);
    refuse(
        Name::DescribeStream,
        &[
            ("{}", "#Value null at 'streamArn'… not be null"),
            (r#"{"StreamArn":"fake-stream"}"#, "Invalid StreamArn"),
            (r#"{"StreamArn":3}"#, "~NUMBER_VALUE cannot be converted to String"),
            (
                &with(r#","ShardFilter":{"Type":"PARENTS"}"#),
                "#Value 'PARENTS' at 'shardFilter.type'… satisfy enum value set: [CHILD_SHARDS]",
            ),
            (
                &with(r#","ShardFilter":{"ShardId":"x"}"#),
                "#Value 'x' at 'shardFilter.shardId'… have length greater than or equal to 28",
            ),
            (
                &with(r#","ShardFilter":[]"#),
                "~Unrecognized collection type class com.amazonaws.dynamodb.v20120810.ShardFilter",
            ),
        ],
    );
}

#[test]
fn requests_on_shards_are_refused() {
    let with = |rest: &str| format!(r#"{{"StreamArn":"{ARN}"{rest}}}"#);
    let place = |rest: &str| with(&format!(r#","ShardId":"{SHARD}","ShardIteratorType":{rest}"#));
    let said = "One or more parameter values were invalid:";
    refuse(
        Name::GetShardIterator,
        &[
            (
                &with(""),
                "2 validation errors detected: Value null at 'shardId'… not be null; Value null at \
                 'shardIteratorType'… not be null",
            ),
            (
                &place(r#""AT_SEQUENCE_NUMBER""#),
                &format!(
                    "{said} SequenceNumber must be specified when ShardIteratorType is AT_SEQUENCE_NUMBER"
                ),
            ),
            (
                &place(r#""LATEST","SequenceNumber":"100000000000000000001""#),
                &format!("{said} SequenceNumber must not be specified when ShardIteratorType is LATEST"),
            ),
            (&place(r#""LATEST","SequenceNumber":"abcdefghijklmnopqrstuvw""#), "Invalid SequenceNumber"),
            (
                &place(r#""AT_TIMESTAMP""#),
                &format!("{said} Timestamp must be specified when ShardIteratorType is AT_TIMESTAMP"),
            ),
            (
                &place(r#""TRIM_HORIZON","Timestamp":1"#),
                &format!("{said} Timestamp must not be specified when ShardIteratorType is TRIM_HORIZON"),
            ),
            (&place(r#""AT_TIMESTAMP","Timestamp":"now""#), "~STRING_VALUE cannot be converted to Date"),
        ],
    );
    refuse(
        Name::GetRecords,
        &[
            ("{}", "#Value null at 'shardIterator'… not be null"),
            (
                r#"{"ShardIterator":"","Limit":1001}"#,
                "2 validation errors detected: Value '' at 'shardIterator'… have length greater than or equal to 1; \
                 Value '1001' at 'limit'… have value less than or equal to 1000",
            ),
        ],
    );
}

#[test]
fn streams_are_written() {
    let stream = StreamSummary { arn: ARN.into(), table: "tab".into(), label: "label".into() };
    let listed = Output::Streams(Streams { streams: vec![stream], last: Some(ARN.into()) });
    assert_eq!(
        written(&listed, ""),
        format!(
            r#"{{"Streams":[{{"StreamArn":"{ARN}","TableName":"tab","StreamLabel":"label"}}],"LastEvaluatedStreamArn":"{ARN}"}}"#
        )
    );
    let described = Output::Stream(Box::new(StreamDescription {
        arn: ARN.into(),
        label: "label".into(),
        status: StreamStatus::Enabled,
        view: StreamView::NewAndOldImages,
        created_ms: 1500,
        table: "tab".into(),
        key_schema: vec![KeyElement { name: "pk".into(), kind: KeyKind::Hash }],
        shards: vec![
            Shard { id: "s0".into(), parent: None, first: "1".into(), last: Some("9".into()) },
            Shard { id: "s1".into(), parent: Some("s0".into()), first: "10".into(), last: None },
        ],
        last: Some("s1".into()),
    }));
    assert_eq!(
        written(&described, ""),
        [
            r#"{"StreamDescription":{"StreamArn":""#,
            ARN,
            r#"","StreamLabel":"label","StreamStatus":"ENABLED","StreamViewType":"NEW_AND_OLD_IMAGES","#,
            r#""CreationRequestDateTime":1.5,"TableName":"tab","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"#,
            r#""Shards":[{"ShardId":"s0","SequenceNumberRange":{"StartingSequenceNumber":"1","EndingSequenceNumber":"9"}},"#,
            r#"{"ShardId":"s1","SequenceNumberRange":{"StartingSequenceNumber":"10"},"ParentShardId":"s0"}],"#,
            r#""LastEvaluatedShardId":"s1"}}"#,
        ]
        .concat()
    );
    assert_eq!(written(&Output::ShardIterator("it|1".into()), ""), r#"{"ShardIterator":"it|1"}"#);
}

#[test]
fn records_are_written() {
    let item = |value: &str| Item::from([("pk".to_owned(), Value::S(value.into()))]);
    let changed = Record {
        id: "e1".into(),
        event: RecordEvent::Modify,
        sequence: "100000000000000000001".into(),
        created_ms: 1_791_316_726_480,
        keys: item("a"),
        old: Some(item("b")),
        new: Some(item("c")),
        size_bytes: 9,
        view: StreamView::NewAndOldImages,
        is_expiry: false,
    };
    let expired = Record {
        event: RecordEvent::Remove,
        old: None,
        new: None,
        view: StreamView::KeysOnly,
        is_expiry: true,
        ..changed.clone()
    };
    let begin = r#""eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"us-east-1","dynamodb":{"ApproximateCreationDateTime":1791316726.0,"Keys":{"pk":{"S":"a"}}"#;
    let end = r#""SequenceNumber":"100000000000000000001","SizeBytes":9,"StreamViewType""#;
    assert_eq!(
        written(&Output::Records(Records { records: vec![changed, expired], next: Some("n".into()) }), ""),
        [
            r#"{"Records":[{"eventID":"e1","eventName":"MODIFY","#,
            begin,
            r#","NewImage":{"pk":{"S":"c"}},"OldImage":{"pk":{"S":"b"}},"#,
            end,
            r#":"NEW_AND_OLD_IMAGES"}},{"eventID":"e1","eventName":"REMOVE","#,
            begin,
            ",",
            end,
            r#":"KEYS_ONLY"},"userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"}}],"NextShardIterator":"n"}"#,
        ]
        .concat()
    );
    assert_eq!(written(&Output::Records(Records::default()), ""), r#"{"Records":[]}"#);
}
