//! `larder dump`: the items of a table in a file or on standard output.
//! Knows files; what their lines look like is known elsewhere.

use super::progress::{Progress, items};
use super::{FORMAT, PARALLEL, PROFILE, REGION, definition_file, ended, endpoint, format, parallel};
use crate::failure::Failure;
use crate::words::{self, ENDPOINT, Flag, Given, Usage};
use courier::dump::{self, Dump, Dumped};
use courier::{Definition, Error};
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;
use std::process::ExitCode;

const USAGE: Usage = Usage {
    name: "dump",
    forms: &["TABLE [--output FILE] [options]"],
    purpose: "write the items of a table as lines of DynamoDB JSON, or as CSV",
    flags: &[
        Flag { name: "output", value: Some("FILE"), purpose: "the file [usually: -, standard output]" },
        FORMAT,
        Flag { name: "force", value: None, purpose: "write over a file that is there" },
        ENDPOINT,
        REGION,
        PROFILE,
        PARALLEL,
    ],
    notes: "Beside FILE a FILE.table.json says what the table is, for larder load --create.\n\
            Try:\n  larder dump Music --output music.jsonl\n",
};

/// Does what is asked.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> Result<ExitCode, Failure> {
    let Some(given) = words::read(&USAGE, arguments)? else {
        crate::say(&words::help(&USAGE));
        return Ok(ExitCode::SUCCESS);
    };
    let [table] = given.words.as_slice() else {
        return Err(Failure::new("which table? larder dump TABLE"));
    };
    let output = given.value("output").filter(|output| *output != "-");
    let endpoint = endpoint(&given)?;
    let dump =
        Dump { endpoint: &endpoint, table, format: format(&given, output)?, parallel: parallel(&given)? };
    ended(dumped(&given, dump, output).map(|()| ExitCode::SUCCESS))
}

fn dumped(given: &Given, dump: Dump<'_>, output: Option<&str>) -> Result<(), Error> {
    let progress = Progress::new();
    let Some(output) = output else {
        return dump::run(dump, std::io::stdout(), &progress).map(drop);
    };
    if Path::new(output).exists() && !given.has("force") {
        return Err(Error::Asked(format!("{output} is there already: write over it with --force")));
    }
    let failed = |error: std::io::Error| Error::Failed(format!("{output} cannot be written: {error}"));
    // Under its own name only when it is whole.
    let unfinished = format!("{output}.part");
    let mut file = File::create(&unfinished).map_err(failed)?;
    let Dumped { items: count, definition, notes } = dump::run(dump, &mut file, &progress)?;
    file.sync_all().and_then(|()| fs::rename(&unfinished, output)).map_err(failed)?;
    described(output, &definition)?;
    for note in notes {
        eprintln!("larder: note: {}: {note}", dump.table);
    }
    crate::say(&format!("{}: {} in {output}\n", dump.table, items(count)));
    Ok(())
}

fn described(output: &str, definition: &Definition) -> Result<(), Error> {
    let file = definition_file(output);
    let text = serde_json::to_string_pretty(&definition.to_json()).unwrap_or_default();
    fs::write(&file, format!("{text}\n"))
        .map_err(|error| Error::Failed(format!("{file} cannot be written: {error}")))
}
