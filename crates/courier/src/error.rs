//! Why something was not moved. Imports no sibling.

use client::Failure;
use std::fmt;

/// Why something was not moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// It cannot be done as it was asked; nothing was changed.
    Asked(String),
    /// It failed on the way.
    Failed(String),
}

impl Error {
    /// A failure of an endpoint while something was done.
    pub(crate) fn during(what: &str, failure: &Failure) -> Error {
        Error::Failed(format!("{what}: {failure}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Asked(text) | Error::Failed(text) => out.write_str(text),
        }
    }
}

impl std::error::Error for Error {}
