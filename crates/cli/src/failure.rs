//! Why the program ends without having served: one line that says what to do about it.
//! Turns the errors of other crates into that line; knows no options but their names.

use std::fmt;
use std::io;
use std::path::Path;

/// One line for the person who started the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure(String);

impl Failure {
    /// A failure with this text; line breaks in it become spaces.
    pub(crate) fn new(text: impl Into<String>) -> Failure {
        let text: String = text.into();
        Failure(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// The address cannot be had.
    pub(crate) fn address(host: &str, port: u16, error: &io::Error) -> Failure {
        if error.kind() == io::ErrorKind::AddrInUse {
            return Failure::new(format!(
                "port {port} on {host} is taken: stop the program that holds it, or choose another with --port (0 finds a free one)"
            ));
        }
        if error.kind() == io::ErrorKind::PermissionDenied {
            return Failure::new(format!(
                "port {port} on {host} needs more rights than this user has: choose one above 1023 with --port"
            ));
        }
        if error.kind() == io::ErrorKind::AddrNotAvailable {
            return Failure::new(format!(
                "this machine has no address {host}: choose one of its own with --host"
            ));
        }
        Failure::new(format!("cannot listen on {host}, port {port}: {error}; check --host and --port"))
    }

    /// The data cannot be opened.
    pub(crate) fn data(dir: Option<&Path>, error: &storage::Error) -> Failure {
        let folder = dir.map_or_else(|| "in memory".to_owned(), |dir| dir.display().to_string());
        match error {
            storage::Error::Locked { .. } => Failure::new(format!(
                "the data folder {folder} is held by another server: stop that one, or choose another folder with --data-dir"
            )),
            storage::Error::NewerFormat { found, known } => Failure::new(format!(
                "the data folder {folder} has format {found} and this version reads up to {known}: start a newer version, or choose another folder with --data-dir"
            )),
            storage::Error::OlderFormat { found, known } => Failure::new(format!(
                "the data folder {folder} has format {found} and this version reads from {known} on: dump its tables with the version that wrote it, and load them here; or choose another folder with --data-dir"
            )),
            storage::Error::Unwritable { error, .. } => Failure::new(format!(
                "the data folder {folder} cannot be written ({error}): give this user the right to, or choose another folder with --data-dir"
            )),
            storage::Error::Corrupt { file, detail } => Failure::new(format!(
                "the data in {} is damaged ({detail}): put back a copy of the data folder, or choose another with --data-dir",
                file.display()
            )),
            storage::Error::Io { .. }
            | storage::Error::Failed { .. }
            | storage::Error::Closed
            | storage::Error::TooManySpaces { .. }
            | storage::Error::NoSpace { .. } => Failure::new(format!(
                "the data folder {folder} cannot be opened ({error}): check the disk, or choose another folder with --data-dir"
            )),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}
