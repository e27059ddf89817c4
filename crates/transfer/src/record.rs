//! A record: what one line of a file says, whatever the format. Knows no files.

use std::collections::{BTreeMap, BTreeSet};

use item::{Item, NumberError};

/// What one line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The item to be put.
    pub item: Item,
    /// The condition under which it is to be put. Only bulk operations have conditions; an import pays no heed to them.
    pub condition: Option<Condition>,
}

/// A condition as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The expression.
    pub expression: String,
    /// What `#names` stand for.
    pub names: BTreeMap<String, String>,
    /// What `:values` stand for.
    pub values: Item,
}

impl Condition {
    /// The condition of these parts, if they have one.
    pub(crate) fn of(
        expression: Option<String>,
        names: BTreeMap<String, String>,
        values: Item,
    ) -> Result<Option<Condition>, String> {
        match expression {
            Some(expression) => Ok(Some(Condition { expression, names, values })),
            None if names.is_empty() && values.is_empty() => Ok(None),
            None => Err("there are names or values for an expression, but no ConditionExpression".to_owned()),
        }
    }
}

/// Why a text is not a number of the service.
pub(crate) fn number_reason(text: &str, error: NumberError) -> String {
    // A number of a file can be as long as the line.
    let shown: String = text.chars().take(60).collect();
    match error {
        NumberError::NotANumber => format!("not a number: {shown:?}"),
        NumberError::TooPrecise => format!("a number has more than 38 significant digits: {shown}"),
        NumberError::Overflow => format!("a number is too large: {shown}"),
        NumberError::Underflow => format!("a number is too small: {shown}"),
    }
}

/// The members of a set, which has some and has each once.
pub(crate) fn unique<T: Ord>(members: Vec<T>) -> Result<Vec<T>, String> {
    if members.is_empty() {
        return Err("a set has no members".to_owned());
    }
    if members.iter().collect::<BTreeSet<&T>>().len() < members.len() {
        return Err("a set has a member twice".to_owned());
    }
    Ok(members)
}
