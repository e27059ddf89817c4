//! The verb that drives a pattern and measures it: load.
//! Knows how figures are told; the driving is the design crate's.

use super::asked::Asked;
use super::{Ended, apply, open, say, show};
use crate::failure::Failure;
use design::load::{Load, Measured, Progress};
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// Drives a pattern.
pub(crate) fn load(asked: &Asked) -> Result<Ended, Failure> {
    let Some(designs) = open::sound(asked)? else { return Ok(Ended::Badly) };
    let chosen = show::chosen(asked, &designs)?;
    let [(design, pattern)] = chosen.as_slice() else {
        return Err(Failure::new("name one access pattern and the file it is in"));
    };
    let environment = open::environment(asked, design)?;
    let endpoint = open::endpoint(asked, Some(design))?;
    let requests = design::request::requests(design, environment, pattern).map_err(show::diagnosed)?;
    let [request] = requests.as_slice() else {
        return Err(Failure::new(format!(
            "{} has {} steps, and each needs the answer before: drive a pattern of one step",
            pattern.name.value,
            requests.len()
        )));
    };
    let plan = Load { rate: asked.rate, concurrency: asked.concurrency, duration: asked.duration };
    let mut tell = |progress: Progress| say::progress(&bar(&plan, progress));
    let measured = design::load::load(endpoint.as_ref(), request, plan, &mut tell);
    say::progress_ends();
    let measured = measured.map_err(apply::refused)?;
    if asked.is_json {
        say::json(&measured_json(&pattern.name.value, &plan, &measured));
    } else {
        crate::say(&text(&pattern.name.value, &endpoint.name(), &plan, &measured));
    }
    let is_failed = |kind: &str| pattern.expect_error.as_ref().is_none_or(|wanted| wanted.value != kind);
    Ok(Ended::well_if(!measured.errors.iter().any(|(kind, _)| is_failed(kind))))
}

/// How far it is, as a bar of thirty letters.
fn bar(plan: &Load, progress: Progress) -> String {
    const WIDTH: usize = 30;
    let share = (progress.elapsed.as_secs_f64() / plan.duration.as_secs_f64()).min(1.0);
    let full = (share * WIDTH as f64) as usize;
    let rate = progress.done as f64 / progress.elapsed.as_secs_f64().max(0.001);
    format!(
        "[{}{}] {:>3.0} %  {} requests, {rate:.0}/s, {} errors",
        "#".repeat(full),
        ".".repeat(WIDTH - full),
        share * 100.0,
        progress.done,
        progress.errors
    )
}

const SHARES: [(&str, f64); 6] =
    [("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)];

fn text(pattern: &str, endpoint: &str, plan: &Load, measured: &Measured) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _written = writeln!(
        text,
        "{pattern} at {endpoint}: {} requests in {:.1} s, {:.0} a second, {} at once",
        measured.requests,
        measured.elapsed.as_secs_f64(),
        measured.rate(),
        plan.concurrency
    );
    let cells = SHARES.map(|(name, share)| format!("{name} {}", time(measured.percentile_us(share))));
    let _written = writeln!(text, "latency  {}", cells.join("  "));
    if measured.is_behind {
        let asked = plan.rate.unwrap_or_default();
        let _written =
            writeln!(text, "behind: {asked} a second were asked for; raise --concurrency or lower --rate");
    }
    if measured.errors.is_empty() {
        text.push_str("errors   none\n");
    }
    for (kind, count) in &measured.errors {
        let _written = writeln!(text, "errors   {count} {kind}");
    }
    text
}

/// Microseconds as milliseconds.
fn time(us: u64) -> String {
    format!("{:.2} ms", us as f64 / 1_000.0)
}

fn measured_json(pattern: &str, plan: &Load, measured: &Measured) -> Json {
    let latencies: serde_json::Map<String, Json> = SHARES
        .iter()
        .map(|(name, share)| ((*name).to_owned(), json!(measured.percentile_us(*share))))
        .collect();
    let errors: serde_json::Map<String, Json> =
        measured.errors.iter().map(|(kind, count)| (kind.clone(), json!(count))).collect();
    json!({
        "pattern": pattern,
        "requests": measured.requests,
        "seconds": measured.elapsed.as_secs_f64(),
        "perSecond": measured.rate(),
        "concurrency": plan.concurrency,
        "rate": plan.rate,
        "behind": measured.is_behind,
        "latencyMicroseconds": latencies,
        "errors": errors,
    })
}
