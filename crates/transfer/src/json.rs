//! DynamoDB JSON: items as the service writes them in files, one object a line. Knows no files.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use item::{Item, Number, Type, Value};
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::record::{Condition, Record, number_reason, unique};

/// How many maps and lists may lie in each other, the item itself among them.
pub(crate) const NESTING_MAX: usize = 32;

/// Appends an item's attributes: `{"Id":{"N":"1"}}`.
pub(crate) fn write_item(out: &mut Vec<u8>, item: &Item) {
    out.push(b'{');
    for (place, (name, value)) in item.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write_text(out, name);
        out.push(b':');
        write_value(out, value);
    }
    out.push(b'}');
}

/// Appends a value with its type: `{"S":"a"}`.
pub(crate) fn write_value(out: &mut Vec<u8>, value: &Value) {
    out.extend_from_slice(b"{\"");
    out.extend_from_slice(value.type_of().name().as_bytes());
    out.extend_from_slice(b"\":");
    match value {
        Value::S(text) => write_text(out, text),
        Value::N(number) => write_number(out, *number),
        Value::B(bytes) => write_blob(out, bytes),
        Value::Bool(flag) => out.extend_from_slice(if *flag { b"true" } else { b"false" }),
        Value::Null => out.extend_from_slice(b"true"),
        Value::Ss(members) => write_list(out, members, |out, text| write_text(out, text)),
        Value::Ns(members) => write_list(out, members, |out, number| write_number(out, *number)),
        Value::Bs(members) => write_list(out, members, |out, bytes| write_blob(out, bytes)),
        Value::L(values) => write_list(out, values, write_value),
        Value::M(map) => write_item(out, map),
    }
    out.push(b'}');
}

fn write_list<T>(out: &mut Vec<u8>, members: &[T], write: impl Fn(&mut Vec<u8>, &T)) {
    out.push(b'[');
    for (place, member) in members.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write(out, member);
    }
    out.push(b']');
}

/// Appends a text in quotes.
pub(crate) fn write_text(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut rest = text;
    while let Some(at) = rest.find(|letter: char| letter < ' ' || matches!(letter, '"' | '\\' | '\u{7f}')) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain.as_bytes());
        let mut letters = special.chars();
        match letters.next() {
            Some('"') => out.extend_from_slice(b"\\\""),
            Some('\\') => out.extend_from_slice(b"\\\\"),
            Some('\n') => out.extend_from_slice(b"\\n"),
            Some('\r') => out.extend_from_slice(b"\\r"),
            Some('\t') => out.extend_from_slice(b"\\t"),
            Some(control) => out.extend_from_slice(format!("\\u{:04x}", u32::from(control)).as_bytes()),
            None => {}
        }
        rest = letters.as_str();
    }
    out.extend_from_slice(rest.as_bytes());
    out.push(b'"');
}

fn write_number(out: &mut Vec<u8>, number: Number) {
    out.extend_from_slice(format!("\"{number}\"").as_bytes());
}

fn write_blob(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'"');
    out.extend_from_slice(STANDARD.encode(bytes).as_bytes());
    out.push(b'"');
}

/// Reads an item's attributes.
pub(crate) fn read_item(text: &[u8]) -> Result<Item, String> {
    seeded(text, Map(NESTING_MAX))
}

/// Reads a value with its type.
pub(crate) fn read_value(text: &[u8]) -> Result<Value, String> {
    seeded(text, Typed(NESTING_MAX))
}

/// Reads a line of an import: `{"Item":{…}}`, with or without a condition.
pub(crate) fn read_record(line: &[u8]) -> Result<Record, String> {
    seeded(line, Line)
}

fn seeded<'a, T: DeserializeSeed<'a>>(text: &'a [u8], seed: T) -> Result<T::Value, String> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let value = seed.deserialize(&mut reader).map_err(|error| error.to_string())?;
    reader.end().map_err(|error| error.to_string())?;
    Ok(value)
}

/// A whole line.
struct Line;

impl<'de> DeserializeSeed<'de> for Line {
    type Value = Record;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Record, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Line {
    type Value = Record;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with the member Item")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Record, A::Error> {
        let mut item = None;
        let mut expression: Option<String> = None;
        let mut names = BTreeMap::new();
        let mut values = Item::new();
        while let Some(name) = members.next_key::<String>()? {
            match name.as_str() {
                "Item" => item = Some(members.next_value_seed(Map(NESTING_MAX))?),
                "ConditionExpression" => expression = Some(members.next_value()?),
                "ExpressionAttributeNames" => names = members.next_value()?,
                "ExpressionAttributeValues" => values = members.next_value_seed(Map(NESTING_MAX))?,
                _ => {
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        let item = item.ok_or_else(|| de::Error::custom("there is no Item"))?;
        Ok(Record { item, condition: Condition::of(expression, names, values).map_err(de::Error::custom)? })
    }
}

/// Attributes by name; so many levels may still be below.
struct Map(usize);

impl<'de> DeserializeSeed<'de> for Map {
    type Value = Item;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Item, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Map {
    type Value = Item;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("attributes by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Item, A::Error> {
        let below = deeper(self.0)?;
        let mut item = Item::new();
        while let Some(name) = members.next_key::<String>()? {
            if name.is_empty() {
                return Err(de::Error::custom("an attribute has an empty name"));
            }
            item.insert(name, members.next_value_seed(Typed(below))?);
        }
        Ok(item)
    }
}

fn deeper<E: de::Error>(levels: usize) -> Result<usize, E> {
    levels.checked_sub(1).ok_or_else(|| E::custom("attributes are nested too deep"))
}

/// A value with its type.
struct Typed(usize);

impl<'de> DeserializeSeed<'de> for Typed {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Typed {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value with its type, such as {\"S\": \"text\"}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let none = || de::Error::custom("a value has no type");
        let name = members.next_key::<String>()?.ok_or_else(none)?;
        let kind =
            Type::from_name(&name).ok_or_else(|| de::Error::custom(format!("there is no type {name:?}")))?;
        let value = match kind {
            Type::S => Value::S(members.next_value()?),
            Type::N => Value::N(number(&members.next_value::<String>()?)?),
            Type::B => Value::B(blob(&members.next_value::<String>()?)?),
            Type::Ss => Value::Ss(set(members.next_value()?)?),
            Type::Ns => {
                let texts: Vec<String> = members.next_value()?;
                Value::Ns(set(texts.iter().map(|text| number(text)).collect::<Result<_, A::Error>>()?)?)
            }
            Type::Bs => {
                let texts: Vec<String> = members.next_value()?;
                Value::Bs(set(texts.iter().map(|text| blob(text)).collect::<Result<_, A::Error>>()?)?)
            }
            Type::Bool => Value::Bool(members.next_value()?),
            Type::Null if members.next_value::<bool>()? => Value::Null,
            Type::Null => return Err(de::Error::custom("a value of type NULL is not true")),
            Type::L => Value::L(members.next_value_seed(List(self.0))?),
            Type::M => Value::M(members.next_value_seed(Map(self.0))?),
        };
        if members.next_key::<String>()?.is_some() {
            return Err(de::Error::custom("a value has more than one type"));
        }
        Ok(value)
    }
}

/// A list of values.
struct List(usize);

impl<'de> DeserializeSeed<'de> for List {
    type Value = Vec<Value>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Vec<Value>, D::Error> {
        reader.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List {
    type Value = Vec<Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<Vec<Value>, A::Error> {
        let below = deeper(self.0)?;
        let mut values = Vec::new();
        while let Some(value) = members.next_element_seed(Typed(below))? {
            values.push(value);
        }
        Ok(values)
    }
}

fn number<E: de::Error>(text: &str) -> Result<Number, E> {
    Number::parse(text).map_err(|error| E::custom(number_reason(text, error)))
}

fn blob<E: de::Error>(text: &str) -> Result<Bytes, E> {
    let bytes = STANDARD.decode(text).map_err(|error| E::custom(format!("not base64: {error}")))?;
    Ok(Bytes::from(bytes))
}

fn set<T: Ord, E: de::Error>(members: Vec<T>) -> Result<Vec<T>, E> {
    unique(members).map_err(E::custom)
}
