//! Alarms: metrics that exist, with the dimensions they have. Knows no tables but their names.

use serde_json::Value as Json;

use super::Check;
use crate::diagnostic::suggest;
use crate::model::Alarm;

const TABLE: &[&str] = &["TableName"];
const INDEXED: &[&str] = &["TableName", "GlobalSecondaryIndexName"];
const OPERATION: &[&str] = &["TableName", "Operation"];

/// Metrics of AWS/DynamoDB: which dimensions they may have, and which they must.
const METRICS: [(&str, &[&str], &[&str]); 25] = [
    ("AccountMaxReads", &[], &[]),
    ("AccountMaxTableLevelReads", &[], &[]),
    ("AccountMaxTableLevelWrites", &[], &[]),
    ("AccountMaxWrites", &[], &[]),
    ("AccountProvisionedReadCapacityUtilization", &[], &[]),
    ("AccountProvisionedWriteCapacityUtilization", &[], &[]),
    ("AgeOfOldestUnreplicatedRecord", &["TableName", "DelegatedOperation"], TABLE),
    ("ConditionalCheckFailedRequests", TABLE, TABLE),
    ("ConsumedReadCapacityUnits", INDEXED, TABLE),
    ("ConsumedWriteCapacityUnits", INDEXED, TABLE),
    ("FaultInjectionServiceInducedErrors", OPERATION, OPERATION),
    ("OnlineIndexPercentageProgress", INDEXED, INDEXED),
    ("PendingReplicationCount", &["TableName", "ReceivingRegion"], TABLE),
    ("ProvisionedReadCapacityUnits", INDEXED, TABLE),
    ("ProvisionedWriteCapacityUnits", INDEXED, TABLE),
    ("ReadThrottleEvents", INDEXED, TABLE),
    ("ReplicationLatency", &["TableName", "ReceivingRegion"], TABLE),
    ("ReturnedItemCount", OPERATION, OPERATION),
    ("SuccessfulRequestLatency", OPERATION, OPERATION),
    ("SystemErrors", OPERATION, OPERATION),
    ("ThrottledRequests", OPERATION, OPERATION),
    ("TimeToLiveDeletedItemCount", TABLE, TABLE),
    ("TransactionConflict", TABLE, TABLE),
    ("UserErrors", &[], &[]),
    ("WriteThrottleEvents", INDEXED, TABLE),
];

pub(super) fn check(check: &mut Check<'_>) {
    for alarm in &check.design.alarms {
        metric(check, alarm, &alarm.properties);
        let metrics = alarm.properties.get("Metrics").and_then(Json::as_array).into_iter().flatten();
        for one in metrics {
            if let Some(inner) = one.pointer("/MetricStat/Metric") {
                metric(check, alarm, inner);
            }
        }
    }
}

fn metric(check: &mut Check<'_>, alarm: &Alarm, metric: &Json) {
    let text = |key: &str| metric.get(key).and_then(Json::as_str);
    let (Some(name), Some("AWS/DynamoDB") | None) = (text("MetricName"), text("Namespace")) else { return };
    let place = alarm.name.place;
    let what = format!("alarm {}", alarm.name.value);
    let Some((_, may, must)) = METRICS.iter().find(|(known, _, _)| *known == name) else {
        let known: Vec<&str> = METRICS.iter().map(|(known, _, _)| *known).collect();
        check.error(
            "M001",
            place,
            format!("{what}: DynamoDB has no metric `{name}`"),
            &suggest(name, &known),
        );
        return;
    };
    let dimensions = metric.get("Dimensions").and_then(Json::as_array);
    let given: Vec<&str> =
        dimensions.into_iter().flatten().filter_map(|one| one.get("Name").and_then(Json::as_str)).collect();
    for dimension in given.iter().filter(|dimension| !may.contains(dimension)) {
        let message =
            format!("{what}: {name} has no dimension {dimension}: the alarm would never see a value");
        let hint = if may.is_empty() {
            "it counts a whole account and region: drop the dimensions, or use SystemErrors of a table"
        } else {
            "drop the dimension"
        };
        check.error("M001", place, message, hint);
    }
    for dimension in must.iter().filter(|dimension| !given.contains(dimension)) {
        let message = format!("{what}: {name} needs the dimension {dimension}");
        check.error("M001", place, message, &format!("add {{Name: {dimension}, Value: …}} to Dimensions"));
    }
}
