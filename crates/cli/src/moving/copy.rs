//! `larder copy`: tables copied from one endpoint to another.
//! Knows the words for it and what is said about it.

use super::progress::{Progress, items};
use super::{PARALLEL, RATE, ended, open, parallel, rate};
use crate::failure::Failure;
use crate::folder;
use crate::words::{self, Flag, Given, Usage};
use client::{Endpoint, Http};
use courier::Error;
use courier::copy::{self, Existing, Interrupted, Job, Prepared, Report, Verify};
use serde_json::{Value as Json, json};
use std::ffi::OsString;
use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: Usage = Usage {
    name: "copy",
    forms: &["--from URL --to URL TABLE…", "--from URL --to URL --all"],
    purpose: "copy tables with their settings and items to another endpoint",
    flags: &[
        Flag { name: "from", value: Some("URL"), purpose: "where the tables are; aws for the real service" },
        Flag { name: "to", value: Some("URL"), purpose: "where they are to be; aws for the real service" },
        Flag { name: "table", value: Some("NAME"), purpose: "a table to copy, as without the flag" },
        Flag { name: "all", value: None, purpose: "every table of the source" },
        Flag { name: "rename", value: Some("OLD=NEW"), purpose: "another name at the destination" },
        Flag { name: "into-existing", value: None, purpose: "write into tables that are there already" },
        RATE,
        PARALLEL,
        Flag {
            name: "verify",
            value: None,
            purpose: "read the destination and compare when all is copied [usual]",
        },
        Flag { name: "no-verify", value: None, purpose: "do not" },
        Flag { name: "verify-only", value: None, purpose: "compare, and copy nothing" },
        Flag {
            name: "resume",
            value: Some("FOLDER"),
            purpose: "where it is kept how far a copy has come [usually: larder-copies in the user's data folder]",
        },
        Flag { name: "restart", value: None, purpose: "begin anew where a copy was interrupted" },
        Flag { name: "from-region", value: Some("NAME"), purpose: "the source's region" },
        Flag { name: "to-region", value: Some("NAME"), purpose: "the destination's region" },
        Flag { name: "from-profile", value: Some("NAME"), purpose: "the profile of ~/.aws for the source" },
        Flag {
            name: "to-profile",
            value: Some("NAME"),
            purpose: "the profile of ~/.aws for the destination",
        },
        Flag { name: "yes", value: None, purpose: "do not ask before writing to the real service" },
    ],
    notes: "An interrupted copy goes on when the same command is given again.\n\
            Exit codes: 0 all is copied and the same, 1 something failed or differs, 2 it cannot be done so.\n\
            Try:\n  larder copy --from http://127.0.0.1:8000 --to http://127.0.0.1:9000 --all\n",
};

/// Does what is asked.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> Result<ExitCode, Failure> {
    let Some(given) = words::read(&USAGE, arguments)? else {
        crate::say(&words::help(&USAGE));
        return Ok(ExitCode::SUCCESS);
    };
    let asked = Asked::read(&given)?;
    ended(copied(&given, &asked))
}

/// What was asked, as far as it needs no endpoint to be understood.
struct Asked {
    from: Http,
    to: Http,
    names: Vec<String>,
    renames: Vec<(String, String)>,
    folder: PathBuf,
    parallel: usize,
    units_per_second: Option<f64>,
    verify: Verify,
}

impl Asked {
    fn read(given: &Given) -> Result<Asked, Failure> {
        let parallel = parallel(given)?;
        let side = |name: &str| -> Result<Http, Failure> {
            let address = given.value(name).ok_or_else(|| {
                Failure::new(format!("--{name} says where the tables {}: --{name} URL", place(name)))
            })?;
            let region = given.value(&format!("{name}-region"));
            open(address, region, given.value(&format!("{name}-profile")), parallel)
        };
        let (from, to) = (side("from")?, side("to")?);
        let named = given.values("table").map(str::to_owned);
        let mut names: Vec<String> = given.words.iter().cloned().chain(named).collect();
        names.sort();
        names.dedup();
        if names.is_empty() != given.has("all") {
            return Err(Failure::new("which tables? Name them, or give --all for every one of them"));
        }
        let renames = given.values("rename").map(|text| {
            let pair = text.split_once('=').filter(|(old, new)| !old.is_empty() && !new.is_empty());
            pair.map(|(old, new)| (old.to_owned(), new.to_owned()))
                .ok_or_else(|| Failure::new(format!("--rename must be OLD=NEW, not {text:?}")))
        });
        let verify = match (given.has("verify"), given.has("no-verify"), given.has("verify-only")) {
            (_, false, false) => Verify::After,
            (false, true, false) => Verify::Not,
            (_, false, true) => Verify::Only,
            _ => return Err(Failure::new("--no-verify excludes --verify and --verify-only")),
        };
        let usual = || {
            folder::usual(&|name| std::env::var_os(name)).map(|folder| folder.with_file_name("larder-copies"))
        };
        let folder = given.value("resume").map(PathBuf::from).or_else(usual).ok_or_else(|| {
            Failure::new(
                "this user has no home folder: say with --resume where to keep how far a copy has come",
            )
        })?;
        Ok(Asked {
            from,
            to,
            names,
            renames: renames.collect::<Result<_, _>>()?,
            folder,
            parallel,
            units_per_second: rate(given)?,
            verify,
        })
    }

    /// The name at the destination.
    fn renamed<'a>(&'a self, name: &'a str) -> &'a str {
        self.renames.iter().find(|(old, _)| old == name).map_or(name, |(_, new)| new)
    }
}

fn place(side: &str) -> &'static str {
    if side == "from" { "are" } else { "are to be" }
}

fn copied(given: &Given, asked: &Asked) -> Result<ExitCode, Error> {
    let progress = Progress::new();
    let names = if given.has("all") { all(&asked.from)? } else { asked.names.clone() };
    if let Some((old, _)) = asked.renames.iter().find(|(old, _)| !names.contains(old)) {
        return Err(Error::Asked(format!("--rename names {old}, which is not copied")));
    }
    let mut prepared = Vec::new();
    for name in &names {
        let job = Job {
            from: &asked.from,
            to: &asked.to,
            table: name,
            destination: asked.renamed(name),
            parallel: asked.parallel,
            units_per_second: asked.units_per_second,
            existing: if given.has("into-existing") { Existing::Into } else { Existing::Refuse },
            interrupted: if given.has("restart") { Interrupted::Forget } else { Interrupted::GoOn },
            verify: asked.verify,
            folder: &asked.folder,
        };
        prepared.push(copy::prepare(job, &progress)?);
    }
    if asked.to.is_service() && asked.verify != Verify::Only && !given.has("yes") {
        agreed(&prepared, &asked.to.name())?;
    }
    let mut is_good = true;
    for one in prepared {
        let (table, destination) = (one.table().to_owned(), one.destination().to_owned());
        if one.resumed() > 0 {
            crate::say(&format!("{table}: going on after {}\n", items(one.resumed())));
        }
        let report = one.run(&progress).map_err(|error| interrupted(error, asked.verify))?;
        crate::say(&format!("{}\n", sentence(&table, &destination, asked.verify, &report)));
        is_good &= report.is_good();
    }
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Every table of an endpoint.
fn all(endpoint: &dyn Endpoint) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    let mut body = json!({});
    loop {
        let answer = endpoint
            .call("ListTables", &body)
            .map_err(|failure| Error::Failed(format!("the tables cannot be listed: {failure}")))?;
        let page = answer.get("TableNames").and_then(Json::as_array).into_iter().flatten();
        names.extend(page.filter_map(Json::as_str).map(str::to_owned));
        match answer.get("LastEvaluatedTableName") {
            Some(last @ Json::String(_)) => body = json!({ "ExclusiveStartTableName": last }),
            _ => return Ok(names),
        }
    }
}

/// Asks a person; where there is none, the answer must come with the command.
fn agreed(prepared: &[Prepared<'_>], to: &str) -> Result<(), Error> {
    if !std::io::stdin().is_terminal() {
        return Err(Error::Asked(format!("{to} is the real service, which costs money: add --yes")));
    }
    for one in prepared {
        let made = if one.is_new() { "made" } else { "written into" };
        eprintln!("  {} → {} ({}, {made})", one.table(), one.destination(), items(one.item_count()));
    }
    eprint!("Copy to {to}, which costs money? [y/N] ");
    let mut answer = String::new();
    let _bytes = std::io::stdin().lock().read_line(&mut answer);
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        return Ok(());
    }
    Err(Error::Asked("nothing was copied".to_owned()))
}

fn interrupted(error: Error, verify: Verify) -> Error {
    match &error {
        Error::Failed(text) if verify != Verify::Only => {
            Error::Failed(format!("{text}; the same command goes on where this one ended"))
        }
        Error::Asked(_) | Error::Failed(_) => error,
    }
}

/// How it went, for people.
fn sentence(table: &str, destination: &str, verify: Verify, report: &Report) -> String {
    let name = if table == destination { table.to_owned() } else { format!("{table} → {destination}") };
    let done = if verify == Verify::Only { "compared" } else { "copied" };
    let Some(found) = &report.differences else {
        return format!("{name}: {} {done}, not verified", items(report.items));
    };
    if found.is_none() {
        return format!("{name}: {} {done}, both sides are the same", items(report.items));
    }
    let mut parts = Vec::new();
    for (number, what) in [(found.missing, "missing"), (found.changed, "different"), (found.extra, "more")] {
        if number > 0 {
            parts.push(format!("{} {what}", items(number)));
        }
    }
    let mut text = format!("{name}: {} {done}, at the destination {}", items(report.items), parts.join(", "));
    for example in &found.examples {
        text.push_str("\n  ");
        text.push_str(example);
    }
    text
}
