//! Requests and answers of operations on one item.

use item::{Item, Stored, Value};
use op::{
    Capacity, CollectionMetrics, ConsumedCapacity, GetItemOutput, Name, Operation, Output, Returns,
    WriteOutput,
};

use crate::testing::{accept, refuse, written};

#[test]
fn types_are_told_before_everything_else() {
    refuse(
        Name::PutItem,
        &[
            ("x", "~"),
            (r#"{"TableName":3}"#, "~NUMBER_VALUE cannot be converted to String"),
            (r#"{"TableName":1.5}"#, "~DECIMAL_VALUE cannot be converted to String"),
            (r#"{"TableName":true}"#, "~TRUE_VALUE cannot be converted to String"),
            (r#"{"TableName":[]}"#, "~Unrecognized collection type class java.lang.String"),
            (r#"{"TableName":{}}"#, "~Start of structure or map found where not expected"),
            (r#"{"TableName":"","Item":"x"}"#, "~Unexpected field type"),
            (
                r#"{"Item":[]}"#,
                "~Unrecognized collection type java.util.Map<java.lang.String, \
                 com.amazonaws.dynamodb.v20120810.AttributeValue>",
            ),
            (r#"{"Item":{"a":"x"}}"#, "~Unexpected value type in payload"),
            (
                r#"{"Item":{"a":[]}}"#,
                "~Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue",
            ),
            (r#"{"Item":{"a":{"BOOL":"x"}}}"#, "~Unexpected token received from parser"),
            (r#"{"Item":{"a":{"BOOL":3}}}"#, "~NUMBER_VALUE cannot be converted to Boolean"),
            (r#"{"Item":{"a":{"B":3}}}"#, "~only base64-encoded strings are convertible to bytes"),
            (
                r#"{"Item":{"a":{"B":"abc"}}}"#,
                "~Base64 encoded length is expected a multiple of 4 bytes but found: 3",
            ),
            (r#"{"Item":{"a":{"N":"x"},"b":{"S":3}}}"#, "~NUMBER_VALUE cannot be converted to String"),
        ],
    );
}

#[test]
fn constraints_are_told_before_rules() {
    refuse(
        Name::PutItem,
        &[
            (
                "{}",
                "2 validation errors detected: Value null at 'tableName'… not be null; Value null at 'item'… not be null",
            ),
            (
                r#"{"TableName":"","ReturnValues":"x"}"#,
                "#Value at 'TableName'… have length greater than or equal to 1",
            ),
            (
                r#"{"TableName":"a","Item":{}}"#,
                "#Value 'a' at 'tableName'… have length greater than or equal to 3",
            ),
            (
                r#"{"TableName":"ab!","Item":{"a":{}}}"#,
                "#Value 'ab!' at 'tableName'… satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
            ),
            (
                r#"{"TableName":"tab","Item":{},"ReturnValues":"x"}"#,
                "#Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, \
                 UPDATE_NEW, NONE]",
            ),
            (
                r#"{"TableName":"tab","Item":{},"ReturnValues":"x","ReturnConsumedCapacity":"x"}"#,
                "#Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, \
                 UPDATE_NEW, NONE]",
            ),
            (
                r#"{"TableName":"tab","Item":{},"ConditionalOperator":"XOR"}"#,
                "#Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]",
            ),
            (
                r#"{"TableName":"tab","Item":{},"Expected":{"a":{"Exists":false}},"ConditionalOperator":"OR"}"#,
                "#ConditionalOperator can only be used when Filter or Expected has two or more elements",
            ),
            (
                r#"{"TableName":"tab","Item":{},"ReturnConsumedCapacity":"x"}"#,
                "#Value 'x' at 'returnConsumedCapacity'… satisfy enum value set: [INDEXES, TOTAL, NONE]",
            ),
        ],
    );
    refuse(
        Name::GetItem,
        &[(
            r#"{"TableName":"tab","Key":{},"AttributesToGet":[]}"#,
            "#Value '[]' at 'attributesToGet'… have length greater than or equal to 1",
        )],
    );
}

#[test]
fn values_are_refused_with_the_newer_words() {
    let rows = [
        (r#"{}"#, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        (
            r#"{"S":"a","N":"1"}"#,
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
        ),
        (r#"{"N":"x"}"#, "#The parameter cannot be converted to a numeric value: x"),
        (
            r#"{"N":"1e200"}"#,
            "#Number overflow. Attempting to store a number with magnitude larger than supported range",
        ),
        (
            r#"{"N":"0e126"}"#,
            "#Number overflow. Attempting to store a number with magnitude larger than supported range",
        ),
        (
            r#"{"N":"0e-131"}"#,
            "#Number underflow. Attempting to store a number with magnitude smaller than supported range",
        ),
        (
            r#"{"N":"1e9223372036854775808"}"#,
            "#The parameter cannot be converted to a numeric value: 1e9223372036854775808",
        ),
        (
            r#"{"SS":["b","a","b","a"]}"#,
            "#One or more parameter values were invalid: Input collection [\"a\", \"b\", \"b\", \"a\"] contains \
             duplicates.",
        ),
        (
            r#"{"BS":["/w==","AA==","AA=="]}"#,
            "#One or more parameter values were invalid: Input collection [\"AA==\",\"/w==\",\"AA==\"]of type BS contains \
             duplicates.",
        ),
        (
            r#"{"N":"1e-200"}"#,
            "#Number underflow. Attempting to store a number with magnitude smaller than supported range",
        ),
        (
            r#"{"N":"123456789012345678901234567890123456789"}"#,
            "#Attempting to store more than 38 significant digits in a Number",
        ),
        (r#"{"SS":[]}"#, "#One or more parameter values were invalid: An string set  may not be empty"),
        (
            r#"{"SS":["a","a"]}"#,
            "#One or more parameter values were invalid: Input collection [\"a\", \"a\"] contains duplicates.",
        ),
        (
            r#"{"NS":["1","1.0"]}"#,
            "#One or more parameter values were invalid: Input collection contains duplicates.",
        ),
        (
            r#"{"BS":["YQ==","YQ=="]}"#,
            "#One or more parameter values were invalid: Input collection [\"YQ==\",\"YQ==\"]of type BS contains \
             duplicates.",
        ),
        (
            r#"{"NULL":false}"#,
            "#One or more parameter values were invalid: Null attribute value types must have the value of true",
        ),
        (r#"{"M":{"":{"S":"x"}}}"#, "#Empty attribute name"),
    ];
    for (value, text) in rows {
        refuse(Name::PutItem, &[(&format!(r#"{{"TableName":"tab","Item":{{"a":{value}}}}}"#), text)]);
        let bare = text.trim_start_matches('#');
        refuse(Name::GetItem, &[(&format!(r#"{{"TableName":"tab","Key":{{"a":{value}}}}}"#), bare)]);
    }
}

#[test]
fn nesting_and_size_are_bounded() {
    let put = |depth: usize| {
        let value = "{\"L\":[".repeat(depth) + "{\"S\":\"x\"}" + &"]}".repeat(depth);
        format!(r#"{{"TableName":"tab","Item":{{"a":{value}}}}}"#)
    };
    accept(Name::PutItem, &put(31));
    let text = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported \
                limit";
    refuse(Name::PutItem, &[(&put(32), &format!("#{text}")), (&put(500), text)]);
    let large = format!(r#"{{"TableName":"tab","Item":{{"a":{{"S":"{}"}}}}}}"#, "x".repeat(400 * 1024));
    refuse(Name::PutItem, &[(&large, "Item size has exceeded the maximum allowed size")]);
}

#[test]
fn mixtures_and_placeholders_are_refused() {
    let item = r#"{"TableName":"tab","Item":{"pk":{"S":"a"}},"#;
    for (rest, text) in [
        (
            r#""Expected":{"a":{"Exists":false}},"ConditionExpression":"a = b"}"#,
            "#Can not use both expression and non-expression parameters in the same request: Non-expression parameters: \
             {Expected} Expression parameters: {ConditionExpression}",
        ),
        (
            r#""ExpressionAttributeValues":{":a":{"S":"x"}}}"#,
            "#ExpressionAttributeValues can only be specified when using expressions",
        ),
        (
            r#""ConditionExpression":"a = b","ExpressionAttributeValues":{}}"#,
            "#ExpressionAttributeValues must not be empty",
        ),
        (
            r#""ConditionExpression":"a = :a","ExpressionAttributeValues":{"a":{"S":"x"}}}"#,
            r#"ExpressionAttributeValues contains invalid key: Syntax error; key: "a""#,
        ),
        (
            r#""ConditionExpression":"a = :a","ExpressionAttributeValues":{":a":{"SS":[]}}}"#,
            "#ExpressionAttributeValues contains invalid value: One or more parameter values were invalid: An string set  \
             may not be empty for key :a",
        ),
        (
            r#""ConditionExpression":"a = :a","ExpressionAttributeValues":{":a":{"S":"x"},":b":{"S":"x"}}}"#,
            "#Value provided in ExpressionAttributeValues unused in expressions: keys: {:b}",
        ),
        (r#""ConditionExpression":""}"#, "#Invalid ConditionExpression: The expression can not be empty;"),
        (r#""ReturnValues":"ALL_NEW"}"#, "#ReturnValues can only be ALL_OLD or NONE"),
        (r#""ConditionalOperator":"AND"}"#, "#ConditionalOperator cannot be used without Filter or Expected"),
        (
            r#""Expected":{"a":{"Value":{"S":"x"},"AttributeValueList":[{"S":"a"}]}}}"#,
            "#One or more parameter values were invalid: Value and AttributeValueList cannot be used together for \
             Attribute: a",
        ),
    ] {
        refuse(Name::PutItem, &[(&format!("{item}{rest}"), text)]);
    }
    refuse(
        Name::GetItem,
        &[
            (
                r#"{"TableName":"tab","Key":{},"AttributesToGet":["a","a"]}"#,
                "One or more parameter values were invalid: Duplicate value in attribute name: a",
            ),
            (
                r##"{"TableName":"tab","Key":{},"ExpressionAttributeNames":{"#a":"a"}}"##,
                "ExpressionAttributeNames can only be specified when using expressions",
            ),
        ],
    );
}

#[test]
fn requests_become_operations() {
    let body = r##"{"TableName":"arn:aws:dynamodb:eu-west-1:123456789012:table/tab","Key":{"pk":{"S":"a"}},
        "UpdateExpression":"SET #n = :v","ConditionExpression":"attribute_exists(pk)",
        "ExpressionAttributeNames":{"#n":"name"},"ExpressionAttributeValues":{":v":{"N":"01.50"}},
        "ReturnValues":"UPDATED_OLD","ReturnValuesOnConditionCheckFailure":"ALL_OLD","Unknown":[3]}"##;
    let Operation::UpdateItem(update) = accept(Name::UpdateItem, body) else { panic!() };
    assert_eq!(update.table, "tab");
    assert_eq!(update.key, Item::from([("pk".to_string(), Value::S("a".into()))]));
    assert_eq!(update.returns, Returns::UpdatedOld);
    assert_eq!(update.on_failure, op::OnFailure::AllOld);
    assert_eq!(update.update.unwrap().roots().collect::<Vec<_>>(), ["name"]);
    assert!(update.condition.is_some());
    let Operation::GetItem(get) =
        accept(Name::GetItem, r#"{"TableName":"tab","Key":{"pk":{"B":"AP8="}},"ConsistentRead":"TRUE"}"#)
    else {
        panic!()
    };
    assert_eq!(get.key["pk"], Value::B(vec![0, 255].into()));
    assert!(get.consistent && get.projection.is_none());
}

#[test]
fn answers_are_written() {
    let Operation::PutItem(put) = accept(
        Name::PutItem,
        r#"{"TableName":"tab","Item":{"b":{"B":"AP8="},"bs":{"BS":["YQ=="]},"l":{"L":[{"NULL":true},{"BOOL":false}]},
            "m":{"M":{"\u0001\"":{"S":"é\n"}}},"n":{"N":"1.50"},"ns":{"NS":["1E2"]},"ss":{"SS":["a","b"]}}}"#,
    ) else {
        panic!()
    };
    let body = concat!(
        r#"{"b":{"B":"AP8="},"bs":{"BS":["YQ=="]},"l":{"L":[{"NULL":true},{"BOOL":false}]},"#,
        r#""m":{"M":{"\u0001\"":{"S":"é\n"}}},"n":{"N":"1.5"},"ns":{"NS":["100"]},"ss":{"SS":["a","b"]}}"#
    );
    let got = Output::GetItem(GetItemOutput { item: Some(Stored::encode(&put.item)), capacity: None });
    assert_eq!(written(&got, ""), format!(r#"{{"Item":{body}}}"#));
    let output = WriteOutput {
        attributes: Some(put.item),
        capacity: Some(ConsumedCapacity {
            table_name: "tab".into(),
            total: Capacity { units: 2.5, read: None, write: None },
            table: Some(Capacity { units: 1.0, read: None, write: None }),
            local_indexes: [].into(),
            global_indexes: [("gidx".to_string(), Capacity { units: 1.5, read: None, write: None })].into(),
        }),
        metrics: Some(CollectionMetrics {
            key_name: "pk".into(),
            key: Value::S("a".into()),
            size_range_gb: (0.0, 1.0),
        }),
    };
    let expected = concat!(
        r#","ConsumedCapacity":{"TableName":"tab","CapacityUnits":2.5,"Table":{"CapacityUnits":1.0},"#,
        r#""GlobalSecondaryIndexes":{"gidx":{"CapacityUnits":1.5}}},"#,
        r#""ItemCollectionMetrics":{"ItemCollectionKey":{"pk":{"S":"a"}},"SizeEstimateRangeGB":[0.0,1.0]}}"#
    );
    assert_eq!(written(&Output::Write(output), ""), format!(r#"{{"Attributes":{body}{expected}"#));
    assert_eq!(written(&Output::Write(WriteOutput::default()), ""), "{}");
    assert_eq!(written(&Output::Nothing, ""), "");
}
