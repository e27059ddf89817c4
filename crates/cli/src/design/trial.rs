//! The verbs that run access patterns: run, test.
//! Knows how results are told; patterns are run by the design crate.

use super::asked::Asked;
use super::{Ended, apply, local, open, say};
use crate::failure::Failure;
use client::Endpoint;
use design::deploy::Options;
use design::model::{Design, Pattern};
use design::run::Report;
use design::seed::Over;
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// Runs the patterns of designs against an endpoint.
pub(crate) fn run(asked: &Asked) -> Result<Ended, Failure> {
    let Some(designs) = open::sound(asked)? else { return Ok(Ended::Badly) };
    let mut trials = Vec::new();
    for design in &designs {
        let endpoint = open::endpoint(asked, Some(design))?;
        trials.push((design, patterns(asked, design, endpoint.as_ref())?));
    }
    tell(asked, &trials)
}

/// Deploys designs to a fresh engine in memory, seeds and runs them.
pub(crate) fn test(asked: &Asked) -> Result<Ended, Failure> {
    let Some(designs) = open::sound(asked)? else { return Ok(Ended::Badly) };
    let mut trials = Vec::new();
    for design in &designs {
        // A fresh engine each, so that designs that use the same table names do not meet.
        let engine = local::fresh().map_err(|error| Failure::new(format!("no engine in memory: {error}")))?;
        let endpoint = local::Local { engine: &engine };
        let environment = open::environment(asked, design)?;
        let options = Options { is_strict: asked.is_strict, ..Options::default() };
        let mut warn = |event: &design::deploy::Event| {
            if let design::deploy::Event::Warning { .. } = event {
                apply::tell(event);
            }
        };
        design::deploy::deploy(design, environment, &endpoint, options, &mut warn).map_err(apply::refused)?;
        apply::plant(design, environment, &endpoint, Over::Replace)?;
        trials.push((design, patterns(asked, design, &endpoint)?));
    }
    tell(asked, &trials)
}

fn patterns(asked: &Asked, design: &Design, endpoint: &dyn Endpoint) -> Result<Vec<Report>, Failure> {
    let environment = open::environment(asked, design)?;
    let is_asked =
        |pattern: &&Pattern| asked.patterns.is_empty() || asked.patterns.contains(&pattern.name.value);
    let chosen = design.patterns.iter().filter(is_asked);
    let mut reports = Vec::new();
    for pattern in chosen {
        say::progress(&format!("{}: {}", design.name, pattern.name.value));
        reports.push(design::run::run(design, environment, endpoint, pattern));
    }
    say::progress_ends();
    Ok(reports)
}

fn tell(asked: &Asked, trials: &[(&Design, Vec<Report>)]) -> Result<Ended, Failure> {
    let all: Vec<&Report> = trials.iter().flat_map(|(_, reports)| reports).collect();
    if let Some(unknown) =
        asked.patterns.iter().find(|name| !all.iter().any(|report| report.pattern == **name))
    {
        return Err(Failure::new(format!("there is no access pattern {unknown}")));
    }
    let passed = all.iter().filter(|report| report.is_passed).count();
    if asked.is_json {
        let designs = trials.iter().map(|(design, reports)| {
            json!({ "design": design.name, "patterns": reports.iter().map(report_json).collect::<Vec<_>>() })
        });
        say::json(
            &json!({ "designs": designs.collect::<Vec<_>>(), "passed": passed, "failed": all.len() - passed }),
        );
    } else {
        crate::say(&text(trials));
        crate::say(&format!("{passed}/{} passed\n", all.len()));
    }
    Ok(Ended::well_if(passed == all.len()))
}

fn text(trials: &[(&Design, Vec<Report>)]) -> String {
    let rows: Vec<Vec<String>> = trials.iter().flat_map(|(_, reports)| reports).map(row).collect();
    let lines = say::columns(&rows);
    let mut lines = lines.lines();
    let mut text = String::new();
    for (design, reports) in trials {
        if trials.len() > 1 {
            // Writing to a string cannot fail.
            let _written = writeln!(text, "{}", design.name);
        }
        for report in reports {
            let _written = writeln!(text, "{}", lines.next().unwrap_or_default());
            for difference in &report.differences {
                let _written = writeln!(text, "        {difference}");
            }
        }
    }
    text
}

fn row(report: &Report) -> Vec<String> {
    let mark = if report.is_passed { "PASS" } else { "FAIL" };
    vec![
        mark.to_owned(),
        report.pattern.clone(),
        report.operations.join(" > "),
        report.index.clone().unwrap_or_else(|| "table".to_owned()),
        format!("{} read, {} returned", report.items_read, report.items_returned),
        format!("{} units", report.capacity),
        outcome(report),
        report.words.clone(),
    ]
}

/// What came, beside what was expected.
fn outcome(report: &Report) -> String {
    match (report.expected.is_empty(), report.is_passed) {
        (true, _) => report.got.clone(),
        (false, true) => format!("{} as expected", report.got),
        (false, false) => format!("{}, expected {}", report.got, report.expected),
    }
}

fn report_json(report: &Report) -> Json {
    json!({
        "pattern": report.pattern,
        "passed": report.is_passed,
        "operations": report.operations,
        "index": report.index,
        "itemsRead": report.items_read,
        "itemsReturned": report.items_returned,
        "capacityUnits": report.capacity,
        "keyCondition": report.words,
        "expected": report.expected,
        "got": report.got,
        "differences": report.differences,
    })
}
