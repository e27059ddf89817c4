//! Counting: answers inside a window of time, the processor time meanwhile, and the figures that follow from both.
//!
//! It knows neither servers nor stores, only what was counted.

use crate::figures::Cell;
use crate::process::{machine_cpu_seconds, tree_cpu_seconds};
use crate::workload::Workload;
use std::time::Instant;

/// More wrong answers than one in so many make a measurement void.
pub(crate) const WRONG_ONE_IN: u64 = 100;

/// The measured time.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    /// Answers count from here on.
    pub(crate) begin: Instant,
    /// And no longer from here on.
    pub(crate) end: Instant,
}

/// What one or more connections counted.
#[derive(Default)]
pub(crate) struct Tally {
    latencies_ns: Vec<u64>,
    /// Answers that were not what was asked for.
    pub(crate) wrong: u64,
    /// The first of them.
    pub(crate) first_wrong: Option<String>,
}

impl Tally {
    /// Counts an answer when it came inside the window.
    pub(crate) fn count(&mut self, window: Window, sent: Instant, answered: Instant) {
        if answered >= window.begin && answered <= window.end {
            self.latencies_ns.push(u64::try_from((answered - sent).as_nanos()).unwrap_or(u64::MAX));
        }
    }

    /// Takes over what another one counted.
    pub(crate) fn add(&mut self, other: Self) {
        self.latencies_ns.extend(other.latencies_ns);
        self.wrong += other.wrong;
        self.first_wrong = self.first_wrong.take().or(other.first_wrong);
    }
}

/// Processor time so far.
pub(crate) struct Usage {
    at: Instant,
    server: Option<f64>,
    client: Option<f64>,
    machine: Option<f64>,
}

impl Usage {
    /// Of a server, which is a child of this process, and of this process, which is its client.
    pub(crate) fn of_server(pid: u32) -> Self {
        let server = tree_cpu_seconds(pid);
        let both = tree_cpu_seconds(std::process::id());
        let client = both.zip(server).map(|(both, server)| both - server);
        Self { at: Instant::now(), server, client, machine: machine_cpu_seconds() }
    }

    /// Of this process, when what is measured runs inside it.
    pub(crate) fn of_this_process() -> Self {
        let server = tree_cpu_seconds(std::process::id());
        Self { at: Instant::now(), server, client: None, machine: machine_cpu_seconds() }
    }
}

/// A measurement that is over.
pub(crate) struct Outcome {
    /// What was sent.
    pub(crate) workload: Workload,
    /// Over how many connections.
    pub(crate) connections: usize,
    /// The measured time.
    pub(crate) window: Window,
    /// Processor time at its begin.
    pub(crate) before: Usage,
    /// Processor time at its end.
    pub(crate) after: Usage,
}

impl Outcome {
    /// The figures; an error when there are too few right answers to call them figures.
    pub(crate) fn cell(&self, total: Tally) -> Result<Cell, String> {
        let mut latencies = total.latencies_ns;
        let requests = latencies.len() as u64;
        if total.wrong * WRONG_ONE_IN > requests {
            let example = total.first_wrong.unwrap_or_default();
            return Err(format!(
                "{} wrong answers beside {requests} right ones, the first: {example}",
                total.wrong
            ));
        }
        if requests == 0 {
            return Err("no answer in the measured time".to_owned());
        }
        latencies.sort_unstable();
        let percentile = |part: u64| {
            let index = usize::try_from((requests - 1) * part / 100).unwrap_or(0);
            latencies.get(index).map_or(0.0, |nanoseconds| *nanoseconds as f64 / 1e6)
        };
        let each_us = |seconds: f64| seconds * 1e6 / requests as f64;
        let seconds = (self.window.end - self.window.begin).as_secs_f64();
        Ok(Cell {
            workload: self.workload.name().to_owned(),
            connections: self.connections,
            requests,
            seconds,
            requests_per_second: requests as f64 / seconds,
            p50_ms: percentile(50),
            p99_ms: percentile(99),
            server_cpu_us: self.spent(|usage| usage.server).map(each_us),
            client_cpu_us: self.spent(|usage| usage.client).map(each_us),
            others_share: self.others_share(),
            wrong: total.wrong,
        })
    }

    fn spent(&self, pick: fn(&Usage) -> Option<f64>) -> Option<f64> {
        Some(pick(&self.after)? - pick(&self.before)?)
    }

    /// The part of the machine that somebody else used.
    fn others_share(&self) -> Option<f64> {
        let ours = self.spent(|usage| usage.server)? + self.spent(|usage| usage.client).unwrap_or(0.0);
        let available = (self.after.at - self.before.at).as_secs_f64() * crate::machine::cores() as f64;
        let machine = self.spent(|usage| usage.machine)?;
        Some(((machine - ours) / available).clamp(0.0, 1.0))
    }
}
