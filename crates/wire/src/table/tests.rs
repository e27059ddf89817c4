//! Requests and answers of operations on tables.

use op::{
    AttributeDefinition, BillingMode, BillingSummary, GlobalIndexDescription, IndexProjection, IndexStatus,
    KeyElement, KeyKind, Name, Operation, Output, ScalarType, StreamSpec, StreamView, TableDescription,
    TableNames, TableStatus, Throughput, ThroughputDescription, WarmThroughput,
};

use crate::testing::{accept, refuse, written};

/// A request whose table has the attributes `pk`, `sk` and `a`, and this after its name.
fn create(rest: &str) -> String {
    format!(
        r#"{{"TableName":"tab","AttributeDefinitions":[{{"AttributeName":"pk","AttributeType":"S"}},{{"AttributeName":"sk","AttributeType":"S"}},{{"AttributeName":"a","AttributeType":"S"}}],{rest}}}"#
    )
}

const KEYS: &str =
    r#""KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}]"#;
const ON_DEMAND: &str = r#""BillingMode":"PAY_PER_REQUEST""#;

fn index(name: &str, keys: &[(&str, &str)], rest: &str) -> String {
    let keys: Vec<String> = keys
        .iter()
        .map(|(name, kind)| format!(r#"{{"AttributeName":"{name}","KeyType":"{kind}"}}"#))
        .collect();
    format!(
        r#"{{"IndexName":"{name}","KeySchema":[{}],"Projection":{{"ProjectionType":"ALL"}}{rest}}}"#,
        keys.join(",")
    )
}

#[test]
fn names_and_constraints_are_told_first() {
    refuse(
        Name::CreateTable,
        &[
            ("{}", "The parameter 'TableName' is required but was not present in the request"),
            (
                r#"{"TableName":"a!"}"#,
                "2 validation errors detected: Value 'a!' at 'tableName'… satisfy regular expression pattern: \
                 [a-zA-Z0-9_.-]+; Value 'a!' at 'tableName'… have length greater than or equal to 3",
            ),
            (
                r#"{"TableName":"tab"}"#,
                "2 validation errors detected: Value null at 'attributeDefinitions'… not be null; Value null at \
                 'keySchema'… not be null",
            ),
            (
                r#"{"TableName":"tab","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"X"}],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}"#,
                "#Value 'X' at 'attributeDefinitions.1.member.attributeType'… satisfy enum value set: [B, N, S]",
            ),
        ],
    );
    refuse(
        Name::DescribeTable,
        &[
            ("{}", "The parameter 'TableName' is required but was not present in the request"),
            (
                r#"{"TableName":"a!"}"#,
                "TableName must be at least 3 characters long and at most 255 characters long",
            ),
            (
                r#"{"TableName":"a!b"}"#,
                "#Value 'a!b' at 'tableName'… satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
            ),
            (
                r#"{"TableName":"arn:aws:s3:::x"}"#,
                "Invalid TableArn: Invalid ResourceArn provided as input arn:aws:s3:::x",
            ),
        ],
    );
    refuse(
        Name::ListTables,
        &[
            (r#"{"Limit":0}"#, "#Value '0' at 'limit'… have value greater than or equal to 1"),
            (r#"{"Limit":101}"#, "#Value '101' at 'limit'… have value less than or equal to 100"),
        ],
    );
}

#[test]
fn keys_and_billing_are_checked() {
    const INVALID: &str = "One or more parameter values were invalid: ";
    for (rest, text) in [
        (
            format!(r#"{KEYS},{ON_DEMAND},"ProvisionedThroughput":{{"ReadCapacityUnits":1,"WriteCapacityUnits":1}}"#),
            format!(
                "{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is \
                 PAY_PER_REQUEST"
            ),
        ),
        (
            KEYS.to_string(),
            format!(
                "{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
            ),
        ),
        (
            format!(r#"{KEYS},"ProvisionedThroughput":{{}}"#),
            "2 validation errors detected: Value null at 'provisionedThroughput.writeCapacityUnits'… not be null; Value \
             null at 'provisionedThroughput.readCapacityUnits'… not be null"
                .to_string(),
        ),
        (
            format!(r#"{ON_DEMAND},"KeySchema":[{{"AttributeName":"pk","KeyType":"RANGE"}}]"#),
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type".to_string(),
        ),
        (
            format!(r#"{ON_DEMAND},"KeySchema":[{{"AttributeName":"x","KeyType":"HASH"}}]"#),
            format!(
                "{INVALID}Some index key attributes are not defined in AttributeDefinitions. Keys: [x], \
                 AttributeDefinitions: [pk, sk, a]"
            ),
        ),
        (
            format!("{ON_DEMAND},{KEYS}"),
            format!(
                "{INVALID}Number of attributes in KeySchema does not exactly match number of attributes defined in \
                 AttributeDefinitions"
            ),
        ),
    ] {
        refuse(Name::CreateTable, &[(&create(&rest), &text)]);
    }
}

#[test]
fn indexes_are_checked() {
    const INVALID: &str = "One or more parameter values were invalid: ";
    let global =
        |indexes: &str| create(&format!(r#"{KEYS},{ON_DEMAND},"GlobalSecondaryIndexes":[{indexes}]"#));
    let local = |indexes: &str| create(&format!(r#"{KEYS},{ON_DEMAND},"LocalSecondaryIndexes":[{indexes}]"#));
    let good = index("idx", &[("a", "HASH")], "");
    let throughput = r#","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}"#;
    for (body, text) in [
        (global(""), format!("{INVALID}List of GlobalSecondaryIndexes is empty")),
        (global(&format!("{good},{good}")), format!("{INVALID}Duplicate index name: idx")),
        (
            global(&index("idx", &[("a", "HASH")], throughput)),
            format!(
                "{INVALID}ProvisionedThroughput should not be specified for index: idx when BillingMode is \
                 PAY_PER_REQUEST"
            ),
        ),
        (
            global(&index("idx", &[("a", "HASH"), ("pk", "RANGE"), ("sk", "HASH")], "")),
            format!("{INVALID}All HASH key attributes must precede RANGE key attributes in the KeySchema"),
        ),
        (
            global(&index("idx", &[("a", "HASH"), ("a", "RANGE")], "")),
            "Both the Hash Key and the Range Key element in the KeySchema have the same name".to_string(),
        ),
        (
            local(&index("idx", &[("pk", "HASH")], "")),
            format!("{INVALID}Index KeySchema does not have a range key for index: idx"),
        ),
        (
            local(&index("idx", &[("a", "HASH"), ("sk", "RANGE")], "")),
            format!(
                "{INVALID}Index KeySchema does not have the same leading hash key as table KeySchema for index: idx. \
                 index hash key: a, table hash key: pk"
            ),
        ),
        (
            global(&good.replace(r#""ALL""#, r#""ALL","NonKeyAttributes":["x"]"#)),
            format!("{INVALID}ProjectionType is ALL, but NonKeyAttributes is specified"),
        ),
        (
            global(&good.replace(r#""ALL""#, r#""INCLUDE""#)),
            format!("{INVALID}ProjectionType is INCLUDE, but NonKeyAttributes is not specified"),
        ),
    ] {
        refuse(Name::CreateTable, &[(&body, &text)]);
    }
    accept(Name::CreateTable, &global(&index("idx", &[("a", "HASH"), ("pk", "HASH"), ("sk", "RANGE")], "")));
    accept(Name::CreateTable, &local(&index("idx", &[("pk", "HASH"), ("a", "RANGE")], "")));
}

#[test]
fn changes_are_checked() {
    refuse(
        Name::UpdateTable,
        &[
            (
                r#"{"TableName":"tab"}"#,
                "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or \
                 SSESpecification or ReplicaUpdates is required",
            ),
            (
                r#"{"TableName":"tab","BillingMode":"PROVISIONED"}"#,
                "One or more parameter values were invalid: ProvisionedThroughput must be specified when BillingMode is \
                 PROVISIONED",
            ),
            (
                r#"{"TableName":"tab","GlobalSecondaryIndexUpdates":[{"Delete":{}}]}"#,
                "#Value null at 'globalSecondaryIndexUpdates.1.member.delete.indexName'… not be null",
            ),
        ],
    );
    let body = r#"{"TableName":"tab","DeletionProtectionEnabled":true}"#;
    let Operation::UpdateTable(update) = accept(Name::UpdateTable, body) else { panic!() };
    assert_eq!(update.deletion_protection, Some(true));
}

fn description() -> TableDescription {
    let hash = vec![KeyElement { name: "pk".into(), kind: KeyKind::Hash }];
    TableDescription {
        name: "tab".into(),
        id: "id".into(),
        arn: "arn".into(),
        status: TableStatus::Active,
        created_ms: 1_700_000_000_250,
        attributes: vec![AttributeDefinition { name: "pk".into(), kind: ScalarType::S }],
        key_schema: hash.clone(),
        item_count: 2,
        size_bytes: 3,
        billing: Some(BillingSummary { mode: BillingMode::PayPerRequest, on_demand_since_ms: Some(1_000) }),
        throughput: ThroughputDescription::default(),
        on_demand: None,
        warm: WarmThroughput { read: Some(12_000), write: Some(4_000) },
        local_indexes: vec![],
        global_indexes: vec![GlobalIndexDescription {
            name: "idx".into(),
            arn: "arn/idx".into(),
            key_schema: hash,
            projection: IndexProjection::Include(vec!["x".into()]),
            status: IndexStatus::Creating,
            backfilling: Some(true),
            throughput: ThroughputDescription {
                units: Throughput { read: 5, write: 6 },
                ..ThroughputDescription::default()
            },
            on_demand: None,
            warm: WarmThroughput { read: Some(1), write: Some(2) },
            item_count: 0,
            size_bytes: 0,
        }],
        stream: Some(StreamSpec { enabled: true, view: Some(StreamView::NewImage) }),
        latest_stream: Some(("label".into(), "stream".into())),
        sse: None,
        class: None,
        deletion_protection: false,
    }
}

#[test]
fn tables_are_described() {
    assert_eq!(
        written(&Output::Table(Box::new(description())), ""),
        concat!(
            r#"{"Table":{"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"TableName":"tab","#,
            r#""KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"TableStatus":"ACTIVE","#,
            r#""CreationDateTime":1700000000.25,"ProvisionedThroughput":{"NumberOfDecreasesToday":0,"#,
            r#""ReadCapacityUnits":0,"WriteCapacityUnits":0},"TableSizeBytes":3,"ItemCount":2,"TableArn":"arn","#,
            r#""TableId":"id","BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST","#,
            r#""LastUpdateToPayPerRequestDateTime":1.0},"WarmThroughput":{"ReadUnitsPerSecond":12000,"#,
            r#""WriteUnitsPerSecond":4000,"Status":"ACTIVE"},"GlobalSecondaryIndexes":[{"IndexName":"idx","#,
            r#""KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE","#,
            r#""NonKeyAttributes":["x"]},"IndexStatus":"CREATING","Backfilling":true,"ProvisionedThroughput":"#,
            r#"{"NumberOfDecreasesToday":0,"ReadCapacityUnits":5,"WriteCapacityUnits":6},"IndexSizeBytes":0,"#,
            r#""ItemCount":0,"IndexArn":"arn/idx","WarmThroughput":{"ReadUnitsPerSecond":1,"#,
            r#""WriteUnitsPerSecond":2,"Status":"UPDATING"}}],"StreamSpecification":{"StreamEnabled":true,"#,
            r#""StreamViewType":"NEW_IMAGE"},"LatestStreamLabel":"label","LatestStreamArn":"stream","#,
            r#""DeletionProtectionEnabled":false}}"#
        )
    );
    let names = TableNames { names: vec!["a".into(), "b".into()], last: Some("b".into()) };
    let expected = r#"{"TableNames":["a","b"],"LastEvaluatedTableName":"b"}"#;
    assert_eq!(written(&Output::TableNames(names), ""), expected);
}
