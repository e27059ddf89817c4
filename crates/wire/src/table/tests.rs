//! Requests and answers of operations on tables.

use op::{
    AttributeDefinition, BillingMode, BillingSummary, GlobalIndexDescription, IndexProjection, IndexStatus,
    KeyElement, KeyKind, Name, Operation, Output, RestoreSummary, ScalarType, StreamSpec, StreamView,
    TableDescription, TableNames, TableStatus, Throughput, ThroughputDescription, WarmThroughput,
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
            global(&index("idx", &[("pk", "HASH")], "").replace("ALL", "INCLUDE")),
            format!(
                "{INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: [pk, sk, a], keys used: [pk, sk]"
            ),
        ),
        (
            global(&good.replace(r#""ALL""#, r#""INCLUDE","NonKeyAttributes":["x","x"]"#)),
            format!("{INVALID}Duplicate element in NonKeyAttributes: x"),
        ),
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
            local(&format!(
                "{},{}",
                index("idx", &[("pk", "HASH")], ""),
                index("two", &[("pk", "HASH"), ("a", "RANGE")], "")
            )),
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
fn the_rest_of_a_new_table_is_checked() {
    const INVALID: &str = "One or more parameter values were invalid: ";
    let table = |rest: &str| {
        format!(
            r#"{{"TableName":"tab","AttributeDefinitions":[{{"AttributeName":"pk","AttributeType":"S"}}],"KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}}],{ON_DEMAND},{rest}}}"#
        )
    };
    for (rest, text) in [
        (
            r#""SSESpecification":{"Enabled":false,"SSEType":"KMS"}"#,
            "SSEType can not be specified if Enabled is false",
        ),
        (
            r#""SSESpecification":{"Enabled":false,"KMSMasterKeyId":"a"}"#,
            "KMSMasterKeyId can not be specified if Enabled is false",
        ),
        (
            r#""SSESpecification":{"Enabled":true,"KMSMasterKeyId":"a"}"#,
            "SSEType KMS is required if KMSMasterKeyId is specified",
        ),
        (
            r#""StreamSpecification":{"StreamEnabled":true}"#,
            "Table is being created with a stream enabled, UpdateViewType is required",
        ),
        (
            r#""OnDemandThroughput":{"MaxReadRequestUnits":-1}"#,
            "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range",
        ),
        (
            r#""WarmThroughput":{"WriteUnitsPerSecond":0}"#,
            "Requested WriteUnitsPerSecond for WarmThroughput for table is lower than initial throughput for OnDemand. \
             See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html\
             #on-demand-capacity-mode-initial",
        ),
        (r#""ResourcePolicy":"{}""#, "ResourcePolicy is not supported by this server yet"),
        (r#""VectorIndexes":[]"#, "VectorIndexes is not supported by this server yet"),
    ] {
        refuse(Name::CreateTable, &[(&table(rest), &format!("{INVALID}{text}"))]);
    }
    refuse(
        Name::CreateTable,
        &[(
            &table(r#""TableClass":"x""#),
            "Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, \
             STANDARD_INFREQUENT_ACCESS].",
        )],
    );
    accept(Name::CreateTable, &table(r#""SSESpecification":{"SSEType":"KMS","KMSMasterKeyId":"a"}"#));
    accept(Name::CreateTable, &table(r#""WarmThroughput":{},"OnDemandThroughput":{},"Unknown":1"#));
}

#[test]
fn changes_are_checked() {
    refuse(
        Name::UpdateTable,
        &[
            (
                r#"{"TableName":"tab"}"#,
                "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, \
                 SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, \
                 MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is \
                 required",
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

#[test]
fn changes_that_do_not_go_together_are_refused() {
    const INVALID: &str = "One or more parameter values were invalid: ";
    let create =
        format!(r#""GlobalSecondaryIndexUpdates":[{{"Create":{}}}]"#, index("idx", &[("a", "HASH")], ""));
    let units = r#""ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}"#;
    let stream = r#""StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"}"#;
    let warm = r#""WarmThroughput":{"ReadUnitsPerSecond":13000}"#;
    for (rest, text) in [
        (
            r#""GlobalSecondaryIndexUpdates":[],"DeletionProtectionEnabled":true"#.to_string(),
            "List of GlobalSecondaryIndexUpdates is empty",
        ),
        (
            r#""GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"idx"},"Update":{"IndexName":"idx"}}]"#
                .to_string(),
            "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object",
        ),
        (
            r#""GlobalSecondaryIndexUpdates":[{"Update":{"IndexName":"idx","WarmThroughput":{}}}]"#
                .to_string(),
            "WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for index: idx",
        ),
        (
            r#""StreamSpecification":{"StreamEnabled":true}"#.to_string(),
            "If stream is being enabled then UpdateViewType is required",
        ),
        (
            r#""StreamSpecification":{"StreamEnabled":false,"StreamViewType":"NEW_IMAGE"}"#.to_string(),
            "If stream is being disabled, then UpdateViewType must not be specified",
        ),
        (
            r#""SSESpecification":{"Enabled":true},"DeletionProtectionEnabled":true"#.to_string(),
            "Server-Side Encryption modification must be the only operation in the request",
        ),
        (
            format!(r#""TableClass":"STANDARD",{stream}"#),
            "TableClass modification must be the only operation in the request",
        ),
        (
            format!(r#"{create},"DeletionProtectionEnabled":true"#),
            "DeletionProtection modification must be the only operation in the request",
        ),
        (format!("{warm},{units}"), "WarmThroughput must be the only operation in the request"),
        (
            format!("{warm},{create}"),
            "Create global secondary index cannot be specified when updating WarmThroughput",
        ),
        (
            format!(r#""OnDemandThroughput":{{"MaxReadRequestUnits":1}},{stream}"#),
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
        ),
        (format!("{stream},{units}"), "You cannot modify stream status while updating table IOPS"),
        (format!("{create},{units}"), "You cannot create or delete index while updating table IOPS"),
        (format!("{create},{stream}"), "You cannot create or delete index while changing stream status"),
        (
            r#""ReplicaUpdates":[{"Create":{"RegionName":"eu-west-1"}}]"#.to_string(),
            "ReplicaUpdates is not supported by this server yet",
        ),
    ] {
        let body = format!(r#"{{"TableName":"tab",{rest}}}"#);
        refuse(Name::UpdateTable, &[(&body, &format!("{INVALID}{text}"))]);
    }
    accept(Name::UpdateTable, &format!(r#"{{"TableName":"tab","BillingMode":"PAY_PER_REQUEST",{stream}}}"#));
    accept(Name::UpdateTable, &format!(r#"{{"TableName":"tab","BillingMode":"PAY_PER_REQUEST",{create}}}"#));
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
        restore: None,
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
    let restore = RestoreSummary {
        backup_arn: Some("backup".into()),
        table_arn: Some("source".into()),
        time_ms: 1500,
        in_progress: true,
    };
    let restored =
        Output::TableChanged(Box::new(TableDescription { restore: Some(restore), ..description() }));
    assert!(written(&restored, "").contains(
        r#","RestoreSummary":{"SourceBackupArn":"backup","SourceTableArn":"source","RestoreDateTime":1.5,"RestoreInProgress":true},"#
    ));
    let names = TableNames { names: vec!["a".into(), "b".into()], last: Some("b".into()) };
    let expected = r#"{"TableNames":["a","b"],"LastEvaluatedTableName":"b"}"#;
    assert_eq!(written(&Output::TableNames(names), ""), expected);
}
