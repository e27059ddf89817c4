//! Turns what lsm-tree reports into the errors of this crate. Knows no operation of the store.

use crate::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// Says what a failure of the engine means; `place` is where the bytes of the operation live.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "what is not told apart here is damage, and the enum is open"
)]
pub(super) fn translate(error: lsm_tree::Error, place: &Path, action: &str) -> Error {
    match error {
        lsm_tree::Error::Io(error) => from_io(error, place, action),
        other => {
            let detail = format!("a file could not be read to {action} ({other:?})");
            Error::Corrupt { file: place.to_path_buf(), detail }
        }
    }
}

/// Runs a call into the engine. Damaged bytes can make it panic; a caller gets an error for that, too.
pub(super) fn guarded<T>(place: &Path, call: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text");
        Err(Error::Corrupt { file: place.to_path_buf(), detail: format!("the engine gave up: {text}") })
    })
}

fn from_io(error: std::io::Error, place: &Path, action: &str) -> Error {
    use std::io::ErrorKind::{InvalidData, InvalidInput, NotFound, UnexpectedEof};
    // A file that is missing or ends too early, or an offset in it that no file can have, is damage and not a refusal of
    // the system.
    if [InvalidData, InvalidInput, NotFound, UnexpectedEof].contains(&error.kind()) {
        return Error::Corrupt { file: place.to_path_buf(), detail: format!("could not {action}: {error}") };
    }
    Error::Io { action: format!("{action} in {}", place.display()), error: Arc::new(error) }
}
