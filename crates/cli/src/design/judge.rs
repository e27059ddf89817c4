//! The verb that reads files and says what is wrong with them: check.
//! Knows how findings are told; the rules are the design crate's.

use super::asked::Asked;
use super::open::Opened;
use super::{Ended, open, say};
use crate::failure::Failure;
use design::diagnostic::Severity;
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// Says what is wrong with files.
pub(crate) fn check(asked: &Asked) -> Result<Ended, Failure> {
    let opened = open::open(&asked.words)?;
    let failed =
        |one: &Opened| one.count(Severity::Error) > 0 || asked.is_strict && one.count(Severity::Warning) > 0;
    if asked.is_json {
        say::json(&json!({ "files": opened.iter().map(file_json).collect::<Vec<_>>() }));
    } else {
        crate::say(&opened.iter().map(file_text).collect::<String>());
    }
    Ok(Ended::well_if(!opened.iter().any(failed)))
}

fn file_text(one: &Opened) -> String {
    let mut text = String::new();
    for found in &one.found {
        // Writing to a string cannot fail.
        let _written = writeln!(text, "{found}");
    }
    let _written = writeln!(text, "{}: {}", one.file, summary(one));
    text
}

/// What there is and what was found, in one line.
fn summary(one: &Opened) -> String {
    let found = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];
    let found: Vec<String> = found.iter().map(|(kind, word)| say::count(one.count(*kind), word)).collect();
    let Some(design) = &one.design else { return found.join(", ") };
    let there = [
        say::count(design.tables.len(), "table"),
        match design.entities.len() {
            1 => "1 entity".to_owned(),
            many => format!("{many} entities"),
        },
        say::count(design.samples.len(), "sample"),
        say::count(design.patterns.len(), "access pattern"),
    ];
    format!("{}: {}", there.join(", "), found.join(", "))
}

fn file_json(one: &Opened) -> Json {
    json!({
        "file": one.file,
        "errors": one.count(Severity::Error),
        "warnings": one.count(Severity::Warning),
        "notes": one.count(Severity::Note),
        "findings": one.found.iter().map(open::diagnostic).collect::<Vec<_>>(),
    })
}
