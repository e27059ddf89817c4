//! Requests and answers of operations that read pages.

use item::{Item, Stored, Value};
use op::{Name, Operation, Output, Page, Segment, Select};

use crate::testing::{accept, refuse, written};

#[test]
fn queries_are_refused() {
    refuse(
        Name::Query,
        &[
            ("{}", "#Value null at 'tableName'… not be null"),
            (
                r#"{"TableName":"tab"}"#,
                "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
            ),
            (r#"{"TableName":"tab","Limit":0}"#, "#Value at 'Limit'… have value greater than or equal to 1"),
            (r#"{"TableName":"tab","Limit":"x"}"#, "~STRING_VALUE cannot be converted to Integer"),
            (
                r#"{"TableName":"tab","ConditionalOperator":"XOR","Select":"x"}"#,
                "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]",
            ),
            (
                r#"{"TableName":"tab","Select":"x"}"#,
                "#Value 'x' at 'select'… satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, \
                 ALL_PROJECTED_ATTRIBUTES]",
            ),
            (
                r#"{"TableName":"tab","KeyConditions":{"pk":{}}}"#,
                "#Value null at 'keyConditions.pk.member.comparisonOperator'… not be null",
            ),
            (
                r#"{"TableName":"tab","KeyConditions":{"pk":{"ComparisonOperator":"EQ"}}}"#,
                "One or more parameter values were invalid: Invalid number of argument(s) for the EQ ComparisonOperator",
            ),
            (
                r#"{"TableName":"tab","KeyConditions":{},"QueryFilter":{},"ConditionalOperator":"AND","AttributesToGet":["a"],"FilterExpression":"a = b","ProjectionExpression":"a","KeyConditionExpression":"a"}"#,
                "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: \
                 {AttributesToGet, QueryFilter, ConditionalOperator, KeyConditions} Expression parameters: \
                 {ProjectionExpression, FilterExpression, KeyConditionExpression}",
            ),
            (
                r#"{"TableName":"tab","ExpressionAttributeValues":{":a":{"S":"x"}}}"#,
                "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null and \
                 KeyConditionExpression is null",
            ),
            (
                r#"{"TableName":"tab","ExclusiveStartKey":{"pk":{}}}"#,
                "The provided starting key is invalid: Supplied AttributeValue is empty, must contain exactly one of the \
                 supported datatypes",
            ),
            (
                r#"{"TableName":"tab","Select":"SPECIFIC_ATTRIBUTES"}"#,
                "#Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
            ),
            (
                r#"{"TableName":"tab","Select":"ALL_PROJECTED_ATTRIBUTES"}"#,
                "#ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
            ),
            (
                r#"{"TableName":"tab","Select":"COUNT","ProjectionExpression":"a"}"#,
                "#Cannot specify the ProjectionExpression when choosing to get only the Count",
            ),
        ],
    );
}

#[test]
fn scans_are_refused() {
    refuse(
        Name::Scan,
        &[
            (
                r#"{"TableName":"tab","Segment":-1,"TotalSegments":0,"Limit":0}"#,
                "3 validation errors detected: Value at 'Limit'… have value greater than or equal to 1; Value at \
                 'Segment'… have value greater than or equal to 0; Value at 'TotalSegments'… have value greater than or \
                 equal to 1",
            ),
            (
                r#"{"TableName":"tab","TotalSegments":1000001,"Segment":0}"#,
                "#Value at 'TotalSegments'… have value less than or equal to 1000000",
            ),
            (
                r#"{"TableName":"tab","Segment":0}"#,
                "The TotalSegments parameter is required but was not present in the request when Segment parameter is \
                 present",
            ),
            (
                r#"{"TableName":"tab","TotalSegments":4}"#,
                "The Segment parameter is required but was not present in the request when parameter TotalSegments is \
                 present",
            ),
            (
                r#"{"TableName":"tab","Segment":5,"TotalSegments":5}"#,
                "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 5 is not less \
                 than TotalSegments: 5",
            ),
            (
                r#"{"TableName":"tab","ExpressionAttributeValues":{":a":{"S":"x"}}}"#,
                "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null",
            ),
        ],
    );
}

#[test]
fn pages_are_asked_for_and_written() {
    let body = r#"{"TableName":"tab","Segment":1,"TotalSegments":4,"Limit":7.9,"Select":"COUNT"}"#;
    let Operation::Scan(scan) = accept(Name::Scan, body) else { panic!() };
    assert_eq!(scan.segment, Some(Segment { number: 1, total: 4 }));
    assert_eq!((scan.limit, scan.select), (Some(7), Some(Select::Count)));
    let body = r#"{"TableName":"tab","KeyConditionExpression":"a = :a","ExpressionAttributeValues":{":a":{"S":"x"}}}"#;
    let Operation::Query(query) = accept(Name::Query, body) else { panic!() };
    assert!(query.forward && !query.consistent && query.limit.is_none());
    let key = Item::from([("a".to_string(), Value::S("x".into()))]);
    let page = Page {
        items: Some(vec![Stored::encode(&key)]),
        count: 1,
        scanned: 2,
        last: Some(key),
        capacity: None,
    };
    assert_eq!(
        written(&Output::Page(page), ""),
        r#"{"Items":[{"a":{"S":"x"}}],"Count":1,"ScannedCount":2,"LastEvaluatedKey":{"a":{"S":"x"}}}"#
    );
    let counted = Page { count: 3, scanned: 3, ..Page::default() };
    assert_eq!(written(&Output::Page(counted), ""), r#"{"Count":3,"ScannedCount":3}"#);
}
