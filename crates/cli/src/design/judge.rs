//! The verbs on files alone: check, fmt, init, schema.
//! Knows how findings are told and files are written; rules and layout are the design crate's.

use super::asked::Asked;
use super::open::Opened;
use super::{Ended, open, say, show};
use crate::failure::Failure;
use design::diagnostic::Severity;
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// The file that editors complete and check designs by.
const SCHEMA: &str = "design.schema.json";

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

/// Lays files out.
pub(crate) fn fmt(asked: &Asked) -> Result<Ended, Failure> {
    let mut changed = Vec::new();
    for file in open::files(&asked.words)? {
        let text = open::read(&file)?;
        let laid_out = design::fmt::format(&text).map_err(|mut found| {
            found.file.clone_from(&file);
            Failure::new(found.to_string())
        })?;
        if laid_out == text {
            continue;
        }
        if !asked.is_check {
            write(&file, &laid_out)?;
        }
        changed.push(file);
    }
    if asked.is_json {
        say::json(&json!({ "changed": changed }));
    } else {
        let word = if asked.is_check { "would change" } else { "changed" };
        crate::say(&changed.iter().map(|file| format!("{word} {file}\n")).collect::<String>());
    }
    Ok(Ended::well_if(!asked.is_check || changed.is_empty()))
}

/// Writes a first design to begin with.
pub(crate) fn init(asked: &Asked) -> Result<Ended, Failure> {
    let name = asked.words.first().map_or("my-app", |word| word.trim_end_matches(".design.yaml"));
    let stem = name.rsplit('/').next().unwrap_or(name);
    let file = format!("{name}.design.yaml");
    if !asked.is_force && std::path::Path::new(&file).exists() {
        return Err(Failure::new(format!(
            "{file} is there already: choose another name, or --force to write over it"
        )));
    }
    write(&file, &design::init::starter(stem))?;
    // Editors find the schema by the first line of the design.
    let folder = name.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    write(&format!("{folder}{SCHEMA}"), &design::schema::text())?;
    if asked.is_json {
        say::json(&json!({ "file": file }));
    } else {
        crate::say(&format!(
            "wrote {file} and {SCHEMA} for editors\n\
             next:  larder design test\n\
             then:  larder serve, and in another terminal\n       \
             larder design deploy && larder design seed && larder design run\n"
        ));
    }
    Ok(Ended::Well)
}

/// Prints the JSON Schema for editors.
pub(crate) fn schema(asked: &Asked) -> Result<Ended, Failure> {
    show::hand_out(asked, &design::schema::text())
}

fn write(file: &str, text: &str) -> Result<(), Failure> {
    std::fs::write(file, text).map_err(|error| Failure::new(format!("{file} cannot be written: {error}")))
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
