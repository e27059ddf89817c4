//! From elements of Ion to records. Knows no files.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use ion_rs::{Element, IonType, Sequence, Struct};
use item::{Item, Number, Type, Value};

use crate::json::NESTING_MAX;
use crate::record::{Condition, Record, number_reason, unique};

/// Reads a top-level value; none if there is none, only a marker or a table of symbols.
pub(super) fn read_record(bytes: &[u8]) -> Result<Option<Record>, String> {
    // The bytes are a stranger's and the reader is not of this house: it shall not take the job with it.
    let read = catch_unwind(AssertUnwindSafe(|| Element::read_first(bytes)));
    let element = read
        .map_err(|_| "not readable as Ion".to_owned())?
        .map_err(|error| format!("not readable as Ion: {error}"))?;
    element.map(|element| record(&element)).transpose()
}

fn record(element: &Element) -> Result<Record, String> {
    let members = element.as_struct().ok_or("not a struct")?;
    let text = |name: &str| members.get(name).and_then(Element::as_string).map(str::to_owned);
    let item = members.get("Item").ok_or("there is no Item")?;
    let item = map(item.as_struct().ok_or("Item is not a struct")?, NESTING_MAX)?;
    let mut names = BTreeMap::new();
    if let Some(found) = members.get("ExpressionAttributeNames") {
        for (name, value) in found.as_struct().ok_or("ExpressionAttributeNames is not a struct")?.fields() {
            let stands_for = value.as_text().ok_or("a name of an expression is not a string")?;
            names.insert(name.text().unwrap_or_default().to_owned(), stands_for.to_owned());
        }
    }
    let values = match members.get("ExpressionAttributeValues") {
        Some(found) => {
            map(found.as_struct().ok_or("ExpressionAttributeValues is not a struct")?, NESTING_MAX)?
        }
        None => Item::new(),
    };
    Ok(Record { item, condition: Condition::of(text("ConditionExpression"), names, values)? })
}

fn map(fields: &Struct, levels: usize) -> Result<Item, String> {
    let below = levels.checked_sub(1).ok_or("attributes are nested too deep")?;
    let mut item = Item::new();
    for (name, element) in fields.fields() {
        let name = name.text().filter(|name| !name.is_empty()).ok_or("an attribute has an empty name")?;
        item.insert(name.to_owned(), value(element, below)?);
    }
    Ok(item)
}

fn value(element: &Element, levels: usize) -> Result<Value, String> {
    if element.is_null() {
        return Ok(Value::Null);
    }
    Ok(match element.ion_type() {
        IonType::Null => Value::Null,
        IonType::Bool => Value::Bool(element.as_bool().unwrap_or_default()),
        IonType::Int | IonType::Decimal => Value::N(number(element)?),
        IonType::String => Value::S(element.as_string().unwrap_or_default().to_owned()),
        IonType::Blob => Value::B(blob(element)?),
        IonType::List => list(element, levels)?,
        IonType::Struct => Value::M(map(element.as_struct().ok_or("not a struct")?, levels)?),
        other @ (IonType::Float | IonType::Timestamp | IonType::Symbol | IonType::Clob | IonType::SExp) => {
            return Err(format!("no attribute can be a {other} of Ion"));
        }
    })
}

fn list(element: &Element, levels: usize) -> Result<Value, String> {
    let members = element.as_list().ok_or("not a list")?;
    let kind = element.annotations().iter().find_map(|annotation| {
        annotation.text().and_then(|text| text.strip_prefix("$dynamodb_")).and_then(Type::from_name)
    });
    Ok(match kind {
        Some(Type::Ss) => Value::Ss(set(members, |member| {
            member
                .as_string()
                .map(str::to_owned)
                .ok_or_else(|| "a member of a string set is no string".to_owned())
        })?),
        Some(Type::Ns) => Value::Ns(set(members, number)?),
        Some(Type::Bs) => Value::Bs(set(members, blob)?),
        _ => {
            let below = levels.checked_sub(1).ok_or("attributes are nested too deep")?;
            Value::L(members.elements().map(|member| value(member, below)).collect::<Result<_, String>>()?)
        }
    })
}

fn set<T: Ord>(members: &Sequence, read: impl Fn(&Element) -> Result<T, String>) -> Result<Vec<T>, String> {
    unique(members.elements().map(read).collect::<Result<Vec<T>, String>>()?)
}

fn number(element: &Element) -> Result<Number, String> {
    let text = if let Some(whole) = element.as_int() {
        whole.to_string()
    } else if let Some(decimal) = element.as_decimal() {
        let coefficient = decimal.coefficient();
        let sign = if coefficient.is_negative() { "-" } else { "" };
        format!("{sign}{}E{}", coefficient.magnitude(), decimal.exponent())
    } else {
        return Err("a member of a number set is no number".to_owned());
    };
    Number::parse(&text).map_err(|error| number_reason(&text, error))
}

fn blob(element: &Element) -> Result<Bytes, String> {
    element
        .as_blob()
        .map(Bytes::copy_from_slice)
        .ok_or_else(|| "a member of a binary set is no blob".to_owned())
}
