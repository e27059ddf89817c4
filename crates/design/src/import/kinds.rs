//! Types of fields from the values that items have. Knows no keys.

use item::{Item, Value};
use serde_json::{Map, Value as Json, json};

use crate::export::yaml_text::scalar;
use crate::json::encode_base64;
use moment::Moment;

/// The field that describes all these values.
pub(super) fn field(values: &[&Value]) -> Map<String, Json> {
    let mut out = Map::new();
    let is_nullable = values.iter().any(|value| matches!(value, Value::Null));
    let values: Vec<&Value> = values.iter().copied().filter(|value| !matches!(value, Value::Null)).collect();
    let mut kinds: Vec<&str> = values.iter().map(|value| kind(value)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let kind = match kinds.as_slice() {
        [one] => one,
        ["integer", "number"] => "number",
        _ => "any",
    };
    out.insert("type".into(), json!(kind));
    if kind == "string" && !values.is_empty() && values.iter().all(|value| is_date_time(value)) {
        out.insert("format".into(), json!("date-time"));
    }
    if kind == "array" {
        let inner: Vec<&Value> = values.iter().flat_map(|value| elements(value)).collect();
        if !inner.is_empty() {
            out.insert("items".into(), Json::Object(field(&inner)));
        }
    }
    if kind == "object" {
        let properties = properties(&values);
        if !properties.is_empty() {
            out.insert("properties".into(), Json::Object(properties));
        }
    }
    if is_nullable && kind != "any" {
        out.insert("nullable".into(), json!(true));
    }
    out
}

/// Every property of these maps, required if all of them have it.
fn properties(values: &[&Value]) -> Map<String, Json> {
    let maps: Vec<&Item> =
        values.iter().filter_map(|value| if let Value::M(map) = value { Some(map) } else { None }).collect();
    fields(&maps)
}

/// The fields of items, required if all of them have it.
pub(super) fn fields(items: &[&Item]) -> Map<String, Json> {
    let mut names: Vec<&String> = Vec::new();
    for name in items.iter().flat_map(|item| item.keys()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut out = Map::new();
    for name in names {
        let found: Vec<&Value> = items.iter().filter_map(|item| item.get(name)).collect();
        let mut field = field(&found);
        if found.len() == items.len() {
            field.insert("required".into(), json!(true));
        }
        out.insert(name.clone(), Json::Object(field));
    }
    out
}

/// A value as a design writes it, in one line; numbers keep all their digits.
pub(super) fn plain(value: &Value) -> String {
    let list = |values: Vec<String>| format!("[{}]", values.join(", "));
    match value {
        Value::S(text) => scalar(text, true),
        Value::N(number) => number.to_string(),
        Value::B(bytes) => scalar(&encode_base64(bytes), true),
        Value::Bool(flag) => flag.to_string(),
        Value::Null => "null".into(),
        Value::L(values) => list(values.iter().map(plain).collect()),
        Value::M(map) => {
            let pairs: Vec<String> =
                map.iter().map(|(name, value)| format!("{}: {}", scalar(name, true), plain(value))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        Value::Ss(values) => list(values.iter().map(|value| scalar(value, true)).collect()),
        Value::Ns(values) => list(values.iter().map(|value| value.to_string()).collect()),
        Value::Bs(values) => list(values.iter().map(|value| scalar(&encode_base64(value), true)).collect()),
    }
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    let values: &[Value] = if let Value::L(values) = value { values } else { &[] };
    values.iter()
}

fn is_date_time(value: &Value) -> bool {
    matches!(value, Value::S(text) if Moment::parse(text).is_some())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::S(_) => "string",
        Value::N(number) if number.parts().1 >= 0 => "integer",
        Value::N(_) => "number",
        Value::B(_) => "binary",
        Value::Bool(_) => "boolean",
        Value::Null => "any",
        Value::L(_) => "array",
        Value::M(_) => "object",
        Value::Ss(_) => "string-set",
        Value::Ns(_) => "number-set",
        Value::Bs(_) => "binary-set",
    }
}
