//! Rules of tables and their indexes: what CreateTable would refuse. Knows no entities.

use serde_json::Value as Json;

use super::Check;
use crate::diagnostic::{nearest, suggest};
use crate::model::{Index, KeyAttribute, Place, Table};

pub(super) fn check(check: &mut Check<'_>) {
    for table in &check.design.tables {
        name(check, table);
        key(check, &table.key, table.id.place, &table.id.value);
        definitions(check, table);
        counts(check, table);
        billing(check, table);
        for index in &table.indexes {
            let what = format!("{}.{}", table.id.value, index.name.value);
            key(check, &index.key, index.name.place, &what);
            projection(check, table, index);
            if index.is_local {
                local(check, table, index);
            }
        }
    }
}

fn name(check: &mut Check<'_>, table: &Table) {
    let place = table.table_name.place;
    let mut names = Vec::new();
    for environment in &check.design.environments {
        // An environment may give the table a name of its own.
        let own = environment.properties.get("TableName").and_then(serde_json::Value::as_str);
        let name = own.unwrap_or(&table.table_name.value).replace("${Environment}", &environment.name.value);
        let known = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
        if !(3..=255).contains(&name.len()) || !name.chars().all(known) {
            let message = format!("{}: `{name}` is not a table name", table.id.value);
            check.error(
                "T002",
                place,
                message,
                "3 to 255 of a-z, A-Z, 0-9, _, - and .; `${Environment}` is filled in",
            );
            return;
        }
        if names.contains(&name) {
            let message = format!("{}: two environments share the table `{name}`", table.id.value);
            check.warning("T014", place, message, "put ${Environment} into TableName");
            return;
        }
        names.push(name);
    }
}

fn key(check: &mut Check<'_>, key: &[KeyAttribute], place: Place, what: &str) {
    let hashes = key.iter().filter(|attribute| attribute.is_hash).count();
    let ordered = key.iter().take(hashes).all(|attribute| attribute.is_hash);
    if hashes == 0 || !ordered {
        let message = format!("{what}: KeySchema must begin with a HASH attribute");
        check.error("T001", place, message, "HASH first, then RANGE");
    }
    let is_table = check.design.tables.iter().any(|table| table.id.value == what);
    let most = if is_table { 1 } else { 4 };
    if hashes > most || key.len() - hashes > most {
        let message =
            format!("{what}: {hashes} HASH and {} RANGE attributes are too many", key.len() - hashes);
        check.error("T001", place, message, "a table takes one of each, a global index up to four of each");
    }
    for attribute in key {
        if !matches!(attribute.kind.as_str(), "S" | "N" | "B") {
            let message = format!("{what}: `{}` is of type {}", attribute.name.value, attribute.kind);
            check.error("T003", attribute.name.place, message, "a key attribute is S, N or B");
        }
    }
}

/// AttributeDefinitions may be left out; if they are there, they must name the key attributes and nothing else.
fn definitions(check: &mut Check<'_>, table: &Table) {
    let Some(definitions) =
        table.resource.pointer("/Properties/AttributeDefinitions").and_then(Json::as_array)
    else {
        return;
    };
    let defined: Vec<&str> =
        definitions.iter().filter_map(|one| one.get("AttributeName").and_then(Json::as_str)).collect();
    let keys: Vec<&KeyAttribute> =
        table.key.iter().chain(table.indexes.iter().flat_map(|index| &index.key)).collect();
    let place = place(table, "AttributeDefinitions");
    for attribute in &keys {
        if !defined.contains(&attribute.name.value.as_str()) {
            let message = format!("{}: AttributeDefinitions lack `{}`", table.id.value, attribute.name.value);
            check.error(
                "T003",
                place,
                message,
                "add it, or leave AttributeDefinitions out: they are derived",
            );
        }
    }
    for name in defined {
        if !keys.iter().any(|attribute| attribute.name.value == name) {
            let message =
                format!("{}: AttributeDefinitions name `{name}`, which is in no key", table.id.value);
            check.error("T003", place, message, "remove it: DynamoDB defines key attributes only");
        }
    }
}

fn counts(check: &mut Check<'_>, table: &Table) {
    for (is_local, most, kind) in [(true, 5, "local"), (false, 20, "global")] {
        let count = table.indexes.iter().filter(|index| index.is_local == is_local).count();
        if count > most {
            let message = format!("{}: {count} {kind} indexes, and {most} are allowed", table.id.value);
            check.error("T004", table.id.place, message, "drop those that no access pattern reads");
        }
    }
    for (position, index) in table.indexes.iter().enumerate() {
        if table.indexes.iter().take(position).any(|other| other.name.value == index.name.value) {
            let message = format!("{}: two indexes are called `{}`", table.id.value, index.name.value);
            check.error("T004", index.name.place, message, "rename one");
        }
    }
}

fn billing(check: &mut Check<'_>, table: &Table) {
    let property = |name: &str| table.resource.pointer(&format!("/Properties/{name}"));
    let mode = property("BillingMode").and_then(Json::as_str).unwrap_or("PROVISIONED");
    let has_throughput = property("ProvisionedThroughput").is_some()
        || property("WriteProvisionedThroughputSettings").is_some();
    let id = &table.id.value;
    match (mode, has_throughput) {
        ("PROVISIONED", false) => {
            let message = format!("{id}: PROVISIONED (the default) needs ProvisionedThroughput");
            check.error(
                "T005",
                table.id.place,
                message,
                "write BillingMode: PAY_PER_REQUEST, or say how many units",
            );
        }
        ("PAY_PER_REQUEST", true) => {
            let message = format!("{id}: PAY_PER_REQUEST and ProvisionedThroughput exclude each other");
            check.error("T005", place(table, "ProvisionedThroughput"), message, "remove one of them");
        }
        ("PROVISIONED" | "PAY_PER_REQUEST", _) => {}
        (mode, _) => {
            let hint = suggest(mode, &["PAY_PER_REQUEST", "PROVISIONED"]);
            check.error(
                "T005",
                place(table, "BillingMode"),
                format!("{id}: no billing mode `{mode}`"),
                &hint,
            );
        }
    }
}

fn projection(check: &mut Check<'_>, table: &Table, index: &Index) {
    let what = format!("{}.{}", table.id.value, index.name.value);
    let kind = index.projection.value.as_str();
    let place = index.projection.place;
    match kind {
        // A missing projection is told when the file is read.
        "" => {}
        "ALL" | "KEYS_ONLY" if !index.included.is_empty() => {
            let message = format!("{what}: ProjectionType is {kind}, but NonKeyAttributes are given");
            check.error("T012", place, message, "remove NonKeyAttributes, or make it INCLUDE");
        }
        "INCLUDE" if index.included.is_empty() => {
            let message = format!("{what}: ProjectionType INCLUDE needs NonKeyAttributes");
            check.error("T012", place, message, "list the attributes, or make it KEYS_ONLY");
        }
        "ALL" | "KEYS_ONLY" | "INCLUDE" => {}
        _ => {
            let known = ["ALL", "KEYS_ONLY", "INCLUDE"];
            let hint = match nearest(kind, known) {
                Some(known) => format!("write {known}"),
                None => "it is one of ALL, KEYS_ONLY, INCLUDE".to_owned(),
            };
            check.error("T012", place, format!("{what}: no projection type `{kind}`"), &hint);
        }
    }
}

fn local(check: &mut Check<'_>, table: &Table, index: &Index) {
    let what = format!("{}.{}", table.id.value, index.name.value);
    let hash = |key: &[KeyAttribute]| key.iter().find(|one| one.is_hash).map(|one| one.name.value.clone());
    if hash(&table.key) != hash(&index.key) || index.key.len() != 2 || table.key.len() != 2 {
        let message =
            format!("{what}: a local index has the table's partition key and a sort key of its own");
        check.error("T013", index.name.place, message, "make it a global index, or mend its KeySchema");
        return;
    }
    let message = format!(
        "{what}: a local index exists from CreateTable on or never, and limits each partition key to 10 GB that cannot be split"
    );
    check.note("T013", index.name.place, message, "a global index can be added and dropped later");
}

fn place(table: &Table, path: &str) -> Place {
    table.places.iter().find(|(known, _)| known == path).map_or(table.id.place, |(_, place)| *place)
}
