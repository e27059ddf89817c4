//! The five places of a request where an expression may stand. Knows none of their grammars.

use crate::Error;

/// Which parameter an expression came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `ConditionExpression`.
    Condition,
    /// `FilterExpression`.
    Filter,
    /// `KeyConditionExpression`.
    KeyCondition,
    /// `UpdateExpression`.
    Update,
    /// `ProjectionExpression`.
    Projection,
}

impl Kind {
    /// The name of the parameter.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Condition => "ConditionExpression",
            Kind::Filter => "FilterExpression",
            Kind::KeyCondition => "KeyConditionExpression",
            Kind::Update => "UpdateExpression",
            Kind::Projection => "ProjectionExpression",
        }
    }

    /// The error that names this parameter before its text.
    pub(crate) fn error(self, text: &str) -> Error {
        Error::new(format!("Invalid {}: {text}", self.name()))
    }

    pub(crate) fn error_with_echo(self, text: &str, echo: &str) -> Error {
        Error::with_echo(format!("Invalid {}: {text}", self.name()), echo)
    }
}
