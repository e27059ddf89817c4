//! How far a copy has come, kept in a file so that an interrupted one can go on.
//! Knows the file and no endpoint.

use crate::digest::Sum;
use crate::error::Error;
use client::clock;
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The form of the file.
const VERSION: u64 = 1;
/// How much of the work a crash may cost.
const SAVE_PAUSE: Duration = Duration::from_millis(300);

/// How far a copy has come.
#[derive(Debug)]
pub(crate) struct State {
    path: PathBuf,
    saved: Instant,
    /// What tells the source's table from a later one of the same name.
    pub(crate) source_id: String,
    /// The same of the destination; empty until it is known.
    pub(crate) destination_id: String,
    /// Whether the destination's table was there before.
    pub(crate) is_into_existing: bool,
    /// Each segment of the source.
    pub(crate) parts: Vec<Part>,
}

/// How far a segment has come.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Part {
    /// The key of the last item that the destination has.
    pub(crate) after: Option<Json>,
    /// Whether nothing follows it.
    pub(crate) is_done: bool,
    /// What was copied.
    pub(crate) sum: Sum,
}

impl State {
    /// The file of a copy: the same for the same tables at the same endpoints.
    pub(crate) fn path(folder: &Path, from: (&str, &str), to: (&str, &str)) -> PathBuf {
        let whole = Sha256::digest(format!("{}\n{}\n{}\n{}", from.0, from.1, to.0, to.1));
        let mark: String = whole.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        folder.join(format!("{}-{mark}.json", from.1))
    }

    /// A copy that has not begun.
    pub(crate) fn fresh(path: PathBuf, source_id: String, segments: usize) -> State {
        State {
            path,
            saved: clock::moment(),
            source_id,
            destination_id: String::new(),
            is_into_existing: false,
            parts: vec![Part::default(); segments],
        }
    }

    /// The copy that this file tells of, if there is one.
    pub(crate) fn find(path: PathBuf) -> Result<Option<State>, Error> {
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::Asked(format!("{} cannot be read: {error}", path.display()))),
        };
        let document: Json = serde_json::from_slice(&text).unwrap_or_default();
        match State::read(path.clone(), &document) {
            Some(state) => Ok(Some(state)),
            None => Err(Error::Asked(format!(
                "{} does not tell how far a copy has come: begin anew with --restart",
                path.display()
            ))),
        }
    }

    fn read(path: PathBuf, document: &Json) -> Option<State> {
        if document.get("version")?.as_u64()? != VERSION {
            return None;
        }
        let word = |name: &str| Some(document.get(name)?.as_str()?.to_owned());
        let parts = document.get("segments")?.as_array()?.iter();
        Some(State {
            path,
            saved: clock::moment(),
            source_id: word("source")?,
            destination_id: word("destination")?,
            is_into_existing: document.get("intoExisting")?.as_bool()?,
            parts: parts.map(part).collect::<Option<Vec<Part>>>().filter(|parts| !parts.is_empty())?,
        })
    }

    /// What was copied so far.
    pub(crate) fn sum(&self) -> Sum {
        let mut sum = Sum::default();
        self.parts.iter().for_each(|part| sum.join(part.sum));
        sum
    }

    /// Takes over how far a segment has come, and writes it down if that is due.
    pub(crate) fn reach(&mut self, number: usize, reached: Part) -> Result<(), Error> {
        if let Some(part) = self.parts.get_mut(number) {
            *part = reached;
        }
        if clock::moment().duration_since(self.saved) < SAVE_PAUSE {
            return Ok(());
        }
        self.save()
    }

    /// Writes it down: whole or not at all.
    pub(crate) fn save(&mut self) -> Result<(), Error> {
        let failed = |error: std::io::Error| {
            Error::Failed(format!("{} cannot be written: {error}", self.path.display()))
        };
        let fresh = self.path.with_extension("json.new");
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut file = File::create(&fresh).map_err(failed)?;
        file.write_all(self.document().to_string().as_bytes()).map_err(failed)?;
        file.sync_data().map_err(failed)?;
        fs::rename(&fresh, &self.path).map_err(failed)?;
        self.saved = clock::moment();
        Ok(())
    }

    /// Forgets it.
    pub(crate) fn remove(&self) -> Result<(), Error> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::Failed(format!("{} cannot be removed: {error}", self.path.display())))
            }
            _ => Ok(()),
        }
    }

    fn document(&self) -> Json {
        let parts = self.parts.iter().map(|part| {
            json!({
                "after": part.after,
                "done": part.is_done,
                "items": part.sum.items,
                "digest": format!("{:032x}", part.sum.digest),
            })
        });
        json!({
            "version": VERSION,
            "source": self.source_id,
            "destination": self.destination_id,
            "intoExisting": self.is_into_existing,
            "segments": parts.collect::<Vec<Json>>(),
        })
    }
}

fn part(document: &Json) -> Option<Part> {
    let digest = u128::from_str_radix(document.get("digest")?.as_str()?, 16).ok()?;
    Some(Part {
        after: document.get("after").filter(|after| after.is_object()).cloned(),
        is_done: document.get("done")?.as_bool()?,
        sum: Sum { items: document.get("items")?.as_u64()?, digest },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = State::path(&folder.path().join("new"), ("a", "t"), ("b", "t"));
        assert_ne!(path, State::path(&folder.path().join("new"), ("a", "t"), ("b", "u")));
        assert!(State::find(path.clone()).unwrap().is_none());
        let mut state = State::fresh(path.clone(), "id".to_owned(), 2);
        let after = Some(json!({ "pk": { "S": "x" } }));
        let part = Part { after, is_done: true, sum: Sum { items: 7, digest: u128::MAX } };
        state.reach(1, part.clone()).unwrap();
        state.save().unwrap();
        let found = State::find(path.clone()).unwrap().unwrap();
        assert_eq!(found.parts, [Part::default(), part]);
        assert_eq!((found.source_id.as_str(), found.sum().items), ("id", 7));
        found.remove().unwrap();
        assert!(State::find(path.clone()).unwrap().is_none());
        fs::write(&path, "{").unwrap();
        assert!(matches!(State::find(path), Err(Error::Asked(text)) if text.contains("--restart")));
    }
}
