//! What can change without rebuilding: billing, stream, expiry, recovery, tags, protection, class, encryption.

use serde_json::{Map, Value as Json, json};

use super::{Loss, TablePlan, Until, Wanted, described};
use crate::physical;
use client::live::{Known, Lack, Live, text};

/// What a new table needs after CreateTable.
pub(super) fn of_new(wanted: &Wanted<'_>, plan: &mut TablePlan) {
    if let Some(specification) = physical::time_to_live(&wanted.properties) {
        expire(wanted, specification, plan);
    }
    if let Some(specification) = physical::recovery(&wanted.properties).filter(is_recovery_on) {
        recover(wanted, specification, plan);
    }
}

/// Everything but billing, of a table that is there.
pub(super) fn all(wanted: &Wanted<'_>, live: &Live, loss: Loss, is_service: bool, plan: &mut TablePlan) {
    stream(wanted, live, loss, plan);
    switches(wanted, live, is_service, plan);
    expiry(wanted, live, plan);
    recovery(wanted, live, plan);
    tags(wanted, live, plan);
}

/// Billing mode and throughput, of the table and of its indexes.
pub(super) fn billing(wanted: &Wanted<'_>, live: &Live, plan: &mut TablePlan) {
    let asked = physical::billing_mode(&wanted.properties);
    let found = described(live, &["BillingModeSummary", "BillingMode"]).and_then(Json::as_str);
    let found = found.unwrap_or(match described(live, &["ProvisionedThroughput", "ReadCapacityUnits"]) {
        Some(units) if units.as_u64() == Some(0) => "PAY_PER_REQUEST",
        _ => "PROVISIONED",
    });
    let mut body = Map::new();
    let mut changes = Vec::new();
    if asked != found {
        body.insert("BillingMode".to_owned(), json!(asked));
        changes.push(format!("{found} -> {asked}"));
    }
    if asked == "PROVISIONED" {
        if let Some(throughput) = wanted.create.get("ProvisionedThroughput") {
            let there = described(live, &["ProvisionedThroughput"]);
            if asked != found || !same_throughput(throughput, there) {
                body.insert("ProvisionedThroughput".to_owned(), throughput.clone());
                changes.push(format!("table to {}", units(throughput)));
            }
        }
        let updates = index_throughput(wanted, live, asked != found, &mut changes);
        if !updates.is_empty() {
            body.insert("GlobalSecondaryIndexUpdates".to_owned(), Json::Array(updates));
        }
    }
    if !changes.is_empty() {
        body.insert("TableName".to_owned(), json!(wanted.name));
        let note = "the mode may change up to four times a day";
        plan.push(
            "UpdateTable",
            Json::Object(body),
            changes.join(", "),
            if asked == found { "" } else { note },
        );
    }
}

fn index_throughput(
    wanted: &Wanted<'_>,
    live: &Live,
    mode_changes: bool,
    changes: &mut Vec<String>,
) -> Vec<Json> {
    let asked = physical::list(&wanted.create, "GlobalSecondaryIndexes").into_iter().flatten();
    let mut updates = Vec::new();
    for index in asked {
        let name = text(index, "IndexName");
        let Some(throughput) = index.get("ProvisionedThroughput") else { continue };
        let there = live.list("GlobalSecondaryIndexes").iter().find(|other| text(other, "IndexName") == name);
        let Some(there) = there else { continue };
        if mode_changes || !same_throughput(throughput, there.get("ProvisionedThroughput")) {
            updates.push(json!({ "Update": { "IndexName": name, "ProvisionedThroughput": throughput } }));
            changes.push(format!("{name} to {}", units(throughput)));
        }
    }
    updates
}

/// Numbers may be written as text in a template.
fn number(value: Option<&Json>, name: &str) -> Option<u64> {
    let value = value?.get(name)?;
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn same_throughput(asked: &Json, found: Option<&Json>) -> bool {
    ["ReadCapacityUnits", "WriteCapacityUnits"]
        .iter()
        .all(|name| number(Some(asked), name) == number(found, name))
}

fn units(throughput: &Json) -> String {
    let part = |name| number(Some(throughput), name).unwrap_or_default();
    format!("{} read and {} write units", part("ReadCapacityUnits"), part("WriteCapacityUnits"))
}

fn stream(wanted: &Wanted<'_>, live: &Live, loss: Loss, plan: &mut TablePlan) {
    let asked = physical::stream(&wanted.properties);
    let asked_view = asked.as_ref().map(|stream| text(stream, "StreamViewType").to_owned());
    let found = described(live, &["StreamSpecification"])
        .filter(|stream| stream.get("StreamEnabled").and_then(Json::as_bool) == Some(true))
        .map(|stream| text(stream, "StreamViewType").to_owned());
    if asked_view == found {
        return;
    }
    let change = |stream: Json| json!({ "TableName": wanted.name, "StreamSpecification": stream });
    if let Some(view) = &found {
        if loss == Loss::Refused {
            match &asked_view {
                None => plan.notes.push(format!(
                    "the table has a stream of {view} and the design has none: kept (--allow-destroy ends it)"
                )),
                Some(asked) => plan.blocked.push(format!(
                    "the stream has {view} and the design says {asked}: a stream must end before another begins \
                     (--allow-destroy does that; what was not read yet stays readable for 24 hours)"
                )),
            }
            return;
        }
        plan.push_loss(
            "UpdateTable",
            change(json!({ "StreamEnabled": false })),
            format!("- stream of {view}"),
            Until::Active,
        );
    }
    if let (Some(stream), Some(view)) = (asked, asked_view) {
        plan.push("UpdateTable", change(stream), format!("+ stream of {view}"), "");
    }
}

/// Protection, class and encryption: each a change of its own.
fn switches(wanted: &Wanted<'_>, live: &Live, is_service: bool, plan: &mut TablePlan) {
    let found = live.description.get("DeletionProtectionEnabled");
    if let Some(asked) = wanted.create.get("DeletionProtectionEnabled")
        && found.and_then(Json::as_bool).unwrap_or(false) != asked.as_bool().unwrap_or(false)
    {
        let body = json!({ "TableName": wanted.name, "DeletionProtectionEnabled": asked });
        change(plan, is_service || found.is_some(), body, format!("deletion protection {}", on_off(asked)));
    }
    let found = described(live, &["TableClassSummary", "TableClass"]).and_then(Json::as_str);
    if let Some(asked) = wanted.create.get("TableClass").and_then(Json::as_str)
        && found.unwrap_or("STANDARD") != asked
    {
        let body = json!({ "TableName": wanted.name, "TableClass": asked });
        change(plan, is_service || found.is_some(), body, format!("class {asked}"));
    }
    let found = described(live, &["SSEDescription", "Status"]).and_then(Json::as_str);
    let is_on = matches!(found, Some("ENABLED" | "ENABLING" | "UPDATING"));
    if let Some(asked) = wanted.create.get("SSESpecification")
        && asked.get("Enabled").and_then(Json::as_bool).unwrap_or(false) != is_on
    {
        let body = json!({ "TableName": wanted.name, "SSESpecification": asked });
        let summary = "encryption with a key of the account".to_owned();
        change(plan, is_service || found.is_some(), body, summary);
    }
}

/// A change, unless the endpoint never says how the thing stands: there it would be made again and again.
fn change(plan: &mut TablePlan, is_told: bool, body: Json, summary: String) {
    if is_told {
        plan.push("UpdateTable", body, summary, "");
    } else {
        plan.lacks.push(format!("{summary}: this endpoint does not tell, so it is left as it is"));
    }
}

fn on_off(value: &Json) -> &'static str {
    if value.as_bool().unwrap_or(false) { "on" } else { "off" }
}

fn expiry(wanted: &Wanted<'_>, live: &Live, plan: &mut TablePlan) {
    let asked = physical::time_to_live(&wanted.properties);
    let Some(found) = told(&live.expiry, asked.is_some(), "TTL", plan) else { return };
    let attribute = asked.as_ref().map(|asked| text(asked, "AttributeName").to_owned());
    if attribute == *found {
        return;
    }
    match (asked, found) {
        (None, Some(found)) => {
            // An explicit `Enabled: false` is an order; saying nothing is none.
            if wanted.properties.get("TimeToLiveSpecification").is_some() {
                let off = json!({ "AttributeName": found, "Enabled": false });
                let body = json!({ "TableName": wanted.name, "TimeToLiveSpecification": off });
                plan.push("UpdateTimeToLive", body, format!("- TTL on {found}"), "then no further TTL change for 1 h");
            } else {
                plan.notes.push(format!("the table expires items by {found} and the design says nothing of it: kept"));
            }
        }
        (Some(asked), Some(found)) => plan.blocked.push(format!(
            "the table expires items by {found} and the design says {}: turn TTL off, wait an hour, deploy again",
            text(&asked, "AttributeName")
        )),
        (Some(asked), None) => expire(wanted, asked, plan),
        (None, None) => {}
    }
}

fn expire(wanted: &Wanted<'_>, specification: Json, plan: &mut TablePlan) {
    let summary = format!("+ TTL on {}", text(&specification, "AttributeName"));
    let body = json!({ "TableName": wanted.name, "TimeToLiveSpecification": specification });
    plan.push("UpdateTimeToLive", body, summary, "then no further TTL change for 1 h");
}

fn is_recovery_on(specification: &Json) -> bool {
    specification.get("PointInTimeRecoveryEnabled").and_then(Json::as_bool) == Some(true)
}

fn recovery(wanted: &Wanted<'_>, live: &Live, plan: &mut TablePlan) {
    let Some(asked) = physical::recovery(&wanted.properties) else { return };
    let is_on = is_recovery_on(&asked);
    let Some((found_on, found_days)) = told(&live.recovery, is_on, "recovery", plan) else { return };
    let days = number(Some(&asked), "RecoveryPeriodInDays");
    let same_days = !is_on || days.is_none() || found_days.is_none() || days == *found_days;
    if is_on != *found_on || !same_days {
        recover(wanted, asked, plan);
    }
}

fn recover(wanted: &Wanted<'_>, specification: Json, plan: &mut TablePlan) {
    let days = number(Some(&specification), "RecoveryPeriodInDays").unwrap_or(35);
    let summary = if is_recovery_on(&specification) {
        format!("+ recovery to any second of {days} days")
    } else {
        "- recovery".to_owned()
    };
    let body = json!({ "TableName": wanted.name, "PointInTimeRecoverySpecification": specification });
    plan.push("UpdateContinuousBackups", body, summary, "");
}

fn tags(wanted: &Wanted<'_>, live: &Live, plan: &mut TablePlan) {
    let asked = physical::list(&wanted.properties, "Tags");
    let Some(found) = told(&live.tags, asked.is_some(), "tags", plan) else { return };
    let is_there =
        |tag: &Json| found.iter().any(|(key, value)| text(tag, "Key") == key && text(tag, "Value") == value);
    let missing: Vec<Json> = asked.into_iter().flatten().filter(|tag| !is_there(tag)).cloned().collect();
    if missing.is_empty() {
        return;
    }
    let names: Vec<String> =
        missing.iter().map(|tag| format!("{}={}", text(tag, "Key"), text(tag, "Value"))).collect();
    let body = json!({ "ResourceArn": text(&live.description, "TableArn"), "Tags": missing });
    plan.push("TagResource", body, format!("+ tags {}", names.join(", ")), "");
}

/// What the endpoint tells; what it cannot tell is noted if the design cares.
fn told<'a, T>(known: &'a Known<T>, is_asked: bool, what: &str, plan: &mut TablePlan) -> Option<&'a T> {
    match known {
        Ok(value) => Some(value),
        Err(Lack { operation }) => {
            if is_asked {
                plan.lacks.push(format!("{what}: this endpoint has no {operation}, so it is left out"));
            }
            None
        }
    }
}
