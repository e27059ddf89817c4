//! Histories of concurrent clients over the network against the real binary, which is killed in between, checked for
//! linearizability of single items and strict serialisability of transactions.

mod anomalies;
mod bank;
mod client;
mod linear;
mod lists;
mod registers;
mod serial;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use crate::chance::Chance;
use crate::report::Row;
use crate::server::{Folder, Server};
use client::{Client, Seen, Shared};
use linear::Timed;
use serial::Transaction;

/// How long and how hard.
pub(crate) struct Plan {
    pub(crate) seconds: u64,
    pub(crate) clients: usize,
    pub(crate) seed: u64,
}

/// All that the clients of a run saw.
#[derive(Default)]
struct Histories {
    steps: BTreeMap<u64, Vec<Timed>>,
    transactions: BTreeMap<u64, Vec<Transaction>>,
    sums: u64,
    answered: u64,
    unknown: u64,
    conflicts: u64,
    kills: u64,
    stops: u64,
    problems: Vec<String>,
    /// They end with a look at everything.
    is_whole: bool,
}

/// Runs clients, kills the server again and again, and judges what they saw.
pub(crate) fn run(larder: &Path, plan: &Plan) -> Result<Row, String> {
    let mut folder = Folder::new("consistency")?;
    let began = Instant::now();
    let mut histories = Histories::default();
    let ran = gather(larder, folder.path(), plan, &mut histories);
    histories.judge();
    if ran.is_err() || !histories.problems.is_empty() {
        folder.keep();
    }
    ran?;
    let transactions: usize = histories.transactions.values().map(Vec::len).sum();
    let steps: usize = histories.steps.values().map(Vec::len).sum();
    Ok(Row {
        name: "consistency",
        did: format!(
            "{} clients, {} requests, {steps} steps on {} items, {transactions} transactions, {} sums; \
             {} kills, {} stops, {} unanswered, {} conflicts",
            plan.clients,
            histories.answered,
            histories.steps.len(),
            histories.sums,
            histories.kills,
            histories.stops,
            histories.unknown,
            histories.conflicts
        ),
        seconds: began.elapsed().as_secs(),
        problems: histories.problems,
    })
}

fn gather(larder: &Path, folder: &Path, plan: &Plan, histories: &mut Histories) -> Result<(), String> {
    let shared = Shared::default();
    let mut server = Server::larder(larder, &folder.join("data"))?;
    server.start()?;
    let mut wire = server.wire();
    for table in [registers::table(), lists::table(), bank::table()] {
        wire.must("CreateTable", &table)?;
    }
    wire.must("TransactWriteItems", &bank::opening())?;
    let mut chance = Chance::new(plan.seed, 0);
    let began = Instant::now();
    for epoch in 1.. {
        let time = Duration::from_millis(chance.between(200, 1800));
        if epoch % 25 == 0 {
            eprintln!("consistency: start {epoch}, {} s of {}", began.elapsed().as_secs(), plan.seconds);
        }
        let is_last = began.elapsed() + time >= Duration::from_secs(plan.seconds);
        let seen = thread::scope(|scope| -> Result<Vec<Seen>, String> {
            let clients: Vec<_> = (0..plan.clients)
                .map(|number| {
                    let chance = Chance::new(plan.seed, epoch * 1000 + number as u64);
                    let client = Client::new(number, &shared, chance, server.port);
                    scope.spawn(move || client.run())
                })
                .collect();
            thread::sleep(time);
            let has_ended = histories.note_end(&mut server, &format!("start {epoch}"));
            if is_last || has_ended {
                shared.stop.store(true, Ordering::SeqCst);
            } else if chance.one_in(4) {
                shared.stopping.store(true, Ordering::SeqCst);
                server.stop()?;
                histories.stops += 1;
            } else {
                server.kill();
                histories.kills += 1;
            }
            clients
                .into_iter()
                .map(|client| client.join().map_err(|_| "a client panicked".to_string()))
                .collect()
        })?;
        shared.stopping.store(false, Ordering::SeqCst);
        seen.into_iter().for_each(|seen| histories.add(seen));
        if is_last || !histories.problems.is_empty() {
            break;
        }
        server.start()?;
    }
    histories.note_end(&mut server, "the end of the run");
    // A history ends with a look at everything, so a server that is gone is started once more.
    if server.process().is_none()
        && let Err(problem) = server.start()
    {
        histories.problems.push(format!("there is no last look: {problem}"));
        return Ok(());
    }
    let look = last_look(&server, &shared, plan.clients);
    histories.is_whole = look.problem.is_none();
    histories.add(look);
    histories.note_end(&mut server, "the last look");
    histories.problems.extend(server.problems());
    Ok(())
}

/// Looks once at everything, when nobody writes any more.
fn last_look(server: &Server, shared: &Shared, number: usize) -> Seen {
    let generations = shared.generation();
    let mut client = Client::new(number, shared, Chance::new(0, 0), server.port);
    let items = 0..registers::items(generations);
    let outcome = items
        .into_iter()
        .try_for_each(|item| registers::look(&mut client, item))
        .and_then(|()| (0..=generations).try_for_each(|generation| lists::look(&mut client, generation)))
        .and_then(|()| bank::look(&mut client));
    if let Err(end) = outcome {
        client.seen.problem = Some(match end {
            client::End::Conflict => "a transaction is under way that nobody began".to_string(),
            client::End::Gone => "the server was gone at the last look".to_string(),
            client::End::Wrong(problem) => problem,
        });
    }
    client.seen
}

impl Histories {
    fn add(&mut self, seen: Seen) {
        for (item, timed) in seen.steps {
            self.steps.entry(item).or_default().push(timed);
        }
        for (generation, transaction) in seen.transactions {
            self.transactions.entry(generation).or_default().push(transaction);
        }
        self.sums += seen.sums;
        self.answered += seen.answered;
        self.unknown += seen.unknown;
        self.conflicts += seen.conflicts;
        self.problems.extend(seen.problem);
    }

    /// Whether the server has ended though nobody killed it or asked it to end: that is a problem, and must not pass as a
    /// kill.
    fn note_end(&mut self, server: &mut Server, when: &str) -> bool {
        let Some(status) = server.ended() else { return false };
        self.problems.push(format!("the server ended by itself with {status}, at {when}"));
        server.kill();
        true
    }

    fn judge(&mut self) {
        for (item, steps) in &self.steps {
            if !linear::is_linearizable(steps) {
                let told = linear::explain(steps);
                self.problems.push(format!("what was seen of item {item} has no order:\n    {told}"));
            }
        }
        // Before the last look, an element that nobody has read yet is not one that is lost.
        for (generation, transactions) in self.transactions.iter().filter(|_| self.is_whole) {
            let found = [serial::problem(transactions), anomalies::problem(transactions)];
            let told =
                found.into_iter().flatten().map(|problem| format!("generation {generation}: {problem}"));
            self.problems.extend(told);
        }
    }
}
