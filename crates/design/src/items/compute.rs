//! Computed fields: what a transform makes of another field. Knows one field at a time.

use item::{Item, Number, Value};
use md5::Md5;
use sha2::{Digest, Sha256};

use crate::model::{Entity, Field, Place};
use crate::template::Template;
use moment::Moment;

/// The value of a computed field, if what it is computed from is there.
pub fn computed(entity: &Entity, field: &Field, fields: &Item) -> Option<Value> {
    let from = field.from.as_ref()?;
    let source = source(entity, &from.value, fields)?;
    match field.transform.as_ref().map(|transform| transform.value.as_str()) {
        Some(transform) => transformed(transform, &source),
        None => Some(as_kind(&field.kind.value, source)),
    }
}

/// `from` is a field, a template of fields, or a constant.
fn source(entity: &Entity, from: &str, fields: &Item) -> Option<Value> {
    if entity.fields.iter().any(|field| field.name.value == from) {
        return fields.get(from).cloned();
    }
    if !from.contains('{') {
        return Some(Value::S(from.to_owned()));
    }
    let template = Template::parse(from, Place::default()).ok()?;
    template.render(fields).ok().map(Value::S)
}

/// A constant or a template is text; a field that is a number takes it as one.
fn as_kind(kind: &str, value: Value) -> Value {
    match (kind, &value) {
        ("number" | "integer", Value::S(text)) => Number::parse(text).map_or(value, Value::N),
        ("string", Value::N(number)) => Value::S(number.to_string()),
        _ => value,
    }
}

fn transformed(transform: &str, source: &Value) -> Option<Value> {
    let text = match source {
        Value::S(text) => text.clone(),
        Value::N(number) => number.to_string(),
        Value::L(values) if transform == "count" => return Some(count(values.len())),
        Value::Ss(texts) if transform == "count" => return Some(count(texts.len())),
        Value::Ns(numbers) if transform == "count" => return Some(count(numbers.len())),
        Value::M(item) if transform == "count" => return Some(count(item.len())),
        Value::B(_)
        | Value::Bs(_)
        | Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_)
        | Value::Ss(_)
        | Value::Ns(_) => {
            return None;
        }
    };
    let text = match transform {
        "slug" => slug(&text),
        "lower" => text.to_lowercase(),
        "upper" => text.to_uppercase(),
        "year-month" => date_text(source)?.get(..7)?.to_owned(),
        "date" => date_text(source)?.get(..10)?.to_owned(),
        "sha256" => hex(&Sha256::digest(text.as_bytes())),
        "md5" => hex(&Md5::digest(text.as_bytes())),
        "iso-datetime" => Moment { seconds: seconds_of(source)?, millis: 0 }.to_text(),
        "epoch-seconds" => return seconds_of(source).map(|seconds| Value::N(Number::from(seconds))),
        "count" => return Some(count(text.chars().count())),
        _ => return None,
    };
    Some(Value::S(text))
}

/// The date a text begins with or a number of seconds lies in.
fn date_text(value: &Value) -> Option<String> {
    seconds_of(value).map(|seconds| Moment { seconds, millis: 0 }.to_text())
}

/// Seconds since 1970 of a date-time, a date or a number of seconds.
pub fn seconds_of(value: &Value) -> Option<i64> {
    match value {
        Value::S(text) => {
            Moment::parse(text).or_else(|| Moment::parse_date(text)).map(|moment| moment.seconds)
        }
        Value::N(number) => number.to_i64(),
        Value::B(_)
        | Value::Bs(_)
        | Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_)
        | Value::Ss(_)
        | Value::Ns(_) => None,
    }
}

/// Lower case, letters without their marks, everything else a single hyphen: `Thịt gà` is `thit-ga`.
pub fn slug(text: &str) -> String {
    let mut out = String::new();
    for letter in text.to_lowercase().chars().filter_map(plain_letter) {
        match letter {
            letter if letter.is_alphanumeric() => out.push(letter),
            _ if out.ends_with('-') || out.is_empty() => {}
            _ => out.push('-'),
        }
    }
    out.trim_end_matches('-').to_owned()
}

/// Latin letters without their marks; combining marks vanish.
fn plain_letter(letter: char) -> Option<char> {
    const MARKED: [(char, &str); 12] = [
        ('a', "àáâãäåāăąạảấầẩẫậắằẳẵặǎ"),
        ('c', "çćĉċč"),
        ('d', "đďð"),
        ('e', "èéêëēĕėęěẹẻẽếềểễệ"),
        ('g', "ĝğġģ"),
        ('i', "ìíîïĩīĭįıịỉ"),
        ('n', "ñńņňŋ"),
        ('o', "òóôõöøōŏőơọỏốồổỗộớờởỡợ"),
        ('s', "śŝşšș"),
        ('u', "ùúûüũūŭůűųưụủứừửữự"),
        ('y', "ýÿŷỳỵỷỹ"),
        ('z', "źżž"),
    ];
    if ('\u{300}'..='\u{36f}').contains(&letter) {
        return None;
    }
    let plain = MARKED.iter().find(|(_, marked)| marked.contains(letter));
    Some(plain.map_or(letter, |(plain, _)| *plain))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn count(length: usize) -> Value {
    Value::N(Number::from(i64::try_from(length).unwrap_or(i64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(transform: &str, source: &str, wanted: &str) {
        let got = transformed(transform, &Value::S(source.to_owned()));
        assert_eq!(got, Some(Value::S(wanted.to_owned())), "{transform} {source}");
    }

    #[test]
    fn transforms_make_what_they_say() {
        check("slug", "Thịt gà", "thit-ga");
        check("slug", "  Đậu hũ (non) ", "dau-hu-non");
        check("slug", "Smörgås!", "smorgas");
        check("year-month", "2025-01-20T15:30:00Z", "2025-01");
        check("date", "2025-01-20T23:30:00Z", "2025-01-20");
        check("lower", "WWW.Example.COM", "www.example.com");
        check("md5", "", "d41d8cd98f00b204e9800998ecf8427e");
        check("sha256", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let seconds = Value::N(Number::from(1_705_328_955));
        assert_eq!(transformed("iso-datetime", &seconds), Some(Value::S("2024-01-15T14:29:15.000Z".into())));
    }
}
