//! Keys and indexes compared: what is missing, what is more, what differs, what can never change.

use serde_json::{Value as Json, json};

use super::words::{key, projection, schema};
use super::{Loss, TablePlan, Until, Wanted};
use crate::physical;
use client::live::{Live, text};

/// Why the table cannot become what the design says, if it cannot: its key and its local indexes are for ever.
pub(super) fn unchangeable(wanted: &Wanted<'_>, live: &Live) -> Option<String> {
    let name = &wanted.name;
    let (asked, found) = (key(&wanted.create, &wanted.create), key(&live.description, &live.description));
    if asked != found {
        return Some(format!("{name} has the key {found} and the design says {asked}; a key never changes"));
    }
    let asked =
        physical::list(&wanted.create, "LocalSecondaryIndexes").map(Vec::as_slice).unwrap_or_default();
    let found = live.list("LocalSecondaryIndexes");
    let forever = "local indexes are made with the table and never change";
    for index in asked {
        let index_name = text(index, "IndexName");
        let Some(other) = found.iter().find(|other| text(other, "IndexName") == index_name) else {
            return Some(format!("{name} has no local index {index_name}; {forever}"));
        };
        if let Some(difference) = difference(index, &wanted.create, other, &live.description) {
            return Some(format!("{name}: local index {index_name} {difference}; {forever}"));
        }
    }
    let extra = found.iter().map(|index| text(index, "IndexName"));
    let mut extra = extra.filter(|name| !asked.iter().any(|index| text(index, "IndexName") == *name));
    extra
        .next()
        .map(|index| format!("{name} has the local index {index}, which the design has not; {forever}"))
}

/// The global indexes: one change a request, because the service takes no more.
pub(super) fn global(wanted: &Wanted<'_>, live: &Live, loss: Loss, plan: &mut TablePlan) {
    let asked =
        physical::list(&wanted.create, "GlobalSecondaryIndexes").map(Vec::as_slice).unwrap_or_default();
    let found = live.list("GlobalSecondaryIndexes");
    for index in found {
        let name = text(index, "IndexName");
        if asked.iter().any(|other| text(other, "IndexName") == name) {
            continue;
        }
        match loss {
            Loss::Refused => plan.notes.push(format!(
                "{name} is in the table and not in the design: kept (--allow-destroy drops it)"
            )),
            Loss::Allowed => drop_index(wanted, name, plan),
        }
    }
    for index in asked {
        let name = text(index, "IndexName");
        match found.iter().find(|other| text(other, "IndexName") == name) {
            None => add_index(wanted, live, index, plan),
            Some(other) => {
                let Some(difference) = difference(index, &wanted.create, other, &live.description) else {
                    continue;
                };
                match loss {
                    Loss::Refused => plan.blocked.push(format!(
                        "{name} {difference}: an index cannot be changed, only dropped and made again \
                         (--allow-destroy does that; queries of it fail in between)"
                    )),
                    Loss::Allowed => {
                        drop_index(wanted, name, plan);
                        add_index(wanted, live, index, plan);
                    }
                }
            }
        }
    }
}

fn drop_index(wanted: &Wanted<'_>, name: &str, plan: &mut TablePlan) {
    let change = json!([{ "Delete": { "IndexName": name } }]);
    let body = json!({ "TableName": wanted.name, "GlobalSecondaryIndexUpdates": change });
    plan.push_loss("UpdateTable", body, format!("- {name}"), Until::Active);
}

fn add_index(wanted: &Wanted<'_>, live: &Live, index: &Json, plan: &mut TablePlan) {
    let name = text(index, "IndexName");
    let earlier =
        plan.steps.iter().filter(|step| step.body.get("GlobalSecondaryIndexUpdates").is_some()).count();
    let mut note = format!("online, fills from about {} items, wait ACTIVE", live.item_count());
    if earlier > 0 {
        note.push_str("; one index change a request: runs after the one before");
    }
    let body = json!({
        "TableName": wanted.name,
        "AttributeDefinitions": definitions(wanted, live, index),
        "GlobalSecondaryIndexUpdates": [{ "Create": index }],
    });
    plan.push("UpdateTable", body, format!("+ {name}"), note);
}

/// The definitions that the request must carry: those of the new index's key. The service knows the others.
fn definitions(wanted: &Wanted<'_>, live: &Live, index: &Json) -> Vec<Json> {
    let names: Vec<&str> = schema(index).iter().map(|part| text(part, "AttributeName")).collect();
    let asked = physical::attribute_definitions(wanted.table, &wanted.properties);
    let mut all: Vec<Json> = live.list("AttributeDefinitions").to_vec();
    for definition in asked {
        let name = text(&definition, "AttributeName");
        if names.contains(&name) && !all.iter().any(|known| text(known, "AttributeName") == name) {
            all.push(definition);
        }
    }
    all
}

/// How an index of the design differs from the one that is there.
fn difference(asked: &Json, create: &Json, found: &Json, description: &Json) -> Option<String> {
    let (asked_key, found_key) = (key(asked, create), key(found, description));
    if asked_key != found_key {
        return Some(format!("has the key {found_key} and the design says {asked_key}"));
    }
    let (asked, found) = (projection(asked), projection(found));
    (asked != found).then(|| format!("projects {found} and the design says {asked}"))
}
