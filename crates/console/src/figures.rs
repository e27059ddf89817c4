//! Figures of the server as JSON: requests as they come, what they add up to, what expires next.
//! Knows what pages want to draw; the figures themselves are kept by `traffic` and the engine.

use crate::answer::Reply;
use crate::query;
use engine::Engine;
use serde_json::{Value as Json, json};
use traffic::{Entry, Figures, OperationFigures, Span, Traffic};

/// How many requests one reply holds at most.
const TAIL_MAX: usize = 500;

/// The requests after a number.
pub(crate) fn tail(traffic: &Traffic, after: u64) -> Reply {
    let latest = traffic.latest();
    let entries = traffic.tail(after, TAIL_MAX);
    // A request that has its number and is not written down yet would be missed if its number were skipped.
    let seen = entries.last().map_or(after.min(latest), |entry| entry.number);
    Reply::json(&json!({ "after": seen, "requests": entries.iter().map(entry).collect::<Vec<_>>() }))
}

fn entry(entry: &Entry) -> Json {
    json!({
        "number": entry.number,
        "at": entry.at_ms,
        "operation": entry.operation.map(op::Name::as_str),
        "table": entry.table,
        "index": entry.index,
        "caller": entry.caller.map(|caller| caller.to_string()),
        "agent": entry.agent,
        "status": entry.status,
        "error": entry.error.map(|kind| format!("{kind:?}")),
        "message": entry.message,
        "units": entry.units,
        "micros": entry.micros,
        "requestBytes": entry.request_bytes,
        "answerBytes": entry.answer_bytes,
    })
}

/// What requests add up to over a span, of one table or of all.
pub(crate) fn metrics(traffic: &Traffic, asked: &str) -> Reply {
    let span = match query::text(asked, "span").as_deref() {
        Some("hours") => Span::Hours,
        _ => Span::Minutes,
    };
    let table = query::text(asked, "table").filter(|table| !table.is_empty());
    let steps = traffic.figures(table.as_deref(), span);
    let step_ms = span.step_ms();
    Reply::json(&json!({
        "began": traffic.began_ms(),
        "now": traffic.now_ms(),
        "stepMs": step_ms,
        "steps": steps.iter().map(|figures| step(figures, step_ms)).collect::<Vec<_>>(),
        "operations": traffic.operations().iter().map(operation).collect::<Vec<_>>(),
    }))
}

fn step(figures: &Figures, step_ms: u64) -> Json {
    json!({
        "at": figures.step * step_ms,
        "requests": figures.requests,
        "userErrors": figures.user_errors,
        "systemErrors": figures.system_errors,
        "throttles": figures.throttles,
        "readUnits": figures.read_units,
        "writeUnits": figures.write_units,
        "p50": figures.latency.percentile_us(0.5),
        "p90": figures.latency.percentile_us(0.9),
        "p99": figures.latency.percentile_us(0.99),
    })
}

fn operation(figures: &OperationFigures) -> Json {
    json!({
        "operation": figures.operation.as_str(),
        "requests": figures.requests,
        "errors": figures.errors,
        "units": figures.units,
        "p50": figures.latency.percentile_us(0.5),
        "p90": figures.latency.percentile_us(0.9),
        "p99": figures.latency.percentile_us(0.99),
    })
}

/// How many items are told that expire next.
const EXPIRING_MAX: usize = 20;

/// The items of a table that expire next.
pub(crate) fn expiring(engine: &Engine, asked: &str) -> Reply {
    let Some(table) = query::text(asked, "table") else { return Reply::wrong("table is missing") };
    match engine.expiring(&table, EXPIRING_MAX) {
        Ok(found) => {
            let items = found
                .iter()
                .map(|(seconds, item)| json!({ "at": seconds, "key": design::json::to_json(item) }));
            Reply::json(&json!({ "items": items.collect::<Vec<_>>() }))
        }
        Err(error) => Reply::wrong(&error.message),
    }
}
