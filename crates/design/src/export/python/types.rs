//! Types and literals of Python. Knows no requests.

use item::Value;

use super::super::code::{Kind, Role, pascal, typed};
use super::text;
use crate::json::encode_base64;
use crate::model::{Field, Sample};

/// The classes of an entity: one for each object inside it, and its own.
pub(super) fn of(kind: &Kind<'_>) -> String {
    let entity = kind.entity;
    let name = pascal(&entity.name.value);
    let mut out = String::new();
    for field in &entity.fields {
        inner(&mut out, &format!("{name}{}", pascal(&field.name.value)), field);
    }
    let is_required = |field: &&Field| !kind.is_optional(field);
    let required: Vec<&Field> = entity.fields.iter().filter(is_required).collect();
    let optional: Vec<&Field> = entity.fields.iter().filter(|field| kind.is_optional(field)).collect();
    out.push_str(&classes(&name, entity.description.as_deref(), &required, &optional));
    out
}

/// The type of a parameter.
pub(super) fn of_role(role: &Role<'_>, owner: &str) -> String {
    match role {
        Role::Field(field) => of_field(field, &format!("{owner}{}", pascal(&field.name.value))),
        Role::Item(entity) => pascal(&entity.name.value),
        Role::Items | Role::Keys => "Iterable[tuple[str, Record]]".into(),
        Role::Untyped(kind) => match kind {
            item::Type::S => "str".into(),
            item::Type::N => "Number".into(),
            item::Type::Bool => "bool".into(),
            item::Type::B => "bytes".into(),
            item::Type::L => "List[Any]".into(),
            item::Type::M => "Record".into(),
            item::Type::Ss | item::Type::Ns | item::Type::Bs | item::Type::Null => "Any".into(),
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
    let required: Vec<&Field> = field.properties.iter().filter(|field| field.required).collect();
    let optional: Vec<&Field> = field.properties.iter().filter(|field| !field.required).collect();
    out.push_str(&classes(name, field.description.as_deref(), &required, &optional));
}

/// Required keys stand in a class of their own, which every Python that has typed dictionaries understands.
fn classes(name: &str, description: Option<&str>, required: &[&Field], optional: &[&Field]) -> String {
    let lines = |fields: &[&Field]| {
        let line = |field: &&Field| {
            let kind = of_field(field, &format!("{}{}", name, pascal(&field.name.value)));
            let note =
                field.description.as_ref().map(|note| format!("  # {}", one_line(note))).unwrap_or_default();
            format!("    {}: {kind},{note}\n", text(&field.name.value))
        };
        fields.iter().map(line).collect::<String>()
    };
    let base = format!("_{name}Required");
    let note = description.map(|note| format!("# {}\n", one_line(note))).unwrap_or_default();
    match (required.is_empty(), optional.is_empty()) {
        (_, true) => format!("\n\n{note}{name} = TypedDict({}, {{\n{}}})\n", text(name), lines(required)),
        (true, false) => {
            format!("\n\n{note}{name} = TypedDict({}, {{\n{}}}, total=False)\n", text(name), lines(optional))
        }
        (false, false) => format!(
            "\n\n{base} = TypedDict({}, {{\n{}}})\n_{name}Optional = TypedDict({}, {{\n{}}}, total=False)\n\n\n{note}class {name}({base}, _{name}Optional):\n    pass\n",
            text(&base),
            lines(required),
            text(&format!("_{name}Optional")),
            lines(optional)
        ),
    }
}

fn of_field(field: &Field, name: &str) -> String {
    let plain = match field.kind.value.as_str() {
        "string" if !field.choices.is_empty() => {
            let choices: Vec<String> = field.choices.iter().map(|choice| text(&choice.value)).collect();
            format!("Literal[{}]", choices.join(", "))
        }
        "string" | "uuid" => "str".into(),
        "integer" if !field.choices.is_empty() => {
            let choices: Vec<&str> = field.choices.iter().map(|choice| choice.value.as_str()).collect();
            format!("Literal[{}]", choices.join(", "))
        }
        "integer" => "int".into(),
        "number" => "Number".into(),
        "boolean" => "bool".into(),
        "binary" => "bytes".into(),
        "array" => match &field.items {
            Some(items) => format!("List[{}]", of_field(items, name)),
            None => "List[Any]".into(),
        },
        "object" if !field.properties.is_empty() => name.into(),
        "object" => "Record".into(),
        "string-set" => "set[str]".into(),
        "number-set" => "set[Number]".into(),
        "binary-set" => "set[bytes]".into(),
        _ => "Any".into(),
    };
    if field.nullable { format!("Optional[{plain}]") } else { plain }
}

/// A sample as a dictionary of its fields.
pub(super) fn sample(kind: &Kind<'_>, sample: &Sample) -> String {
    let fields = sample.values.iter().map(|(name, plain)| {
        let field = kind.entity.fields.iter().find(|field| field.name.value == name.value);
        format!("{}: {}", text(&name.value), literal(&typed(field, plain)))
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

/// One field of a sample.
pub(super) fn sample_field(kind: &Kind<'_>, sample: &Sample, name: &str) -> Option<String> {
    let (_, plain) = sample.values.iter().find(|(known, _)| known.value == name)?;
    let field = kind.entity.fields.iter().find(|field| field.name.value == name);
    Some(literal(&typed(field, plain)))
}

/// A value as Python writes it.
pub(super) fn literal(value: &Value) -> String {
    let list = |values: Vec<String>| values.join(", ");
    match value {
        Value::S(string) => text(string),
        Value::N(number) => {
            let plain = number.to_string();
            if plain.chars().all(|letter| letter.is_ascii_digit() || letter == '-') {
                plain
            } else {
                format!("Decimal({})", text(&plain))
            }
        }
        Value::B(bytes) => format!("__import__(\"base64\").b64decode({})", text(&encode_base64(bytes))),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Null => "None".into(),
        Value::L(values) => format!("[{}]", list(values.iter().map(literal).collect())),
        Value::M(map) => {
            let pairs = map.iter().map(|(name, value)| format!("{}: {}", text(name), literal(value)));
            format!("{{{}}}", list(pairs.collect()))
        }
        Value::Ss(values) => format!("{{{}}}", list(values.iter().map(|value| text(value)).collect())),
        Value::Ns(values) => {
            format!("{{{}}}", list(values.iter().map(|value| literal(&Value::N(*value))).collect()))
        }
        Value::Bs(values) => {
            format!("{{{}}}", list(values.iter().map(|value| literal(&Value::B(value.clone()))).collect()))
        }
    }
}

/// A comment must not end early.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
