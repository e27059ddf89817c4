//! A design from a NoSQL Workbench model. Knows no running tables.

use item::Item;
use serde_json::{Map, Value as Json, json};

use super::draft::Draft;
use super::infer::Keys;
use super::running::{keys, logical_id, settled};
use crate::json::from_json;

/// The design of a model.
pub(super) fn import(model: &Json) -> Result<String, String> {
    let name = model.get("ModelName").and_then(Json::as_str).unwrap_or("imported");
    let description =
        model.pointer("/ModelMetadata/Description").and_then(Json::as_str).filter(|text| !text.is_empty());
    let mut draft = Draft {
        name: name.to_owned(),
        description: description.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")),
        notes: vec!["Written from a NoSQL Workbench model. Entities and templates are guesses from its items: look at them.".into()],
        ..Draft::default()
    };
    let mut tables = Vec::new();
    for table in model.get("DataModel").and_then(Json::as_array).into_iter().flatten() {
        let table_name =
            table.get("TableName").and_then(Json::as_str).ok_or("a table of the model has no TableName")?;
        let id = logical_id(table_name);
        let properties = properties(table_name, table);
        let mut known: Keys = keys(&id, &properties);
        known.names = facets(table);
        draft.tables.push((id, json!({"Type": "AWS::DynamoDB::Table", "Properties": properties})));
        let data = table.get("TableData").and_then(Json::as_array).into_iter().flatten();
        let items = data.map(from_json).collect::<Result<Vec<Item>, String>>()?;
        tables.push((known, items));
    }
    if tables.is_empty() {
        return Err("the model has no tables".into());
    }
    Ok(settled(draft, tables))
}

/// Facets name entities, if their aliases are templates.
fn facets(table: &Json) -> Vec<(String, String)> {
    let mut names = Vec::new();
    for facet in table.get("TableFacets").and_then(Json::as_array).into_iter().flatten() {
        let alias = |name: &str| facet.pointer(&format!("/KeyAttributeAlias/{name}")).and_then(Json::as_str);
        let (Some(name), Some(pk)) =
            (facet.get("FacetName").and_then(Json::as_str), alias("PartitionKeyAlias"))
        else {
            continue;
        };
        let signature = match alias("SortKeyAlias") {
            Some(sk) => format!("{pk} | {sk}"),
            None => pk.to_owned(),
        };
        let plain: String = name.split(|letter: char| !letter.is_alphanumeric()).collect();
        names.push((signature, plain));
    }
    names
}

fn properties(name: &str, table: &Json) -> Json {
    let mut defined: Map<String, Json> = Map::new();
    let mut schema = |keys: Option<&Json>| -> Json {
        let mut out = Vec::new();
        for (role, kind) in [("PartitionKey", "HASH"), ("SortKey", "RANGE")] {
            let Some(key) = keys.and_then(|keys| keys.get(role)) else { continue };
            let (attribute, of) = (key.get("AttributeName"), key.get("AttributeType"));
            if let Some(attribute) = attribute.and_then(Json::as_str) {
                defined.insert(attribute.to_owned(), of.cloned().unwrap_or(json!("S")));
                out.push(json!({"AttributeName": attribute, "KeyType": kind}));
            }
        }
        Json::Array(out)
    };
    let key = schema(table.get("KeyAttributes"));
    let mut indexes = Vec::new();
    for index in table.get("GlobalSecondaryIndexes").and_then(Json::as_array).into_iter().flatten() {
        let projection = index.get("Projection").cloned().unwrap_or_else(|| json!({"ProjectionType": "ALL"}));
        let key = schema(index.get("KeyAttributes"));
        indexes
            .push(json!({"IndexName": index.get("IndexName"), "KeySchema": key, "Projection": projection}));
    }
    let is_provisioned = table.get("BillingMode").and_then(Json::as_str) == Some("PROVISIONED");
    let definitions: Vec<Json> =
        defined.iter().map(|(name, kind)| json!({"AttributeName": name, "AttributeType": kind})).collect();
    let mut out = Map::new();
    out.insert("TableName".into(), json!(name));
    out.insert("BillingMode".into(), json!(if is_provisioned { "PROVISIONED" } else { "PAY_PER_REQUEST" }));
    let units = table.pointer("/ProvisionedCapacitySettings/ProvisionedThroughput");
    if let (true, Some(units)) = (is_provisioned, units) {
        out.insert("ProvisionedThroughput".into(), units.clone());
    }
    out.insert("AttributeDefinitions".into(), Json::Array(definitions));
    out.insert("KeySchema".into(), key);
    if !indexes.is_empty() {
        out.insert("GlobalSecondaryIndexes".into(), Json::Array(indexes));
    }
    Json::Object(out)
}
