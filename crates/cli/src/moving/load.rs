//! `larder load`: items from a file or standard input into a table.
//! Knows files; what their lines look like is known elsewhere.

use super::progress::{Progress, items};
use super::{
    FORMAT, PARALLEL, PROFILE, RATE, REGION, definition_file, ended, endpoint, format, parallel, rate,
};
use crate::failure::Failure;
use crate::words::{self, ENDPOINT, Flag, Usage};
use courier::load::{self, Load};
use courier::{Definition, Error};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::BufReader;
use std::process::ExitCode;

const USAGE: Usage = Usage {
    name: "load",
    forms: &["TABLE FILE [options]"],
    purpose: "write items from lines of DynamoDB JSON, or from CSV, into a table; - reads standard input",
    flags: &[
        FORMAT,
        Flag {
            name: "create",
            value: None,
            purpose: "make the table by the FILE.table.json beside the file",
        },
        ENDPOINT,
        REGION,
        PROFILE,
        RATE,
        PARALLEL,
    ],
    notes: "A line is {\"Item\": {\"pk\": {\"S\": \"x\"}}} or the item alone. CSV without types in its header is text, but for keys.\n\
            Items with the key of one that is there replace it.\n\
            Try:\n  larder load Music music.jsonl --create\n",
};

/// Does what is asked.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> Result<ExitCode, Failure> {
    let Some(given) = words::read(&USAGE, arguments)? else {
        crate::say(&words::help(&USAGE));
        return Ok(ExitCode::SUCCESS);
    };
    let [table, file] = given.words.as_slice() else {
        return Err(Failure::new("which table and which file? larder load TABLE FILE"));
    };
    let endpoint = endpoint(&given)?;
    let load = Load {
        endpoint: &endpoint,
        table,
        format: format(&given, Some(file))?,
        parallel: parallel(&given)?,
        units_per_second: rate(&given)?,
    };
    let definition = if given.has("create") { Some(definition(file)?) } else { None };
    ended(loaded(load, file, definition.as_ref()).map(|()| ExitCode::SUCCESS))
}

fn loaded(load: Load<'_>, file: &str, definition: Option<&Definition>) -> Result<(), Error> {
    let progress = Progress::new();
    let input = match file {
        "-" => None,
        _ => Some(File::open(file).map_err(|error| Error::Asked(format!("{file} cannot be read: {error}")))?),
    };
    if let Some(definition) = definition {
        load::create(load.endpoint, load.table, definition)?;
    }
    let count = match input {
        None => load::run(load, std::io::stdin().lock(), &progress)?,
        Some(input) => load::run(load, BufReader::new(input), &progress)?,
    };
    if let Some(definition) = definition {
        load::settle(load.endpoint, load.table, definition, &progress)?;
    }
    crate::say(&format!("{}: {} loaded\n", load.table, items(count)));
    Ok(())
}

/// What the table is, from the file beside the items.
fn definition(file: &str) -> Result<Definition, Failure> {
    let beside = definition_file(file);
    let text = fs::read(&beside).map_err(|error| {
        Failure::new(format!("{beside}, which says what the table is, cannot be read: {error}"))
    })?;
    let document = serde_json::from_slice(&text).ok();
    document.as_ref().and_then(Definition::from_json).ok_or_else(|| {
        Failure::new(format!("{beside} does not say what a table is: larder dump --output writes it"))
    })
}
