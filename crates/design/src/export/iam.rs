//! The IAM policy of a design: its own statements, and what the access patterns need beyond them.
//! Knows no CloudFormation.

use serde_json::{Value as Json, json};

use super::cloudformation::logical_id;
use super::resource::named;
use crate::model::{Design, Environment, Step, Table};
use crate::physical::table_name;

/// The policy document as JSON text.
pub(super) fn policy(design: &Design, environment: &Environment) -> String {
    let mut statements: Vec<Json> =
        design.iam.iter().map(|statement| named(&statement.value, &environment.name.value)).collect();
    for table in &design.tables {
        for need in needs(design, environment, table) {
            let missing: Vec<&String> = need
                .actions
                .iter()
                .filter(|action| !is_granted(&statements, action, &need.resource))
                .collect();
            if missing.is_empty() {
                continue;
            }
            let sid = format!("{}{}", logical_id(&table.id.value), logical_id(&need.title));
            statements
                .push(json!({"Sid": sid, "Effect": "Allow", "Action": missing, "Resource": need.resource}));
        }
    }
    let document = json!({"Version": "2012-10-17", "Statement": statements});
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

/// Actions that the patterns need on one table or one index.
struct Need {
    title: String,
    resource: String,
    actions: Vec<String>,
}

fn needs(design: &Design, environment: &Environment, table: &Table) -> Vec<Need> {
    let region = environment.region.as_deref().or(design.region.as_ref().map(|region| region.value.as_str()));
    let arn = format!(
        "arn:aws:dynamodb:{}:*:table/{}",
        region.unwrap_or("*"),
        table_name(design, environment, table)
    );
    let mut needs = vec![Need { title: "Items".into(), resource: arn.clone(), actions: Vec::new() }];
    for index in &table.indexes {
        let resource = format!("{arn}/index/{}", index.name.value);
        needs.push(Need { title: index.name.value.clone(), resource, actions: Vec::new() });
    }
    for step in design.patterns.iter().flat_map(|pattern| &pattern.steps) {
        collect(design, table, step, &mut needs, false);
    }
    for need in &mut needs {
        need.actions.sort();
        need.actions.dedup();
    }
    needs.retain(|need| !need.actions.is_empty());
    needs
}

/// Transactions are permitted by the actions of their parts; batches have actions of their own.
fn collect(design: &Design, table: &Table, step: &Step, needs: &mut [Need], is_in_batch: bool) {
    let operation = step.operation.value.as_str();
    let is_transaction = matches!(operation, "TransactWriteItems" | "TransactGetItems");
    for action in &step.actions {
        collect(design, table, action, needs, operation.starts_with("Batch"));
    }
    if !concerns(design, table, step) || is_in_batch {
        return;
    }
    let index = step.index.as_ref().map(|index| index.value.as_str());
    let action = match operation {
        "TransactGetItems" => "GetItem",
        "TransactWriteItems" => "PutItem",
        "ConditionCheck" => "ConditionCheckItem",
        other => other,
    };
    if is_transaction && !step.actions.is_empty() {
        return;
    }
    let title = index.unwrap_or("Items");
    if let Some(need) = needs.iter_mut().find(|need| need.title == title) {
        need.actions.push(format!("dynamodb:{action}"));
    }
}

fn concerns(design: &Design, table: &Table, step: &Step) -> bool {
    let of_entity = |name: &str| {
        design.entities.iter().any(|entity| entity.name.value == name && entity.table.value == table.id.value)
    };
    let by_sample = |name: &str| {
        design.samples.iter().any(|sample| sample.name.value == name && of_entity(&sample.entity.value))
    };
    match (&step.entity, &step.table) {
        (Some(entity), _) => of_entity(&entity.value),
        (None, Some(named)) => named.value == table.id.value,
        (None, None) => {
            step.samples.iter().any(|sample| by_sample(&sample.value))
                || step.actions.iter().any(|action| concerns(design, table, action))
                || design.tables.len() == 1
        }
    }
}

fn is_granted(statements: &[Json], action: &str, resource: &str) -> bool {
    statements.iter().any(|statement| {
        statement.get("Effect").and_then(Json::as_str) == Some("Allow")
            && any(statement.get("Action"), |pattern| {
                matches(&pattern.to_lowercase(), &action.to_lowercase())
            })
            && any(statement.get("Resource"), |pattern| matches(pattern, resource))
    })
}

fn any(json: Option<&Json>, test: impl Fn(&str) -> bool) -> bool {
    match json {
        Some(Json::String(text)) => test(text),
        Some(Json::Array(values)) => values.iter().filter_map(Json::as_str).any(test),
        _ => false,
    }
}

/// Whether a text matches a pattern with `*`.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_match_as_in_policies() {
        let arn = "arn:aws:dynamodb:eu-north-1:*:table/lunch-cache-dev";
        for (pattern, expected) in [
            ("arn:aws:dynamodb:eu-north-1:*:table/lunch-cache-*", true),
            ("*", true),
            (arn, true),
            ("arn:aws:dynamodb:*:table/other-*", false),
            ("arn:aws:dynamodb:eu-north-1:*:table/lunch-cache-*/index/*", false),
        ] {
            assert_eq!(matches(pattern, arn), expected, "{pattern}");
        }
    }
}
