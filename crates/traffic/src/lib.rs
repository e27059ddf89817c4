//! What the server has been asked: the last requests one by one, and figures of all of them over time.
//! Knows no HTTP, no JSON and no tables; whoever serves a request tells of it when it is answered.
//!
//! Telling must cost next to nothing, so every thread has a shard to itself most of the time, buffers are used again,
//! and nothing is computed before somebody looks.

mod clock;
mod histogram;
mod ring;
mod series;
mod shard;

use parking_lot::Mutex;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

pub use clock::Watch;
pub use histogram::Histogram;
pub use ring::Entry;
pub use series::{Figures, Span};

use clock::Clock;
use shard::Shard;

/// More shards than this cost more memory than they save waiting.
const SHARDS_MAX: usize = 4;

/// A request as whoever served it tells of it.
#[derive(Debug, Clone, Copy)]
pub struct Served<'a> {
    /// What was asked; none if no operation has the name that was given.
    pub operation: Option<op::Name>,
    /// The table, empty if there is none; of a batch the first one.
    pub table: &'a str,
    /// The index, empty if there is none.
    pub index: &'a str,
    /// The address of the caller.
    pub caller: Option<std::net::SocketAddr>,
    /// What the caller says it is.
    pub agent: &'a str,
    /// The HTTP status.
    pub status: u16,
    /// What went wrong, if anything did.
    pub error: Option<&'a op::Error>,
    /// Capacity units.
    pub units: f64,
    /// Bytes of the request's body.
    pub request_bytes: usize,
    /// Bytes of the answer's body.
    pub answer_bytes: usize,
}

/// The record of everything that was asked.
#[derive(Debug)]
pub struct Traffic {
    clock: Clock,
    shards: Box<[Apart<Mutex<Shard>>]>,
    next: Apart<AtomicU64>,
}

/// Something that threads write must not share a line of the processor's cache with what others read.
#[derive(Debug)]
#[repr(align(128))]
struct Apart<T>(T);

impl Traffic {
    /// A record of nothing yet.
    pub fn new() -> Traffic {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        let shards = (0..threads.min(SHARDS_MAX)).map(|_| Apart(Mutex::new(Shard::default()))).collect();
        Traffic { clock: Clock::new(), shards, next: Apart(AtomicU64::new(1)) }
    }

    /// Starts to measure a request.
    pub fn begin(&self) -> Watch {
        Watch::start()
    }

    /// Takes a request down.
    pub fn tell(&self, watch: Watch, served: &Served<'_>) {
        let (now_ms, micros) = self.clock.read(watch);
        let number = self.next.0.fetch_add(1, Ordering::Relaxed);
        let place = OWN_SHARD.get() % self.shards.len().max(1);
        if let Some(shard) = self.shards.get(place) {
            shard.0.lock().tell(number, now_ms, micros, served);
        }
    }

    /// The number of the latest request, 0 before the first.
    pub fn latest(&self) -> u64 {
        self.next.0.load(Ordering::Relaxed).saturating_sub(1)
    }

    /// The latest requests with numbers above this one, at most so many, oldest first.
    pub fn tail(&self, after: u64, at_most: usize) -> Vec<Entry> {
        let mut found: Vec<Entry> = Vec::new();
        for shard in &self.shards {
            shard.0.lock().tail(after, at_most, &mut found);
        }
        found.sort_unstable_by_key(|entry| entry.number);
        let surplus = found.len().saturating_sub(at_most);
        found.split_off(surplus)
    }

    /// The figures of a span up to now, oldest first, of one table or of everything.
    pub fn figures(&self, table: Option<&str>, span: Span) -> Vec<Figures> {
        let now_ms = self.clock.now_ms();
        let mut all = span.empty(now_ms);
        for shard in &self.shards {
            shard.0.lock().figures(table, span, &mut all);
        }
        all
    }

    /// Each operation since the start: how often, how often in vain, how long.
    pub fn operations(&self) -> Vec<OperationFigures> {
        let mut all: Vec<OperationFigures> = Vec::new();
        for shard in &self.shards {
            shard.0.lock().operations(&mut all);
        }
        all.sort_unstable_by_key(|figures| figures.operation);
        all
    }

    /// Milliseconds since 1970 at the start.
    pub fn began_ms(&self) -> u64 {
        self.clock.began_ms()
    }

    /// Milliseconds since 1970 now.
    pub fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }
}

impl Default for Traffic {
    fn default() -> Traffic {
        Traffic::new()
    }
}

/// An operation since the start.
#[derive(Debug, Clone)]
pub struct OperationFigures {
    /// Which.
    pub operation: op::Name,
    /// How often it was asked.
    pub requests: u64,
    /// How often that was the caller's fault or ours.
    pub errors: u64,
    /// Capacity units.
    pub units: f64,
    /// How long it took.
    pub latency: Histogram,
}

static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OWN_SHARD: Cell<usize> = Cell::new(THREADS.fetch_add(1, Ordering::Relaxed));
}

#[cfg(test)]
mod tests;
