//! Items as lines of DynamoDB JSON, `{"Item": {...}}` as the service's own exports have them.
//! Knows what a value may look like; knows no endpoint.

use item::Number;
use serde_json::{Map, Value as Json};
use std::io::{self, Write};

/// Writes an item as a line.
pub(crate) fn write(out: &mut impl Write, item: &Json) -> io::Result<()> {
    out.write_all(b"{\"Item\":")?;
    serde_json::to_writer(&mut *out, item)?;
    out.write_all(b"}\n")
}

/// The item of a line, with or without `Item` around it; `keys` tell the two apart.
pub(crate) fn read(line: &str, keys: &[String]) -> Result<Json, String> {
    let mut document: Json =
        serde_json::from_str(line).map_err(|error| format!("this is no JSON: {error}"))?;
    let is_wrapped = document.as_object().is_some_and(|members| {
        let inside = members.get("Item").and_then(Json::as_object).filter(|_| members.len() == 1);
        inside.is_some_and(|inside| !keys.contains(&"Item".to_owned()) || has_keys(inside, keys))
    });
    if is_wrapped && let Some(inside) = document.get_mut("Item") {
        document = inside.take();
    }
    check(&document, keys)?;
    Ok(document)
}

/// Whether this is an item with such a key; if not, why.
pub(crate) fn check(item: &Json, keys: &[String]) -> Result<(), String> {
    let Json::Object(members) = item else {
        return Err("an item is an object of attributes, such as {\"pk\": {\"S\": \"x\"}}".to_owned());
    };
    attributes(members)?;
    match keys.iter().find(|key| !members.contains_key(*key)) {
        Some(key) => Err(format!("the item has no {key}, which is part of the key")),
        None => Ok(()),
    }
}

fn has_keys(members: &Map<String, Json>, keys: &[String]) -> bool {
    keys.iter().all(|key| members.contains_key(key))
}

fn attributes(members: &Map<String, Json>) -> Result<(), String> {
    members.iter().try_for_each(|(name, typed)| value(typed).map_err(|message| format!("{name}: {message}")))
}

/// How deep it nests is bounded by the parser of JSON, and more tightly by the service.
fn value(typed: &Json) -> Result<(), String> {
    let one =
        typed.as_object().filter(|members| members.len() == 1).and_then(|members| members.iter().next());
    let Some((kind, inside)) = one else {
        return Err("a value is an object with one type, such as {\"S\": \"x\"}".to_owned());
    };
    let is_right = match (kind.as_str(), inside) {
        ("S" | "B", Json::String(_)) | ("BOOL" | "NULL", Json::Bool(_)) => true,
        ("N", number) => is_number(number),
        ("SS" | "BS", Json::Array(members)) => members.iter().all(Json::is_string),
        ("NS", Json::Array(members)) => members.iter().all(is_number),
        ("L", Json::Array(values)) => return values.iter().try_for_each(value),
        ("M", Json::Object(members)) => return attributes(members),
        ("S" | "B" | "BOOL" | "NULL" | "SS" | "BS" | "NS" | "L" | "M", _) => false,
        _ => return Err(format!("there is no type {kind}")),
    };
    if is_right { Ok(()) } else { Err(format!("{inside} is not of type {kind}")) }
}

fn is_number(json: &Json) -> bool {
    json.as_str().is_some_and(|text| Number::parse(text).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn keys(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn lines_with_and_without_a_wrapper() {
        let item = json!({ "pk": { "S": "x" }, "n": { "N": "12345678901234567890123456789012345678" } });
        let mut line = Vec::new();
        write(&mut line, &item).unwrap();
        let line = String::from_utf8(line).unwrap();
        assert_eq!(read(&line, &keys(&["pk"])), Ok(item.clone()));
        assert_eq!(read(&item.to_string(), &keys(&["pk"])), Ok(item));
        // An attribute may have the wrapper's name.
        let item = json!({ "Item": { "S": "x" } });
        assert_eq!(read(&item.to_string(), &keys(&["Item"])), Ok(item.clone()));
        let wrapped = json!({ "Item": item });
        assert_eq!(read(&wrapped.to_string(), &keys(&["Item"])), Ok(item));
    }

    #[test]
    fn what_is_no_item_is_named() {
        let table = [
            ("nonsense", "no JSON"),
            ("[]", "an item is an object"),
            (r#"{"pk":{"N":5}}"#, "pk: 5 is not of type N"),
            (r#"{"pk":{"N":"five"}}"#, "\"five\" is not of type N"),
            (r#"{"pk":{"X":"5"}}"#, "there is no type X"),
            (r#"{"pk":"5"}"#, "an object with one type"),
            (r#"{"pk":{"M":{"a":{"L":[{"SS":[1]}]}}}}"#, "a: [1] is not of type SS"),
            (r#"{"other":{"S":"5"}}"#, "no pk"),
        ];
        for (line, expected) in table {
            let refused = read(line, &keys(&["pk"])).unwrap_err();
            assert!(refused.contains(expected), "{line}: {refused}");
        }
        let deep =
            format!("{{\"pk\":{}{{\"S\":\"x\"}}{}}}", "{\"L\":[".repeat(100_000), "]}".repeat(100_000));
        assert!(read(&deep, &keys(&["pk"])).is_err());
    }
}
