//! `AttributeUpdates`. Knows no conditions.

use item::{Type, Value};

use super::invalid;
use crate::Error;
use crate::path::Path;
use crate::update::{Action, Change, Expression, Source, Update};

/// What is done to one attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeUpdate {
    /// The attribute, never a path.
    pub attribute: String,
    /// What is done.
    pub action: AttributeAction,
    /// With which value.
    pub value: Option<Value>,
}

/// An `Action`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AttributeAction {
    /// `PUT`: replaces the attribute.
    #[default]
    Put,
    /// `ADD`: adds to a number, a set or a list.
    Add,
    /// `DELETE`: removes the attribute or members of a set.
    Delete,
}

/// The update that makes all of the changes.
pub fn updates(updates: Vec<AttributeUpdate>) -> Result<Update, Error> {
    updates.iter().try_for_each(AttributeUpdate::check)?;
    let actions = updates.into_iter().map(|update| {
        let change = match (update.action, update.value) {
            (AttributeAction::Put, Some(value)) => Change::Set(Expression::Source(Source::Value(value))),
            (AttributeAction::Add, Some(value)) => Change::Add(value),
            (AttributeAction::Delete, Some(value)) => Change::Delete(value),
            (_, None) => Change::Remove,
        };
        Action { path: Path::attribute(update.attribute), change }
    });
    Ok(Update::of_attributes(actions.collect()))
}

impl AttributeUpdate {
    fn check(&self) -> Result<(), Error> {
        let Some(value) = &self.value else {
            if self.action == AttributeAction::Delete {
                return Ok(());
            }
            return Err(invalid("Only DELETE action is allowed when no attribute value is specified"));
        };
        let found = value.type_of();
        let is_set = matches!(found, Type::Ss | Type::Ns | Type::Bs);
        let name = found.name();
        match self.action {
            AttributeAction::Add if !is_set && !matches!(found, Type::N | Type::L) => {
                Err(invalid(&format!("ADD action is not supported for the type {name}")))
            }
            AttributeAction::Delete if !is_set => {
                Err(invalid(&format!("DELETE action with value is not supported for the type {name}")))
            }
            AttributeAction::Put | AttributeAction::Add | AttributeAction::Delete => Ok(()),
        }
    }
}
