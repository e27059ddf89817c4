//! One client of a run: asks one thing after the other until its server is gone, and remembers what it saw.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::{Value as Json, json};

use super::linear::Timed;
use super::serial::Transaction;
use crate::chance::Chance;
use crate::wire::{Answer, Broken, Wire};

/// Requests after which new items are used: a history of one item stays short enough to be judged.
pub(crate) const GENERATION: u64 = 2400;

/// What all clients of a run share.
#[derive(Default)]
pub(crate) struct Shared {
    /// Counts calls and answers: the clock of the histories.
    moments: AtomicU64,
    /// Gives every write a value of its own.
    values: AtomicU64,
    /// Requests sent, which decide the generation.
    pub(crate) requests: AtomicU64,
    /// The clients are to end.
    pub(crate) stop: AtomicBool,
    /// The server has been asked to end, so a refusal to serve is in order.
    pub(crate) stopping: AtomicBool,
}

impl Shared {
    pub(crate) fn moment(&self) -> u64 {
        self.moments.fetch_add(1, Ordering::SeqCst)
    }

    pub(crate) fn value(&self) -> u64 {
        self.values.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub(crate) fn generation(&self) -> u64 {
        self.requests.load(Ordering::SeqCst) / GENERATION
    }
}

/// A client and its memory.
pub(crate) struct Client<'a> {
    pub(crate) number: usize,
    pub(crate) shared: &'a Shared,
    pub(crate) chance: Chance,
    wire: Wire,
    pub(crate) seen: Seen,
}

/// What a client saw.
#[derive(Default)]
pub(crate) struct Seen {
    /// Steps on single items, each with the item's number.
    pub(crate) steps: Vec<(u64, Timed)>,
    /// Transactions over lists, each with its generation.
    pub(crate) transactions: Vec<(u64, Transaction)>,
    /// Sums of accounts that were looked at.
    pub(crate) sums: u64,
    /// Requests by what was asked, with an answer.
    pub(crate) answered: u64,
    /// Requests that were refused because of another transaction.
    pub(crate) conflicts: u64,
    /// Writes that were under way when the server ended.
    pub(crate) unknown: u64,
    /// Answers that nobody should get.
    pub(crate) problem: Option<String>,
}

/// Why a client asks no more.
pub(crate) enum End {
    /// The server is gone, or is going.
    Gone,
    /// Another transaction was under way on the same items: nothing happened, and it goes on.
    Conflict,
    /// Something was answered that must not be.
    Wrong(String),
}

/// An answer with the moments around it.
pub(crate) struct Heard {
    pub(crate) called: u64,
    pub(crate) answered: u64,
    /// None if the server ended before it answered.
    pub(crate) answer: Option<Answer>,
}

impl<'a> Client<'a> {
    pub(crate) fn new(number: usize, shared: &'a Shared, chance: Chance, port: u16) -> Client<'a> {
        Client { number, shared, chance, wire: Wire::new(port), seen: Seen::default() }
    }

    /// Asks until the server is gone.
    pub(crate) fn run(mut self) -> Seen {
        while !self.shared.stop.load(Ordering::SeqCst) {
            let end = match self.chance.below(100) {
                0..=64 => super::registers::ask(&mut self),
                65..=91 => super::lists::ask(&mut self),
                _ => super::bank::ask(&mut self),
            };
            match end {
                Ok(()) => {}
                Err(End::Conflict) => self.seen.conflicts += 1,
                Err(End::Gone) => break,
                Err(End::Wrong(problem)) => {
                    self.seen.problem = Some(problem);
                    break;
                }
            }
        }
        self.seen
    }

    /// Asks once. A request that never left is as if it had not been asked.
    pub(crate) fn ask(&mut self, operation: &str, request: &Json) -> Result<Heard, End> {
        self.shared.requests.fetch_add(1, Ordering::SeqCst);
        let called = self.shared.moment();
        let outcome = self.wire.ask(operation, request);
        let answered = self.shared.moment();
        match outcome {
            Ok(answer) if answer.status >= 500 && self.shared.stopping.load(Ordering::SeqCst) => {
                self.seen.unknown += 1;
                Ok(Heard { called, answered, answer: None })
            }
            Ok(answer) => {
                self.seen.answered += 1;
                Ok(Heard { called, answered, answer: Some(answer) })
            }
            Err(Broken::Unsent(_)) => Err(End::Gone),
            Err(Broken::Unanswered(_)) => {
                self.seen.unknown += 1;
                Ok(Heard { called, answered, answer: None })
            }
        }
    }

    /// Asks something that changes nothing: without an answer it is forgotten.
    pub(crate) fn read(&mut self, operation: &str, request: &Json) -> Result<(Heard, Json), End> {
        let mut heard = self.ask(operation, request)?;
        match heard.answer.take() {
            Some(answer) if answer.status == 200 => Ok((heard, answer.body)),
            Some(answer) => Err(unusual(operation, request, &answer)),
            None => Err(End::Gone),
        }
    }
}

/// What an answer means that is neither a success nor a condition that does not hold.
pub(crate) fn unusual(operation: &str, request: &Json, answer: &Answer) -> End {
    if is_conflict(answer) {
        return End::Conflict;
    }
    End::Wrong(format!("{operation} {request} was answered {} {}", answer.status, answer.body))
}

/// Whether a request was refused because of a transaction that was under way, and for no other reason.
pub(crate) fn is_conflict(answer: &Answer) -> bool {
    let reasons = answer.body.get("CancellationReasons").and_then(Json::as_array);
    match answer.class() {
        "TransactionConflictException" => true,
        "TransactionCanceledException" => reasons.into_iter().flatten().all(|reason| {
            matches!(reason.get("Code").and_then(Json::as_str), Some("None" | "TransactionConflict"))
        }),
        _ => false,
    }
}

/// A number as an attribute value.
pub(crate) fn number(value: u64) -> Json {
    json!({"N": value.to_string()})
}

/// The number in an attribute value.
pub(crate) fn as_number(value: &Json) -> Option<u64> {
    value.get("N")?.as_str()?.parse().ok()
}
