//! Requests and answers of transactions.

use item::{Item, Stored, Value};
use op::{
    Capacity, ConsumedCapacity, Name, Operation, Output, TransactAct, TransactGetItemsOutput,
    TransactWriteItemsOutput,
};

use crate::testing::{accept, refuse, written};

fn write(action: &str) -> String {
    format!(r#"{{"TransactItems":[{action}]}}"#)
}

#[test]
fn writes_are_refused() {
    for (action, text) in [
        ("", "#Value '[]' at 'transactItems'… have length greater than or equal to 1"),
        ("{}", "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"),
        (
            r#"{"Put":{"TableName":"tab","Item":{}},"Delete":{"TableName":"tab","Key":{}}}"#,
            "TransactItems can only contain one of Check, Put, Update or Delete",
        ),
        (
            r#"{"Put":{"TableName":"","Item":{}}}"#,
            "2 validation errors detected: Value '' at 'transactItems.1.member.put.tableName'… have length greater than \
             or equal to 3; Value '' at 'transactItems.1.member.put.tableName'… satisfy regular expression pattern: \
             [a-zA-Z0-9_.-]+",
        ),
        (
            r#"{"ConditionCheck":{"TableName":"tab","Key":{}}}"#,
            "#Value null at 'transactItems.1.member.conditionCheck.conditionExpression'… not be null",
        ),
        (
            r#"{"Update":{"TableName":"tab","Key":{}}}"#,
            "#Value null at 'transactItems.1.member.update.updateExpression'… not be null",
        ),
        (
            r#"{"Put":{"TableName":"tab","Item":{},"ReturnValuesOnConditionCheckFailure":"x"}}"#,
            "#Value 'x' at 'transactItems.1.member.put.returnValuesOnConditionCheckFailure'… satisfy enum value set: \
             [ALL_OLD, NONE]",
        ),
        (
            r#"{"Put":{"TableName":"tab","Item":{},"ConditionExpression":"a = :a","ExpressionAttributeValues":{":a":{"N":"x"}}}}"#,
            "ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value: x \
             for key :a",
        ),
        (
            r#"{"Update":{"TableName":"tab","Key":{},"UpdateExpression":""}}"#,
            "Invalid UpdateExpression: The expression can not be empty;",
        ),
    ] {
        refuse(Name::TransactWriteItems, &[(&write(action), text)]);
    }
    let put = r#"{"Put":{"TableName":"tab","Item":{}}}"#;
    let long = format!(r#"{{"TransactItems":[{put}],"ClientRequestToken":"{}"}}"#, "x".repeat(37));
    refuse(
        Name::TransactWriteItems,
        &[(
            &long,
            &format!(
                "#Value '{}' at 'clientRequestToken'… have length less than or equal to 36",
                "x".repeat(37)
            ),
        )],
    );
}

#[test]
fn reads_are_refused() {
    let get = r#"{"Get":{"TableName":"tab","Key":{"pk":{"S":"a"}}}}"#;
    refuse(
        Name::TransactGetItems,
        &[
            ("{}", "#Value null at 'transactItems'… not be null"),
            (r#"{"TransactItems":[{}]}"#, "#Value null at 'transactItems.1.member.get'… not be null"),
            (
                &write(&[get, get].join(",")),
                "Transaction request cannot include multiple operations on one item",
            ),
        ],
    );
}

#[test]
fn the_digest_is_of_the_request_without_its_token() {
    let digest = |body: &str| {
        let Operation::TransactWriteItems(request) = accept(Name::TransactWriteItems, body) else { panic!() };
        request.digest
    };
    let base = digest(
        r#"{"TransactItems":[{"Put":{"TableName":"tab","Item":{"a":{"S":"x"},"b":{"S":"y"}}}}],"ClientRequestToken":"t"}"#,
    );
    let same = digest(
        r#"{"ClientRequestToken":"u","TransactItems":[{"Put":{"Item":{"b":{"S":"y"},"a":{"S":"x"}},"TableName":"tab"}}]}"#,
    );
    let other = digest(
        r#"{"TransactItems":[{"Put":{"TableName":"tab","Item":{"a":{"S":"x"},"b":{"S":"z"}}}}],"ClientRequestToken":"t"}"#,
    );
    assert_eq!(base, same);
    assert_ne!(base, other);
}

#[test]
fn actions_are_decoded_and_answers_written() {
    let body = write(
        r#"{"ConditionCheck":{"TableName":"tab","Key":{"a":{"S":"x"}},"ConditionExpression":"attribute_exists(a)"}}"#,
    );
    let Operation::TransactWriteItems(request) = accept(Name::TransactWriteItems, &body) else { panic!() };
    assert!(matches!(request.actions[0].act, TransactAct::Check { .. }));
    assert_eq!((request.token, request.digest), (None, 0));
    let capacity = vec![ConsumedCapacity {
        table_name: "tab".into(),
        total: Capacity { units: 2.0, read: None, write: Some(2.0) },
        table: None,
        local_indexes: [].into(),
        global_indexes: [].into(),
    }];
    let output = TransactWriteItemsOutput { capacity, metrics: [].into() };
    assert_eq!(
        written(&Output::TransactWriteItems(output), ""),
        r#"{"ConsumedCapacity":[{"TableName":"tab","WriteCapacityUnits":2.0,"CapacityUnits":2.0}]}"#
    );
    let item = Stored::encode(&Item::from([("a".to_string(), Value::Null)]));
    let output = TransactGetItemsOutput { items: vec![Some(item), None], capacity: vec![] };
    assert_eq!(
        written(&Output::TransactGetItems(output), ""),
        r#"{"Responses":[{"Item":{"a":{"NULL":true}}},{}]}"#
    );
}
