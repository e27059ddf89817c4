//! The types that the service's model gives to the members of requests, and the exact texts about JSON values that do
//! not have them. Read only once a request was refused; the fast way is in `fields`.

use op::{Error, Kind};

use crate::base64::{self, Base64Error};
use crate::fields::{self, Pairs};
use crate::json::Json;

/// A type of the model.
#[derive(Debug)]
pub(crate) enum Shape {
    Text,
    Flag,
    Integer,
    Long,
    /// Seconds since 1970, with a fraction.
    Time,
    Blob,
    List(&'static Shape),
    Map(&'static Shape),
    /// A structure: its name and its members in the order in which the service prints them.
    Struct(&'static str, &'static [Member]),
    /// A member that the service prints but takes from nobody.
    Hidden,
}

/// A member of a structure.
pub(crate) type Member = (&'static str, &'static Shape);

/// An attribute value.
pub(crate) static VALUE: Shape = Shape::Struct(
    "AttributeValue",
    &[
        ("S", &Shape::Text),
        ("N", &Shape::Text),
        ("B", &Shape::Blob),
        ("INT", &Shape::Hidden),
        ("DECIMAL", &Shape::Hidden),
        ("DOUBLE", &Shape::Hidden),
        ("SS", &TEXTS),
        ("NS", &TEXTS),
        ("BS", &Shape::List(&Shape::Blob)),
        ("INTSET", &Shape::Hidden),
        ("DECIMALSET", &Shape::Hidden),
        ("DOUBLESET", &Shape::Hidden),
        ("M", &ITEM),
        ("L", &VALUES),
        ("NULL", &Shape::Flag),
        ("BOOL", &Shape::Flag),
    ],
);
/// Attribute values by name: an item, a key, the values of placeholders.
pub(crate) static ITEM: Shape = Shape::Map(&VALUE);
/// A list of attribute values.
pub(crate) static VALUES: Shape = Shape::List(&VALUE);
/// A list of strings.
pub(crate) static TEXTS: Shape = Shape::List(&Shape::Text);
/// The names of placeholders.
pub(crate) static NAMES: Shape = Shape::Map(&Shape::Text);

/// Where a value stands, which decides some of the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Member,
    Element,
}

/// Refuses the first value of a body that does not have its type.
pub(crate) fn check(input: &'static str, members: &'static [Member], body: &Json<'_>) -> Result<(), Error> {
    match body {
        Json::Map(pairs) => check_members(members, pairs),
        Json::List(_) => Err(unlike(format!("Unrecognized collection type class {}", class(input)))),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => {
            Err(unlike("Unexpected value type in payload"))
        }
    }
}

fn check_members(members: &[Member], pairs: &Pairs<'_>) -> Result<(), Error> {
    for (name, value) in pairs {
        if let Some((_, shape)) = members.iter().find(|(member, _)| member == name) {
            check_value(shape, value, Place::Member)?;
        }
    }
    Ok(())
}

fn check_value(shape: &'static Shape, value: &Json<'_>, place: Place) -> Result<(), Error> {
    if matches!(value, Json::Null) {
        return Ok(());
    }
    match shape {
        Shape::Hidden => Ok(()),
        Shape::Text => check_text(value),
        Shape::Flag => check_flag(value),
        Shape::Integer => check_number(value, "Integer", "java.lang.Integer"),
        Shape::Long => check_number(value, "Long", "java.lang.Long"),
        Shape::Time => check_number(value, "Date", "java.util.Date"),
        Shape::Blob => check_blob(value),
        Shape::List(element) => check_list(element, value, place),
        Shape::Map(element) => check_map(shape, element, value, place),
        Shape::Struct(name, members) => match value {
            Json::Map(pairs) => check_members(members, pairs),
            Json::List(_) => Err(unlike(format!("Unrecognized collection type class {}", class(name)))),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => Err(unlike(match place {
                Place::Member => "Unexpected field type",
                Place::Element => "Unexpected value type in payload",
            })),
        },
    }
}

fn check_text(value: &Json<'_>) -> Result<(), Error> {
    if matches!(value, Json::Text(_)) {
        Ok(())
    } else {
        Err(unlike_scalar(value, "String", "java.lang.String"))
    }
}

fn check_flag(value: &Json<'_>) -> Result<(), Error> {
    if fields::flag(value).is_ok() {
        Ok(())
    } else if matches!(value, Json::Text(_)) {
        Err(unlike("Unexpected token received from parser"))
    } else {
        Err(unlike_scalar(value, "Boolean", "java.lang.Boolean"))
    }
}

fn check_number(value: &Json<'_>, kind: &str, class: &str) -> Result<(), Error> {
    if matches!(value, Json::Number(_)) { Ok(()) } else { Err(unlike_scalar(value, kind, class)) }
}

fn check_list(element: &'static Shape, value: &Json<'_>, place: Place) -> Result<(), Error> {
    if let Json::List(values) = value {
        return values.iter().try_for_each(|value| check_value(element, value, Place::Element));
    }
    Err(unlike(if place == Place::Element {
        GENERIC_ELEMENT
    } else if matches!(value, Json::Map(_)) {
        "Start of structure or map found where not expected"
    } else {
        "Unexpected field type"
    }))
}

fn check_map(shape: &Shape, element: &'static Shape, value: &Json<'_>, place: Place) -> Result<(), Error> {
    if let Json::Map(pairs) = value {
        return pairs.iter().try_for_each(|(_, value)| check_value(element, value, Place::Element));
    }
    Err(if place == Place::Element {
        unlike(GENERIC_ELEMENT)
    } else if matches!(value, Json::List(_)) {
        unlike(format!("Unrecognized collection type {}", java(shape)))
    } else {
        unlike("Unexpected field type")
    })
}

/// OBSERVED: what the service says of a list or map that is no list or map, inside a list or map.
const GENERIC_ELEMENT: &str = "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to \
                               class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and \
                               java.lang.Class are in module java.base of loader 'bootstrap')";

fn check_blob(value: &Json<'_>) -> Result<(), Error> {
    match value {
        Json::Text(text) => match base64::decode(text) {
            Ok(_) => Ok(()),
            Err(Base64Error::Length(length)) => Err(unlike(format!(
                "Base64 encoded length is expected a multiple of 4 bytes but found: {length}"
            ))),
            Err(Base64Error::Character(character)) => {
                Err(unlike(format!("Invalid Base64 character: '{character}'")))
            }
            Err(Base64Error::LastDigit) => Err(unlike("Invalid last non-pad Base64 character dectected")),
        },
        Json::List(_) => Err(unlike("Unrecognized collection type class java.nio.ByteBuffer")),
        Json::Map(_) => Err(unlike("Start of structure or map found where not expected")),
        Json::Null | Json::Bool(_) | Json::Number(_) => {
            Err(unlike("only base64-encoded strings are convertible to bytes"))
        }
    }
}

fn unlike(message: impl Into<String>) -> Error {
    Error::new(Kind::Serialization, message)
}

fn unlike_scalar(value: &Json<'_>, kind: &str, class: &str) -> Error {
    let found = match value {
        Json::List(_) => return unlike(format!("Unrecognized collection type class {class}")),
        Json::Map(_) => return unlike("Start of structure or map found where not expected"),
        Json::Number(digits) if digits.contains(['.', 'e', 'E']) => "DECIMAL_VALUE",
        Json::Number(_) => "NUMBER_VALUE",
        Json::Bool(true) => "TRUE_VALUE",
        Json::Bool(false) => "FALSE_VALUE",
        Json::Text(_) => "STRING_VALUE",
        Json::Null => "NULL_VALUE",
    };
    unlike(format!("{found} cannot be converted to {kind}"))
}

fn class(name: &str) -> String {
    format!("com.amazonaws.dynamodb.v20120810.{name}")
}

fn java(shape: &Shape) -> String {
    match shape {
        Shape::Text | Shape::Hidden => "java.lang.String".into(),
        Shape::Flag => "java.lang.Boolean".into(),
        Shape::Integer => "java.lang.Integer".into(),
        Shape::Long => "java.lang.Long".into(),
        Shape::Time => "java.util.Date".into(),
        Shape::Blob => "java.nio.ByteBuffer".into(),
        Shape::List(element) => format!("java.util.List<{}>", java(element)),
        Shape::Map(element) => format!("java.util.Map<java.lang.String, {}>", java(element)),
        Shape::Struct(name, _) => class(name),
    }
}

/// Where an echo ends. The service has no such end, but an answer must not be many times the request.
const ECHO_LENGTH_MAX: usize = 64 * 1024;

/// Prints a value as the service echoes it.
pub(crate) fn echo(shape: &Shape, value: Option<&Json<'_>>) -> String {
    let mut out = String::new();
    append_echo(shape, value, &mut out);
    out
}

/// Prints a value as it was sent.
pub(crate) fn echo_json(value: &Json<'_>) -> String {
    let mut out = Vec::new();
    crate::json::write(value, &mut out);
    out.truncate(ECHO_LENGTH_MAX);
    String::from_utf8_lossy(&out).into_owned()
}

fn append_echo(shape: &Shape, value: Option<&Json<'_>>, out: &mut String) {
    if out.len() > ECHO_LENGTH_MAX {
        return;
    }
    match (shape, value) {
        (Shape::Struct(name, members), Some(Json::Map(pairs))) => {
            out.push_str(name);
            out.push('(');
            for (place, (member, shape)) in members.iter().enumerate() {
                if place > 0 {
                    out.push_str(", ");
                }
                out.push_str(&lower_first(member));
                out.push('=');
                append_echo(shape, crate::json::member(pairs, member), out);
            }
            out.push(')');
        }
        (Shape::List(element), Some(Json::List(values))) => {
            out.push('[');
            for (place, value) in values.iter().enumerate() {
                if place > 0 {
                    out.push_str(", ");
                }
                append_echo(element, Some(value), out);
            }
            out.push(']');
        }
        (Shape::Map(element), Some(Json::Map(pairs))) => {
            out.push('{');
            for (place, (name, value)) in pairs.iter().enumerate() {
                if place > 0 {
                    out.push_str(", ");
                }
                out.push_str(name);
                out.push('=');
                append_echo(element, Some(value), out);
            }
            out.push('}');
        }
        (_, Some(Json::Text(text))) => out.push_str(text),
        (_, Some(Json::Number(digits))) => out.push_str(digits),
        (_, Some(Json::Bool(flag))) => out.push_str(if *flag { "true" } else { "false" }),
        _ => out.push_str("null"),
    }
}

/// A member's name as the service prints it.
pub(crate) fn lower_first(name: &str) -> String {
    let mut characters = name.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => String::new(),
    }
}
