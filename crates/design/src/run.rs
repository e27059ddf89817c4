//! Runs access patterns and compares what they return with what the design expects.
//!
//! Patterns run in the order of the file, and each finds the tables as they were seeded: before a pattern writes, the
//! items it will touch are read, and afterwards they are put back. So patterns do not depend on each other, and a run
//! against a table in use leaves it as it was.

mod compare;

use serde_json::{Value as Json, json};

use crate::diagnostic::Diagnostic;
use crate::model::{Design, Environment, Expect, Pattern, Step};
use crate::request::{self, Request};
use client::{Endpoint, Failure};
pub(crate) use compare::Samples;

/// What came of one pattern.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The pattern.
    pub pattern: String,
    /// Whether it did what the design expects.
    pub is_passed: bool,
    /// Its operations, in order.
    pub operations: Vec<String>,
    /// The index that its first step reads; none for the table.
    pub index: Option<String>,
    /// The key condition of its first step in words.
    pub words: String,
    /// How many items were read.
    pub items_read: u64,
    /// How many items were returned by the last step.
    pub items_returned: u64,
    /// Capacity units used.
    pub capacity: f64,
    /// What was expected, in words.
    pub expected: String,
    /// What came, in words.
    pub got: String,
    /// What is different, one line each.
    pub differences: Vec<String>,
}

/// Runs a pattern and puts back what it changed.
pub fn run(design: &Design, environment: &Environment, endpoint: &dyn Endpoint, pattern: &Pattern) -> Report {
    let mut report = Report { pattern: pattern.name.value.clone(), ..Report::default() };
    report.operations = pattern.steps.iter().map(|step| step.operation.value.clone()).collect();
    report.index = pattern.steps.first().and_then(|step| Some(step.index.as_ref()?.value.clone()));
    let mut saved = Vec::new();
    let done = steps(design, environment, endpoint, pattern, &mut saved, &mut report);
    if let Err(failure) = restore(endpoint, saved) {
        report.differences.push(format!("what the pattern changed could not be put back: {failure}"));
    }
    judge(design, pattern, done, &mut report);
    report.is_passed = report.differences.is_empty();
    report
}

/// Why a pattern did not come to its end.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The request cannot be made.
    Wrong(Box<Diagnostic>),
    /// The endpoint refused.
    Failed(Failure),
}

type Saved = Vec<(String, Json, Option<Json>)>;

/// The items that the last step returned.
fn steps(
    design: &Design,
    environment: &Environment,
    endpoint: &dyn Endpoint,
    pattern: &Pattern,
    saved: &mut Saved,
    report: &mut Report,
) -> Result<Vec<Json>, Stop> {
    let mut before: Option<Json> = None;
    let mut items = Vec::new();
    for (place, step) in pattern.steps.iter().enumerate() {
        let request = request::request(design, environment, step, before.as_ref())
            .map_err(|diagnostic| Stop::Wrong(Box::new(diagnostic)))?;
        if place == 0 {
            report.words.clone_from(&request.words);
        }
        for (table, key) in &request.writes {
            if !saved.iter().any(|(known, other, _)| known == table && other == key) {
                saved.push((table.clone(), key.clone(), read(endpoint, table, key).map_err(Stop::Failed)?));
            }
        }
        let answer = call(endpoint, &request, step, report).map_err(Stop::Failed)?;
        let is_last = place + 1 == pattern.steps.len();
        items = returned(endpoint, &request, &answer, is_last.then_some(pattern)).map_err(Stop::Failed)?;
        before = Some(answer);
    }
    Ok(items)
}

/// Sends a request; a Query or Scan without a limit goes on to its end.
fn call(
    endpoint: &dyn Endpoint,
    request: &Request,
    step: &Step,
    report: &mut Report,
) -> Result<Json, Failure> {
    let mut body = measured(request);
    let mut whole: Option<Json> = None;
    loop {
        let answer = endpoint.call(&request.operation, &body)?;
        report.capacity += capacity(&answer);
        report.items_read += items_read(&request.operation, &answer);
        let next = answer.get("LastEvaluatedKey").filter(|_| step.limit.is_none()).cloned();
        let mut answer = answer;
        if let Some(mut earlier) = whole.take() {
            let more =
                answer.get_mut("Items").and_then(Json::as_array_mut).map(std::mem::take).unwrap_or_default();
            if let Some(list) = earlier.get_mut("Items").and_then(Json::as_array_mut) {
                list.extend(more);
            }
            answer = earlier;
        }
        let Some(next) = next else { return Ok(answer) };
        whole = Some(answer);
        if let Some(members) = body.as_object_mut() {
            members.insert("ExclusiveStartKey".to_owned(), next);
        }
    }
}

/// The body with what a run wants to know beside the answer.
fn measured(request: &Request) -> Json {
    let mut body = request.body.clone();
    if let Some(members) = body.as_object_mut() {
        members.insert("ReturnConsumedCapacity".to_owned(), json!("TOTAL"));
        match request.operation.as_str() {
            "UpdateItem" => members.insert("ReturnValues".to_owned(), json!("ALL_NEW")),
            "DeleteItem" => members.insert("ReturnValues".to_owned(), json!("ALL_OLD")),
            _ => None,
        };
    }
    body
}

fn capacity(answer: &Json) -> f64 {
    let units = |one: &Json| one.get("CapacityUnits").and_then(Json::as_f64).unwrap_or_default();
    match answer.get("ConsumedCapacity") {
        Some(Json::Array(many)) => many.iter().map(units).sum(),
        Some(one) => units(one),
        None => 0.0,
    }
}

fn items_read(operation: &str, answer: &Json) -> u64 {
    let count = |list: Option<&Json>| list.and_then(Json::as_array).map_or(0, Vec::len) as u64;
    match operation {
        "Query" | "Scan" => answer.get("ScannedCount").and_then(Json::as_u64).unwrap_or_default(),
        "GetItem" => u64::from(answer.get("Item").is_some()),
        "BatchGetItem" => {
            let tables = answer.get("Responses").and_then(Json::as_object);
            tables.into_iter().flat_map(|tables| tables.values()).map(|list| count(Some(list))).sum()
        }
        "TransactGetItems" => count(answer.get("Responses")),
        _ => 0,
    }
}

/// The items a step returned; of a write that returns none, the items as they are afterwards.
fn returned(
    endpoint: &dyn Endpoint,
    request: &Request,
    answer: &Json,
    last: Option<&Pattern>,
) -> Result<Vec<Json>, Failure> {
    let list = |list: Option<&Json>| list.and_then(Json::as_array).cloned().unwrap_or_default();
    match request.operation.as_str() {
        "Query" | "Scan" => Ok(list(answer.get("Items"))),
        "GetItem" => Ok(answer.get("Item").cloned().into_iter().collect()),
        "BatchGetItem" => {
            let tables = answer.get("Responses").and_then(Json::as_object);
            Ok(tables
                .into_iter()
                .flat_map(|tables| tables.values())
                .flat_map(|items| list(Some(items)))
                .collect())
        }
        "TransactGetItems" => {
            Ok(list(answer.get("Responses")).iter().filter_map(|one| one.get("Item").cloned()).collect())
        }
        "UpdateItem" => Ok(answer.get("Attributes").cloned().into_iter().collect()),
        // Whoever expects nothing of a deletion means that nothing is left; else what was deleted is of interest.
        "DeleteItem" if !last.is_some_and(|pattern| matches!(pattern.expect, Some(Expect::Nothing(_)))) => {
            Ok(answer.get("Attributes").cloned().into_iter().collect())
        }
        _ if last.is_some_and(|pattern| pattern.expect.is_some()) => {
            let items: Result<Vec<_>, Failure> =
                request.writes.iter().map(|(table, key)| read(endpoint, table, key)).collect();
            Ok(items?.into_iter().flatten().collect())
        }
        _ => Ok(Vec::new()),
    }
}

fn read(endpoint: &dyn Endpoint, table: &str, key: &Json) -> Result<Option<Json>, Failure> {
    let body = json!({ "TableName": table, "Key": key, "ConsistentRead": true });
    Ok(endpoint.call("GetItem", &body)?.get("Item").cloned())
}

/// Puts items back as they were.
pub(crate) fn restore(endpoint: &dyn Endpoint, saved: Saved) -> Result<(), Failure> {
    for (table, key, item) in saved {
        match item {
            Some(item) => endpoint.call("PutItem", &json!({ "TableName": table, "Item": item }))?,
            None => endpoint.call("DeleteItem", &json!({ "TableName": table, "Key": key }))?,
        };
    }
    Ok(())
}

/// The items that a request will write, as they are now.
pub(crate) fn save(endpoint: &dyn Endpoint, request: &Request) -> Result<Saved, Failure> {
    let writes = request.writes.iter();
    writes.map(|(table, key)| Ok((table.clone(), key.clone(), read(endpoint, table, key)?))).collect()
}

fn judge(design: &Design, pattern: &Pattern, done: Result<Vec<Json>, Stop>, report: &mut Report) {
    let samples = Samples::new(design);
    if let Some(wanted) = &pattern.expect_error {
        report.expected.clone_from(&wanted.value);
    }
    match (done, &pattern.expect_error) {
        (Err(Stop::Wrong(diagnostic)), _) => report.differences.push(diagnostic.to_string()),
        (Err(Stop::Failed(failure)), Some(wanted)) if is_kind(&failure.kind, &wanted.value) => {
            report.got = failure.kind;
        }
        (Err(Stop::Failed(failure)), _) => {
            report.got.clone_from(&failure.kind);
            report.differences.push(failure.to_string());
        }
        (Ok(items), Some(wanted)) => {
            report.items_returned = items.len() as u64;
            report.got = "no error".to_owned();
            report.differences.push(format!("{} was expected and it went well", wanted.value));
        }
        (Ok(items), None) => {
            report.items_returned = items.len() as u64;
            compare::compare(design, pattern, &samples, &items, report);
        }
    }
}

/// `ConditionalCheckFailed` is as good as `ConditionalCheckFailedException`.
fn is_kind(kind: &str, wanted: &str) -> bool {
    kind.trim_end_matches("Exception") == wanted.trim_end_matches("Exception")
}
