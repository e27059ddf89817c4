//! Values and placeholders for the tests of this crate.

use item::{Item, Number, Value};

use crate::Placeholders;

pub(crate) fn placeholders(names: &[(&str, &str)], values: &[(&str, Value)]) -> Placeholders {
    let names = names.iter().map(|(key, name)| (key.to_string(), name.to_string()));
    let values = values.iter().map(|(key, value)| (key.to_string(), value.clone()));
    let names = Some(names.collect()).filter(|map: &std::collections::BTreeMap<_, _>| !map.is_empty());
    let values = Some(values.collect()).filter(|map: &std::collections::BTreeMap<_, _>| !map.is_empty());
    Placeholders::new(names, values).unwrap()
}

pub(crate) fn text(text: &str) -> Value {
    Value::S(text.to_string())
}

pub(crate) fn number(text: &str) -> Value {
    Value::N(Number::parse(text).unwrap())
}

pub(crate) fn binary(bytes: &[u8]) -> Value {
    Value::B(bytes.to_vec().into())
}

pub(crate) fn set(members: &[&str]) -> Value {
    Value::Ss(members.iter().map(ToString::to_string).collect())
}

pub(crate) fn numbers(members: &[&str]) -> Value {
    Value::Ns(members.iter().map(|text| Number::parse(text).unwrap()).collect())
}

pub(crate) fn list(elements: Vec<Value>) -> Value {
    Value::L(elements)
}

pub(crate) fn map(entries: &[(&str, Value)]) -> Value {
    Value::M(item(entries))
}

pub(crate) fn item(entries: &[(&str, Value)]) -> Item {
    entries.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
}
