//! A design as a NoSQL Workbench data model, version 3.0. Knows no CloudFormation but the billing properties.

use serde_json::{Map, Value as Json, json};

use super::resource::resolved;
use crate::cost::sizes;
use crate::json::to_json;
use crate::model::{Design, Entity, Environment, KeyAttribute, Table};

/// The date in the model's header: always the same, so that two exports of the same design are the same.
const DATE: &str = "Jan 01, 2026, 12:00 AM";

/// The model as JSON text.
pub(super) fn model(design: &Design, environment: &Environment) -> String {
    let tables: Vec<Json> =
        design.tables.iter().map(|table| data_model(design, environment, table)).collect();
    let model = json!({
        "ModelName": design.name,
        "ModelMetadata": {
            "Author": "",
            "DateCreated": DATE,
            "DateLastModified": DATE,
            "Description": design.description.clone().unwrap_or_default(),
            "AWSService": "Amazon DynamoDB",
            "Version": "3.0",
        },
        "DataModel": tables,
    });
    serde_json::to_string_pretty(&model).unwrap_or_default() + "\n"
}

fn data_model(design: &Design, environment: &Environment, table: &Table) -> Json {
    let entities: Vec<&Entity> =
        design.entities.iter().filter(|entity| entity.table.value == table.id.value).collect();
    let items: Vec<_> =
        entities.iter().flat_map(|entity| sizes::built_samples(design, &entity.name.value)).collect();
    let data: Vec<Json> = items.iter().map(|(_, item)| to_json(item)).collect();
    let global: Vec<Json> = table.indexes.iter().filter(|index| !index.is_local).map(|index| {
        let mut projection = json!({"ProjectionType": index.projection.value});
        if !index.included.is_empty() {
            let names: Vec<&str> = index.included.iter().map(|name| name.value.as_str()).collect();
            projection = json!({"ProjectionType": index.projection.value, "NonKeyAttributes": names});
        }
        json!({"IndexName": index.name.value, "KeyAttributes": keys(&index.key), "Projection": projection})
    }).collect();
    let properties = resolved(design, environment, table);
    let billing = properties.get("BillingMode").and_then(Json::as_str).unwrap_or("PROVISIONED");
    let mut model = json!({
        "TableName": crate::physical::table_name(design, environment, table),
        "KeyAttributes": keys(&table.key),
        "NonKeyAttributes": non_key(&data, table),
        "TableFacets": entities.iter().map(|entity| facet(design, table, entity)).collect::<Vec<_>>(),
        "GlobalSecondaryIndexes": global,
        "TableData": data,
        "DataAccess": {"MySql": {}},
        "BillingMode": billing,
    });
    if billing == "PROVISIONED" {
        let capacity = |name: &str| {
            properties.pointer(&format!("/ProvisionedThroughput/{name}")).cloned().unwrap_or(json!(5))
        };
        let settings = json!({
            "ProvisionedThroughput": {
                "ReadCapacityUnits": capacity("ReadCapacityUnits"),
                "WriteCapacityUnits": capacity("WriteCapacityUnits"),
            },
            "AutoScalingRead": {"ScalableTargetRequest": {"MinCapacity": 1, "MaxCapacity": 10, "ServiceRole": "AWSServiceRoleForApplicationAutoScaling_DynamoDBTable"}, "ScalingPolicyConfiguration": {"TargetValue": 70}},
            "AutoScalingWrite": {"ScalableTargetRequest": {"MinCapacity": 1, "MaxCapacity": 10, "ServiceRole": "AWSServiceRoleForApplicationAutoScaling_DynamoDBTable"}, "ScalingPolicyConfiguration": {"TargetValue": 70}},
        });
        if let Some(fields) = model.as_object_mut() {
            fields.insert("ProvisionedCapacitySettings".into(), settings);
        }
    }
    model
}

fn keys(key: &[KeyAttribute]) -> Json {
    let mut keys = Map::new();
    for attribute in key {
        let role = if attribute.is_hash { "PartitionKey" } else { "SortKey" };
        let kind = if attribute.kind.is_empty() { "S" } else { attribute.kind.as_str() };
        keys.insert(role.into(), json!({"AttributeName": attribute.name.value, "AttributeType": kind}));
    }
    Json::Object(keys)
}

/// Every attribute of the items but the key, each once, with the type it has first.
fn non_key(items: &[Json], table: &Table) -> Json {
    let mut found: Vec<(String, String)> = Vec::new();
    for (name, value) in items.iter().filter_map(Json::as_object).flatten() {
        let is_key = table.key.iter().any(|key| key.name.value == *name);
        if is_key || found.iter().any(|(known, _)| known == name) {
            continue;
        }
        let kind = value.as_object().and_then(|value| value.keys().next()).cloned().unwrap_or_default();
        found.push((name.clone(), kind));
    }
    let attribute = |(name, kind): &(String, String)| json!({"AttributeName": name, "AttributeType": kind});
    Json::Array(found.iter().map(attribute).collect())
}

fn facet(design: &Design, table: &Table, entity: &Entity) -> Json {
    let samples = sizes::built_samples(design, &entity.name.value);
    let data: Vec<Json> = samples.iter().map(|(_, item)| to_json(item)).collect();
    let mut attributes: Vec<String> = Vec::new();
    for (name, _) in data.iter().filter_map(Json::as_object).flatten() {
        if !table.key.iter().any(|key| key.name.value == *name) && !attributes.contains(name) {
            attributes.push(name.clone());
        }
    }
    let mut alias = json!({"PartitionKeyAlias": entity.pk.text});
    if let (Some(template), Some(fields)) = (&entity.sk, alias.as_object_mut()) {
        fields.insert("SortKeyAlias".into(), json!(template.text));
    }
    json!({
        "FacetName": entity.name.value,
        "KeyAttributeAlias": alias,
        "TableData": data,
        "NonKeyAttributes": attributes,
        "DataAccess": {"MySql": {}},
    })
}
