//! What a store can answer instead of a result. Knows nothing of its siblings, so all of them may use it.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Why a call of the store failed. It is `Clone`, because one failed sync is told to many waiters.
#[derive(Clone, Debug)]
pub enum Error {
    /// Another process holds the folder.
    Locked {
        /// The folder that is in use.
        dir: PathBuf,
    },
    /// The folder was written by a newer version of this program.
    NewerFormat {
        /// The version found in the folder.
        found: u32,
        /// The newest version this program can read.
        known: u32,
    },
    /// The folder was written by a version before the first release, which this one does not read.
    OlderFormat {
        /// The version found in the folder.
        found: u32,
        /// The oldest version this program can read.
        known: u32,
    },
    /// The folder cannot be created or written.
    Unwritable {
        /// The folder that was asked for.
        dir: PathBuf,
        /// What the system answered.
        error: Arc<io::Error>,
    },
    /// Bytes on the disk are not what was written.
    Corrupt {
        /// The damaged file, or the folder that holds it where the file is not known.
        file: PathBuf,
        /// What was found.
        detail: String,
    },
    /// The system refused a read or a write.
    Io {
        /// What was attempted.
        action: String,
        /// What the system answered.
        error: Arc<io::Error>,
    },
    /// An earlier commit could not be made durable. Commits are refused from then on, reads go on.
    Failed {
        /// What went wrong with the commit.
        detail: Arc<str>,
    },
    /// The store was closed.
    Closed,
    /// There are as many spaces as a folder can hold.
    TooManySpaces {
        /// How many that is.
        max: usize,
    },
    /// The space was never created, or it was dropped.
    NoSpace {
        /// The number of the space.
        space: u64,
    },
}

impl Error {
    pub(crate) fn io(action: impl Into<String>, error: io::Error) -> Error {
        Error::Io { action: action.into(), error: Arc::new(error) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Locked { dir } => {
                write!(out, "the data folder {} is in use by another process", dir.display())
            }
            Error::NewerFormat { found, known } => write!(
                out,
                "the data folder has format {found}, this version reads formats up to {known}: use a newer version"
            ),
            Error::OlderFormat { found, known } => write!(
                out,
                "the data folder has format {found}, this version reads formats from {known} on: dump its tables with \
                 the version that wrote it, and load them into a new folder"
            ),
            Error::Unwritable { dir, error } => {
                write!(out, "the data folder {} cannot be written: {error}", dir.display())
            }
            Error::Corrupt { file, detail } => write!(out, "damaged data in {}: {detail}", file.display()),
            Error::Io { action, error } => write!(out, "could not {action}: {error}"),
            Error::Failed { detail } => write!(out, "the store accepts no more writes: {detail}"),
            Error::Closed => write!(out, "the store is closed"),
            Error::TooManySpaces { max } => write!(out, "there are {max} spaces, and no room for more"),
            Error::NoSpace { space } => write!(out, "there is no space {space}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Unwritable { error, .. } | Error::Io { error, .. } => Some(error.as_ref()),
            Error::Locked { .. }
            | Error::NewerFormat { .. }
            | Error::OlderFormat { .. }
            | Error::Corrupt { .. }
            | Error::Failed { .. }
            | Error::Closed
            | Error::TooManySpaces { .. }
            | Error::NoSpace { .. } => None,
        }
    }
}
