//! A table as the API wants it: the CloudFormation resource with the environment put in, turned into a CreateTable
//! request. Knows the two spellings and no endpoint.

mod intrinsic;

use serde_json::{Map, Value as Json, json};

use crate::model::{Design, Environment, KeyAttribute, Table};

/// The environment of this name, or the first one.
pub fn environment<'a>(design: &'a Design, name: Option<&str>) -> Result<&'a Environment, String> {
    let found = match name {
        None => design.environments.first(),
        Some(name) => design.environments.iter().find(|environment| environment.name.value == name),
    };
    found.ok_or_else(|| {
        let known: Vec<&str> = design.environments.iter().map(|one| one.name.value.as_str()).collect();
        let known = known.join(", ");
        format!("{}: there is no environment {:?}; there is {known}", design.file, name.unwrap_or_default())
    })
}

/// The region: the environment's, else the design's.
pub fn region(design: &Design, environment: &Environment) -> Option<String> {
    environment.region.clone().or_else(|| design.region.as_ref().map(|region| region.value.clone()))
}

/// The table's name in this environment.
pub fn table_name(design: &Design, environment: &Environment, table: &Table) -> String {
    match properties(design, environment, table).get("TableName").and_then(Json::as_str) {
        Some(name) => name.to_owned(),
        None => intrinsic::substitute(&table.table_name.value, &scope(design, environment)),
    }
}

/// The CloudFormation properties of a table with the environment's merged in and every reference resolved.
pub fn properties(design: &Design, environment: &Environment, table: &Table) -> Json {
    let mut properties = table.resource.get("Properties").cloned().unwrap_or_else(|| json!({}));
    let over = environment.properties.get("Properties").unwrap_or(&environment.properties);
    merge(&mut properties, over);
    intrinsic::resolve(&properties, &scope(design, environment)).unwrap_or_else(|| json!({}))
}

/// The CreateTable request of a table.
pub fn create_table(design: &Design, environment: &Environment, table: &Table) -> Json {
    let properties = properties(design, environment, table);
    let mut request = Map::new();
    request.insert("TableName".to_owned(), json!(table_name(design, environment, table)));
    request.insert("AttributeDefinitions".to_owned(), Json::Array(attribute_definitions(table, &properties)));
    for name in ["KeySchema", "LocalSecondaryIndexes"] {
        copy(&properties, name, &mut request);
    }
    if let Some(indexes) = list(&properties, "GlobalSecondaryIndexes") {
        let indexes = indexes.iter().map(index).collect();
        request.insert("GlobalSecondaryIndexes".to_owned(), Json::Array(indexes));
    }
    request.insert("BillingMode".to_owned(), json!(billing_mode(&properties)));
    const SAME: &[&str] = &[
        "ProvisionedThroughput",
        "TableClass",
        "DeletionProtectionEnabled",
        "Tags",
        "OnDemandThroughput",
        "WarmThroughput",
    ];
    for name in SAME {
        copy(&properties, name, &mut request);
    }
    if let Some(stream) = stream(&properties) {
        request.insert("StreamSpecification".to_owned(), stream);
    }
    if let Some(encryption) = encryption(&properties) {
        request.insert("SSESpecification".to_owned(), encryption);
    }
    if let Some(policy) = properties.get("ResourcePolicy").and_then(|policy| policy.get("PolicyDocument")) {
        request.insert("ResourcePolicy".to_owned(), json!(policy.to_string()));
    }
    Json::Object(request)
}

/// What the service bills by. CloudFormation takes a table without a word about it for a provisioned one, which then
/// must say its throughput; without that only on-demand can be meant.
pub fn billing_mode(properties: &Json) -> &str {
    let said = properties.get("BillingMode").and_then(Json::as_str);
    said.unwrap_or(if properties.get("ProvisionedThroughput").is_some() {
        "PROVISIONED"
    } else {
        "PAY_PER_REQUEST"
    })
}

/// The stream as the API spells it.
pub fn stream(properties: &Json) -> Option<Json> {
    let view = properties.get("StreamSpecification")?.get("StreamViewType")?;
    Some(json!({ "StreamEnabled": true, "StreamViewType": view }))
}

/// The encryption as the API spells it.
pub fn encryption(properties: &Json) -> Option<Json> {
    let said = properties.get("SSESpecification")?.as_object()?;
    let rename = |name: &str| if name == "SSEEnabled" { "Enabled".to_owned() } else { name.to_owned() };
    Some(Json::Object(said.iter().map(|(name, value)| (rename(name), value.clone())).collect()))
}

/// The UpdateTimeToLive specification, if the table expires items.
pub fn time_to_live(properties: &Json) -> Option<Json> {
    let said = properties.get("TimeToLiveSpecification")?;
    let is_on = said.get("Enabled").and_then(Json::as_bool).unwrap_or(true);
    let attribute = said.get("AttributeName")?;
    is_on.then(|| json!({ "AttributeName": attribute, "Enabled": true }))
}

/// The recovery specification, if the table says anything of it.
pub fn recovery(properties: &Json) -> Option<Json> {
    properties.get("PointInTimeRecoverySpecification").cloned()
}

/// The properties that a deployment through the API leaves out, each with the reason.
pub fn left_out(table: &Table, properties: &Json) -> Vec<String> {
    const LEFT_OUT: &[&str] = &[
        "ContributorInsightsSpecification",
        "KinesisStreamSpecification",
        "ImportSourceSpecification",
        "VectorIndexes",
        "Replicas",
    ];
    let found = LEFT_OUT.iter().filter(|name| properties.get(**name).is_some());
    found
        .map(|name| {
            let id = &table.id.value;
            format!("{id}: {name} is not deployed by this command; deploy the exported CloudFormation template for it")
        })
        .collect()
}

/// The definitions of all key attributes: those that the file gives, else as the keys say.
pub fn attribute_definitions(table: &Table, properties: &Json) -> Vec<Json> {
    if let Some(given) = list(properties, "AttributeDefinitions") {
        return given.clone();
    }
    let mut seen: Vec<&str> = Vec::new();
    let mut definitions = Vec::new();
    for key in key_attributes(table) {
        if !seen.contains(&key.name.value.as_str()) {
            seen.push(&key.name.value);
            definitions.push(json!({ "AttributeName": key.name.value, "AttributeType": key.kind }));
        }
    }
    definitions
}

/// A global index as CreateTable takes it.
pub fn index(index: &Json) -> Json {
    const TAKEN: &[&str] = &[
        "IndexName",
        "KeySchema",
        "Projection",
        "ProvisionedThroughput",
        "OnDemandThroughput",
        "WarmThroughput",
    ];
    let members = index.as_object().into_iter().flatten().filter(|(name, _)| TAKEN.contains(&name.as_str()));
    Json::Object(members.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// A list among properties.
pub fn list<'a>(properties: &'a Json, name: &str) -> Option<&'a Vec<Json>> {
    properties.get(name).and_then(Json::as_array).filter(|list| !list.is_empty())
}

fn key_attributes(table: &Table) -> impl Iterator<Item = &KeyAttribute> {
    table.key.iter().chain(table.indexes.iter().flat_map(|index| &index.key))
}

fn scope<'a>(design: &'a Design, environment: &'a Environment) -> intrinsic::Scope<'a> {
    intrinsic::Scope {
        environment: &environment.name.value,
        region: region(design, environment),
        template: design.template.as_ref(),
    }
}

fn copy(properties: &Json, name: &str, request: &mut Map<String, Json>) {
    if let Some(value) = properties.get(name) {
        request.insert(name.to_owned(), value.clone());
    }
}

/// Puts one set of properties over another: maps are merged, everything else is replaced.
fn merge(under: &mut Json, over: &Json) {
    match (under, over) {
        (Json::Object(under), Json::Object(over)) => {
            for (name, value) in over {
                merge(under.entry(name).or_insert(Json::Null), value);
            }
        }
        (_, Json::Null) => {}
        (under, over) => *under = over.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{At, Place};

    fn at(text: &str) -> At<String> {
        At { value: text.to_owned(), place: Place::default() }
    }

    fn key(name: &str, kind: &str) -> KeyAttribute {
        KeyAttribute { name: at(name), is_hash: true, kind: kind.to_owned() }
    }

    #[test]
    fn a_resource_becomes_a_request() {
        let resource = json!({ "Type": "AWS::DynamoDB::Table", "Properties": {
            "TableName": "data-${Environment}",
            "KeySchema": [{ "AttributeName": "PK", "KeyType": "HASH" }],
            "GlobalSecondaryIndexes": [{ "IndexName": "I", "KeySchema": [], "Projection": { "ProjectionType": "ALL" },
                "ContributorInsightsSpecification": { "Enabled": true } }],
            "StreamSpecification": { "StreamViewType": "KEYS_ONLY" },
            "SSESpecification": { "SSEEnabled": true },
            "TimeToLiveSpecification": { "AttributeName": "ttl", "Enabled": true },
            "PointInTimeRecoverySpecification": { "PointInTimeRecoveryEnabled": false },
        } });
        let table = Table {
            id: at("Data"),
            resource,
            key: vec![key("PK", "S"), key("PK", "S"), key("n", "N")],
            ..Table::default()
        };
        let properties = json!({ "DeletionProtectionEnabled": true,
            "PointInTimeRecoverySpecification": { "RecoveryPeriodInDays": 35 } });
        let prod = Environment { name: at("prod"), properties, ..Environment::default() };
        let design = Design { environments: vec![prod.clone()], ..Design::default() };
        let request = create_table(&design, &prod, &table);
        let expected = json!({
            "TableName": "data-prod",
            "AttributeDefinitions": [{ "AttributeName": "PK", "AttributeType": "S" },
                { "AttributeName": "n", "AttributeType": "N" }],
            "KeySchema": [{ "AttributeName": "PK", "KeyType": "HASH" }],
            "GlobalSecondaryIndexes": [{ "IndexName": "I", "KeySchema": [], "Projection": { "ProjectionType": "ALL" } }],
            "BillingMode": "PAY_PER_REQUEST",
            "DeletionProtectionEnabled": true,
            "StreamSpecification": { "StreamEnabled": true, "StreamViewType": "KEYS_ONLY" },
            "SSESpecification": { "Enabled": true },
        });
        assert_eq!(request, expected);
        let merged = super::properties(&design, &prod, &table);
        assert_eq!(
            recovery(&merged),
            Some(json!({ "PointInTimeRecoveryEnabled": false, "RecoveryPeriodInDays": 35 }))
        );
        assert_eq!(time_to_live(&merged), Some(json!({ "AttributeName": "ttl", "Enabled": true })));
    }

    #[test]
    fn an_unknown_environment_names_those_that_are_there() {
        let design = Design {
            file: "a.design.yaml".to_owned(),
            environments: vec![Environment { name: at("dev"), ..Environment::default() }],
            ..Design::default()
        };
        assert!(environment(&design, None).is_ok_and(|found| found.name.value == "dev"));
        let refused = environment(&design, Some("prod")).err();
        assert_eq!(refused.as_deref(), Some("a.design.yaml: there is no environment \"prod\"; there is dev"));
    }
}
