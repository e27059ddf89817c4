//! Carries a plan out: one request at a time, each awaited, safe to repeat.
//! Knows what may be overlooked on an endpoint that is not the real service; knows no files.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::model::{Design, Environment};
use crate::plan::{self, Loss, Step, TablePlan, Until};
use client::clock;
use client::live::text;
use client::{Endpoint, Failure};

/// How to deploy.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether indexes, streams and tables may be dropped.
    pub loss: Loss,
    /// Whether what the endpoint lacks is a failure.
    pub is_strict: bool,
    /// How long a step may take.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options { loss: Loss::Refused, is_strict: false, patience: Duration::from_secs(6 * 3_600) }
    }
}

/// What happens during a deployment.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A step begins.
    Begins {
        /// The table.
        table: String,
        /// What it changes.
        summary: String,
    },
    /// A step is waited for.
    Waits {
        /// The table.
        table: String,
        /// How it stands.
        state: String,
        /// For how long already.
        seconds: u64,
    },
    /// A step is done.
    Done {
        /// The table.
        table: String,
        /// What it changed.
        summary: String,
    },
    /// Something was left out.
    Warning {
        /// The table.
        table: String,
        /// What, and why.
        message: String,
    },
}

/// What a deployment did.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The tables that were made.
    pub created: Vec<String>,
    /// How many steps were carried out.
    pub steps: usize,
    /// What was left out.
    pub warnings: Vec<String>,
}

/// Makes the tables as the design says. Nothing is changed if any table's plan is blocked.
pub fn deploy(
    design: &Design,
    environment: &Environment,
    endpoint: &dyn Endpoint,
    options: Options,
    report: &mut dyn FnMut(&Event),
) -> Result<Outcome, Failure> {
    let plans = plan::plan(design, environment, endpoint, options.loss)?;
    let blocked: Vec<&str> = plans.iter().flat_map(|plan| &plan.blocked).map(String::as_str).collect();
    if !blocked.is_empty() {
        return Err(Failure::local("Blocked", blocked.join("; ")));
    }
    let lacks: Vec<&str> = plans.iter().flat_map(|plan| &plan.lacks).map(String::as_str).collect();
    if options.is_strict && !lacks.is_empty() {
        return Err(Failure::local("Lacking", lacks.join("; ")));
    }
    let mut deployment = Deployment { endpoint, options, report, outcome: Outcome::default() };
    for plan in &plans {
        deployment.table(plan)?;
    }
    Ok(deployment.outcome)
}

struct Deployment<'a> {
    endpoint: &'a dyn Endpoint,
    options: Options,
    report: &'a mut dyn FnMut(&Event),
    outcome: Outcome,
}

impl Deployment<'_> {
    fn table(&mut self, plan: &TablePlan) -> Result<(), Failure> {
        for message in plan.notes.iter().chain(&plan.lacks) {
            self.warn(&plan.name, message.clone());
        }
        if !plan.steps.is_empty() && plan.status.as_deref().is_some_and(|status| status != "ACTIVE") {
            self.wait(&plan.name, &Until::Active)?;
        }
        for step in &plan.steps {
            let begins = Event::Begins { table: plan.name.clone(), summary: step.summary.clone() };
            (self.report)(&begins);
            if !self.step(&plan.name, step)? {
                continue;
            }
            self.wait(&plan.name, &step.until)?;
            self.outcome.steps += 1;
            if step.operation == "CreateTable" {
                self.outcome.created.push(plan.name.clone());
            }
            (self.report)(&Event::Done { table: plan.name.clone(), summary: step.summary.clone() });
        }
        Ok(())
    }

    /// Carries a step out; false if the endpoint lacks it and that may be overlooked.
    fn step(&mut self, table: &str, step: &Step) -> Result<bool, Failure> {
        let failure = match self.patiently(step.operation, &step.body) {
            Ok(_) => return Ok(true),
            Err(failure) => failure,
        };
        if self.options.is_strict || self.endpoint.is_service() {
            return Err(failure);
        }
        if step.operation == "CreateTable" {
            return self.create_plainly(table, &step.body, failure);
        }
        let is_extra =
            step.operation != "UpdateTable" || step.body.get("GlobalSecondaryIndexUpdates").is_none();
        if failure.is_unknown_operation() && is_extra {
            self.warn(
                table,
                format!("{}: this endpoint has no {}, so it is left out", step.summary, step.operation),
            );
            return Ok(false);
        }
        Err(failure)
    }

    /// Tries again without what many emulators refuse, one thing more at a time, and says what was left out.
    fn create_plainly(&mut self, table: &str, body: &Json, first: Failure) -> Result<bool, Failure> {
        const EXTRAS: &[&str] = &[
            "WarmThroughput",
            "OnDemandThroughput",
            "ResourcePolicy",
            "TableClass",
            "DeletionProtectionEnabled",
            "SSESpecification",
            "Tags",
            "StreamSpecification",
        ];
        let mut body = body.clone();
        let mut left_out = Vec::new();
        for extra in EXTRAS {
            if body.as_object_mut().and_then(|members| members.shift_remove(*extra)).is_none() {
                continue;
            }
            left_out.push(*extra);
            if self.patiently("CreateTable", &body).is_ok() {
                self.warn(
                    table,
                    format!("made without {}: this endpoint refuses it ({first})", left_out.join(", ")),
                );
                return Ok(true);
            }
        }
        Err(first)
    }

    /// Calls, and waits while the table or the account is busy with a change.
    fn patiently(&mut self, operation: &str, body: &Json) -> Result<Json, Failure> {
        let began = clock::moment();
        loop {
            match self.endpoint.call(operation, body) {
                Err(failure) if is_busy(operation, &failure) && began.elapsed() < self.options.patience => {
                    clock::pause(PAUSE_MAX);
                }
                done => return done,
            }
        }
    }

    fn wait(&mut self, table: &str, until: &Until) -> Result<(), Failure> {
        let began = clock::moment();
        let mut pause = PAUSE_MIN;
        if *until == Until::Answered {
            return Ok(());
        }
        loop {
            let asked = self.endpoint.call("DescribeTable", &json!({ "TableName": table }));
            let state = match (asked, until) {
                (Err(failure), Until::Gone) if failure.is_not_found() => return Ok(()),
                // A table that was just made may not be seen everywhere at once.
                (Err(failure), _) if failure.is_not_found() => "not there yet".to_owned(),
                (Err(failure), _) => return Err(failure),
                (Ok(answer), Until::Gone) => state(&answer).0,
                (Ok(answer), Until::Active | Until::Answered) => match state(&answer) {
                    (_, true) => return Ok(()),
                    (state, false) => state,
                },
            };
            if began.elapsed() > self.options.patience {
                let message = format!(
                    "{table} is still {state} after {} s; deploy again to go on",
                    began.elapsed().as_secs()
                );
                return Err(Failure::local("TooSlow", message));
            }
            let seconds = began.elapsed().as_secs();
            (self.report)(&Event::Waits { table: table.to_owned(), state, seconds });
            clock::pause(pause);
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    fn warn(&mut self, table: &str, message: String) {
        (self.report)(&Event::Warning { table: table.to_owned(), message: message.clone() });
        self.outcome.warnings.push(format!("{table}: {message}"));
    }
}

const PAUSE_MIN: Duration = Duration::from_millis(20);
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// Another change of the same table, or too many of the account, is under way.
fn is_busy(operation: &str, failure: &Failure) -> bool {
    let waits = matches!(failure.kind.as_str(), "ResourceInUseException" | "LimitExceededException");
    waits && operation != "CreateTable"
        || failure.kind == "LimitExceededException" && failure.message.contains("simultaneous")
}

/// How a table stands, and whether it and all its indexes are ready.
fn state(answer: &Json) -> (String, bool) {
    let table = answer.get("Table").cloned().unwrap_or_default();
    let status = text(&table, "TableStatus").to_owned();
    let indexes = table.get("GlobalSecondaryIndexes").and_then(Json::as_array);
    let busy: Vec<String> = indexes
        .into_iter()
        .flatten()
        // An endpoint that leaves the status out has nothing to wait for.
        .filter(|index| !matches!(text(index, "IndexStatus"), "ACTIVE" | ""))
        .map(|index| format!("{} {}", text(index, "IndexName"), text(index, "IndexStatus")))
        .collect();
    let is_ready = matches!(status.as_str(), "ACTIVE" | "") && busy.is_empty();
    let words = std::iter::once(status).chain(busy).collect::<Vec<_>>().join(", ");
    (words, is_ready)
}

#[cfg(test)]
mod tests;
