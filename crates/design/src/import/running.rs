//! A design from a running table: what DescribeTable and its kin say, and some of its items. Knows no files.

use item::Item;
use serde_json::{Map, Value as Json, json};

use super::draft::Draft;
use super::infer::{Inferred, Keys, infer};
use crate::json::from_json;
use crate::{items, read};
use client::{Endpoint, Failure};

/// Rounds of inference: after the first, entities that could not be made again have plain keys.
const ROUNDS: usize = 3;

/// Asks an endpoint about a table and up to `samples` of its items, and writes its design.
pub fn from_endpoint(endpoint: &dyn Endpoint, table: &str, samples: usize) -> Result<String, Failure> {
    let described = endpoint.call("DescribeTable", &json!({ "TableName": table }))?;
    let description = described.get("Table").cloned().unwrap_or_default();
    let mut extras = Map::new();
    // Endpoints that lack one of these simply have nothing to say about it.
    for (operation, body) in [
        ("DescribeTimeToLive", json!({ "TableName": table })),
        ("DescribeContinuousBackups", json!({ "TableName": table })),
        (
            "ListTagsOfResource",
            json!({ "ResourceArn": description.get("TableArn").cloned().unwrap_or_default() }),
        ),
    ] {
        if let Ok(Json::Object(answer)) = endpoint.call(operation, &body) {
            extras.extend(answer);
        }
    }
    let mut found = Vec::new();
    if samples > 0 {
        let answer = endpoint.call("Scan", &json!({ "TableName": table, "Limit": samples }))?;
        found = answer.get("Items").and_then(Json::as_array).cloned().unwrap_or_default();
    }
    import(&description, &Json::Object(extras), &found).map_err(|message| Failure::local("BadTable", message))
}

/// The design of a described table.
pub(super) fn import(description: &Json, extras: &Json, items: &[Json]) -> Result<String, String> {
    let name =
        description.get("TableName").and_then(Json::as_str).ok_or("the description has no TableName")?;
    let properties = properties(description, extras);
    let id = logical_id(name);
    let items = items.iter().map(from_json).collect::<Result<Vec<Item>, String>>()?;
    let draft = Draft {
        name: name.to_owned(),
        tables: vec![(id.clone(), json!({"Type": "AWS::DynamoDB::Table", "Properties": properties}))],
        notes: vec![format!(
            "Written from the running table {name}. Entities and templates are guesses from its items: look at them."
        )],
        ..Draft::default()
    };
    Ok(settled(draft, vec![(keys(&id, &properties), items)]))
}

/// The text of a draft once every sample is made into the item it came from.
pub(super) fn settled(mut draft: Draft, tables: Vec<(Keys, Vec<Item>)>) -> String {
    let mut bare: Vec<String> = Vec::new();
    for _ in 0..ROUNDS {
        draft.inferred = tables.iter().map(|(keys, items)| infer(keys, items, &bare)).collect();
        unique(&mut draft.inferred);
        let text = draft.text();
        let wrong = not_made_again(&text, &draft.inferred);
        if wrong.is_empty() {
            return text;
        }
        bare.extend(wrong);
    }
    draft.text()
}

/// Entities of which some sample is made into something else than the item it came from.
fn not_made_again(text: &str, inferred: &[Inferred]) -> Vec<String> {
    let (Some(design), _) = read::read("imported.design.yaml", text) else { return Vec::new() };
    let mut wrong: Vec<String> = Vec::new();
    for sample in inferred.iter().flat_map(|inferred| &inferred.samples) {
        let found = design.samples.iter().find(|known| known.name.value == sample.name);
        let made = found.and_then(|known| items::sample(&design, known).ok());
        let is_same = made.is_some_and(|made| made.item == sample.item);
        if !is_same && !wrong.contains(&sample.entity) {
            wrong.push(sample.entity.clone());
        }
    }
    wrong
}

/// Two tables may have entities of the same name; the later one is called after its table too.
fn unique(inferred: &mut [Inferred]) {
    let mut taken: Vec<String> = Vec::new();
    for one in inferred {
        for place in 0..one.entities.len() {
            let Some(entity) = one.entities.get_mut(place) else { continue };
            if taken.contains(&entity.name) {
                let (old, new) = (entity.name.clone(), format!("{}{}", entity.table, entity.name));
                entity.name.clone_from(&new);
                for sample in one.samples.iter_mut().filter(|sample| sample.entity == old) {
                    sample.entity.clone_from(&new);
                    sample.name = format!(
                        "{}_{}",
                        one.entities.get(place).map_or("", |entity| &entity.table).to_lowercase(),
                        sample.name
                    );
                }
                one.patterns.retain(|(name, _)| *name != format!("Get{old}"));
            }
            taken.extend(one.entities.get(place).map(|entity| entity.name.clone()));
        }
    }
}

/// CloudFormation properties of a description.
fn properties(description: &Json, extras: &Json) -> Json {
    let mut out = Map::new();
    let mut copy = |from: &Json, name: &str| {
        if let Some(value) = from.get(name).filter(|value| !value.is_null()) {
            out.insert(name.to_owned(), value.clone());
        }
    };
    for name in ["TableName", "AttributeDefinitions", "KeySchema"] {
        copy(description, name);
    }
    let billing =
        description.pointer("/BillingModeSummary/BillingMode").or_else(|| description.get("BillingMode"));
    let is_on_demand = billing.and_then(Json::as_str) == Some("PAY_PER_REQUEST");
    out.insert("BillingMode".into(), json!(if is_on_demand { "PAY_PER_REQUEST" } else { "PROVISIONED" }));
    if !is_on_demand {
        out.extend(throughput(description).map(|units| ("ProvisionedThroughput".to_owned(), units)));
    }
    for name in ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"] {
        let Some(indexes) =
            description.get(name).and_then(Json::as_array).filter(|indexes| !indexes.is_empty())
        else {
            continue;
        };
        let indexes = indexes.iter().map(|index| {
            let mut one = Map::new();
            for field in ["IndexName", "KeySchema", "Projection"] {
                one.extend(index.get(field).map(|value| (field.to_owned(), value.clone())));
            }
            if !is_on_demand && name == "GlobalSecondaryIndexes" {
                one.extend(throughput(index).map(|units| ("ProvisionedThroughput".to_owned(), units)));
            }
            Json::Object(one)
        });
        out.insert(name.to_owned(), indexes.collect());
    }
    settings(&mut out, description, extras);
    Json::Object(out)
}

fn settings(out: &mut Map<String, Json>, description: &Json, extras: &Json) {
    let ttl = extras.get("TimeToLiveDescription");
    let attribute = ttl.and_then(|ttl| ttl.get("AttributeName")).and_then(Json::as_str);
    let status = ttl.and_then(|ttl| ttl.get("TimeToLiveStatus")).and_then(Json::as_str);
    if let (Some(attribute), Some("ENABLED" | "ENABLING")) = (attribute, status) {
        out.insert("TimeToLiveSpecification".into(), json!({"AttributeName": attribute, "Enabled": true}));
    }
    if let Some(view) = description.pointer("/StreamSpecification/StreamViewType") {
        out.insert("StreamSpecification".into(), json!({ "StreamViewType": view }));
    }
    let recovery = extras.pointer("/ContinuousBackupsDescription/PointInTimeRecoveryDescription");
    if recovery.and_then(|recovery| recovery.get("PointInTimeRecoveryStatus")).and_then(Json::as_str)
        == Some("ENABLED")
    {
        let mut value = json!({"PointInTimeRecoveryEnabled": true});
        let days = recovery.and_then(|recovery| recovery.get("RecoveryPeriodInDays"));
        if let (Some(days), Some(fields)) = (days, value.as_object_mut()) {
            fields.insert("RecoveryPeriodInDays".into(), days.clone());
        }
        out.insert("PointInTimeRecoverySpecification".into(), value);
    }
    if description.pointer("/SSEDescription/SSEType").and_then(Json::as_str) == Some("KMS") {
        out.insert("SSESpecification".into(), json!({"SSEEnabled": true}));
    }
    if description.get("DeletionProtectionEnabled") == Some(&json!(true)) {
        out.insert("DeletionProtectionEnabled".into(), json!(true));
    }
    if let Some(tags) = extras.get("Tags").and_then(Json::as_array).filter(|tags| !tags.is_empty()) {
        out.insert("Tags".into(), json!(tags));
    }
}

fn throughput(holder: &Json) -> Option<Json> {
    let units = holder.get("ProvisionedThroughput")?;
    let (read, write) = (units.get("ReadCapacityUnits")?, units.get("WriteCapacityUnits")?);
    Some(json!({"ReadCapacityUnits": read, "WriteCapacityUnits": write}))
}

/// What the inference needs of CloudFormation properties.
pub(super) fn keys(id: &str, properties: &Json) -> Keys {
    let attributes = |holder: &Json, kind: &str| -> Vec<String> {
        let schema = holder.get("KeySchema").and_then(Json::as_array).into_iter().flatten();
        let own = schema.filter(|key| key.get("KeyType").and_then(Json::as_str) == Some(kind));
        own.filter_map(|key| key.get("AttributeName").and_then(Json::as_str)).map(str::to_owned).collect()
    };
    let mut indexes = Vec::new();
    for kind in ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"] {
        for index in properties.get(kind).and_then(Json::as_array).into_iter().flatten() {
            let name = index.get("IndexName").and_then(Json::as_str).unwrap_or_default().to_owned();
            indexes.push((name, attributes(index, "HASH"), attributes(index, "RANGE")));
        }
    }
    let mut key = attributes(properties, "HASH");
    key.extend(attributes(properties, "RANGE"));
    let ttl = properties.pointer("/TimeToLiveSpecification/AttributeName").and_then(Json::as_str);
    Keys { table: id.to_owned(), key, indexes, ttl: ttl.map(str::to_owned), names: Vec::new() }
}

/// A logical id from a table's name.
pub(super) fn logical_id(name: &str) -> String {
    let mut id = String::new();
    let mut is_start = true;
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() {
            id.push(if is_start { letter.to_ascii_uppercase() } else { letter });
        }
        is_start = !letter.is_ascii_alphanumeric();
    }
    if id.starts_with(|letter: char| letter.is_ascii_alphabetic()) { id } else { format!("Table{id}") }
}
