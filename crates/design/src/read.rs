//! A file becomes a design: `*.design.yaml`, the same as JSON, or a CloudFormation template.
//! Says what it cannot read, with the nearest known name; whether the design works is for `check` to say.

use serde_json::{Map, Value as Json};

use crate::diagnostic::Diagnostic;
use crate::model::{Alarm, At, Design, Environment, Place};
use crate::yaml::{self, Content, Node};

mod entity;
mod expression;
mod nodes;
mod pattern;
mod table;

use nodes::Nodes;

/// The keys of a design.
pub(crate) const DESIGN_KEYS: [&str; 13] = [
    "design",
    "name",
    "description",
    "region",
    "environments",
    "tables",
    "entities",
    "samples",
    "access_patterns",
    "volume",
    "alarms",
    "iam",
    "budget_thresholds",
];

pub(crate) use entity::{ENTITY_KEYS, FIELD_KEYS, FIELD_KINDS, FORMATS, MAPPING_KEYS, TRANSFORMS, TTL_KEYS};
pub(crate) use pattern::{ACTION_KEYS, OPERATIONS, PATTERN_KEYS, RANGE_CONDITIONS};
pub(crate) use table::{DELETION_POLICIES, INDEX_KEYS, TABLE_KEYS, TABLE_PROPERTIES};

/// Reads a file. A design comes back whenever enough of it can be read to be of use; errors say what is not in it.
pub fn read(file: &str, text: &str) -> (Option<Design>, Vec<Diagnostic>) {
    let root = match yaml::parse(file, text) {
        Ok(root) => root,
        Err(error) => return (None, vec![error]),
    };
    let mut nodes = Nodes::new(file);
    let design = if root.get("Resources").is_some() {
        template(&mut nodes, &root)
    } else {
        let entries = nodes.map(&root, "a design");
        nodes.known(entries, &DESIGN_KEYS, "a design");
        version(&mut nodes, &root);
        let mut design = logical(&mut nodes, &root);
        tables(&mut nodes, &root, &mut design);
        Some(design)
    };
    let design = design.map(|mut design| {
        finish(file, &mut design);
        design
    });
    (design, nodes.found)
}

fn version(nodes: &mut Nodes<'_>, root: &Node) {
    match root.get("design").map(|node| (node.text(), node.place)) {
        Some((Some("1"), _)) => {}
        Some((_, place)) => nodes.error("F003", place, "this program reads `design: 1`".to_owned()),
        None => {
            nodes.error_hint("F002", root.place, "`design` is missing", "begin the file with `design: 1`");
        }
    }
}

/// A CloudFormation template: tables are its resources, the rest stands under `Metadata: Design:`.
fn template(nodes: &mut Nodes<'_>, root: &Node) -> Option<Design> {
    let metadata = root.get("Metadata").and_then(|metadata| metadata.get("Design"));
    let mut design = match metadata {
        Some(node) => {
            let entries = nodes.map(node, "Metadata.Design");
            // The tables of a template are its resources and nowhere else.
            let known: Vec<&str> = DESIGN_KEYS.into_iter().filter(|key| *key != "tables").collect();
            nodes.known(entries, &known, "Metadata.Design");
            if node.get("design").is_some() {
                version(nodes, node);
            }
            logical(nodes, node)
        }
        None => Design::default(),
    };
    design.name =
        metadata.and_then(|node| node.get("name")).and_then(Node::text).unwrap_or_default().to_owned();
    if design.description.is_none() {
        design.description = root.get("Description").and_then(Node::text).map(str::to_owned);
    }
    let parameters = root.get("Parameters");
    let mut others = Map::new();
    for (id, resource) in nodes.map(root.get("Resources")?, "Resources") {
        match resource.get("Type").and_then(Node::text) {
            Some("AWS::DynamoDB::Table" | "AWS::DynamoDB::GlobalTable") => {
                let table = table::read(nodes, id, resource, parameters);
                design.tables.push(table);
            }
            Some("AWS::CloudWatch::Alarm") => design.alarms.push(alarm(nodes, id, resource)),
            Some(_) | None => {
                others.insert(id.value.clone(), resource.json());
            }
        }
    }
    design.template = Some(surroundings(root, others));
    Some(design)
}

/// What the template has besides its tables, alarms and design, as JSON to be passed through.
fn surroundings(root: &Node, others: Map<String, Json>) -> Json {
    let mut json = root.json();
    if let Json::Object(entries) = &mut json {
        if let Some(Json::Object(metadata)) = entries.get_mut("Metadata") {
            metadata.shift_remove("Design");
            if metadata.is_empty() {
                entries.shift_remove("Metadata");
            }
        }
        entries.insert("Resources".to_owned(), Json::Object(others));
    }
    json
}

fn logical(nodes: &mut Nodes<'_>, root: &Node) -> Design {
    let mut design = Design::default();
    let text = |node: Option<&Node>| node.and_then(Node::text).map(str::to_owned);
    design.name = text(root.get("name")).unwrap_or_default();
    design.description = text(root.get("description"));
    design.region = root.get("region").and_then(|node| nodes.text(node, "region"));
    for (name, node) in nodes.entries(root, "environments") {
        let environment = environment(nodes, name, node);
        design.environments.push(environment);
    }
    for (name, node) in nodes.entries(root, "entities") {
        design.entities.extend(entity::read(nodes, name, node));
    }
    for (name, node) in nodes.entries(root, "samples") {
        design.samples.extend(entity::sample(nodes, name, node));
    }
    for (name, node) in nodes.entries(root, "access_patterns") {
        design.patterns.extend(pattern::read(nodes, name, node));
    }
    for (name, node) in nodes.entries(root, "volume") {
        if let Some(count) = nodes.count(node, "a volume") {
            design.volume.push((name.clone(), count));
        }
    }
    for (name, node) in nodes.entries(root, "alarms") {
        let alarm = alarm(nodes, name, node);
        design.alarms.push(alarm);
    }
    design.iam = statements(nodes, root.get("iam"));
    if let Some(node) = root.get("budget_thresholds") {
        for node in nodes.list(node, "budget_thresholds") {
            design.budget_thresholds.extend(nodes.decimal(node, "a budget threshold"));
        }
    }
    design
}

fn tables(nodes: &mut Nodes<'_>, root: &Node, design: &mut Design) {
    if root.get("tables").is_none() {
        nodes.error_hint("F002", root.place, "`tables` is missing", "a design has at least one table");
    }
    for (id, node) in nodes.entries(root, "tables") {
        let table = table::read(nodes, id, node, None);
        design.tables.push(table);
    }
}

fn environment(nodes: &mut Nodes<'_>, name: &At<String>, node: &Node) -> Environment {
    let what = format!("environment {}", name.value);
    let entries = nodes.map(node, &what);
    nodes.known(entries, &["Properties", "DeletionPolicy", "region", "Region", "description"], &what);
    let properties = node.get("Properties");
    if let Some(properties) = properties {
        let entries = nodes.map(properties, "Properties");
        nodes.known(entries, &TABLE_PROPERTIES, &format!("{what}.Properties"));
    }
    let text = |key| node.get(key).and_then(Node::text).map(str::to_owned);
    Environment {
        name: name.clone(),
        properties: properties.map_or_else(|| Json::Object(Map::new()), Node::json),
        deletion_policy: text("DeletionPolicy"),
        region: text("region").or_else(|| text("Region")),
    }
}

fn alarm(nodes: &mut Nodes<'_>, name: &At<String>, node: &Node) -> Alarm {
    let description = node.get("description").and_then(Node::text).map(str::to_owned);
    let properties = match node.get("Properties") {
        Some(properties) => properties.json(),
        None => {
            let mut json = node.json();
            if let Json::Object(entries) = &mut json {
                entries.shift_remove("description");
            } else {
                nodes.error("F003", node.place, format!("alarm {}: a map is expected", name.value));
            }
            json
        }
    };
    Alarm { name: name.clone(), properties, description }
}

/// Statements as a list, or a whole policy document.
fn statements(nodes: &mut Nodes<'_>, node: Option<&Node>) -> Vec<At<Json>> {
    let Some(node) = node else { return Vec::new() };
    let node = node.get("Statement").unwrap_or(node);
    let at = |node: &Node| At { value: node.json(), place: node.place };
    match &node.content {
        Content::List(statements) => statements.iter().map(at).collect(),
        Content::Map(_) if node.get("Action").is_some() => vec![at(node)],
        Content::Map(_) | Content::Scalar { .. } => {
            nodes.error(
                "F003",
                node.place,
                "iam: a list of statements or a policy document is expected".to_owned(),
            );
            Vec::new()
        }
    }
}

/// What follows from the whole file: the name, an environment, and the types of key attributes.
fn finish(file: &str, design: &mut Design) {
    design.file = file.to_owned();
    if design.name.is_empty() {
        design.name = stem(file);
    }
    if design.environments.is_empty() {
        design.environments.push(Environment {
            name: At { value: "dev".to_owned(), place: Place { line: 1, column: 1 } },
            properties: Json::Object(Map::new()),
            ..Environment::default()
        });
    }
    let entities = std::mem::take(&mut design.entities);
    for table in &mut design.tables {
        table::derive_kinds(table, &entities);
    }
    design.entities = entities;
    entity::complete(design);
}

fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let endings = [".design.yaml", ".design.yml", ".design.json", ".yaml", ".yml", ".json", ".template"];
    let cut = endings.iter().find_map(|ending| name.strip_suffix(ending));
    cut.filter(|stem| !stem.is_empty()).unwrap_or("design").to_owned()
}

#[cfg(test)]
#[path = "read/tests.rs"]
mod tests;
