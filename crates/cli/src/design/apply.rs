//! The verbs that compare tables with a design and change them: plan, deploy, seed.
//! Knows how to tell it; the work is done by the design crate.

use super::asked::Asked;
use super::{Ended, open, say};
use crate::failure::Failure;
use client::{Endpoint, Failure as Refusal};
use design::deploy::{Event, Options, Outcome};
use design::model::{Design, Environment};
use design::plan::{Loss, Step, TablePlan};
use design::seed::{Over, Seeded, Unseeded};
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// Shows what a deployment would change.
pub(crate) fn plan(asked: &Asked) -> Result<Ended, Failure> {
    let Some(designs) = open::sound(asked)? else { return Ok(Ended::Badly) };
    let mut all = Vec::new();
    for design in &designs {
        let environment = open::environment(asked, design)?;
        let endpoint = open::endpoint(asked, Some(design))?;
        all.extend(design::plan::plan(design, environment, endpoint.as_ref(), loss(asked)).map_err(refused)?);
    }
    if asked.is_json {
        say::json(&json!({ "tables": all.iter().map(plan_json).collect::<Vec<_>>() }));
    } else {
        crate::say(&plan_text(&all));
    }
    Ok(Ended::well_if(all.iter().all(|plan| plan.blocked.is_empty())))
}

fn plan_text(plans: &[TablePlan]) -> String {
    let mut text = String::new();
    for plan in plans {
        let (sign, state) = match &plan.status {
            None => ('+', "not there yet".to_owned()),
            Some(status) if plan.is_done() => ('=', format!("exists, {status}")),
            Some(status) => ('~', format!("exists, {status}")),
        };
        // Writing to a string cannot fail.
        let _written = writeln!(text, "{sign} {}  ({state})", plan.name);
        let rows: Vec<Vec<String>> =
            plan.steps.iter().enumerate().map(|(place, step)| row(place, step)).collect();
        text.push_str(&say::columns(&rows));
        for (mark, lines) in [("x", &plan.blocked), ("!", &plan.notes), ("!", &plan.lacks)] {
            for line in lines {
                let _written = writeln!(text, "  {mark}  {line}");
            }
        }
    }
    let steps: Vec<&Step> = plans.iter().flat_map(|plan| &plan.steps).collect();
    let destructive = steps.iter().filter(|step| step.is_destructive).count();
    let blocked: usize = plans.iter().map(|plan| plan.blocked.len()).sum();
    let _written = write!(text, "{}, {destructive} destructive", say::count(steps.len(), "step"));
    if blocked > 0 {
        let _written = write!(text, ", {blocked} blocked: nothing will be deployed");
    }
    text.push('\n');
    text
}

fn row(place: usize, step: &Step) -> Vec<String> {
    vec![format!("  {}", place + 1), step.operation.to_owned(), step.summary.clone(), step.note.clone()]
}

fn plan_json(plan: &TablePlan) -> Json {
    let steps = plan.steps.iter().map(|step| {
        json!({
            "operation": step.operation,
            "summary": step.summary,
            "note": step.note,
            "destructive": step.is_destructive,
            "request": step.body,
        })
    });
    json!({
        "table": plan.name,
        "status": plan.status,
        "steps": steps.collect::<Vec<_>>(),
        "blocked": plan.blocked,
        "notes": plan.notes,
        "lacks": plan.lacks,
    })
}

/// Makes the tables as the designs say.
pub(crate) fn deploy(asked: &Asked) -> Result<Ended, Failure> {
    let Some(designs) = open::sound(asked)? else { return Ok(Ended::Badly) };
    let mut told = Vec::new();
    for design in &designs {
        let environment = open::environment(asked, design)?;
        let endpoint = open::endpoint(asked, Some(design))?;
        let options = Options { loss: loss(asked), is_strict: asked.is_strict, ..Options::default() };
        let outcome = if asked.is_json {
            design::deploy::deploy(design, environment, endpoint.as_ref(), options, &mut |_| {})
        } else {
            design::deploy::deploy(design, environment, endpoint.as_ref(), options, &mut tell)
        };
        say::progress_ends();
        let outcome = outcome.map_err(|refusal| {
            // These come before the first step.
            let is_begun = !matches!(refusal.kind.as_str(), "Blocked" | "Lacking");
            let after = if is_begun { "; what was done stays, and deploy can be repeated" } else { "" };
            Failure::new(format!("{}: {refusal}{after}", design.file))
        })?;
        if !asked.is_json && outcome.steps == 0 {
            crate::say(&format!("{}: everything is as the design says\n", design.name));
        }
        told.push(outcome_json(design, &outcome));
    }
    if asked.is_json {
        say::json(&json!({ "designs": told }));
    }
    Ok(Ended::Well)
}

fn outcome_json(design: &Design, outcome: &Outcome) -> Json {
    json!({
        "design": design.name,
        "created": outcome.created,
        "steps": outcome.steps,
        "warnings": outcome.warnings,
    })
}

/// Tells what happens during a deployment.
pub(crate) fn tell(event: &Event) {
    match event {
        Event::Begins { table, summary } => say::progress(&format!("{table}: {summary}…")),
        Event::Waits { table, state, seconds } => say::progress(&format!("{table}: {state} ({seconds} s)")),
        Event::Done { table, summary } => {
            say::progress_ends();
            crate::say(&format!("{table}: {summary}\n"));
        }
        Event::Warning { table, message } => {
            say::progress_ends();
            eprintln!("warning: {table}: {message}");
        }
    }
}

/// Writes the samples.
pub(crate) fn seed(asked: &Asked) -> Result<Ended, Failure> {
    let Some(designs) = open::sound(asked)? else { return Ok(Ended::Badly) };
    let mut told = Vec::new();
    for design in &designs {
        let environment = open::environment(asked, design)?;
        let endpoint = open::endpoint(asked, Some(design))?;
        let seeded = plant(design, environment, endpoint.as_ref(), Over::Replace)?;
        if asked.is_json {
            told.extend(seeded.iter().map(seeded_json));
        } else {
            crate::say(&say::columns(&seeded.iter().map(seeded_row).collect::<Vec<_>>()));
        }
    }
    if asked.is_json {
        say::json(&json!({ "samples": told }));
    }
    Ok(Ended::Well)
}

/// Writes the samples of one design.
pub(crate) fn plant(
    design: &Design,
    environment: &Environment,
    endpoint: &dyn Endpoint,
    over: Over,
) -> Result<Vec<Seeded>, Failure> {
    design::seed::seed(design, environment, endpoint, over).map_err(|unseeded| match unseeded {
        Unseeded::Wrong(found) => {
            let all: Vec<String> = found.iter().map(ToString::to_string).collect();
            Failure::new(format!("nothing was written: {}", all.join("; ")))
        }
        Unseeded::Failed { sample, failure } => {
            Failure::new(format!("{}: sample {sample} was refused: {failure}", design.file))
        }
    })
}

fn seeded_row(seeded: &Seeded) -> Vec<String> {
    let indexes: Vec<String> =
        seeded.index_keys.iter().map(|(index, key)| format!("{index}={key}")).collect();
    vec![
        seeded.sample.clone(),
        seeded.entity.clone(),
        format!("{} B", seeded.bytes),
        seeded.key.clone(),
        indexes.join("  "),
    ]
}

fn seeded_json(seeded: &Seeded) -> Json {
    let indexes: Vec<Json> =
        seeded.index_keys.iter().map(|(index, key)| json!({ "index": index, "key": key })).collect();
    json!({
        "sample": seeded.sample,
        "entity": seeded.entity,
        "table": seeded.table,
        "bytes": seeded.bytes,
        "key": seeded.key,
        "indexes": indexes,
        "written": seeded.is_written,
    })
}

/// Whether the person allows that something is lost.
fn loss(asked: &Asked) -> Loss {
    if asked.may_destroy { Loss::Allowed } else { Loss::Refused }
}

/// A refusal of the endpoint as a line for the person.
pub(crate) fn refused(refusal: Refusal) -> Failure {
    Failure::new(refusal.to_string())
}
