//! IAM statements against what the patterns do: permissions that are missing, permissions that nothing uses.
//! Knows no other services.

use serde_json::Value as Json;

use super::Check;
use crate::model::{Place, Step};

pub(super) fn check(check: &mut Check<'_>) {
    let Some(first) = check.design.iam.first().map(|statement| statement.place) else { return };
    let allowed: Vec<(String, Place)> = check
        .design
        .iam
        .iter()
        .filter(|statement| statement.value.get("Effect").and_then(Json::as_str) != Some("Deny"))
        .flat_map(|statement| {
            texts(statement.value.get("Action")).into_iter().map(|text| (text, statement.place))
        })
        .filter_map(|(text, place)| Some((text.strip_prefix("dynamodb:")?.to_owned(), place)))
        .collect();
    let mut used: Vec<(String, String)> = Vec::new();
    for pattern in &check.design.patterns {
        for step in &pattern.steps {
            used.extend(actions(step).into_iter().map(|action| (action, pattern.name.value.clone())));
        }
    }
    let mut told: Vec<&str> = Vec::new();
    for (action, pattern) in &used {
        if !allowed.iter().any(|(granted, _)| matches(granted, action)) && !told.contains(&action.as_str()) {
            told.push(action);
            let message = format!("iam: {pattern} needs dynamodb:{action}, which no statement allows");
            check.warning("G001", first, message, &format!("add dynamodb:{action} to Action"));
        }
    }
    for (granted, place) in &allowed {
        let is_used = used.iter().any(|(action, _)| matches(granted, action));
        if !is_used && !granted.contains('*') && !is_control(granted) {
            let message = format!("iam: dynamodb:{granted} is allowed, and no access pattern uses it");
            check.note("G001", *place, message, "remove it, or add the pattern that it is for");
        }
    }
    indexes(check, first);
}

/// Reading an index needs a permission on the index, not only on the table.
fn indexes(check: &mut Check<'_>, place: Place) {
    let resources: Vec<String> =
        check.design.iam.iter().flat_map(|statement| texts(statement.value.get("Resource"))).collect();
    let covers = resources
        .iter()
        .any(|resource| resource == "*" || resource.contains("/index/") || resource.ends_with("table/*"));
    let is_opaque =
        check.design.iam.iter().any(|statement| !statement.value.get("Resource").is_some_and(is_plain));
    let mut steps = check.design.patterns.iter().flat_map(|pattern| &pattern.steps);
    if steps.any(|step| step.index.is_some()) && !covers && !is_opaque {
        let message = "iam: patterns query indexes, and no Resource names them".to_owned();
        check.warning("G001", place, message, "add the table's ARN with /index/* at its end");
    }
}

fn is_plain(resource: &Json) -> bool {
    match resource {
        Json::String(_) => true,
        Json::Array(all) => all.iter().all(Json::is_string),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => false,
    }
}

/// The permissions a step needs.
fn actions(step: &Step) -> Vec<String> {
    let inner = step.actions.iter().flat_map(actions);
    match step.operation.value.as_str() {
        "TransactGetItems" => vec!["GetItem".to_owned()],
        "TransactWriteItems" => {
            let own = (!step.samples.is_empty()).then(|| "PutItem".to_owned());
            inner.chain(own).collect()
        }
        "ConditionCheck" => vec!["ConditionCheckItem".to_owned()],
        operation => vec![operation.to_owned()],
    }
}

/// Administration is not the business of access patterns.
fn is_control(action: &str) -> bool {
    ["Describe", "List", "Create", "Update", "Delete", "Tag", "Untag", "Restore", "Export", "Import"]
        .iter()
        .any(|prefix| action.starts_with(prefix) && !action.ends_with("Item"))
        || action.contains("PartiQL")
}

fn matches(granted: &str, action: &str) -> bool {
    match granted.split_once('*') {
        Some((before, after)) => action.starts_with(before) && action.ends_with(after),
        None => granted.eq_ignore_ascii_case(action),
    }
}

fn texts(json: Option<&Json>) -> Vec<String> {
    match json {
        Some(Json::String(text)) => vec![text.clone()],
        Some(Json::Array(all)) => all.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_)) | None => Vec::new(),
    }
}
