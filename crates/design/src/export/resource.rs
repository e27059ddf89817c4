//! A table's CloudFormation resource for one environment: word for word as in the file, with the environment's
//! name and properties put in and the attribute definitions completed. Knows no templates around it.

use serde_json::{Map, Value as Json, json};

use crate::model::{Design, Environment, Table};
use crate::physical;

/// The resource.
pub(crate) fn resource(environment: &Environment, table: &Table) -> Json {
    let mut resource = named(&table.resource, &environment.name.value);
    if !resource.is_object() {
        resource = Json::Object(Map::new());
    }
    let Some(fields) = resource.as_object_mut() else { return resource };
    fields.entry("Type").or_insert_with(|| json!("AWS::DynamoDB::Table"));
    if let Some(policy) = environment.deletion_policy.as_ref().or(table.deletion_policy.as_ref()) {
        fields.insert("DeletionPolicy".into(), json!(policy));
        // A table that is kept when the stack goes should also be kept when it must be replaced.
        fields.entry("UpdateReplacePolicy").or_insert_with(|| json!(policy));
    }
    let properties = fields.entry("Properties").or_insert_with(|| json!({}));
    let over = environment.properties.get("Properties").unwrap_or(&environment.properties);
    merge(properties, &named(over, &environment.name.value));
    if let Some(properties) = properties.as_object_mut() {
        define(properties, table);
    }
    ordered(resource)
}

/// The properties of a table with every reference resolved and every key attribute defined.
pub(crate) fn resolved(design: &Design, environment: &Environment, table: &Table) -> Json {
    let mut properties = physical::properties(design, environment, table);
    if let Some(fields) = properties.as_object_mut() {
        fields.entry("TableName").or_insert_with(|| json!(physical::table_name(design, environment, table)));
        define(fields, table);
    }
    properties
}

/// The same with `${Environment}` replaced in every text.
pub(crate) fn named(json: &Json, environment: &str) -> Json {
    match json {
        Json::String(text) => Json::String(text_named(text, environment)),
        Json::Array(values) => values.iter().map(|value| named(value, environment)).collect(),
        Json::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.clone(), named(value, environment)));
            Json::Object(fields.collect())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => json.clone(),
    }
}

fn text_named(text: &str, environment: &str) -> String {
    text.replace("${Environment}", environment)
}

/// Objects are merged field by field; anything else is replaced.
fn merge(into: &mut Json, from: &Json) {
    match (into, from) {
        (Json::Object(into), Json::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name.clone()).or_insert(Json::Null), value);
            }
        }
        (_, Json::Null) => {}
        (into, from) => *into = from.clone(),
    }
}

/// Adds the attribute definitions that the file left out.
fn define(properties: &mut Map<String, Json>, table: &Table) {
    let mut defined: Vec<Json> =
        properties.get("AttributeDefinitions").and_then(Json::as_array).cloned().unwrap_or_default();
    let keys = table.key.iter().chain(table.indexes.iter().flat_map(|index| &index.key));
    for key in keys {
        let is_known = defined.iter().any(|known| known.get("AttributeName") == Some(&json!(key.name.value)));
        if !is_known {
            let kind = if key.kind.is_empty() { "S" } else { key.kind.as_str() };
            defined.push(json!({"AttributeName": key.name.value, "AttributeType": kind}));
        }
    }
    properties.insert("AttributeDefinitions".into(), Json::Array(defined));
}

/// `Type` and the policies first, `Properties` last, as people write it.
fn ordered(resource: Json) -> Json {
    let Json::Object(fields) = resource else { return resource };
    let rank = |name: &str| match name {
        "Type" => 0,
        "Condition" => 1,
        "DeletionPolicy" => 2,
        "UpdateReplacePolicy" => 3,
        "Properties" => 5,
        _ => 4,
    };
    let mut fields: Vec<(String, Json)> = fields.into_iter().collect();
    fields.sort_by_key(|(name, _)| rank(name));
    Json::Object(fields.into_iter().collect())
}
