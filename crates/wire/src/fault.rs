//! Why a request is refused while it is decoded, before the layers of checks are put in the service's order.
//! Knows no operations.

use op::{Error, Kind};

/// A refusal.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) error: Error,
    /// Whether the text stands alone even where an operation's validation layer puts a count in front.
    pub(crate) bare: bool,
}

impl Fault {
    /// A ValidationException that an operation's validation layer may put a count in front of.
    pub(crate) fn invalid(message: impl Into<String>) -> Fault {
        Fault { error: Error::validation(message), bare: false }
    }

    /// A ValidationException that stands alone.
    pub(crate) fn bare(message: impl Into<String>) -> Fault {
        Fault { error: Error::validation(message), bare: true }
    }

    /// A value of the wrong JSON type. The exact text comes from the operation's shape, which is read over the body
    /// once something was refused.
    pub(crate) fn wrong_type() -> Fault {
        Fault { error: Error::new(Kind::Serialization, "Unexpected value type in payload"), bare: true }
    }

    /// A value outside its constraint. The exact text comes from the operation's rules, likewise.
    pub(crate) fn unmet(name: &str) -> Fault {
        Fault::invalid(format!("The parameter '{name}' is missing or not valid"))
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault { error, bare: false }
    }
}

impl From<expr::Error> for Fault {
    fn from(error: expr::Error) -> Fault {
        Fault { error: error.into(), bare: false }
    }
}
