//! Requests and answers of operations on backups.

use op::{
    BackupDescription, BackupDetails, BackupKind, BackupStatus, BackupSummary, Backups, BillingMode,
    IndexProjection, IndexSpec, KeyElement, KeyKind, Name, OnDemand, Operation, Output, SourceFeatures,
    SourceTable, SseStatus, StreamSpec, StreamView, Throughput, TimeToLive, TtlStatus,
};

use crate::testing::{accept, refuse, written};

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/tab/backup/01791504762511-2779fadd";

#[test]
fn backups_are_asked_for() {
    let body = r#"{"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/tab","BackupName":"b.a-k_1"}"#;
    let Operation::CreateBackup(asked) = accept(Name::CreateBackup, body) else { panic!() };
    assert_eq!((asked.table.as_str(), asked.name.as_str()), ("tab", "b.a-k_1"));
    let Operation::ListBackups(all) = accept(Name::ListBackups, "{}") else { panic!() };
    assert_eq!((all.table, all.limit, all.start), (None, 100, None));
    assert_eq!((all.from_ms, all.before_ms, all.kind), (None, None, Some(BackupKind::User)));
    for (name, kind) in [
        ("USER", Some(BackupKind::User)),
        ("SYSTEM", Some(BackupKind::System)),
        ("AWS_BACKUP", Some(BackupKind::AwsBackup)),
        ("ALL", None),
    ] {
        let body = format!(r#"{{"BackupType":"{name}","TimeRangeLowerBound":2,"TimeRangeUpperBound":2}}"#);
        let Operation::ListBackups(asked) = accept(Name::ListBackups, &body) else { panic!() };
        assert_eq!((asked.kind, asked.from_ms, asked.before_ms), (kind, Some(2000), Some(2000)));
    }
    let body = format!(r#"{{"BackupArn":"{ARN}","TargetTableName":"new","LocalSecondaryIndexOverride":[]}}"#);
    let Operation::RestoreTableFromBackup(asked) = accept(Name::RestoreTableFromBackup, &body) else {
        panic!()
    };
    assert_eq!((asked.backup.as_str(), asked.target.as_str()), (ARN, "new"));
    assert_eq!((asked.overrides.local_indexes, asked.overrides.global_indexes), (Some(vec![]), None));
}

#[test]
fn requests_on_backups_are_refused() {
    refuse(
        Name::CreateBackup,
        &[
            (
                "{}",
                "2 validation errors detected: Value null at 'tableName'… not be null; Value null at 'backupName'… not \
                 be null",
            ),
            (
                r#"{"TableName":"tab","BackupName":"a b"}"#,
                "#Value 'a b' at 'backupName'… satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
            ),
            (
                r#"{"TableName":"ta","BackupName":"bak"}"#,
                "#Value 'ta' at 'tableName'… have length greater than or equal to 3",
            ),
            (
                r#"{"TableName":"arn:x","BackupName":"bak"}"#,
                "Invalid TableArn: Invalid ResourceArn provided as input arn:x",
            ),
        ],
    );
    for name in [Name::DescribeBackup, Name::DeleteBackup] {
        refuse(
            name,
            &[
                ("{}", "#Value null at 'backupArn'… not be null"),
                (
                    r#"{"BackupArn":"foo"}"#,
                    "#Value 'foo' at 'backupArn'… have length greater than or equal to 37",
                ),
                (
                    r#"{"BackupArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab"}"#,
                    "Invalid Backup ARN",
                ),
                (r#"{"BackupArn":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#, "Invalid Backup ARN"),
                (r#"{"BackupArn":{}}"#, "~Start of structure or map found where not expected"),
            ],
        );
    }
    refuse(
        Name::ListBackups,
        &[
            (r#"{"Limit":101}"#, "#Value '101' at 'limit'… have value less than or equal to 100"),
            (
                r#"{"BackupType":"user"}"#,
                "#Value 'user' at 'backupType'… satisfy enum value set: [USER, SYSTEM, AWS_BACKUP, ALL]",
            ),
            (
                r#"{"TimeRangeLowerBound":2,"TimeRangeUpperBound":1}"#,
                "One or more parameter values were invalid: Time range lower bound must be less than or equal to upper \
                 bound",
            ),
            (r#"{"TimeRangeLowerBound":true}"#, "~TRUE_VALUE cannot be converted to Date"),
        ],
    );
    refuse(
        Name::RestoreTableFromBackup,
        &[
            (
                "{}",
                "2 validation errors detected: Value null at 'targetTableName'… not be null; Value null at \
                 'backupArn'… not be null",
            ),
            (
                &format!(r#"{{"TargetTableName":"new","BackupArn":"{ARN}","VectorIndexOverride":[]}}"#),
                "One or more parameter values were invalid: VectorIndexOverride is not supported by this server yet",
            ),
        ],
    );
}

fn details() -> BackupDetails {
    BackupDetails {
        arn: ARN.into(),
        name: "bak".into(),
        size_bytes: Some(9),
        status: BackupStatus::Available,
        kind: BackupKind::System,
        created_ms: 1500,
        expiry_ms: Some(2500),
    }
}

const DETAILS: &str = r#""BackupName":"bak","BackupSizeBytes":9,"BackupStatus":"AVAILABLE","BackupType":"SYSTEM","BackupCreationDateTime":1.5,"BackupExpiryDateTime":2.5"#;

#[test]
fn backups_are_listed() {
    let made = BackupDetails {
        size_bytes: None,
        expiry_ms: None,
        status: BackupStatus::Creating,
        kind: BackupKind::User,
        ..details()
    };
    assert_eq!(
        written(&Output::BackupDetails(made), ""),
        format!(
            r#"{{"BackupDetails":{{"BackupArn":"{ARN}","BackupName":"bak","BackupStatus":"CREATING","BackupType":"USER","BackupCreationDateTime":1.5}}}}"#
        )
    );
    let summary = BackupSummary {
        table: "tab".into(),
        table_id: "id".into(),
        table_arn: "arn".into(),
        details: details(),
    };
    assert_eq!(
        written(&Output::Backups(Backups { backups: vec![summary], last: Some(ARN.into()) }), ""),
        format!(
            r#"{{"BackupSummaries":[{{"TableName":"tab","TableId":"id","TableArn":"arn","BackupArn":"{ARN}",{DETAILS}}}],"LastEvaluatedBackupArn":"{ARN}"}}"#
        )
    );
    assert_eq!(written(&Output::Backups(Backups::default()), ""), r#"{"BackupSummaries":[]}"#);
}

#[test]
fn backups_are_described() {
    let hash = vec![KeyElement { name: "pk".into(), kind: KeyKind::Hash }];
    let index = IndexSpec {
        name: "idx".into(),
        key_schema: hash.clone(),
        projection: IndexProjection::KeysOnly,
        throughput: Some(Throughput { read: 1, write: 2 }),
        on_demand: None,
        warm: None,
    };
    let source = SourceTable {
        name: "tab".into(),
        id: "id".into(),
        arn: "arn".into(),
        size_bytes: 3,
        item_count: 4,
        key_schema: hash,
        created_ms: 1000,
        throughput: Throughput::default(),
        on_demand: Some(OnDemand { read_max: Some(5), write_max: None }),
        billing: BillingMode::PayPerRequest,
    };
    let features = SourceFeatures {
        local_indexes: vec![IndexSpec { throughput: None, ..index.clone() }],
        global_indexes: vec![index],
        stream: Some(StreamSpec { enabled: true, view: Some(StreamView::OldImage) }),
        expiry: Some(TimeToLive { status: TtlStatus::Enabled, attribute: Some("t".into()) }),
        sse: Some(SseStatus { enabled: true, key_arn: "key".into() }),
    };
    let begin = format!(
        r#"{{"BackupDescription":{{"BackupDetails":{{"BackupArn":"{ARN}",{DETAILS}}},"SourceTableDetails":{{"TableName":"tab","TableId":"id","TableArn":"arn","TableSizeBytes":3,"KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}}],"TableCreationDateTime":1.0,"ProvisionedThroughput":{{"ReadCapacityUnits":0,"WriteCapacityUnits":0}},"OnDemandThroughput":{{"MaxReadRequestUnits":5}},"ItemCount":4,"BillingMode":"PAY_PER_REQUEST"}},"SourceTableFeatureDetails":"#
    );
    let index = r#"[{"IndexName":"idx","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"}"#;
    let all = [
        r#"{"LocalSecondaryIndexes":"#,
        index,
        r#"}],"GlobalSecondaryIndexes":"#,
        index,
        r#","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":2}}],"#,
        r#""StreamDescription":{"StreamEnabled":true,"StreamViewType":"OLD_IMAGE"},"#,
        r#""TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"t"},"#,
        r#""SSEDescription":{"Status":"ENABLED","SSEType":"KMS","KMSMasterKeyArn":"key"}}"#,
    ]
    .concat();
    for (features, text) in [(features, all), (SourceFeatures::default(), "{}".to_owned())] {
        let backup = BackupDescription { details: details(), source: source.clone(), features };
        assert_eq!(written(&Output::Backup(Box::new(backup)), ""), format!("{begin}{text}}}}}"));
    }
}
