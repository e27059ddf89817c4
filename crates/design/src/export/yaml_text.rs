//! Writes JSON as YAML that loaders of YAML 1.1 and 1.2 read alike. Reads nothing.

use serde_json::Value as Json;

/// The most letters a map or a list in one line may have.
const LINE: usize = 100;

/// JSON as YAML, ending in a line break.
pub(crate) fn write(json: &Json) -> String {
    let mut out = String::new();
    match json {
        Json::Object(fields) if !fields.is_empty() => block(&mut out, json, 0),
        Json::Array(values) if !values.is_empty() => block(&mut out, json, 0),
        Json::Object(_) | Json::Array(_) | Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
            out.push_str(&flow(json));
            out.push('\n');
        }
    }
    out
}

/// JSON as YAML in one line.
pub(crate) fn flow(json: &Json) -> String {
    match json {
        Json::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{}: {}", scalar(name, true), flow(value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        Json::Array(values) => format!("[{}]", values.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Json::String(text) => scalar(text, true),
        Json::Null => "null".into(),
        Json::Bool(_) | Json::Number(_) => json.to_string(),
    }
}

/// A text as a YAML scalar, quoted when it would be read as something else.
pub(crate) fn scalar(text: &str, in_flow: bool) -> String {
    if is_plain(text, in_flow) { text.to_string() } else { Json::String(text.into()).to_string() }
}

fn block(out: &mut String, json: &Json, depth: usize) {
    let pad = "  ".repeat(depth);
    match json {
        Json::Object(fields) => {
            for (name, value) in fields {
                out.push_str(&format!("{pad}{}:", scalar(name, false)));
                inner(out, value, depth);
            }
        }
        Json::Array(values) => {
            for value in values {
                item(out, value, depth);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
            out.push_str(&format!("{pad}{}\n", flow(json)));
        }
    }
}

/// What stands after `name:`.
fn inner(out: &mut String, value: &Json, depth: usize) {
    match value {
        Json::Object(fields) if !fields.is_empty() => {
            out.push('\n');
            block(out, value, depth + 1);
        }
        Json::Array(values) if !values.is_empty() => {
            out.push('\n');
            block(out, value, depth + 1);
        }
        Json::String(text) => out.push_str(&format!(" {}\n", scalar(text, false))),
        Json::Object(_) | Json::Array(_) | Json::Null | Json::Bool(_) | Json::Number(_) => {
            out.push_str(&format!(" {}\n", flow(value)));
        }
    }
}

/// One element of a list: on one line if it is small, else its first field beside the dash.
fn item(out: &mut String, value: &Json, depth: usize) {
    let pad = "  ".repeat(depth);
    let is_flat = match value {
        Json::Object(fields) => fields.values().all(|value| !value.is_object() && !value.is_array()),
        Json::Array(_) => false,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => true,
    };
    let line = flow(value);
    if is_flat && pad.len() + line.len() <= LINE {
        let line = if let Json::String(text) = value { scalar(text, false) } else { line };
        out.push_str(&format!("{pad}- {line}\n"));
        return;
    }
    let mut nested = String::new();
    block(&mut nested, value, depth + 1);
    let rest = nested.get(pad.len() + 2..).unwrap_or_default();
    out.push_str(&format!("{pad}- {rest}"));
}

fn is_plain(text: &str, in_flow: bool) -> bool {
    let is_word = |text: &str| {
        let lower = text.to_ascii_lowercase();
        matches!(lower.as_str(), "null" | "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n" | "~")
    };
    let starts_like_number =
        text.starts_with(|letter: char| letter.is_ascii_digit() || matches!(letter, '+' | '.'));
    let starts_badly = text.starts_with(|letter: char| "-?:,[]{}#&*!|>'\"%@`=<".contains(letter));
    let has_bad =
        text.contains(": ") || text.contains(" #") || text.contains(|letter: char| letter.is_control());
    let has_flow = in_flow && text.contains(|letter: char| ",[]{}".contains(letter));
    !(text.is_empty()
        || is_word(text)
        || starts_like_number
        || starts_badly
        || has_bad
        || has_flow
        || text.ends_with(':')
        || text != text.trim())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_that_look_like_something_else_are_quoted() {
        for (text, expected) in [
            ("plain-name", "plain-name"),
            ("NO", "\"NO\""),
            ("2010-09-09", "\"2010-09-09\""),
            ("010", "\"010\""),
            ("a: b", "\"a: b\""),
            ("arn:aws:x", "arn:aws:x"),
            ("{x}", "\"{x}\""),
            ("", "\"\""),
            ("måndag", "måndag"),
        ] {
            assert_eq!(scalar(text, false), expected);
        }
    }

    #[test]
    fn nested_json_is_indented() {
        let json = json!({"A": {"B": [{"C": "x", "D": [1]}, {"E": true}], "F": []}});
        assert_eq!(write(&json), "A:\n  B:\n    - C: x\n      D:\n        - 1\n    - {E: true}\n  F: []\n");
    }
}
