//! Why an expression is refused: a whole message, ready for the caller of the service. Knows no expressions.

use std::fmt;

/// The message of a `ValidationException`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    message: String,
    echo_start: usize,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Error {
        let message = message.into();
        let echo_start = message.len();
        Error { message, echo_start }
    }

    /// An error whose last part repeats what the caller sent.
    pub(crate) fn with_echo(message: String, echo: &str) -> Error {
        let echo_start = message.len();
        Error { message: message + echo, echo_start }
    }

    /// The whole message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The message without the part that repeats the caller's request.
    ///
    /// OBSERVED: since 2026 most operations leave out the size of an expression that is too long; `Scan` and conditions
    /// of transactions still say it.
    pub fn concise(&self) -> &str {
        self.message.get(..self.echo_start).unwrap_or(&self.message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
