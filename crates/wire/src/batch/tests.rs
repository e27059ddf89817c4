//! Requests and answers of batches.

use item::{Item, Stored, Value};
use op::{BatchGetItemOutput, BatchWriteItemOutput, Name, Operation, Output, Write};

use crate::testing::{accept, refuse, written};

fn keys(count: usize) -> String {
    (0..count).map(|n| format!(r#"{{"pk":{{"S":"{n}"}}}}"#)).collect::<Vec<_>>().join(",")
}

#[test]
fn reads_are_refused() {
    let many = format!(r#"{{"RequestItems":{{"tab":{{"Keys":[{}]}}}}}}"#, keys(101));
    let two = format!(r#"{{"RequestItems":{{"tab":{{"Keys":[{0}]}},"two":{{"Keys":[{0}]}}}}}}"#, keys(60));
    refuse(
        Name::BatchGetItem,
        &[
            ("{}", "#Value null at 'requestItems'… not be null"),
            (r#"{"RequestItems":{}}"#, "#Value at 'RequestItems'… have length greater than or equal to 1"),
            (
                r#"{"RequestItems":[]}"#,
                "~Unrecognized collection type java.util.Map<java.lang.String, \
                 com.amazonaws.dynamodb.v20120810.KeysAndAttributes>",
            ),
            (
                r#"{"RequestItems":{"tab":{"Keys":[]}}}"#,
                "#Value at 'RequestItems.tab.member.Keys'… have length greater than or equal to 1",
            ),
            (&many, "#Value at 'RequestItems.tab.member.Keys'… have length less than or equal to 100"),
            (&two, "Too many items requested for the BatchGetItem call"),
            (
                r#"{"RequestItems":{"tab":{"Keys":[{"pk":{"S":"a"}}],"ProjectionExpression":"a"},"two":{"Keys":[{"pk":{"S":"a"}}],"AttributesToGet":["a"]}}}"#,
                "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: \
                 {AttributesToGet} Expression parameters: {ProjectionExpression}",
            ),
            (
                r#"{"RequestItems":{"a!b":{"Keys":[{"pk":{"S":"a"}}]}},"ReturnConsumedCapacity":"x"}"#,
                "2 validation errors detected: Value '{\"a!b\":{\"Keys\":[{\"pk\":{\"S\":\"a\"}}]}}' at 'requestItems' failed \
                 to satisfy constraint: Map keys must satisfy constraint: [Member must have length less than or equal to \
                 255, Member must have length greater than or equal to 3, Member must satisfy regular expression pattern: \
                 [a-zA-Z0-9_.-]+]; Value 'x' at 'returnConsumedCapacity'… satisfy enum value set: [INDEXES, TOTAL, NONE]",
            ),
            (
                r#"{"RequestItems":{"tab":{"Keys":[{"pk":{"N":"1"}},{"pk":{"N":"1.0"}}]}}}"#,
                "Provided list of item keys contains duplicates",
            ),
            (r#"{"RequestItems":{"tab":{}}}"#, "#Value null at 'requestItems.tab.member.keys'… not be null"),
        ],
    );
}

#[test]
fn writes_are_refused_with_the_older_words() {
    let echo = "AttributeValue(s=a, n=null, b=null, iNT=null, dECIMAL=null, dOUBLE=null, sS=null, nS=null, bS=null, \
                iNTSET=null, dECIMALSET=null, dOUBLESET=null, m=null, l=null, nULL=null, bOOL=null)";
    let name = format!(
        "#Value '{{a=[WriteRequest(putRequest=PutRequest(item={{pk={echo}}}, workloadProfileName=null), \
         deleteRequest=null)]}}' at 'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: [Member \
         must have length less than or equal to 255, Member must have length greater than or equal to 3, Member must \
         satisfy regular expression pattern: [a-zA-Z0-9_.-]+]"
    );
    refuse(
        Name::BatchWriteItem,
        &[
            (r#"{"RequestItems":{}}"#, "The requestItems parameter is required for BatchWriteItem"),
            (
                r#"{"RequestItems":{"tab":[]}}"#,
                "#Value '{tab=[]}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: \
                 [Member must have length less than or equal to 25, Member must have length greater than or equal to 1]",
            ),
            (r#"{"RequestItems":{"a":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}}]}}"#, &name),
            (
                r#"{"RequestItems":{"a":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}}]},"ReturnConsumedCapacity":"x"}"#,
                "#Value 'x' at 'returnConsumedCapacity'… satisfy enum value set: [INDEXES, TOTAL, NONE]",
            ),
            (
                r#"{"RequestItems":{"tab":[{"PutRequest":{"Item":{"a":{"N":""}}}}]}}"#,
                "The parameter cannot be converted to a numeric value",
            ),
            (
                r#"{"RequestItems":{"tab":[{"PutRequest":{}}]}}"#,
                "#Value null at 'requestItems.tab.member.1.member.putRequest.item'… not be null",
            ),
            (
                r#"{"RequestItems":{"tab":[{}]}}"#,
                "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported \
                 datatypes",
            ),
            (
                r#"{"RequestItems":{"tab":[{"PutRequest":{"Item":{"a":{"SS":["a","a"]}}}}]}}"#,
                "One or more parameter values were invalid: Input collection [a, a] contains duplicates.",
            ),
            (
                r#"{"RequestItems":{"tab":[{"PutRequest":{"Item":{"a":{"NS":["1","1"]}}}}]}}"#,
                "Input collection contains duplicates",
            ),
        ],
    );
}

#[test]
fn tables_stand_in_the_order_of_the_request() {
    let body = r#"{"RequestItems":{"zzz":[{"DeleteRequest":{"Key":{"a":{"S":"1"}}}}],"arn:aws:dynamodb:::table/aaa":
        [{"PutRequest":{"Item":{"a":{"S":"2"}}}}],"zzz":[{"PutRequest":{"Item":{"a":{"S":"3"}}}}]}}"#;
    let Operation::BatchWriteItem(batch) = accept(Name::BatchWriteItem, body) else { panic!() };
    let tables: Vec<_> = batch.tables.iter().map(|table| table.table.as_str()).collect();
    assert_eq!(tables, ["zzz", "aaa"]);
    assert_eq!(batch.tables[1].named, "arn:aws:dynamodb:::table/aaa");
    assert!(matches!(&batch.tables[0].writes[..], [Write::Put(item)] if item["a"] == Value::S("3".into())));
}

#[test]
fn what_was_not_processed_is_echoed() {
    let body = r##"{"RequestItems":{"one":{"Keys":[{"a":{"S":"1"}}]},"two":{"Keys":[{"a":{"S":"2"}},{"a":{"S":"3"}}],
        "ConsistentRead":true,"ProjectionExpression":"#a","ExpressionAttributeNames":{"#a":"a"}}}}"##;
    let found = Stored::encode(&Item::from([("a".to_string(), Value::S("1".into()))]));
    let output = BatchGetItemOutput {
        items: vec![("one".into(), vec![found]), ("two".into(), vec![])],
        unprocessed: vec![(1, vec![1])],
        capacity: vec![],
    };
    assert_eq!(
        written(&Output::BatchGetItem(output), body),
        concat!(
            r#"{"Responses":{"one":[{"a":{"S":"1"}}],"two":[]},"UnprocessedKeys":{"two":{"Keys":[{"a":{"S":"3"}}],"#,
            r##""ConsistentRead":true,"ProjectionExpression":"#a","ExpressionAttributeNames":{"#a":"a"}}}}"##
        )
    );
    let body = r#"{"RequestItems":{"tab":[{"DeleteRequest":{"Key":{"a":{"S":"1"}}}},{"PutRequest":{"Item":{"a":{"S":"2"}}}}]}}"#;
    let output = BatchWriteItemOutput { unprocessed: vec![(0, vec![1])], ..BatchWriteItemOutput::default() };
    assert_eq!(
        written(&Output::BatchWriteItem(output), body),
        r#"{"UnprocessedItems":{"tab":[{"PutRequest":{"Item":{"a":{"S":"2"}}}}]}}"#
    );
    let output = Output::BatchWriteItem(BatchWriteItemOutput::default());
    assert_eq!(written(&output, body), r#"{"UnprocessedItems":{}}"#);
}
