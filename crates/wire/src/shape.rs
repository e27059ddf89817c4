//! The types that the service's model gives to the members of requests, and the exact texts about JSON values that do
//! not have them. Read only once a request was refused; the fast way is in `fields`.

use op::{Error, Kind};

use crate::base64::{self, Base64Error};
use crate::fields::Pairs;
use crate::json::Json;

/// A type of the model.
#[derive(Debug)]
pub(crate) enum Shape {
    Text,
    Flag,
    Integer,
    Long,
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
        Shape::Text => match value {
            Json::Text(_) => Ok(()),
            _ => Err(unlike_scalar(value, "String", "java.lang.String")),
        },
        Shape::Flag => match value {
            Json::Bool(_) => Ok(()),
            Json::Text(text) if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") => {
                Ok(())
            }
            Json::Text(_) => Err(unlike("Unexpected token received from parser")),
            _ => Err(unlike_scalar(value, "Boolean", "java.lang.Boolean")),
        },
        Shape::Integer => check_number(value, "Integer", "java.lang.Integer"),
        Shape::Long => check_number(value, "Long", "java.lang.Long"),
        Shape::Blob => check_blob(value),
        Shape::List(element) => match value {
            Json::List(values) => {
                values.iter().try_for_each(|value| check_value(element, value, Place::Element))
            }
            _ if place == Place::Element => Err(unlike(GENERIC_ELEMENT)),
            Json::Map(_) => Err(unlike("Start of structure or map found where not expected")),
            _ => Err(unlike("Unexpected field type")),
        },
        Shape::Map(element) => match value {
            Json::Map(pairs) => {
                pairs.iter().try_for_each(|(_, value)| check_value(element, value, Place::Element))
            }
            _ if place == Place::Element => Err(unlike(GENERIC_ELEMENT)),
            Json::List(_) => Err(unlike(format!("Unrecognized collection type {}", java(shape)))),
            _ => Err(unlike("Unexpected field type")),
        },
        Shape::Struct(name, members) => match value {
            Json::Map(pairs) => check_members(members, pairs),
            Json::List(_) => Err(unlike(format!("Unrecognized collection type class {}", class(name)))),
            _ if place == Place::Member => Err(unlike("Unexpected field type")),
            _ => Err(unlike("Unexpected value type in payload")),
        },
    }
}

/// OBSERVED: what the service says of a list or map that is no list or map, inside a list or map.
const GENERIC_ELEMENT: &str = "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to \
                               class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and \
                               java.lang.Class are in module java.base of loader 'bootstrap')";

fn check_number(value: &Json<'_>, kind: &str, class: &str) -> Result<(), Error> {
    match value {
        Json::Number(_) => Ok(()),
        _ => Err(unlike_scalar(value, kind, class)),
    }
}

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
        Shape::Blob => "java.nio.ByteBuffer".into(),
        Shape::List(element) => format!("java.util.List<{}>", java(element)),
        Shape::Map(element) => format!("java.util.Map<java.lang.String, {}>", java(element)),
        Shape::Struct(name, _) => class(name),
    }
}

/// Prints a value as the service echoes it.
pub(crate) fn echo(shape: &Shape, value: Option<&Json<'_>>) -> String {
    let mut out = String::new();
    append_echo(shape, value, &mut out);
    out
}

fn append_echo(shape: &Shape, value: Option<&Json<'_>>, out: &mut String) {
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
