//! Key templates: literal text with `{field}` slots, `{week:02}` pads and `{rating:.1f}` fixes decimals.
//! Knows no entities.

use item::{Item, Value};

use crate::model::Place;

/// A template as it is written, in parts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Template {
    /// As it is written.
    pub text: String,
    /// Its parts in order.
    pub parts: Vec<Part>,
    /// Where it stands.
    pub place: Place,
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text as it is.
    Literal(String),
    /// A field's value.
    Slot {
        /// The field.
        field: String,
        /// How it is written; empty for as it is.
        format: String,
    },
}

impl Template {
    /// Takes a template apart.
    pub fn parse(text: &str, place: Place) -> Result<Template, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find(['{', '}']) {
            let (literal, tail) = rest.split_at(open);
            if !literal.is_empty() {
                parts.push(Part::Literal(literal.to_owned()));
            }
            let Some(inside) = tail.strip_prefix('{') else {
                return Err(format!("`}}` without `{{` in `{text}`"));
            };
            let Some((slot, after)) = inside.split_once('}') else {
                return Err(format!("`{{` without `}}` in `{text}`"));
            };
            parts.push(slot_of(slot)?);
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Literal(rest.to_owned()));
        }
        if parts.is_empty() {
            return Err("a key template may not be empty".to_owned());
        }
        Ok(Template { text: text.to_owned(), parts, place })
    }

    /// The text with every slot filled; the message names the field that is missing or cannot be put in a key.
    pub fn render(&self, values: &Item) -> Result<String, String> {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => out.push_str(text),
                Part::Slot { field, format } => {
                    let value = values.get(field).ok_or_else(|| format!("`{field}` is missing"))?;
                    out.push_str(&slot_text(field, format, value)?);
                }
            }
        }
        Ok(out)
    }

    /// The text as far as it can be filled, and whether that is all of it.
    pub fn prefix(&self, values: &Item) -> (String, bool) {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => out.push_str(text),
                Part::Slot { field, format } => {
                    match values.get(field).map(|value| slot_text(field, format, value)) {
                        Some(Ok(text)) => out.push_str(&text),
                        Some(Err(_)) | None => return (out, false),
                    }
                }
            }
        }
        (out, true)
    }

    /// The fields of its slots, in order.
    pub fn fields(&self) -> Vec<&str> {
        let mut fields = Vec::new();
        for part in &self.parts {
            match part {
                Part::Slot { field, .. } => fields.push(field.as_str()),
                Part::Literal(_) => {}
            }
        }
        fields
    }

    /// The field whose value the template is, if it is one bare slot: such a key keeps the field's type.
    pub fn bare_field(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Slot { field, format }] if format.is_empty() => Some(field),
            _ => None,
        }
    }

    /// The literal text it begins with.
    pub fn literal_prefix(&self) -> &str {
        match self.parts.first() {
            Some(Part::Literal(text)) => text,
            Some(Part::Slot { .. }) | None => "",
        }
    }

    /// Whether it has no slot at all.
    pub fn is_constant(&self) -> bool {
        self.fields().is_empty()
    }
}

fn slot_of(slot: &str) -> Result<Part, String> {
    let (field, format) = slot.split_once(':').unwrap_or((slot, ""));
    let well_named = field.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && field.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'));
    if !well_named {
        return Err(format!("`{{{slot}}}` does not name a field"));
    }
    if slot.contains(':') && width_and_decimals(format).is_none() {
        return Err(format!("`{{{slot}}}`: a format is a width such as `02` or decimals such as `.1f`"));
    }
    Ok(Part::Slot { field: field.to_owned(), format: format.to_owned() })
}

/// `02` is a width of 2, `.1f` one decimal, `05.1f` both.
fn width_and_decimals(format: &str) -> Option<(usize, Option<usize>)> {
    let (width, decimals) = match format.split_once('.') {
        Some((width, decimals)) => (width, Some(decimals.strip_suffix('f')?.parse::<usize>().ok()?)),
        None => (format, None),
    };
    let width = match width {
        "" if decimals.is_some() => 0,
        _ => width.strip_prefix('0')?.parse::<usize>().ok()?,
    };
    (width <= 40 && decimals.unwrap_or_default() <= 20).then_some((width, decimals))
}

fn slot_text(field: &str, format: &str, value: &Value) -> Result<String, String> {
    let text = match value {
        Value::S(text) => text.clone(),
        Value::N(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::B(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_) => {
            return Err(format!(
                "`{field}` is of type {}, which cannot stand in a key",
                value.type_of().name()
            ));
        }
    };
    let Some((width, decimals)) = width_and_decimals(format).filter(|_| !format.is_empty()) else {
        return Ok(text);
    };
    let text = match decimals {
        Some(decimals) => {
            let number: f64 = text.parse().map_err(|_| format!("`{field}` is `{text}`, not a number"))?;
            format!("{number:.decimals$}")
        }
        None => text,
    };
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.as_str()),
    };
    let width = width.saturating_sub(sign.len());
    Ok(format!("{sign}{digits:0>width$}"))
}

#[cfg(test)]
mod tests {
    use item::Number;

    use super::*;

    fn values(pairs: &[(&str, Value)]) -> Item {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    fn number(text: &str) -> Value {
        Value::N(Number::parse(text).unwrap())
    }

    fn template(text: &str) -> Template {
        Template::parse(text, Place::default()).unwrap()
    }

    #[test]
    fn slots_are_filled_padded_and_fixed() {
        let values = values(&[("r", Value::S("niagara".into())), ("w", number("3")), ("a", number("5"))]);
        assert_eq!(template("{r}-2025-{w:02}").render(&values), Ok("niagara-2025-03".into()));
        assert_eq!(template("RATING#{a:.1f}#{r}").render(&values), Ok("RATING#5.0#niagara".into()));
        assert_eq!(template("{a:05.1f}").render(&values), Ok("005.0".into()));
        assert_eq!(template("{x}").render(&values), Err("`x` is missing".into()));
    }

    #[test]
    fn a_prefix_ends_before_the_first_missing_field() {
        let values = values(&[("u", Value::S("1".into()))]);
        assert_eq!(template("COOKING#{date}#{id}").prefix(&values), ("COOKING#".into(), false));
        assert_eq!(template("USER#{u}").prefix(&values), ("USER#1".into(), true));
    }

    #[test]
    fn bad_templates_are_refused() {
        for text in ["{a", "a}", "{}", "{a b}", "{a:x}", "{a:.1}", "{a:2}", ""] {
            assert!(Template::parse(text, Place::default()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_bare_slot_is_known() {
        assert_eq!(template("{symbol}").bare_field(), Some("symbol"));
        assert_eq!(template("{week:02}").bare_field(), None);
        assert_eq!(template("META#").fields(), Vec::<&str>::new());
    }
}
