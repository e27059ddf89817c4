//! Entities, their fields and samples, as the file has them. Knows no tables.

use super::nodes::Nodes;
use crate::model::{At, Design, Entity, Field, Mapping, Sample, Ttl};
use crate::template::Template;
use crate::yaml::{Content, Node};
use moment::duration_seconds;

/// The keys of an entity.
pub(crate) const ENTITY_KEYS: [&str; 9] = [
    "table",
    "description",
    "entity_type",
    "pk_template",
    "sk_template",
    "gsi_mappings",
    "ttl",
    "fields",
    "rules",
];

/// The keys of a mapping.
pub(crate) const MAPPING_KEYS: [&str; 5] = ["name", "pk_template", "sk_template", "when", "description"];

/// The keys of a lifetime.
pub(crate) const TTL_KEYS: [&str; 3] = ["field", "from", "after"];

/// The keys of a field.
pub(crate) const FIELD_KEYS: [&str; 19] = [
    "type",
    "description",
    "required",
    "nullable",
    "enum",
    "pattern",
    "format",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "minLength",
    "maxLength",
    "items",
    "properties",
    "from",
    "transform",
    "store",
    "example",
    "default",
];

/// The types of fields.
pub(crate) const FIELD_KINDS: [&str; 12] = [
    "string",
    "number",
    "integer",
    "boolean",
    "binary",
    "array",
    "object",
    "string-set",
    "number-set",
    "binary-set",
    "uuid",
    "any",
];

/// The formats of fields.
pub(crate) const FORMATS: [&str; 6] = ["date-time", "date", "email", "uri", "uuid", "epoch-seconds"];

/// What a computed field may do to what it is computed from.
pub(crate) const TRANSFORMS: [&str; 10] = [
    "slug",
    "lower",
    "upper",
    "year-month",
    "date",
    "sha256",
    "md5",
    "iso-datetime",
    "epoch-seconds",
    "count",
];

pub(super) fn read(nodes: &mut Nodes<'_>, name: &At<String>, node: &Node) -> Option<Entity> {
    let what = format!("entity {}", name.value);
    let entries = nodes.map(node, &what);
    nodes.known(entries, &ENTITY_KEYS, &what);
    let table = nodes.required(node, "table", &what, name.place).unwrap_or_default();
    let mut entity = Entity { name: name.clone(), table, ..Entity::default() };
    entity.description = node.get("description").and_then(Node::text).map(str::to_owned);
    match node.get("pk_template") {
        Some(node) => entity.pk = nodes.template(node, &format!("{what}.pk_template"))?,
        None => {
            let message = format!("{what}: `pk_template` is missing");
            nodes.error_hint(
                "F002",
                name.place,
                &message,
                "say how the partition key is made: \"USER#{user_id}\"",
            );
            return None;
        }
    }
    entity.sk = node.get("sk_template").and_then(|node| nodes.template(node, &format!("{what}.sk_template")));
    if let Some(list) = node.get("gsi_mappings") {
        for node in nodes.list(list, "gsi_mappings") {
            entity.mappings.extend(mapping(nodes, node, &what));
        }
    }
    entity.ttl = node.get("ttl").and_then(|node| ttl(nodes, node, &what));
    for (name, node) in nodes.entries(node, "fields") {
        let field = field(nodes, name, node, &what);
        entity.fields.push(field);
    }
    entity.rules = nodes.texts(node.get("rules"), "rules");
    Some(entity)
}

pub(super) fn sample(nodes: &mut Nodes<'_>, name: &At<String>, node: &Node) -> Option<Sample> {
    let what = format!("sample {}", name.value);
    let entity = nodes.required(node, "entity", &what, name.place)?;
    let entries = nodes.map(node, &what).iter().filter(|(key, _)| key.value != "entity");
    let values = entries.map(|(key, node)| (key.clone(), node.plain())).collect();
    Some(Sample { name: name.clone(), entity, values })
}

/// Fills in what a mapping to a local index need not say: its partition key is the table's.
pub(super) fn complete(design: &mut Design) {
    for entity in &mut design.entities {
        let table = design.tables.iter().find(|table| table.id.value == entity.table.value);
        for mapping in &mut entity.mappings {
            let index = table
                .and_then(|table| table.indexes.iter().find(|index| index.name.value == mapping.index.value));
            if mapping.pk.is_empty() && index.is_some_and(|index| index.is_local) {
                mapping.pk = vec![entity.pk.clone()];
            }
        }
    }
}

fn mapping(nodes: &mut Nodes<'_>, node: &Node, entity: &str) -> Option<Mapping> {
    let what = format!("{entity}.gsi_mappings");
    let entries = nodes.map(node, &what);
    nodes.known(entries, &MAPPING_KEYS, &what);
    let index = nodes.required(node, "name", &what, node.place)?;
    let what = format!("{entity}.{}", index.value);
    let pk = templates(nodes, node.get("pk_template"), &what);
    let sk = templates(nodes, node.get("sk_template"), &what);
    let when = nodes.text_at(node, "when");
    Some(Mapping { index, pk, sk, when })
}

fn templates(nodes: &mut Nodes<'_>, node: Option<&Node>, what: &str) -> Vec<Template> {
    let Some(node) = node else { return Vec::new() };
    match &node.content {
        Content::List(list) => list.iter().filter_map(|node| nodes.template(node, what)).collect(),
        Content::Scalar { .. } | Content::Map(_) => nodes.template(node, what).into_iter().collect(),
    }
}

fn ttl(nodes: &mut Nodes<'_>, node: &Node, entity: &str) -> Option<Ttl> {
    let what = format!("{entity}.ttl");
    let entries = nodes.map(node, &what);
    nodes.known(entries, &TTL_KEYS, &what);
    let field = nodes.required(node, "field", &what, node.place)?;
    let from = nodes.required(node, "from", &what, node.place)?;
    let after = nodes.required(node, "after", &what, node.place)?;
    let Some(after_seconds) = duration_seconds(&after.value) else {
        let message = format!("{what}: `{}` is not a duration", after.value);
        nodes.error_hint(
            "F003",
            after.place,
            &message,
            "write P14D, PT24H or PT45S (weeks, days, hours, minutes, seconds)",
        );
        return None;
    };
    Some(Ttl { field, from, after_seconds, after_text: after.value })
}

fn field(nodes: &mut Nodes<'_>, name: &At<String>, node: &Node, parent: &str) -> Field {
    let what = format!("{parent}.{}", name.value);
    let mut field = Field { name: name.clone(), store: true, ..Field::default() };
    // A type alone needs no braces: `name: string`.
    if let Some(text) = node.text().filter(|_| !node.is_null()) {
        let kind = At { value: text.to_owned(), place: node.place };
        field.kind = nodes.choice(Some(kind), &FIELD_KINDS, &what).unwrap_or_default();
        return field;
    }
    let entries = nodes.map(node, &what);
    nodes.known(entries, &FIELD_KEYS, &what);
    let kind = nodes.required(node, "type", &what, name.place);
    field.kind = nodes.choice(kind, &FIELD_KINDS, &format!("{what}.type")).unwrap_or_default();
    field.required = nodes.flag(node, "required", false);
    field.nullable = nodes.flag(node, "nullable", false);
    field.choices = nodes.texts(node.get("enum"), "enum");
    field.pattern = nodes.text_at(node, "pattern");
    let format = nodes.text_at(node, "format");
    field.format = nodes.choice(format, &FORMATS, &format!("{what}.format"));
    field.minimum = bound(nodes, node, "minimum");
    field.exclusive_minimum = bound(nodes, node, "exclusiveMinimum");
    field.maximum = bound(nodes, node, "maximum");
    field.min_length = nodes.count_at(node, "minLength");
    field.max_length = nodes.count_at(node, "maxLength");
    field.from = nodes.text_at(node, "from");
    let transform = nodes.text_at(node, "transform");
    field.transform = nodes.choice(transform, &TRANSFORMS, &format!("{what}.transform"));
    field.store = nodes.flag(node, "store", true);
    field.description = node.get("description").and_then(Node::text).map(str::to_owned);
    field.items = node.get("items").map(|items| {
        let name = At { value: "items".to_owned(), place: items.place };
        Box::new(self::field(nodes, &name, items, &what))
    });
    for (name, node) in nodes.entries(node, "properties") {
        let property = self::field(nodes, name, node, &what);
        field.properties.push(property);
    }
    if let Some(pattern) = &field.pattern
        && let Err(error) = regex_lite::Regex::new(&pattern.value)
    {
        nodes.error("F003", pattern.place, format!("{what}: not a regular expression: {error}"));
    }
    field
}

fn bound(nodes: &mut Nodes<'_>, node: &Node, key: &str) -> Option<At<String>> {
    let text = nodes.text_at(node, key)?;
    if item::Number::parse(&text.value).is_err() {
        nodes.error("F003", text.place, format!("{key}: a number is expected"));
        return None;
    }
    Some(text)
}
