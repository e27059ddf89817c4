//! Design files opened: found, read, checked; and the endpoint they are for.
//! Knows where files and endpoints are when nobody says so.

use super::asked::Asked;
use crate::failure::Failure;
use client::{Endpoint, Http};
use design::diagnostic::{Diagnostic, Severity};
use design::model::{Design, Environment};
use design::physical;
use serde_json::{Value as Json, json};
use std::fs;

/// The endings of design files.
const ENDINGS: &[&str] = &[".yaml", ".yml", ".json"];
/// What a folder is searched for when no file is named.
const USUAL_ENDING: &str = ".design.yaml";
/// Where Larder listens.
const USUAL_ENDPOINT: &str = "http://127.0.0.1:8000";
/// A region that every local endpoint takes.
const USUAL_REGION: &str = "us-east-1";

/// A file and what was found in it.
pub(crate) struct Opened {
    pub(crate) file: String,
    pub(crate) design: Option<Design>,
    pub(crate) found: Vec<Diagnostic>,
}

impl Opened {
    /// How many findings of this kind there are.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        self.found.iter().filter(|one| one.severity == severity).count()
    }
}

/// The words that name files; without any, the design files of this folder.
pub(crate) fn files(words: &[String]) -> Result<Vec<String>, Failure> {
    let named: Vec<String> = words.iter().filter(|word| is_file(word)).cloned().collect();
    if !named.is_empty() {
        return Ok(named);
    }
    let entries = fs::read_dir(".").into_iter().flatten().flatten();
    let mut found: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(USUAL_ENDING))
        .collect();
    found.sort();
    if found.is_empty() {
        return Err(Failure::new(
            "there is no *.design.yaml in this folder: name a file, or make one with larder design init",
        ));
    }
    Ok(found)
}

/// Whether a word names a file rather than a pattern or a format.
pub(crate) fn is_file(word: &str) -> bool {
    ENDINGS.iter().any(|ending| word.ends_with(ending)) || word.contains('/')
}

/// The words that name no file.
pub(crate) fn others(words: &[String]) -> impl Iterator<Item = &str> {
    words.iter().filter(|word| !is_file(word)).map(String::as_str)
}

/// Reads and checks the files among the words.
pub(crate) fn open(words: &[String]) -> Result<Vec<Opened>, Failure> {
    open_all(&files(words)?)
}

/// Reads and checks files.
pub(crate) fn open_all(files: &[String]) -> Result<Vec<Opened>, Failure> {
    files.iter().map(|file| one(file.clone())).collect()
}

fn one(file: String) -> Result<Opened, Failure> {
    let text = read(&file)?;
    let (design, mut found) = design::read::read(&file, &text);
    if let Some(design) = design.as_ref().filter(|_| !found.iter().any(Diagnostic::is_error)) {
        found.extend(design::check::check(design));
    }
    Ok(Opened { file, design, found })
}

/// The text of a file.
pub(crate) fn read(file: &str) -> Result<String, Failure> {
    fs::read_to_string(file).map_err(|error| Failure::new(format!("{file} cannot be read: {error}")))
}

/// The designs of files without errors. Errors are shown, and then there are none: a wrong file touches no table.
pub(crate) fn sound(asked: &Asked) -> Result<Option<Vec<Design>>, Failure> {
    let opened = open(&asked.words)?;
    let wrong: Vec<&Diagnostic> =
        opened.iter().flat_map(|one| &one.found).filter(|found| found.is_error()).collect();
    if !wrong.is_empty() {
        if asked.is_json {
            crate::say(&format!(
                "{}\n",
                json!({ "errors": wrong.iter().map(|one| diagnostic(one)).collect::<Vec<_>>() })
            ));
        } else {
            for found in &wrong {
                eprintln!("{found}");
            }
            eprintln!("nothing was done: mend the errors first (larder design check shows everything)");
        }
        return Ok(None);
    }
    Ok(Some(opened.into_iter().filter_map(|one| one.design).collect()))
}

/// The environment that was asked for.
pub(crate) fn environment<'a>(asked: &Asked, design: &'a Design) -> Result<&'a Environment, Failure> {
    physical::environment(design, asked.environment.as_deref()).map_err(Failure::new)
}

/// The endpoint that was asked for.
pub(crate) fn endpoint(asked: &Asked, design: Option<&Design>) -> Result<Box<dyn Endpoint>, Failure> {
    let look = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let address = asked
        .endpoint
        .clone()
        .or_else(|| look("AWS_ENDPOINT_URL_DYNAMODB"))
        .or_else(|| look("AWS_ENDPOINT_URL"))
        .unwrap_or_else(|| USUAL_ENDPOINT.to_owned());
    let named = |design: &Design| {
        let environment = physical::environment(design, asked.environment.as_deref()).ok()?;
        physical::region(design, environment)
    };
    let region = asked.region.clone().or_else(|| design.and_then(named)).or_else(client::region);
    let region = region.unwrap_or_else(|| USUAL_REGION.to_owned());
    let http =
        Http::new(&address, &region, asked.concurrency).map_err(|failure| Failure::new(failure.message))?;
    Ok(Box::new(http))
}

/// A finding as JSON.
pub(crate) fn diagnostic(found: &Diagnostic) -> Json {
    json!({
        "file": found.file,
        "line": found.place.line,
        "column": found.place.column,
        "severity": found.severity.name(),
        "code": found.code,
        "message": found.message,
        "hint": found.hint,
    })
}
