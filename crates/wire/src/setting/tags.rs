//! Tags and their keys, as CreateTable, TagResource and UntagResource take them. Knows no table.

use std::collections::BTreeSet;

use op::{Tag, limits};

use crate::fault::Fault;
use crate::fields::Fields;
use crate::json::Json;

const KEY_LENGTH_MAX: usize = 128;
const VALUE_LENGTH_MAX: usize = 256;

/// `Tags`: each in order by itself, and all of them together.
pub(crate) fn read(values: &[Json<'_>]) -> Result<Vec<Tag>, Fault> {
    let mut tags = Vec::with_capacity(values.len());
    let mut keys = BTreeSet::new();
    for value in values {
        let fields = Fields::of(value)?;
        let key = key(fields.text("Key")?)?;
        let value = fields.text("Value")?;
        let value = value
            .filter(|text| is_tag(text) && text.chars().count() <= VALUE_LENGTH_MAX)
            .ok_or_else(|| {
                Fault::invalid(format!(
                    "The Tag Value provided is invalid, Value: {}",
                    value.unwrap_or("null")
                ))
            })?;
        if key.starts_with("aws:") {
            return Err(Fault::invalid(format!("Tag Key cannot be prefixed with aws:, Key: {key}")));
        }
        if !keys.insert(key) {
            return Err(Fault::invalid(format!(
                "Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}"
            )));
        }
        tags.push(Tag { key: key.to_owned(), value: value.to_owned() });
    }
    check_count(tags.len())?;
    Ok(tags)
}

/// A key that may be one.
pub(crate) fn key(text: Option<&str>) -> Result<&str, Fault> {
    text.filter(|text| (1..=KEY_LENGTH_MAX).contains(&text.chars().count()) && is_tag(text)).ok_or_else(
        || Fault::invalid(format!("The Tag Key provided is invalid, Key: {}", text.unwrap_or("null"))),
    )
}

/// OBSERVED: the bound is also one of the keys that are to be removed.
pub(crate) fn check_count(count: usize) -> Result<(), Fault> {
    if count > limits::TAGS_MAX {
        return Err(Fault::invalid("Number of Tags exceed the current limit for the provided ResourceArn"));
    }
    Ok(())
}

/// Letters and digits of any script, spaces, and a few signs.
fn is_tag(text: &str) -> bool {
    text.chars().all(|character| {
        character.is_alphanumeric() || character.is_whitespace() || "_.:/=+-@".contains(character)
    })
}
