//! What a table is, apart from its items: enough to make the same table elsewhere.
//! Knows the shapes of DescribeTable and CreateTable; asks nobody.

use client::live::{Live, text};
use serde_json::{Map, Value as Json, json};

/// What a table is, apart from its items and its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// CreateTable's members without the name.
    pub(crate) create: Map<String, Json>,
    /// The attribute that items expire by.
    pub(crate) expiry: Option<String>,
    /// The days that recovery reaches back, 0 if the endpoint did not say; none if recovery is off.
    pub(crate) recovery_days: Option<u64>,
    /// What the stream shows, if there is one.
    pub(crate) stream: Option<String>,
    /// Whether it may not be deleted.
    pub(crate) is_protected: bool,
}

impl Definition {
    /// The definition of a table as it is, and what of it cannot be told or taken along.
    pub fn of(live: &Live) -> (Definition, Vec<String>) {
        let mut notes = Vec::new();
        let description = &live.description;
        let mut create = Map::new();
        let mut put = |name: &str, value: Json| create.insert(name.to_owned(), value);
        let is_on_demand = description
            .get("BillingModeSummary")
            .is_some_and(|summary| text(summary, "BillingMode") == "PAY_PER_REQUEST");
        let globals: Vec<Json> = indexes(live, "GlobalSecondaryIndexes", is_on_demand);
        let locals: Vec<Json> = indexes(live, "LocalSecondaryIndexes", true);
        put("AttributeDefinitions", Json::Array(attributes(live, globals.iter().chain(&locals))));
        put("KeySchema", description.get("KeySchema").cloned().unwrap_or_default());
        put("BillingMode", json!(if is_on_demand { "PAY_PER_REQUEST" } else { "PROVISIONED" }));
        if is_on_demand {
            on_demand(description).map(|limits| put("OnDemandThroughput", limits));
        } else {
            put("ProvisionedThroughput", provisioned(description));
        }
        for (name, list) in [("GlobalSecondaryIndexes", globals), ("LocalSecondaryIndexes", locals)] {
            if !list.is_empty() {
                put(name, Json::Array(list));
            }
        }
        if let Some(class) = description.get("TableClassSummary").map(|summary| text(summary, "TableClass"))
            && class != "STANDARD"
            && !class.is_empty()
        {
            put("TableClass", json!(class));
        }
        if description.get("SSEDescription").is_some_and(|sse| text(sse, "SSEType") == "KMS") {
            put("SSESpecification", json!({ "Enabled": true, "SSEType": "KMS" }));
            notes.push("it is encrypted with a key of KMS: the destination's usual key is taken".to_owned());
        }
        let tags = told(&live.tags, &mut notes).unwrap_or_default();
        // Tags that begin so belong to the service and cannot be set.
        let tags = tags.into_iter().filter(|(key, _)| !key.starts_with("aws:"));
        let tags: Vec<Json> = tags.map(|(key, value)| json!({ "Key": key, "Value": value })).collect();
        if !tags.is_empty() {
            put("Tags", Json::Array(tags));
        }
        if !live.list("Replicas").is_empty() {
            notes.push("it has replicas in other regions: they are not made at the destination".to_owned());
        }
        let recovery = told(&live.recovery, &mut notes).unwrap_or_default();
        let definition = Definition {
            create,
            expiry: told(&live.expiry, &mut notes).flatten(),
            recovery_days: recovery.0.then(|| recovery.1.unwrap_or_default()),
            stream: stream(description),
            is_protected: description.get("DeletionProtectionEnabled") == Some(&Json::Bool(true)),
        };
        (definition, notes)
    }

    /// As a document that [`Definition::from_json`] reads.
    pub fn to_json(&self) -> Json {
        json!({
            "CreateTable": self.create,
            "TimeToLive": self.expiry,
            "RecoveryPeriodInDays": self.recovery_days,
            "StreamViewType": self.stream,
            "DeletionProtectionEnabled": self.is_protected,
        })
    }

    /// The definition in a document.
    pub fn from_json(document: &Json) -> Option<Definition> {
        let word = |name: &str| document.get(name).and_then(Json::as_str).map(str::to_owned);
        Some(Definition {
            create: document.get("CreateTable")?.as_object()?.clone(),
            expiry: word("TimeToLive"),
            recovery_days: document.get("RecoveryPeriodInDays").and_then(Json::as_u64),
            stream: word("StreamViewType"),
            is_protected: document.get("DeletionProtectionEnabled") == Some(&Json::Bool(true)),
        })
    }

    /// Why items of this table do not fit into that one.
    pub(crate) fn misfits(&self, there: &Definition) -> Vec<String> {
        let mut found = Vec::new();
        let (ours, theirs) = (keys(&self.create), keys(&there.create));
        if ours != theirs {
            found.push(format!("its key is {} and not {}", words(&theirs), words(&ours)));
        }
        for (name, kind) in types(&there.create) {
            let here = types(&self.create).into_iter().find(|(other, _)| *other == name);
            if let Some((_, other)) = here.filter(|(_, other)| *other != kind)
                && !theirs.iter().any(|(key, _)| *key == name)
            {
                found.push(format!("an index has {name} as {kind} where the source has {other}"));
            }
        }
        found
    }
}

/// The names of the attributes that make up the key of a table as it is described.
pub(crate) fn key_names(description: &Json) -> Vec<String> {
    let schema = description.get("KeySchema").and_then(Json::as_array);
    schema.into_iter().flatten().map(|part| text(part, "AttributeName").to_owned()).collect()
}

/// Something told, or a note that it is not.
fn told<T: Clone>(known: &client::live::Known<T>, notes: &mut Vec<String>) -> Option<T> {
    match known {
        Ok(value) => Some(value.clone()),
        Err(lack) => {
            notes.push(format!("the source has no {}: what that would tell is left out", lack.operation));
            None
        }
    }
}

fn indexes(live: &Live, name: &str, is_free: bool) -> Vec<Json> {
    let kept = live.list(name).iter().filter(|index| text(index, "IndexStatus") != "DELETING");
    kept.map(|index| {
        let mut made = Map::new();
        for member in ["IndexName", "KeySchema", "Projection"] {
            made.insert(member.to_owned(), index.get(member).cloned().unwrap_or_default());
        }
        if !is_free {
            made.insert("ProvisionedThroughput".to_owned(), provisioned(index));
        } else if let Some(limits) = on_demand(index) {
            made.insert("OnDemandThroughput".to_owned(), limits);
        }
        Json::Object(made)
    })
    .collect()
}

/// The attribute definitions that the key and these indexes use: more of them would be refused.
fn attributes<'a>(live: &Live, indexes: impl Iterator<Item = &'a Json>) -> Vec<Json> {
    let mut used = key_names(&live.description);
    used.extend(indexes.flat_map(key_names));
    let all = live.list("AttributeDefinitions").iter();
    all.filter(|one| used.iter().any(|name| name == text(one, "AttributeName"))).cloned().collect()
}

fn provisioned(described: &Json) -> Json {
    let units = |name: &str| {
        let throughput = described.get("ProvisionedThroughput");
        throughput.and_then(|throughput| throughput.get(name)?.as_u64()).unwrap_or(1).max(1)
    };
    json!({ "ReadCapacityUnits": units("ReadCapacityUnits"), "WriteCapacityUnits": units("WriteCapacityUnits") })
}

/// The limits of an on-demand table or index, if it has any; -1 stands for none.
fn on_demand(described: &Json) -> Option<Json> {
    let limits = described.get("OnDemandThroughput")?.as_object()?;
    let set: Map<String, Json> = limits
        .iter()
        .filter(|(_, units)| units.as_i64().is_some_and(|units| units > 0))
        .map(|(name, units)| (name.clone(), units.clone()))
        .collect();
    (!set.is_empty()).then_some(Json::Object(set))
}

fn stream(description: &Json) -> Option<String> {
    let stream = description.get("StreamSpecification")?;
    let is_on = stream.get("StreamEnabled") == Some(&Json::Bool(true));
    is_on.then(|| text(stream, "StreamViewType").to_owned())
}

/// The attributes of a key and their types.
fn keys(create: &Map<String, Json>) -> Vec<(String, String)> {
    let types = types(create);
    let schema = create.get("KeySchema").and_then(Json::as_array);
    let names = schema.into_iter().flatten().map(|part| text(part, "AttributeName"));
    names.filter_map(|name| types.iter().find(|(other, _)| other == name).cloned()).collect()
}

fn types(create: &Map<String, Json>) -> Vec<(String, String)> {
    let all = create.get("AttributeDefinitions").and_then(Json::as_array).into_iter().flatten();
    all.map(|one| (text(one, "AttributeName").to_owned(), text(one, "AttributeType").to_owned())).collect()
}

fn words(keys: &[(String, String)]) -> String {
    let keys: Vec<String> = keys.iter().map(|(name, kind)| format!("{name} ({kind})")).collect();
    keys.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(description: Json) -> Live {
        Live {
            description,
            expiry: Ok(Some("over".to_owned())),
            recovery: Ok((true, Some(7))),
            tags: Ok(vec![("aws:x".to_owned(), "1".to_owned()), ("team".to_owned(), "food".to_owned())]),
        }
    }

    fn described() -> Json {
        json!({
            "TableName": "Orders", "TableStatus": "ACTIVE", "ItemCount": 3,
            "AttributeDefinitions": [
                { "AttributeName": "pk", "AttributeType": "S" }, { "AttributeName": "sk", "AttributeType": "N" },
                { "AttributeName": "gone", "AttributeType": "S" }],
            "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }],
            "ProvisionedThroughput": { "ReadCapacityUnits": 5, "WriteCapacityUnits": 6, "NumberOfDecreasesToday": 0 },
            "GlobalSecondaryIndexes": [
                { "IndexName": "by-sk", "IndexStatus": "ACTIVE", "ItemCount": 3, "IndexArn": "arn",
                  "KeySchema": [{ "AttributeName": "sk", "KeyType": "HASH" }], "Projection": { "ProjectionType": "ALL" },
                  "ProvisionedThroughput": { "ReadCapacityUnits": 1, "WriteCapacityUnits": 2 } },
                { "IndexName": "going", "IndexStatus": "DELETING",
                  "KeySchema": [{ "AttributeName": "gone", "KeyType": "HASH" }] }],
            "StreamSpecification": { "StreamEnabled": true, "StreamViewType": "NEW_IMAGE" },
            "DeletionProtectionEnabled": true
        })
    }

    #[test]
    fn a_description_becomes_a_request() {
        let (definition, notes) = Definition::of(&live(described()));
        let expected = json!({
            "AttributeDefinitions": [
                { "AttributeName": "pk", "AttributeType": "S" }, { "AttributeName": "sk", "AttributeType": "N" }],
            "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }],
            "BillingMode": "PROVISIONED",
            "ProvisionedThroughput": { "ReadCapacityUnits": 5, "WriteCapacityUnits": 6 },
            "GlobalSecondaryIndexes": [
                { "IndexName": "by-sk", "KeySchema": [{ "AttributeName": "sk", "KeyType": "HASH" }],
                  "Projection": { "ProjectionType": "ALL" },
                  "ProvisionedThroughput": { "ReadCapacityUnits": 1, "WriteCapacityUnits": 2 } }],
            "Tags": [{ "Key": "team", "Value": "food" }]
        });
        assert_eq!(Json::Object(definition.create.clone()), expected);
        assert_eq!((definition.expiry.as_deref(), definition.recovery_days), (Some("over"), Some(7)));
        assert_eq!((definition.stream.as_deref(), definition.is_protected), (Some("NEW_IMAGE"), true));
        assert_eq!(notes, Vec::<String>::new());
        assert_eq!(Definition::from_json(&definition.to_json()), Some(definition));
    }

    #[test]
    fn misfits_are_explained() {
        let (ours, _) = Definition::of(&live(described()));
        assert_eq!(ours.misfits(&ours), Vec::<String>::new());
        let mut other = described();
        other["AttributeDefinitions"][0]["AttributeType"] = json!("N");
        let (theirs, _) = Definition::of(&live(other));
        assert_eq!(ours.misfits(&theirs), ["its key is pk (N) and not pk (S)"]);
        let mut other = described();
        other["AttributeDefinitions"][1]["AttributeType"] = json!("S");
        let (theirs, _) = Definition::of(&live(other));
        assert_eq!(ours.misfits(&theirs), ["an index has sk as S where the source has N"]);
    }
}
