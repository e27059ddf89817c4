//! Tables: CloudFormation resources word for word, and what the rest of the crate asks of them.
//! Knows no entities but the types of their fields.

use serde_json::{Value as Json, json};

use super::nodes::Nodes;
use crate::model::{At, Entity, Index, KeyAttribute, Place, Table};
use crate::yaml::{Content, Node};

/// The keys of a resource.
pub(crate) const TABLE_KEYS: [&str; 8] = [
    "Type",
    "Properties",
    "DeletionPolicy",
    "UpdateReplacePolicy",
    "DependsOn",
    "Condition",
    "Metadata",
    "CreationPolicy",
];

/// What happens to a table whose resource goes.
pub(crate) const DELETION_POLICIES: [&str; 4] = ["Delete", "Retain", "RetainExceptOnCreate", "Snapshot"];

/// The properties of `AWS::DynamoDB::Table` and `AWS::DynamoDB::GlobalTable`.
pub(crate) const TABLE_PROPERTIES: [&str; 31] = [
    "AttributeDefinitions",
    "BillingMode",
    "ContributorInsightsSpecification",
    "DeletionProtectionEnabled",
    "GlobalSecondaryIndexes",
    "GlobalTableSourceArn",
    "GlobalTableWitnesses",
    "ImportSourceSpecification",
    "KeySchema",
    "KinesisStreamSpecification",
    "LocalSecondaryIndexes",
    "MultiRegionConsistency",
    "OnDemandThroughput",
    "PointInTimeRecoverySpecification",
    "ProvisionedThroughput",
    "ReadOnDemandThroughputSettings",
    "ReadProvisionedThroughputSettings",
    "Replicas",
    "ResourcePolicy",
    "SSESpecification",
    "StreamSpecification",
    "TableClass",
    "TableId",
    "TableName",
    "Tags",
    "TimeToLiveSpecification",
    "VectorIndexes",
    "WarmThroughput",
    "WriteOnDemandThroughputSettings",
    "WriteProvisionedThroughputSettings",
    "GlobalTableSettingsReplicationMode",
];

/// The keys of an index.
pub(crate) const INDEX_KEYS: [&str; 11] = [
    "IndexName",
    "KeySchema",
    "Projection",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "WarmThroughput",
    "ContributorInsightsSpecification",
    "ReadOnDemandThroughputSettings",
    "ReadProvisionedThroughputSettings",
    "WriteOnDemandThroughputSettings",
    "WriteProvisionedThroughputSettings",
];

pub(super) fn read(nodes: &mut Nodes<'_>, id: &At<String>, node: &Node, parameters: Option<&Node>) -> Table {
    let what = format!("table {}", id.value);
    let entries = nodes.map(node, &what);
    nodes.known(entries, &TABLE_KEYS, &what);
    let types = ["AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"];
    let kind = nodes.text_at(node, "Type");
    nodes.choice(kind, &types, &format!("{what}.Type"));
    let policy = nodes.text_at(node, "DeletionPolicy");
    let policy = nodes.choice(policy, &DELETION_POLICIES, &format!("{what}.DeletionPolicy"));
    let mut table =
        Table { id: id.clone(), deletion_policy: policy.map(|policy| policy.value), ..Table::default() };
    table.table_name = id.clone();
    let mut resource = node.json();
    if let Json::Object(entries) = &mut resource
        && !entries.contains_key("Type")
    {
        entries.shift_insert(0, "Type".to_owned(), json!("AWS::DynamoDB::Table"));
    }
    table.resource = resource;
    let Some(properties) = node.get("Properties") else {
        nodes.error("F002", id.place, format!("{what}: `Properties` is missing"));
        return table;
    };
    let entries = nodes.map(properties, &what);
    nodes.known(entries, &TABLE_PROPERTIES, &format!("{what}.Properties"));
    places(properties, "", &mut table.places);
    table.table_name = table_name(id, properties.get("TableName"), parameters);
    table.key = key(nodes, properties, &what, id.place);
    for (list, is_local) in [("LocalSecondaryIndexes", true), ("GlobalSecondaryIndexes", false)] {
        for index in properties.get(list).map(|node| nodes.list(node, list)).unwrap_or_default() {
            let index = read_index(nodes, index, &what, is_local);
            table.indexes.push(index);
        }
    }
    let ttl = properties.get("TimeToLiveSpecification");
    let is_on = ttl.is_some_and(|ttl| ttl.get("Enabled").and_then(Node::text) != Some("false"));
    table.ttl_attribute = ttl.filter(|_| is_on).and_then(|ttl| nodes.text_at(ttl, "AttributeName"));
    table
}

/// Gives key attributes the types that AttributeDefinitions or fields of the same name say they have.
pub(super) fn derive_kinds(table: &mut Table, entities: &[Entity]) {
    let defined: Vec<(String, String)> = table
        .resource
        .pointer("/Properties/AttributeDefinitions")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(|definition| {
            let text = |key| definition.get(key).and_then(Json::as_str).map(str::to_owned);
            Some((text("AttributeName")?, text("AttributeType")?))
        })
        .collect();
    let id = table.id.value.clone();
    let kind = |name: &str| {
        if let Some((_, kind)) = defined.iter().find(|(known, _)| known == name) {
            return kind.clone();
        }
        let mut fields =
            entities.iter().filter(|entity| entity.table.value == id).flat_map(|entity| &entity.fields);
        match fields.find(|field| field.name.value == name).map(|field| field.kind.value.as_str()) {
            Some("number" | "integer") => "N".to_owned(),
            Some("binary") => "B".to_owned(),
            Some(_) | None => "S".to_owned(),
        }
    };
    let keys = table.key.iter_mut().chain(table.indexes.iter_mut().flat_map(|index| index.key.iter_mut()));
    for attribute in keys {
        attribute.kind = kind(&attribute.name.value);
    }
}

fn key(nodes: &mut Nodes<'_>, node: &Node, what: &str, place: Place) -> Vec<KeyAttribute> {
    let Some(schema) = node.get("KeySchema") else {
        nodes.error("F002", place, format!("{what}: `KeySchema` is missing"));
        return Vec::new();
    };
    let mut key = Vec::new();
    for element in nodes.list(schema, "KeySchema") {
        let entries = nodes.map(element, "KeySchema");
        nodes.known(entries, &["AttributeName", "KeyType"], "KeySchema");
        let name = nodes.required(element, "AttributeName", what, element.place);
        let kind = nodes.required(element, "KeyType", what, element.place);
        let kind = nodes.choice(kind, &["HASH", "RANGE"], "KeyType");
        if let (Some(name), Some(kind)) = (name, kind) {
            key.push(KeyAttribute { name, is_hash: kind.value == "HASH", kind: "S".to_owned() });
        }
    }
    key
}

fn read_index(nodes: &mut Nodes<'_>, node: &Node, table: &str, is_local: bool) -> Index {
    let entries = nodes.map(node, "an index");
    nodes.known(entries, &INDEX_KEYS, "an index");
    let name = nodes.required(node, "IndexName", table, node.place).unwrap_or_else(|| nameless(node));
    let what = format!("{table}, index {}", name.value);
    let key = key(nodes, node, &what, node.place);
    let Some(projection) = node.get("Projection") else {
        let message = format!("{what}: `Projection` is missing");
        nodes.error_hint("T012", node.place, &message, "write Projection: {ProjectionType: ALL}");
        return Index { name, is_local, key, ..Index::default() };
    };
    let entries = nodes.map(projection, "Projection");
    nodes.known(entries, &["ProjectionType", "NonKeyAttributes"], "Projection");
    let kind = nodes.required(projection, "ProjectionType", &what, projection.place);
    let kind = kind.unwrap_or_else(|| nameless(projection));
    let included = nodes.texts(projection.get("NonKeyAttributes"), "NonKeyAttributes");
    Index { name, is_local, key, projection: kind, included }
}

/// What has no name still has a place.
fn nameless(node: &Node) -> At<String> {
    At { value: String::new(), place: node.place }
}

/// The table's name with `${Environment}` left in it: text, `!Sub`, or a parameter's default.
fn table_name(id: &At<String>, node: Option<&Node>, parameters: Option<&Node>) -> At<String> {
    let Some(node) = node else { return id.clone() };
    let place = node.place;
    let text = match &node.content {
        Content::Scalar { text, .. } => text.clone(),
        Content::List(nodes) => {
            nodes.first().and_then(Node::text).map_or_else(|| id.value.clone(), str::to_owned)
        }
        Content::Map(_) => {
            let inner = |key| node.get(key).and_then(Node::text);
            if let Some(name) = inner("Ref") {
                return At { value: parameter(name, parameters), place };
            }
            inner("Fn::Sub").map_or_else(|| id.value.clone(), str::to_owned)
        }
    };
    let value = match node.tag.as_deref() {
        Some("Ref") => parameter(&text, parameters),
        Some(_) | None => substituted(&text, parameters),
    };
    At { value, place }
}

fn parameter(name: &str, parameters: Option<&Node>) -> String {
    let default =
        parameters.and_then(|all| all.get(name)).and_then(|one| one.get("Default")).and_then(Node::text);
    match default {
        Some(text) if name != "Environment" => text.to_owned(),
        Some(_) | None => format!("${{{name}}}"),
    }
}

fn substituted(text: &str, parameters: Option<&Node>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, tail)) = after.split_once('}') else { break };
        out.push_str(before);
        out.push_str(&parameter(name, parameters));
        rest = tail;
    }
    out.push_str(rest);
    out
}

fn places(node: &Node, path: &str, out: &mut Vec<(String, Place)>) {
    let joined = |step: &str| if path.is_empty() { step.to_owned() } else { format!("{path}.{step}") };
    match &node.content {
        Content::Scalar { .. } => {}
        Content::List(nodes) => {
            for (position, node) in nodes.iter().enumerate() {
                let path = joined(&position.to_string());
                out.push((path.clone(), node.place));
                places(node, &path, out);
            }
        }
        Content::Map(entries) => {
            for (name, node) in entries {
                let path = joined(&name.value);
                out.push((path.clone(), name.place));
                places(node, &path, out);
            }
        }
    }
}
