//! Types and literals of TypeScript. Knows no requests.

use item::{Type, Value};

use super::super::code::{Kind, Role, pascal, typed};
use super::{property, text};
use crate::json::encode_base64;
use crate::model::{Field, Sample};

/// The interfaces of an entity: one for each object inside it, and its own.
pub(super) fn of(kind: &Kind<'_>) -> String {
    let entity = kind.entity;
    let name = pascal(&entity.name.value);
    let mut out = String::new();
    for field in &entity.fields {
        inner(&mut out, &format!("{name}{}", pascal(&field.name.value)), field);
    }
    let fields: Vec<(&Field, bool)> =
        entity.fields.iter().map(|field| (field, kind.is_optional(field))).collect();
    out.push_str(&interface(&name, entity.description.as_deref(), &fields));
    out
}

/// The type of a parameter.
pub(super) fn of_role(role: &Role<'_>) -> String {
    match role {
        // A nested type is named after its entity, which a parameter does not know for certain.
        Role::Field(field) if !field.properties.is_empty() || field.items.is_some() => "any".into(),
        Role::Field(field) => of_field(field, ""),
        Role::Item(entity) => pascal(&entity.name.value),
        Role::Items | Role::Keys => "[string, Item][]".into(),
        Role::Untyped(kind) => match kind {
            Type::S => "string".into(),
            Type::N => "number".into(),
            Type::Bool => "boolean".into(),
            Type::B => "Uint8Array".into(),
            Type::L => "any[]".into(),
            Type::M => "Item".into(),
            Type::Ss | Type::Ns | Type::Bs | Type::Null => "any".into(),
        },
    }
}

fn inner(out: &mut String, name: &str, field: &Field) {
    if let Some(items) = &field.items {
        inner(out, name, items);
    }
    if field.kind.value != "object" || field.properties.is_empty() {
        return;
    }
    for property in &field.properties {
        inner(out, &format!("{name}{}", pascal(&property.name.value)), property);
    }
    let fields: Vec<(&Field, bool)> = field.properties.iter().map(|field| (field, !field.required)).collect();
    out.push_str(&interface(name, field.description.as_deref(), &fields));
}

fn interface(name: &str, description: Option<&str>, fields: &[(&Field, bool)]) -> String {
    let note = description.map(|note| format!("/** {} */\n", one_line(note))).unwrap_or_default();
    let line = |(field, is_optional): &(&Field, bool)| {
        let note = field
            .description
            .as_ref()
            .map(|note| format!("  /** {} */\n", one_line(note)))
            .unwrap_or_default();
        let mark = if *is_optional { "?" } else { "" };
        let kind = of_field(field, &format!("{name}{}", pascal(&field.name.value)));
        format!("{note}  {}{mark}: {kind};\n", property(&field.name.value))
    };
    format!("\n{note}export interface {name} {{\n{}}}\n", fields.iter().map(line).collect::<String>())
}

fn of_field(field: &Field, name: &str) -> String {
    let choices = |is_text: bool| {
        let choice = |value: &str| if is_text { text(value) } else { value.to_owned() };
        field.choices.iter().map(|value| choice(&value.value)).collect::<Vec<_>>().join(" | ")
    };
    let plain = match field.kind.value.as_str() {
        "string" if !field.choices.is_empty() => choices(true),
        "string" | "uuid" => "string".into(),
        "integer" | "number" if !field.choices.is_empty() => choices(false),
        "integer" | "number" => "number".into(),
        "boolean" => "boolean".into(),
        "binary" => "Uint8Array".into(),
        "array" => match &field.items {
            Some(items) => format!("({})[]", of_field(items, name)),
            None => "any[]".into(),
        },
        "object" if !field.properties.is_empty() => name.into(),
        "object" => "Item".into(),
        "string-set" => "Set<string>".into(),
        "number-set" => "Set<number>".into(),
        "binary-set" => "Set<Uint8Array>".into(),
        _ => "any".into(),
    };
    if field.nullable { format!("{plain} | null") } else { plain }
}

/// A sample as an object of its fields.
pub(super) fn sample(kind: &Kind<'_>, sample: &Sample) -> String {
    let fields = sample.values.iter().map(|(name, plain)| {
        let field = kind.entity.fields.iter().find(|field| field.name.value == name.value);
        format!("{}: {}", property(&name.value), literal(&typed(field, plain)))
    });
    format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
}

/// One field of a sample.
pub(super) fn sample_field(kind: &Kind<'_>, sample: &Sample, name: &str) -> Option<String> {
    let (_, plain) = sample.values.iter().find(|(known, _)| known.value == name)?;
    let field = kind.entity.fields.iter().find(|field| field.name.value == name);
    Some(literal(&typed(field, plain)))
}

/// A value as TypeScript writes it.
pub(super) fn literal(value: &Value) -> String {
    let list = |values: Vec<String>| values.join(", ");
    match value {
        Value::S(string) => text(string),
        Value::N(number) => number.to_string(),
        Value::B(bytes) => format!(
            "Uint8Array.from(atob({}), (letter) => letter.charCodeAt(0))",
            text(&encode_base64(bytes))
        ),
        Value::Bool(flag) => flag.to_string(),
        Value::Null => "null".into(),
        Value::L(values) => format!("[{}]", list(values.iter().map(literal).collect())),
        Value::M(map) => {
            let pairs = map.iter().map(|(name, value)| format!("{}: {}", property(name), literal(value)));
            format!("{{ {} }}", list(pairs.collect()))
        }
        Value::Ss(values) => format!("new Set([{}])", list(values.iter().map(|value| text(value)).collect())),
        Value::Ns(values) => {
            format!("new Set([{}])", list(values.iter().map(|value| value.to_string()).collect()))
        }
        Value::Bs(values) => {
            format!(
                "new Set([{}])",
                list(values.iter().map(|value| literal(&Value::B(value.clone()))).collect())
            )
        }
    }
}

/// A comment must not end early.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("*/", "* /")
}
