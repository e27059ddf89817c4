//! The closed loop: so many connections, each sending its next request when the last one is answered.
//!
//! The generator shares the machine with the server, so it is kept cheap: requests are patched, not built,
//! answers are measured, not parsed. It does not start servers.

use crate::connection::Connection;
use crate::figures::Cell;
use crate::random::{Letters, Random};
use crate::tally::{Outcome, Tally, Usage, Window};
use crate::workload::{Place, Target, Workload};
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// How long after its end a measurement may wait for the last answers.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);

/// One measurement to make.
pub(crate) struct Plan<'a> {
    /// The server's address.
    pub(crate) address: SocketAddr,
    /// The server's process.
    pub(crate) pid: u32,
    /// What to send.
    pub(crate) workload: Workload,
    /// To which tables.
    pub(crate) target: Target,
    /// Over how many connections.
    pub(crate) connections: usize,
    /// From how many threads.
    pub(crate) threads: usize,
    /// Items in each table.
    pub(crate) items: u64,
    /// Unmeasured time first.
    pub(crate) warm_up: Duration,
    /// Measured time.
    pub(crate) duration: Duration,
    /// Payloads.
    pub(crate) letters: &'a Letters,
}

/// Sends one request and says what is wrong with the answer, if anything is.
pub(crate) fn probe(plan: &Plan<'_>) -> Result<(), String> {
    let runtime = runtime()?;
    runtime.block_on(async {
        let attempt = async {
            let mut connection = Connection::open(plan.address).await.map_err(|error| error.to_string())?;
            let place = Place { index: 0, connections: 1 };
            let mut request = plan.workload.request(plan.target, plan.items, place, plan.letters);
            let answer = connection.exchange(request.next(&mut Random::new(0))).await;
            let answer = answer.map_err(|error| error.to_string())?;
            let expected = plan.workload.answer_bytes();
            if answer.status == 200 && expected.contains(&answer.body.len()) {
                return Ok(());
            }
            Err(describe(answer.status, answer.body))
        };
        tokio::time::timeout(PATIENCE, attempt).await.unwrap_or_else(|_| Err("no answer in time".to_owned()))
    })
}

/// Makes the measurement.
pub(crate) fn measure(plan: &Plan<'_>) -> Result<Cell, String> {
    let begin = Instant::now() + plan.warm_up;
    let window = Window { begin, end: begin + plan.duration };
    let (before, after, tallies) = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..plan.threads).map(|thread| scope.spawn(move || drive_thread(plan, thread, window))).collect();
        std::thread::sleep(window.begin.saturating_duration_since(Instant::now()));
        let before = Usage::of_server(plan.pid);
        std::thread::sleep(window.end.saturating_duration_since(Instant::now()));
        let after = Usage::of_server(plan.pid);
        let join = |thread: std::thread::ScopedJoinHandle<'_, Result<Tally, String>>| {
            thread.join().unwrap_or_else(|_| Err("the load generator panicked".to_owned()))
        };
        (before, after, threads.into_iter().map(join).collect::<Result<Vec<Tally>, String>>())
    });
    let mut total = Tally::default();
    for tally in tallies? {
        total.add(tally);
    }
    Outcome { workload: plan.workload, connections: plan.connections, window, before, after }.cell(total)
}

fn runtime() -> Result<tokio::runtime::Runtime, String> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())
}

/// Runs this thread's share of the connections.
fn drive_thread(plan: &Plan<'_>, thread: usize, window: Window) -> Result<Tally, String> {
    runtime()?.block_on(async {
        let mut tasks = JoinSet::new();
        for index in (thread..plan.connections).step_by(plan.threads) {
            let place = Place { index, connections: plan.connections };
            let request = plan.workload.request(plan.target, plan.items, place, plan.letters);
            let expected = plan.workload.answer_bytes();
            tasks.spawn(drive_connection(plan.address, request, expected, window));
        }
        let collect = async {
            let mut total = Tally::default();
            while let Some(joined) = tasks.join_next().await {
                total.add(joined.map_err(|error| error.to_string())??);
            }
            Ok(total)
        };
        let limit = tokio::time::Instant::from_std(window.end + PATIENCE);
        tokio::time::timeout_at(limit, collect).await.unwrap_or_else(|_| Err("no answer in time".to_owned()))
    })
}

async fn drive_connection(
    address: SocketAddr,
    mut request: crate::request::Request,
    expected: RangeInclusive<usize>,
    window: Window,
) -> Result<Tally, String> {
    let mut connection = Connection::open(address).await.map_err(|error| error.to_string())?;
    let mut random = Random::fresh();
    let mut tally = Tally::default();
    let mut sent = Instant::now();
    while sent < window.end {
        let answer =
            connection.exchange(request.next(&mut random)).await.map_err(|error| error.to_string())?;
        let answered = Instant::now();
        if answer.status != 200 || !expected.contains(&answer.body.len()) {
            tally.wrong += 1;
            tally.first_wrong.get_or_insert_with(|| describe(answer.status, answer.body));
        } else {
            tally.count(window, sent, answered);
        }
        sent = answered;
    }
    Ok(tally)
}

/// An answer in one short line.
pub(crate) fn describe(status: u16, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let short: String = text.chars().filter(|letter| !letter.is_control()).take(160).collect();
    if short.is_empty() { format!("HTTP {status}") } else { format!("HTTP {status}: {short}") }
}
