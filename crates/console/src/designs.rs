//! The designs that the console shows: read from their files each time, run and deployed against this database.
//! Knows what a page wants to see of a design; what a design means is the design crate's business.

mod describe;
mod open;

use crate::answer::Reply;
use crate::endpoint::Here;
use bytes::Bytes;
use design::deploy::{Event, Options};
use design::model::{Design, Environment};
use design::run::Report;
use design::seed::{Over, Unseeded};
use engine::Engine;
use serde_json::{Value as Json, json};
use std::path::PathBuf;
use std::time::Duration;

/// A browser does not wait as long as a terminal does.
const PATIENCE: Duration = Duration::from_secs(60);

/// Every design with what a page shows of it.
pub(crate) fn list(places: &[PathBuf]) -> Reply {
    let designs: Vec<Json> = open::all(places).iter().map(describe::opened).collect();
    Reply::json(&json!({ "designs": designs }))
}

/// Runs one pattern of a design, or all.
pub(crate) fn run(engine: &Engine, places: &[PathBuf], body: &Bytes) -> Reply {
    with_design(places, body, &|design, environment, asked| {
        let wanted = asked.get("pattern").and_then(Json::as_str);
        let chosen =
            design.patterns.iter().filter(|pattern| wanted.is_none_or(|name| pattern.name.value == name));
        let reports: Vec<Json> = chosen
            .map(|pattern| report(&design::run::run(design, environment, &Here { engine }, pattern)))
            .collect();
        if reports.is_empty() {
            return Reply::wrong("the design has no such access pattern");
        }
        Reply::json(&json!({ "reports": reports }))
    })
}

/// Makes the tables of a design and writes its samples; items that are there stay as they are.
pub(crate) fn deploy(engine: &Engine, places: &[PathBuf], body: &Bytes) -> Reply {
    with_design(places, body, &|design, environment, _| {
        let endpoint = Here { engine };
        let mut told = Vec::new();
        let mut tell = |event: &Event| match event {
            Event::Done { table, summary } => told.push(format!("{table}: {summary}")),
            Event::Warning { table, message } => told.push(format!("{table}: {message}")),
            Event::Begins { .. } | Event::Waits { .. } => {}
        };
        let options = Options { patience: PATIENCE, ..Options::default() };
        if let Err(failure) = design::deploy::deploy(design, environment, &endpoint, options, &mut tell) {
            return Reply::wrong(&failure.to_string());
        }
        match design::seed::seed(design, environment, &endpoint, Over::Keep) {
            Ok(seeded) => {
                let written = seeded.iter().filter(|sample| sample.is_written).count();
                Reply::json(&json!({ "steps": told, "samples": seeded.len(), "written": written }))
            }
            Err(Unseeded::Wrong(found)) => {
                let all: Vec<String> = found.iter().map(ToString::to_string).collect();
                Reply::wrong(&all.join("; "))
            }
            Err(Unseeded::Failed { sample, failure }) => {
                Reply::wrong(&format!("sample {sample} was refused: {failure}"))
            }
        }
    })
}

type Act<'a> = dyn Fn(&Design, &Environment, &Json) -> Reply + 'a;

/// Finds the design and the environment that a body names.
fn with_design(places: &[PathBuf], body: &Bytes, act: &Act<'_>) -> Reply {
    let Ok(asked) = serde_json::from_slice::<Json>(body) else {
        return Reply::wrong("the body is no JSON");
    };
    let text = |name: &str| asked.get(name).and_then(Json::as_str);
    let Some(name) = text("design") else { return Reply::wrong("design is missing") };
    let opened = open::all(places);
    let sound = opened.iter().filter(|one| !one.is_wrong()).filter_map(|one| one.design.as_ref());
    let Some(design) = sound.into_iter().find(|design| design.name == name) else {
        return Reply::wrong("there is no sound design of this name");
    };
    match design::physical::environment(design, text("environment")) {
        Ok(environment) => act(design, environment, &asked),
        Err(message) => Reply::wrong(&message),
    }
}

fn report(report: &Report) -> Json {
    json!({
        "pattern": report.pattern,
        "passed": report.is_passed,
        "operations": report.operations,
        "index": report.index,
        "words": report.words,
        "itemsRead": report.items_read,
        "itemsReturned": report.items_returned,
        "units": report.capacity,
        "expected": report.expected,
        "got": report.got,
        "differences": report.differences,
    })
}
