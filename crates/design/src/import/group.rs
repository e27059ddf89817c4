//! Key templates from keys: which parts of a key are words, and which are values of the item. Knows no tables.

use item::{Item, Value};

use crate::items::slug;
use moment::Moment;

/// A key taken apart: its template, and the values of the slots that are no attributes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Shape {
    pub(super) template: String,
    /// Fields that only stand in the key, with their values.
    pub(super) hidden: Vec<(String, String)>,
    /// Fields computed from others: name, source, transform.
    pub(super) computed: Vec<(String, String, &'static str)>,
}

/// Takes a text key apart at `#`. `known` are values found before, by field.
pub(super) fn shape(key: &str, attributes: &Item, known: &[(String, String)], fallback: &str) -> Shape {
    let mut shape = Shape::default();
    let mut word = String::new();
    let parts: Vec<&str> = key.split('#').collect();
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            shape.template.push('#');
        }
        let piece = slot(part, attributes, known, &mut shape).unwrap_or_else(|| {
            if is_word(part) && (parts.len() > 1 || place == 0) {
                word = (*part).to_owned();
                return escaped(part);
            }
            let name = free(&hidden_name(&word, fallback, place), attributes, known, &shape);
            shape.hidden.push((name.clone(), (*part).to_owned()));
            format!("{{{name}}}")
        });
        shape.template.push_str(&piece);
    }
    shape
}

/// The slot of a part that is the value of a field, or made from one.
fn slot(part: &str, attributes: &Item, known: &[(String, String)], shape: &mut Shape) -> Option<String> {
    if part.is_empty() {
        return Some(String::new());
    }
    let same = |(_, value): &&(String, String)| value == part;
    if let Some((name, _)) = known.iter().chain(&shape.hidden).find(same) {
        return Some(format!("{{{name}}}"));
    }
    if let Some(slot) = fixed(part, attributes) {
        return Some(slot);
    }
    for (name, value) in attributes {
        let is_same = match value {
            Value::S(text) => text == part,
            Value::N(number) => number.to_string() == part,
            Value::B(_)
            | Value::Bool(_)
            | Value::Null
            | Value::L(_)
            | Value::M(_)
            | Value::Ss(_)
            | Value::Ns(_)
            | Value::Bs(_) => false,
        };
        if is_same && is_name(name) {
            return Some(format!("{{{name}}}"));
        }
    }
    for (name, value) in attributes {
        let Value::S(text) = value else { continue };
        let transform = match Moment::parse(text) {
            Some(moment) if moment.to_text().get(..7) == Some(part) => "year-month",
            Some(moment) if moment.to_text().get(..10) == Some(part) => "date",
            None if text.to_lowercase() == part => "lower",
            None if slug(text) == part && part.len() > 2 => "slug",
            Some(_) | None => continue,
        };
        let field = format!("{name}_{}", transform.replace('-', "_"));
        let computed = (field.clone(), name.clone(), transform);
        if is_name(name) && !shape.computed.contains(&computed) {
            shape.computed.push(computed);
        }
        return is_name(name).then(|| format!("{{{field}}}"));
    }
    None
}

/// A part with decimals that is a number of the item is written with as many of them: `{rating:.1f}`.
fn fixed(part: &str, attributes: &Item) -> Option<String> {
    let (_, decimals) = part.split_once('.')?;
    let wanted: f64 = part.parse().ok()?;
    let is_it = |value: &Value| matches!(value, Value::N(number) if number.to_string().parse::<f64>().is_ok_and(|own| (own - wanted).abs() < 1e-9));
    let (name, _) = attributes.iter().find(|(name, value)| is_name(name) && is_it(value))?;
    Some(format!("{{{name}:.{}f}}", decimals.len()))
}

/// Words of a design rather than values: capitals (`USER`, `METADATA`) or one capitalised word (`Group`).
fn is_word(part: &str) -> bool {
    let is_letters =
        part.chars().all(|letter| letter.is_ascii_alphabetic() || letter == '_' || letter == '-');
    let is_upper = part.len() > 1 && !part.chars().any(|letter| letter.is_ascii_lowercase());
    let is_title = part.starts_with(|letter: char| letter.is_ascii_uppercase()) && part.len() > 2;
    is_letters && (is_upper || is_title)
}

fn hidden_name(word: &str, fallback: &str, place: usize) -> String {
    let plain: String =
        word.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect();
    match (plain.is_empty(), place) {
        (false, _) => format!("{}_id", plain.to_lowercase()),
        (true, 0) => fallback.to_lowercase(),
        (true, place) => format!("{}_{}", fallback.to_lowercase(), place + 1),
    }
}

fn free(wish: &str, attributes: &Item, known: &[(String, String)], shape: &Shape) -> String {
    let is_taken = |name: &str| {
        attributes.contains_key(name) || known.iter().chain(&shape.hidden).any(|(taken, _)| taken == name)
    };
    let numbered = (2..100).map(|number| format!("{wish}_{number}"));
    std::iter::once(wish.to_owned())
        .chain(numbered)
        .find(|name| !is_taken(name))
        .unwrap_or_else(|| wish.to_owned())
}

/// Braces begin slots, so a word with braces cannot be literal; such keys fall back to the attribute itself.
fn escaped(part: &str) -> String {
    part.replace(['{', '}'], "_")
}

fn is_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_words_attributes_or_hidden_values() {
        let attributes: Item = [
            ("cook_date".to_owned(), Value::S("2025-01-20T15:30:00Z".into())),
            ("name".to_owned(), Value::S("Thịt gà".into())),
            ("rating".to_owned(), Value::N(item::Number::parse("5").unwrap())),
        ]
        .into();
        let known = [("user_id".to_owned(), "uuid-123".to_owned())];
        for (key, expected) in [
            ("USER#uuid-123", "USER#{user_id}"),
            ("USER#uuid-999", "USER#{user_id_2}"),
            ("PROFILE", "PROFILE"),
            ("COOKING#2025-01-20T15:30:00Z#h-1", "COOKING#{cook_date}#{cooking_id}"),
            ("RECENT#2025-01", "RECENT#{cook_date_year_month}"),
            ("NAME#thit-ga", "NAME#{name_slug}"),
            ("RATING#5.0#uuid-123", "RATING#{rating:.1f}#{user_id}"),
            ("META#", "META#"),
        ] {
            assert_eq!(shape(key, &attributes, &known, "SK").template, expected);
        }
    }
}
