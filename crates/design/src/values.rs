//! Plain values of a file become attribute values by what their field says, and are held against its rules.
//! Knows no entities: a field at a time.

use item::{Item, Number, Value};
use regex_lite::Regex;

use crate::diagnostic::suggest;
use crate::json::decode_base64;
use crate::model::{Field, Place, Plain};
use moment::Moment;

/// What is wrong with a value, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The message, with the path of the value in front.
    pub message: String,
    /// Where the value stands.
    pub place: Place,
}

/// The value of a field, typed and held against the field's rules.
pub fn value(field: &Field, plain: &Plain) -> Result<Value, Vec<Problem>> {
    let mut problems = Vec::new();
    let value = convert(field, &field.name.value, plain, &mut problems);
    match value {
        Some(value) if problems.is_empty() => Ok(value),
        Some(_) | None => Err(problems),
    }
}

/// A value that no field describes: quoted text is text, the rest is what it looks like.
pub fn untyped(plain: &Plain) -> Value {
    match plain {
        Plain::Scalar { text, quoted: true, .. } => Value::S(text.clone()),
        Plain::Scalar { text, quoted: false, .. } => match text.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" | "~" | "" => Value::Null,
            _ => plain_number(text).map_or_else(|| Value::S(text.clone()), Value::N),
        },
        Plain::List(values, _) => Value::L(values.iter().map(untyped).collect()),
        Plain::Map(entries, _) => {
            Value::M(entries.iter().map(|(name, plain)| (name.value.clone(), untyped(plain))).collect())
        }
    }
}

/// Where a plain value stands.
pub fn place_of(plain: &Plain) -> Place {
    match plain {
        Plain::Scalar { place, .. } | Plain::List(_, place) | Plain::Map(_, place) => *place,
    }
}

/// Holds a value that was computed, not written, against the rules of its field.
pub fn hold(field: &Field, value: &Value, place: Place) -> Vec<Problem> {
    let mut problems = Vec::new();
    rules(field, &field.name.value, value, place, &mut problems);
    problems
}

/// A number only if it is written as one and loses nothing: `010` is not.
fn plain_number(text: &str) -> Option<Number> {
    let body = text.strip_prefix('-').unwrap_or(text);
    let padded = body.len() > 1 && body.starts_with('0') && !body.starts_with("0.");
    let begins = body.starts_with(|letter: char| letter.is_ascii_digit());
    if padded || !begins { None } else { Number::parse(text).ok() }
}

fn convert(field: &Field, path: &str, plain: &Plain, problems: &mut Vec<Problem>) -> Option<Value> {
    let place = place_of(plain);
    let kind = field.kind.value.as_str();
    if let Plain::Scalar { text, quoted: false, .. } = plain
        && matches!(text.as_str(), "null" | "~" | "")
    {
        if field.nullable || kind == "any" {
            return Some(Value::Null);
        }
        let message = format!("{path}: is null, and the field is not `nullable: true`");
        problems.push(Problem { message, place });
        return None;
    }
    let value = match (kind, plain) {
        ("any", _) => Ok(untyped(plain)),
        ("array", Plain::List(values, _)) => return array(field, path, values, place, problems),
        ("object", Plain::Map(..)) if field.properties.is_empty() => Ok(untyped(plain)),
        ("object", Plain::Map(..)) => return object(field, path, plain, problems),
        ("string-set" | "number-set" | "binary-set", Plain::List(values, _)) => set(kind, values),
        (_, Plain::Scalar { text, .. }) => scalar(kind, text),
        (_, Plain::List(..)) => Err(format!("is a list, not of type {kind}")),
        (_, Plain::Map(..)) => Err(format!("is a map, not of type {kind}")),
    };
    match value {
        Ok(value) => {
            rules(field, path, &value, place, problems);
            Some(value)
        }
        Err(what) => {
            problems.push(Problem { message: format!("{path}: {what}"), place });
            None
        }
    }
}

fn scalar(kind: &str, text: &str) -> Result<Value, String> {
    let shown = || format!("`{text}` is not of type {kind}");
    match kind {
        "string" => Ok(Value::S(text.to_owned())),
        "uuid" if is_uuid(text) => Ok(Value::S(text.to_owned())),
        "number" | "integer" => {
            let number = Number::parse(text).map_err(|_| shown())?;
            let whole = number.parts().1 >= 0;
            if kind == "integer" && !whole { Err(shown()) } else { Ok(Value::N(number)) }
        }
        "boolean" => match text {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err(shown()),
        },
        "binary" => decode_base64(text)
            .map(|bytes| Value::B(bytes.into()))
            .ok_or_else(|| format!("`{text}` is not base64")),
        _ => Err(shown()),
    }
}

fn set(kind: &str, values: &[Plain]) -> Result<Value, String> {
    let mut texts = Vec::new();
    for plain in values {
        match plain {
            Plain::Scalar { text, .. } if texts.contains(&text.as_str()) => {
                return Err(format!("has `{text}` twice"));
            }
            Plain::Scalar { text, .. } => texts.push(text.as_str()),
            Plain::List(..) | Plain::Map(..) => return Err("holds a list or a map".to_owned()),
        }
    }
    if texts.is_empty() {
        return Err("is empty, and a set may not be".to_owned());
    }
    match kind {
        "string-set" => Ok(Value::Ss(texts.into_iter().map(str::to_owned).collect())),
        "number-set" => {
            let numbers = texts.into_iter().map(Number::parse).collect::<Result<Vec<_>, _>>();
            numbers.map(Value::Ns).map_err(|_| "holds what is no number".to_owned())
        }
        _ => {
            let all = texts.into_iter().map(|text| decode_base64(text).map(bytes::Bytes::from));
            all.collect::<Option<Vec<_>>>()
                .map(Value::Bs)
                .ok_or_else(|| "holds what is not base64".to_owned())
        }
    }
}

fn array(
    field: &Field,
    path: &str,
    values: &[Plain],
    place: Place,
    problems: &mut Vec<Problem>,
) -> Option<Value> {
    let mut list = Vec::new();
    for (position, plain) in values.iter().enumerate() {
        match &field.items {
            Some(items) => list.extend(convert(items, &format!("{path}[{position}]"), plain, problems)),
            None => list.push(untyped(plain)),
        }
    }
    let value = Value::L(list);
    rules(field, path, &value, place, problems);
    Some(value)
}

fn object(field: &Field, path: &str, plain: &Plain, problems: &mut Vec<Problem>) -> Option<Value> {
    let Plain::Map(entries, place) = plain else { return None };
    let mut item = Item::new();
    for (name, plain) in entries {
        match field.properties.iter().find(|property| property.name.value == name.value) {
            Some(property) => {
                let inner = format!("{path}.{}", name.value);
                if let Some(value) = convert(property, &inner, plain, problems) {
                    item.insert(name.value.clone(), value);
                }
            }
            None => {
                let known: Vec<&str> =
                    field.properties.iter().map(|property| property.name.value.as_str()).collect();
                let message =
                    format!("{path}: no property `{}`; {}", name.value, suggest(&name.value, &known));
                problems.push(Problem { message, place: name.place });
            }
        }
    }
    for property in field.properties.iter().filter(|property| property.required) {
        let given = entries.iter().any(|(name, _)| name.value == property.name.value);
        if !given {
            let message = format!("{path}: `{}` is required and missing", property.name.value);
            problems.push(Problem { message, place: *place });
        }
    }
    Some(Value::M(item))
}

/// Everything a field says about a value beyond its type.
fn rules(field: &Field, path: &str, value: &Value, place: Place, problems: &mut Vec<Problem>) {
    let mut refuse =
        |message: String| problems.push(Problem { message: format!("{path}: {message}"), place });
    let text = match value {
        Value::S(text) => Some(text.clone()),
        Value::N(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::B(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_) => None,
    };
    if let Some(text) = &text
        && !field.choices.is_empty()
        && !field.choices.iter().any(|choice| same(&choice.value, text, value))
    {
        let choices: Vec<&str> = field.choices.iter().map(|choice| choice.value.as_str()).collect();
        refuse(format!("`{text}` is not one of {}", choices.join(", ")));
    }
    if let (Value::S(text), Some(pattern)) = (value, &field.pattern)
        && Regex::new(&pattern.value).is_ok_and(|regex| !regex.is_match(text))
    {
        refuse(format!("`{text}` does not match {}", pattern.value));
    }
    if let Some(format) = &field.format
        && !has_format(&format.value, value)
    {
        refuse(format!("{} is not of format {}", text.as_deref().unwrap_or("the value"), format.value));
    }
    if let Value::N(number) = value {
        bounds(field, *number, &mut refuse);
    }
    if let Some((length, unit)) = length_of(value) {
        if field.min_length.is_some_and(|least| length < least) {
            refuse(format!("has {length} {unit}, fewer than {}", field.min_length.unwrap_or_default()));
        }
        if field.max_length.is_some_and(|most| length > most) {
            refuse(format!("has {length} {unit}, more than {}", field.max_length.unwrap_or_default()));
        }
    }
}

fn bounds(field: &Field, number: Number, refuse: &mut impl FnMut(String)) {
    let read = |bound: &Option<crate::model::At<String>>| {
        bound.as_ref().and_then(|bound| Number::parse(&bound.value).ok())
    };
    if let Some(least) = read(&field.minimum).filter(|least| number < *least) {
        refuse(format!("{number} is less than {least}"));
    }
    if let Some(least) = read(&field.exclusive_minimum).filter(|least| number <= *least) {
        refuse(format!("{number} is not more than {least}"));
    }
    if let Some(most) = read(&field.maximum).filter(|most| number > *most) {
        refuse(format!("{number} is more than {most}"));
    }
}

/// Lengths are bytes of text, because that is what key limits count.
fn length_of(value: &Value) -> Option<(usize, &'static str)> {
    match value {
        Value::S(text) => Some((text.len(), "bytes")),
        Value::B(bytes) => Some((bytes.len(), "bytes")),
        Value::L(values) => Some((values.len(), "elements")),
        Value::Ss(texts) => Some((texts.len(), "elements")),
        Value::Ns(numbers) => Some((numbers.len(), "elements")),
        Value::Bs(all) => Some((all.len(), "elements")),
        Value::N(_) | Value::Bool(_) | Value::Null | Value::M(_) => None,
    }
}

fn same(choice: &str, text: &str, value: &Value) -> bool {
    match value {
        Value::N(number) => Number::parse(choice).is_ok_and(|choice| choice == *number),
        Value::S(_) | Value::Bool(_) => choice == text,
        Value::B(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_) => false,
    }
}

fn has_format(format: &str, value: &Value) -> bool {
    match (format, value) {
        (_, Value::Null) => true,
        ("date-time", Value::S(text)) => Moment::parse(text).is_some(),
        ("date", Value::S(text)) => Moment::parse_date(text).is_some(),
        ("email", Value::S(text)) => is_email(text),
        ("uri", Value::S(text)) => is_uri(text),
        ("uuid", Value::S(text)) => is_uuid(text),
        ("epoch-seconds", Value::N(number)) => {
            // Seconds until the year 5138; a value in milliseconds is larger than that.
            number.to_i64().is_some_and(|seconds| (0..100_000_000_000).contains(&seconds))
        }
        _ => false,
    }
}

fn is_email(text: &str) -> bool {
    let Some((user, domain)) = text.split_once('@') else { return false };
    !user.is_empty() && domain.contains('.') && !domain.contains('@') && !text.contains(char::is_whitespace)
}

fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let named = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter));
    named && !rest.is_empty() && !text.contains(char::is_whitespace)
}

fn is_uuid(text: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let groups: Vec<&str> = text.split('-').collect();
    groups.len() == lengths.len()
        && groups.iter().zip(lengths).all(|(group, length)| {
            group.len() == length && group.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
}

#[cfg(test)]
#[path = "values/tests.rs"]
mod tests;
