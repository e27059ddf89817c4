//! Items as DynamoDB JSON (`{"S": "x"}`), both ways. Knows no requests.

use std::collections::BTreeMap;

use item::{Item, Number, Type, Value};
use serde_json::{Map, Value as Json, json};

/// An item as DynamoDB JSON.
pub fn to_json(item: &Item) -> Json {
    let entries = item.iter().map(|(name, value)| (name.clone(), value_to_json(value)));
    Json::Object(entries.collect::<Map<String, Json>>())
}

/// A value as DynamoDB JSON.
pub fn value_to_json(value: &Value) -> Json {
    match value {
        Value::S(text) => json!({ "S": text }),
        Value::N(number) => json!({ "N": number.to_string() }),
        Value::B(bytes) => json!({ "B": encode_base64(bytes) }),
        Value::Ss(texts) => json!({ "SS": texts }),
        Value::Ns(numbers) => json!({ "NS": numbers.iter().map(Number::to_string).collect::<Vec<_>>() }),
        Value::Bs(all) => json!({ "BS": all.iter().map(|bytes| encode_base64(bytes)).collect::<Vec<_>>() }),
        Value::Bool(flag) => json!({ "BOOL": flag }),
        Value::Null => json!({ "NULL": true }),
        Value::L(values) => json!({ "L": values.iter().map(value_to_json).collect::<Vec<_>>() }),
        Value::M(item) => json!({ "M": to_json(item) }),
    }
}

/// The item that DynamoDB JSON stands for; the message names what cannot be read.
pub fn from_json(json: &Json) -> Result<Item, String> {
    let Json::Object(entries) = json else {
        return Err("an item is an object of attributes".to_owned());
    };
    let mut item = BTreeMap::new();
    for (name, value) in entries {
        let value = value_from_json(value).map_err(|message| format!("{name}: {message}"))?;
        item.insert(name.clone(), value);
    }
    Ok(item)
}

/// The value that DynamoDB JSON stands for.
pub fn value_from_json(json: &Json) -> Result<Value, String> {
    let one = json.as_object().filter(|entries| entries.len() == 1).and_then(|entries| entries.iter().next());
    let Some((name, inside)) = one else {
        return Err("a value is an object with one type, such as {\"S\": \"x\"}".to_owned());
    };
    let Some(kind) = Type::from_name(name) else {
        return Err(format!("`{name}` is not a type"));
    };
    typed_value(kind, inside).ok_or_else(|| format!("{inside} is not of type {name}"))
}

fn typed_value(kind: Type, inside: &Json) -> Option<Value> {
    Some(match kind {
        Type::S => Value::S(inside.as_str()?.to_owned()),
        Type::N => Value::N(number(inside)?),
        Type::B => Value::B(binary(inside)?),
        Type::Ss => Value::Ss(all(inside, |json| json.as_str().map(str::to_owned))?),
        Type::Ns => Value::Ns(all(inside, number)?),
        Type::Bs => Value::Bs(all(inside, binary)?),
        Type::Bool => Value::Bool(inside.as_bool()?),
        Type::Null => inside.as_bool().filter(|flag| *flag).map(|_| Value::Null)?,
        Type::L => Value::L(all(inside, |json| value_from_json(json).ok())?),
        Type::M => Value::M(from_json(inside).ok()?),
    })
}

fn number(json: &Json) -> Option<Number> {
    Number::parse(json.as_str()?).ok()
}

fn binary(json: &Json) -> Option<bytes::Bytes> {
    decode_base64(json.as_str()?).map(bytes::Bytes::from)
}

fn all<T>(json: &Json, read: impl Fn(&Json) -> Option<T>) -> Option<Vec<T>> {
    json.as_array()?.iter().map(read).collect()
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in base64 with padding.
pub fn encode_base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = ALPHABET.get((word >> (18 - 6 * place) & 63) as usize).copied().unwrap_or(b'=');
            out.push(if place > chunk.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

/// The bytes that base64 with padding stands for.
pub fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let body = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - body.len() > 2 {
        return None;
    }
    let (mut out, mut word, mut bits) = (Vec::new(), 0_u32, 0);
    for byte in body.bytes() {
        let digit = ALPHABET.iter().position(|letter| *letter == byte)?;
        word = (word << 6 | digit as u32) & 0xff_ffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((word >> bits & 0xff) as u8);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_goes_there_and_back() {
        let text = r#"{"a":{"S":"x"},"b":{"N":"4.5"},"c":{"B":"AP8="},"d":{"SS":["x"]},"e":{"NS":["1"]},
            "f":{"BS":["AAAA"]},"g":{"BOOL":true},"h":{"NULL":true},"i":{"L":[{"S":""}]},"j":{"M":{"k":{"N":"1"}}}}"#;
        let json: Json = serde_json::from_str(text).unwrap();
        assert_eq!(to_json(&from_json(&json).unwrap()), json);
    }

    #[test]
    fn what_is_not_a_value_is_named() {
        let message = |text| from_json(&serde_json::from_str(text).unwrap()).unwrap_err();
        assert_eq!(message(r#"{"a":{"X":"1"}}"#), "a: `X` is not a type");
        assert_eq!(message(r#"{"a":{"N":1}}"#), "a: 1 is not of type N");
    }
}
