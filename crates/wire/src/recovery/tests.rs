//! Requests and answers of operations on recovery, and the overrides of restores.

use op::{
    BillingMode, ContinuousBackups, Name, OnDemand, Operation, Output, RecoveryWindow,
    RestoreTableToPointInTime, Throughput,
};

use crate::testing::{accept, refuse, written};

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/tab";

#[test]
fn recovery_is_set() {
    for (specification, expected) in [
        (r#"{"PointInTimeRecoveryEnabled":true}"#, (true, None)),
        (r#"{"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":7}"#, (true, Some(7))),
        (r#"{"PointInTimeRecoveryEnabled":false}"#, (false, None)),
    ] {
        let body = format!(r#"{{"TableName":"{ARN}","PointInTimeRecoverySpecification":{specification}}}"#);
        let Operation::UpdateContinuousBackups(asked) = accept(Name::UpdateContinuousBackups, &body) else {
            panic!()
        };
        assert_eq!((asked.table.as_str(), (asked.enabled, asked.period_days)), ("tab", expected));
    }
    let with = |specification: &str| {
        format!(r#"{{"TableName":"tab","PointInTimeRecoverySpecification":{specification}}}"#)
    };
    refuse(
        Name::UpdateContinuousBackups,
        &[
            (
                "{}",
                "2 validation errors detected: Value null at 'tableName'… not be null; Value null at \
                 'pointInTimeRecoverySpecification'… not be null",
            ),
            (
                &with("{}"),
                "#Value null at 'pointInTimeRecoverySpecification.pointInTimeRecoveryEnabled'… not be null",
            ),
            (
                &with(r#"{"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":36}"#),
                "#Value '36' at 'pointInTimeRecoverySpecification.recoveryPeriodInDays'… have value less than or equal \
                 to 35",
            ),
            (
                &with(r#"{"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":0}"#),
                "#Value '0' at 'pointInTimeRecoverySpecification.recoveryPeriodInDays'… have value greater than or \
                 equal to 1",
            ),
            (
                &with(r#"{"PointInTimeRecoveryEnabled":false,"RecoveryPeriodInDays":35}"#),
                "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.",
            ),
            (&with(r#"{"PointInTimeRecoveryEnabled":3}"#), "~NUMBER_VALUE cannot be converted to Boolean"),
            (
                r#"{"TableName":"a","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}}"#,
                "#Value 'a' at 'tableName'… have length greater than or equal to 3",
            ),
        ],
    );
}

#[test]
fn recovery_is_described() {
    let begin = r#"{"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED","PointInTimeRecoveryDescription":{"PointInTimeRecoveryStatus":"#;
    let window = RecoveryWindow { period_days: 7, earliest_ms: Some(1500), latest_ms: Some(2000) };
    for (recovery, rest) in [
        (None, r#""DISABLED"}}}"#),
        (
            Some(window),
            r#""ENABLED","RecoveryPeriodInDays":7,"EarliestRestorableDateTime":1.5,"LatestRestorableDateTime":2.0}}}"#,
        ),
    ] {
        let output = Output::ContinuousBackups(ContinuousBackups { recovery });
        assert_eq!(written(&output, ""), format!("{begin}{rest}"));
    }
}

fn restore(rest: &str) -> RestoreTableToPointInTime {
    let body = format!(r#"{{"TargetTableName":"new"{rest}}}"#);
    let Operation::RestoreTableToPointInTime(asked) = accept(Name::RestoreTableToPointInTime, &body) else {
        panic!()
    };
    *asked
}

#[test]
fn restores_are_asked_for() {
    let asked = restore(&format!(r#","SourceTableArn":"{ARN}","UseLatestRestorableTime":true"#));
    assert_eq!((asked.source.as_str(), asked.target.as_str(), asked.time_ms), ("tab", "new", None));
    assert_eq!(asked.overrides, op::RestoreOverrides::default());
    let asked = restore(
        r#","SourceTableName":"tab","RestoreDateTime":1.5,"BillingModeOverride":"PROVISIONED","ProvisionedThroughputOverride":{"ReadCapacityUnits":1,"WriteCapacityUnits":2},"GlobalSecondaryIndexOverride":[{"IndexName":"idx","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"},"ProvisionedThroughput":{"ReadCapacityUnits":3,"WriteCapacityUnits":4}}],"LocalSecondaryIndexOverride":[],"SSESpecificationOverride":{"Enabled":true,"SSEType":"KMS","KMSMasterKeyId":"k"}"#,
    );
    assert_eq!(asked.time_ms, Some(1500));
    let overrides = asked.overrides;
    assert_eq!(overrides.billing, Some(BillingMode::Provisioned));
    assert_eq!(overrides.throughput, Some(Throughput { read: 1, write: 2 }));
    assert_eq!(overrides.local_indexes, Some(vec![]));
    assert_eq!(overrides.global_indexes.map(|indexes| indexes.len()), Some(1));
    assert_eq!(overrides.sse.and_then(|sse| sse.key), Some("k".to_owned()));
    let asked = restore(
        r#","SourceTableName":"tab","RestoreDateTime":1,"OnDemandThroughputOverride":{"MaxReadRequestUnits":5},"SSESpecificationOverride":{}"#,
    );
    assert_eq!(asked.overrides.on_demand, Some(OnDemand { read_max: Some(5), write_max: None }));
    assert_eq!(asked.overrides.sse.map(|sse| sse.enabled), Some(false));
}

#[test]
fn restores_are_refused() {
    let with = |rest: &str| format!(r#"{{"TargetTableName":"new"{rest}}}"#);
    let latest = r#","UseLatestRestorableTime":true"#;
    let said = "One or more parameter values were invalid:";
    refuse(
        Name::RestoreTableToPointInTime,
        &[
            ("{}", "#Value null at 'targetTableName'… not be null"),
            (
                r#"{"TargetTableName":"bad name!"}"#,
                "#Value 'bad name!' at 'targetTableName'… satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
            ),
            (&with(latest), "The parameter 'TableName' is required but was not present in the request"),
            (
                &with(r#","SourceTableName":"tab","SourceTableArn":"x""#),
                &format!("{said} Must provide exactly one of: sourceTableArn, sourceTableName"),
            ),
            (&with(r#","SourceTableArn":"tab""#), &format!("{said} ARNs must start with 'arn:': tab")),
            (
                &with(&format!(r#","SourceTableArn":"{ARN}/index/idx""#)),
                &format!("{said} sourceTableArn is not a valid ARN"),
            ),
            (
                &with(r#","SourceTableName":"tab","UseLatestRestorableTime":false"#),
                "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not \
                 both",
            ),
            (
                &with(&format!(r#","SourceTableName":"tab","RestoreDateTime":1{latest}"#)),
                "Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time \
                 restore request. Please specify either RestoreDateTime time or UseLatestRestorableTime",
            ),
            (&with(r#","RestoreDateTime":"2026""#), "~STRING_VALUE cannot be converted to Date"),
        ],
    );
}

#[test]
fn overrides_are_refused() {
    let with = |rest: &str| {
        format!(r#"{{"TargetTableName":"new","SourceTableName":"tab","UseLatestRestorableTime":true{rest}}}"#)
    };
    let index = |rest: &str| {
        format!(
            r#","GlobalSecondaryIndexOverride":[{{"IndexName":"idx","KeySchema":[{{"AttributeName":"a","KeyType":"HASH"}}],"Projection":{{"ProjectionType":"ALL"}}{rest}}}]"#
        )
    };
    let units = r#"{"ReadCapacityUnits":1,"WriteCapacityUnits":1}"#;
    let table = format!(r#","ProvisionedThroughputOverride":{units}"#);
    let provisioned = r#","BillingModeOverride":"PROVISIONED""#;
    let on_demand = r#","BillingModeOverride":"PAY_PER_REQUEST""#;
    let bounds = r#","OnDemandThroughputOverride":{"MaxWriteRequestUnits":5}"#;
    refuse(
        Name::RestoreTableToPointInTime,
        &[
            (
                &with(r#","BillingModeOverride":"BOGUS""#),
                "#Value 'BOGUS' at 'billingModeOverride'… satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]",
            ),
            (
                &with(r#","GlobalSecondaryIndexOverride":[{"IndexName":"idx","KeySchema":[]}]"#),
                "2 validation errors detected: Value '[]' at 'globalSecondaryIndexOverride.1.member.keySchema'… have \
                 length greater than or equal to 1; Value null at 'globalSecondaryIndexOverride.1.member.projection'… \
                 not be null",
            ),
            (
                &with(&format!("{on_demand}{table}")),
                "Invalid Request: Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST",
            ),
            (
                &with(&format!("{on_demand}{}", index(&format!(r#","ProvisionedThroughput":{units}"#)))),
                "Invalid Request: Cannot override ProvisionedThroughput for index idx if BillingMode is overridden to \
                 PAY_PER_REQUEST",
            ),
            (
                &with(provisioned),
                "Invalid Request: Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED",
            ),
            (
                &with(&format!("{provisioned}{table}{}", index(""))),
                "Invalid Request: Must specify provisioned throughput for index idx",
            ),
            (
                &with(&format!("{provisioned}{table}{bounds}")),
                "Invalid Request: Cannot override MaxWriteRequestUnits for OnDemandThroughput unless \
                 BillingModeOverride is PAY_PER_REQUEST",
            ),
            (
                &with(r#","OnDemandThroughputOverride":{"MaxReadRequestUnits":0}"#),
                "Invalid Request: Requested MaxReadRequestUnits for OnDemandThroughput is outside of valid range",
            ),
            (
                &with(r#","VectorIndexOverride":[]"#),
                "One or more parameter values were invalid: VectorIndexOverride is not supported by this server yet",
            ),
            (
                &with(r#","ProvisionedThroughputOverride":{"ReadCapacityUnits":0}"#),
                "2 validation errors detected: Value null at 'provisionedThroughputOverride.writeCapacityUnits'… not be \
                 null; Value '0' at 'provisionedThroughputOverride.readCapacityUnits'… have value greater than or equal \
                 to 1",
            ),
        ],
    );
}
