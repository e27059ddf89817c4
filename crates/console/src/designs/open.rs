//! Design files found, read and checked.
//! Knows where to look; a file that is gone or wrong is shown as such and harms nobody.

use design::diagnostic::Diagnostic;
use design::model::Design;
use std::path::{Path, PathBuf};

/// How design files end when a folder is searched.
const ENDINGS: &[&str] = &[".design.yaml", ".design.yml", ".design.json"];
/// More files than this are not a list that anybody reads.
const FILES_MAX: usize = 200;

/// A file and what was found in it.
pub(crate) struct Opened {
    pub(crate) file: String,
    pub(crate) design: Option<Design>,
    pub(crate) found: Vec<Diagnostic>,
    /// Why it could not be read at all.
    pub(crate) failure: Option<String>,
}

impl Opened {
    /// Whether nothing may be done with it.
    pub(crate) fn is_wrong(&self) -> bool {
        self.failure.is_some() || self.found.iter().any(Diagnostic::is_error)
    }
}

/// Every design of these files and folders, in the order of their names.
pub(crate) fn all(places: &[PathBuf]) -> Vec<Opened> {
    let mut files: Vec<PathBuf> = places.iter().flat_map(|place| files(place)).collect();
    files.sort();
    files.dedup();
    files.truncate(FILES_MAX);
    files.iter().map(|file| one(file)).collect()
}

fn files(place: &Path) -> Vec<PathBuf> {
    if !place.is_dir() {
        return vec![place.to_owned()];
    }
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| is_design(path)).collect()
}

fn is_design(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

fn one(path: &Path) -> Opened {
    let file = path.display().to_string();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            return Opened { file, design: None, found: Vec::new(), failure: Some(error.to_string()) };
        }
    };
    let (design, mut found) = design::read::read(&file, &text);
    if let Some(design) = design.as_ref().filter(|_| !found.iter().any(Diagnostic::is_error)) {
        found.extend(design::check::check(design));
    }
    Opened { file, design, found, failure: None }
}
