//! Drives one access pattern from many threads and measures how long answers take.
//! Knows schedules and percentiles; what to send comes ready, and what was changed is put back.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::request::Request;
use crate::run;
use client::clock;
use client::{Endpoint, Failure};

/// How hard to drive.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// Requests a second; none for as many as go.
    pub rate: Option<f64>,
    /// Requests under way at once.
    pub concurrency: usize,
    /// How long.
    pub duration: Duration,
}

/// How it stands.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Time since the start.
    pub elapsed: Duration,
    /// Answers so far.
    pub done: u64,
    /// Errors among them.
    pub errors: u64,
}

/// What came of it.
#[derive(Debug, Clone, Default)]
pub struct Measured {
    /// Answers.
    pub requests: u64,
    /// Errors among them, by kind, the most frequent first.
    pub errors: Vec<(String, u64)>,
    /// From the first request to the last answer.
    pub elapsed: Duration,
    /// Latencies in microseconds, in order.
    pub latencies_us: Vec<u64>,
    /// Whether the endpoint or this machine could not keep up with the rate.
    pub is_behind: bool,
}

impl Measured {
    /// The latency that this share of requests did not exceed, in microseconds. With a rate it is counted from the
    /// moment the request was due, so that a stall shows in every request it held up.
    pub fn percentile_us(&self, share: f64) -> u64 {
        let last = self.latencies_us.len().saturating_sub(1);
        let place = (share * self.latencies_us.len() as f64).ceil() as usize;
        self.latencies_us.get(place.saturating_sub(1).min(last)).copied().unwrap_or_default()
    }

    /// Answers a second.
    pub fn rate(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 { self.requests as f64 / seconds } else { 0.0 }
    }
}

/// Sends the first request of a pattern again and again.
pub fn load(
    endpoint: &dyn Endpoint,
    request: &Request,
    load: Load,
    report: &mut dyn FnMut(Progress),
) -> Result<Measured, Failure> {
    let saved = run::save(endpoint, request)?;
    // One call before the clock starts shows a wrong request or a missing table at once.
    if let Err(failure) = endpoint.call(&request.operation, &request.body)
        && failure.kind != "ConditionalCheckFailedException"
        && failure.kind != "TransactionCanceledException"
    {
        run::restore(endpoint, saved)?;
        return Err(failure);
    }
    let measured = drive(endpoint, request, load, report);
    run::restore(endpoint, saved)?;
    Ok(measured)
}

struct Shared<'a> {
    endpoint: &'a dyn Endpoint,
    operation: &'a str,
    body: &'a Json,
    load: Load,
    /// Set when all threads are there: those that came first would keep the last from starting.
    began: OnceLock<Instant>,
    next: AtomicU64,
    done: AtomicU64,
    failed: AtomicU64,
    is_over: AtomicBool,
    results: Mutex<Measured>,
}

fn drive(
    endpoint: &dyn Endpoint,
    request: &Request,
    load: Load,
    report: &mut dyn FnMut(Progress),
) -> Measured {
    /// Threads do no more than send and wait.
    const STACK_BYTES: usize = 256 * 1024;
    let shared = Shared {
        endpoint,
        operation: &request.operation,
        body: &request.body,
        load,
        began: OnceLock::new(),
        next: AtomicU64::new(0),
        done: AtomicU64::new(0),
        failed: AtomicU64::new(0),
        is_over: AtomicBool::new(false),
        results: Mutex::new(Measured::default()),
    };
    std::thread::scope(|scope| {
        for _ in 0..load.concurrency {
            let worker = std::thread::Builder::new().stack_size(STACK_BYTES);
            // Fewer threads than asked for still drive the endpoint.
            let _started = worker.spawn_scoped(scope, || work(&shared));
        }
        let began = *shared.began.get_or_init(clock::moment);
        while began.elapsed() < load.duration {
            clock::pause(Duration::from_millis(100).min(load.duration));
            report(shared.progress());
        }
        shared.is_over.store(true, Ordering::Relaxed);
    });
    let elapsed = shared.began().elapsed();
    let mut measured = shared.results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    measured.elapsed = elapsed;
    measured.latencies_us.sort_unstable();
    measured.errors.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let due = load.rate.map(|rate| rate * load.duration.as_secs_f64());
    measured.is_behind = due.is_some_and(|due| (measured.requests as f64) < due * 0.95);
    measured
}

impl Shared<'_> {
    fn progress(&self) -> Progress {
        Progress {
            elapsed: self.began().elapsed(),
            done: self.done.load(Ordering::Relaxed),
            errors: self.failed.load(Ordering::Relaxed),
        }
    }

    /// When the first request was due. Waits for that moment.
    fn began(&self) -> Instant {
        *self.began.wait()
    }

    /// The moment the next request is due; none when it is over.
    fn due(&self) -> Option<Instant> {
        if self.is_over.load(Ordering::Relaxed) || self.began().elapsed() >= self.load.duration {
            return None;
        }
        let Some(rate) = self.load.rate else { return Some(clock::moment()) };
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let after = Duration::from_secs_f64(number as f64 / rate);
        let due = self.began() + after;
        if after >= self.load.duration {
            return None;
        }
        clock::pause(due.saturating_duration_since(clock::moment()));
        Some(due)
    }
}

fn work(shared: &Shared<'_>) {
    let mut latencies = Vec::new();
    let mut errors: Vec<(String, u64)> = Vec::new();
    while let Some(due) = shared.due() {
        let answer = shared.endpoint.call(shared.operation, shared.body);
        latencies.push(u64::try_from(due.elapsed().as_micros()).unwrap_or(u64::MAX));
        shared.done.fetch_add(1, Ordering::Relaxed);
        if let Err(failure) = answer {
            shared.failed.fetch_add(1, Ordering::Relaxed);
            count(&mut errors, &failure.kind, 1);
        }
    }
    let mut all = shared.results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    all.requests += latencies.len() as u64;
    all.latencies_us.append(&mut latencies);
    for (kind, times) in errors {
        count(&mut all.errors, &kind, times);
    }
}

fn count(errors: &mut Vec<(String, u64)>, kind: &str, times: u64) {
    match errors.iter_mut().find(|(known, _)| known == kind) {
        Some((_, known)) => *known += times,
        None => errors.push((kind.to_owned(), times)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    struct Busy;

    impl Endpoint for Busy {
        fn call(&self, _: &str, body: &Json) -> Result<Json, Failure> {
            if body.get("Fails").is_some() {
                Err(Failure::local("ConditionalCheckFailedException", ""))
            } else {
                Ok(json!({}))
            }
        }

        fn name(&self) -> String {
            "busy".to_owned()
        }
    }

    fn request(body: Json) -> Request {
        Request {
            operation: "GetItem".to_owned(),
            body,
            index: None,
            table: String::new(),
            words: String::new(),
            writes: Vec::new(),
        }
    }

    #[test]
    fn a_rate_is_kept_and_errors_are_counted() {
        let plan = Load { rate: Some(100.0), concurrency: 4, duration: Duration::from_millis(300) };
        let mut reports = 0;
        let measured = load(&Busy, &request(json!({})), plan, &mut |_| reports += 1).unwrap();
        assert_eq!((measured.requests, measured.errors.len(), measured.is_behind), (30, 0, false));
        assert!(reports >= 1 && measured.percentile_us(0.5) <= measured.percentile_us(1.0));
        let failing = load(&Busy, &request(json!({ "Fails": 1 })), plan, &mut |_| {}).unwrap();
        assert_eq!(failing.errors, [("ConditionalCheckFailedException".to_owned(), failing.requests)]);
    }

    #[test]
    fn percentiles_of_few_and_none() {
        let measured = Measured { latencies_us: vec![1, 2, 3, 4], ..Measured::default() };
        assert_eq!([0.5, 0.9, 1.0].map(|share| measured.percentile_us(share)), [2, 4, 4]);
        assert_eq!(Measured::default().percentile_us(0.5), 0);
    }
}
