//! Types and literals of Rust. Knows no requests.

use item::{Type, Value};

use super::super::code::{Kind, Role, pascal, typed};
use super::{name, text};
use crate::json::encode_base64;
use crate::model::{Field, Sample};

/// The structs of an entity: one for each object inside it, and its own.
pub(super) fn of(kind: &Kind<'_>) -> String {
    let entity = kind.entity;
    let own = pascal(&entity.name.value);
    let mut out = String::new();
    for field in &entity.fields {
        inner(&mut out, &format!("{own}{}", pascal(&field.name.value)), field);
    }
    let fields: Vec<(&Field, bool)> =
        entity.fields.iter().map(|field| (field, kind.is_optional(field))).collect();
    let note = entity.description.clone().unwrap_or_else(|| format!("A {}.", entity.name.value));
    out.push_str(&structure(&own, &note, &fields));
    out
}

/// The type of a parameter.
pub(super) fn of_role(role: &Role<'_>) -> String {
    match role {
        Role::Field(field) => match field.kind.value.as_str() {
            "string" | "uuid" => "&str".into(),
            "integer" => "i64".into(),
            "number" => "f64".into(),
            "boolean" => "bool".into(),
            _ => "&AttributeValue".into(),
        },
        Role::Item(entity) => format!("&{}", pascal(&entity.name.value)),
        Role::Items | Role::Keys => "&[(&str, Item)]".into(),
        Role::Untyped(kind) => match kind {
            Type::S => "&str".into(),
            Type::N => "f64".into(),
            Type::Bool => "bool".into(),
            Type::B | Type::L | Type::M | Type::Ss | Type::Ns | Type::Bs | Type::Null => {
                "&AttributeValue".into()
            }
        },
    }
}

/// A value for a parameter.
pub(super) fn argument(role: &Role<'_>, value: &Value) -> String {
    match (of_role(role).as_str(), value) {
        ("&str", Value::S(string)) => text(string),
        ("i64", Value::N(number)) => number.to_string(),
        ("f64", Value::N(number)) => float(&number.to_string()),
        ("bool", Value::Bool(flag)) => flag.to_string(),
        _ => format!("&{}", attribute(value)),
    }
}

fn inner(out: &mut String, own: &str, field: &Field) {
    if let Some(items) = &field.items {
        inner(out, own, items);
    }
    if field.kind.value != "object" || field.properties.is_empty() {
        return;
    }
    for property in &field.properties {
        inner(out, &format!("{own}{}", pascal(&property.name.value)), property);
    }
    let fields: Vec<(&Field, bool)> = field.properties.iter().map(|field| (field, !field.required)).collect();
    let note = field.description.clone().unwrap_or_else(|| "A part of an item.".into());
    out.push_str(&structure(own, &note, &fields));
    out.push_str(&format!(
        "\nimpl ToAttribute for {own} {{\n    fn to_attribute(&self) -> AttributeValue {{\n        AttributeValue::M(self.to_map())\n    }}\n}}\n\n\
         impl FromAttribute for {own} {{\n    fn from_attribute(value: &AttributeValue) -> Option<Self> {{\n        {own}::from_map(value.as_m().ok()?)\n    }}\n}}\n"
    ));
}

fn structure(own: &str, note: &str, fields: &[(&Field, bool)]) -> String {
    let mut declared = String::new();
    let mut written = String::new();
    let mut read = String::new();
    for (field, is_optional) in fields {
        let kind = of_field(field, &format!("{own}{}", pascal(&field.name.value)));
        let (field_name, attribute) = (name(&field.name.value), text(&field.name.value));
        let fallback = format!("`{}`.", field.name.value);
        let note = field.description.as_ref().unwrap_or(&fallback);
        declared.push_str(&format!("    /// {}\n", one_line(note)));
        if *is_optional {
            declared.push_str(&format!("    pub {field_name}: Option<{kind}>,\n"));
            written.push_str(&format!(
                "        if let Some(value) = &self.{field_name} {{\n            map.insert({attribute}.to_owned(), value.to_attribute());\n        }}\n"
            ));
            read.push_str(&format!(
                "            {field_name}: map.get({attribute}).and_then(FromAttribute::from_attribute),\n"
            ));
        } else {
            declared.push_str(&format!("    pub {field_name}: {kind},\n"));
            written.push_str(&format!(
                "        map.insert({attribute}.to_owned(), self.{field_name}.to_attribute());\n"
            ));
            read.push_str(&format!(
                "            {field_name}: FromAttribute::from_attribute(map.get({attribute})?)?,\n"
            ));
        }
    }
    format!(
        "\n/// {}\n#[derive(Debug, Clone, PartialEq)]\npub struct {own} {{\n{declared}}}\n\n\
         impl {own} {{\n    fn to_map(&self) -> Item {{\n        let mut map = Item::new();\n{written}        map\n    }}\n\n    \
         fn from_map(map: &Item) -> Option<{own}> {{\n        Some({own} {{\n{read}        }})\n    }}\n}}\n",
        one_line(note)
    )
}

fn of_field(field: &Field, own: &str) -> String {
    let plain = match field.kind.value.as_str() {
        "string" | "uuid" => "String".into(),
        "integer" => "i64".into(),
        "number" => "f64".into(),
        "boolean" => "bool".into(),
        "array" => match &field.items {
            Some(items) => format!("Vec<{}>", of_field(items, own)),
            None => "Vec<AttributeValue>".into(),
        },
        "object" if !field.properties.is_empty() => own.into(),
        _ => "AttributeValue".into(),
    };
    if field.nullable { format!("Option<{plain}>") } else { plain }
}

/// A sample as a struct.
pub(super) fn sample(kind: &Kind<'_>, sample: &Sample) -> String {
    let own = pascal(&kind.entity.name.value);
    let fields = kind.entity.fields.iter().map(|field| {
        let plain = sample.values.iter().find(|(known, _)| known.value == field.name.value);
        let value = plain.map(|(_, plain)| typed(Some(field), plain));
        let literal =
            value.map(|value| literal(field, &format!("{own}{}", pascal(&field.name.value)), &value));
        let literal = match (kind.is_optional(field), literal) {
            (true, Some(literal)) => format!("Some({literal})"),
            (true, None) => "None".into(),
            (false, Some(literal)) => literal,
            // What a sample leaves out although it is required does not pass `check`.
            (false, None) => "Default::default()".into(),
        };
        format!("{}: {literal}", name(&field.name.value))
    });
    format!("{own} {{ {} }}", fields.collect::<Vec<_>>().join(", "))
}

/// One field of a sample as an argument.
pub(super) fn sample_field(kind: &Kind<'_>, sample: &Sample, wanted: &str) -> Option<String> {
    let (_, plain) = sample.values.iter().find(|(known, _)| known.value == wanted)?;
    let field = kind.entity.fields.iter().find(|field| field.name.value == wanted)?;
    Some(argument(&Role::Field(field), &typed(Some(field), plain)))
}

/// A value of a field's type.
fn literal(field: &Field, own: &str, value: &Value) -> String {
    let plain = match (field.kind.value.as_str(), value) {
        (_, Value::Null) => return if field.nullable { "None".into() } else { attribute(value) },
        ("string" | "uuid", Value::S(string)) => format!("{}.to_owned()", text(string)),
        ("integer", Value::N(number)) => number.to_string(),
        ("number", Value::N(number)) => float(&number.to_string()),
        ("boolean", Value::Bool(flag)) => flag.to_string(),
        ("array", Value::L(values)) => {
            let values = values.iter().map(|value| match &field.items {
                Some(items) => literal(items, own, value),
                None => attribute(value),
            });
            format!("vec![{}]", values.collect::<Vec<_>>().join(", "))
        }
        ("object", Value::M(map)) if !field.properties.is_empty() => {
            let fields = field.properties.iter().map(|property| {
                let inner = format!("{own}{}", pascal(&property.name.value));
                let value = map.get(&property.name.value).map(|value| literal(property, &inner, value));
                let value = match (property.required, value) {
                    (true, value) => value.unwrap_or_else(|| "Default::default()".into()),
                    (false, Some(value)) => format!("Some({value})"),
                    (false, None) => "None".into(),
                };
                format!("{}: {value}", name(&property.name.value))
            });
            format!("{own} {{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        _ => attribute(value),
    };
    if field.nullable { format!("Some({plain})") } else { plain }
}

/// A value as an AttributeValue.
pub(super) fn attribute(value: &Value) -> String {
    let strings = |values: &[String]| {
        values.iter().map(|value| format!("{}.to_owned()", text(value))).collect::<Vec<_>>().join(", ")
    };
    match value {
        Value::S(string) => format!("AttributeValue::S({}.to_owned())", text(string)),
        Value::N(number) => format!("AttributeValue::N({}.to_owned())", text(&number.to_string())),
        Value::Bool(flag) => format!("AttributeValue::Bool({flag})"),
        Value::Null => "AttributeValue::Null(true)".into(),
        Value::L(values) => {
            format!(
                "AttributeValue::L(vec![{}])",
                values.iter().map(attribute).collect::<Vec<_>>().join(", ")
            )
        }
        Value::M(map) => {
            let pairs =
                map.iter().map(|(name, value)| format!("({}.to_owned(), {})", text(name), attribute(value)));
            format!("AttributeValue::M(Item::from([{}]))", pairs.collect::<Vec<_>>().join(", "))
        }
        Value::Ss(values) => format!("AttributeValue::Ss(vec![{}])", strings(values)),
        Value::Ns(values) => {
            let texts: Vec<String> = values.iter().map(|value| value.to_string()).collect();
            format!("AttributeValue::Ns(vec![{}])", strings(&texts))
        }
        Value::B(bytes) => format!("AttributeValue::B(Blob::new({}))", bytes_literal(bytes)),
        Value::Bs(values) => {
            let blobs = values.iter().map(|bytes| format!("Blob::new({})", bytes_literal(bytes)));
            format!("AttributeValue::Bs(vec![{}])", blobs.collect::<Vec<_>>().join(", "))
        }
    }
}

fn bytes_literal(bytes: &[u8]) -> String {
    let listed: Vec<String> = bytes.iter().map(u8::to_string).collect();
    format!("vec![{}] /* {} */", listed.join(", "), encode_base64(bytes))
}

fn float(number: &str) -> String {
    if number.contains(['.', 'e', 'E']) { number.into() } else { format!("{number}.0") }
}

/// A comment stays on its line.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
