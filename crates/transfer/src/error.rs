//! What can go wrong with a bucket or a job. What is wrong with a single record is a text beside its place, not this.

use std::fmt;
use std::io;

/// Why a bucket could not do its work, or a job could not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What kind of failure it is.
    pub kind: ErrorKind,
    /// What happened, in words.
    pub message: String,
}

/// The kinds of failure a caller may want to tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// There is no such bucket.
    NoBucket,
    /// There is no object with this key.
    NoObject,
    /// The store refuses the caller.
    Denied,
    /// A bucket's name or a key that can never be used.
    BadName,
    /// The caller asked to stop.
    Cancelled,
    /// Anything else: the disk is full, the store cannot be reached.
    Store,
}

/// What the calls of this crate answer.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of this kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into() }
    }

    /// The error inside an `io::Error` that came from a bucket, if it did.
    pub(crate) fn inside(error: &io::Error) -> Option<&Error> {
        error.get_ref().and_then(|inner| inner.downcast_ref())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        io::Error::other(error)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        if let Some(inside) = Error::inside(&error) {
            return inside.clone();
        }
        let denied = error.kind() == io::ErrorKind::PermissionDenied;
        let kind = if denied { ErrorKind::Denied } else { ErrorKind::Store };
        Error::new(kind, error.to_string())
    }
}
