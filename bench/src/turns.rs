//! Puts of Larder and of its store alone, in turns of a second: both run all the time, one at a time is asked.
//!
//! The two differ by less than the machine does from one minute to the next, so that each needs its other right beside it.

use crate::bars::CONNECTIONS;
use crate::figures::Turn;
use crate::load::{Plan, measure};
use crate::measure::Run;
use crate::process::{Partner, Server, wait_idle};
use crate::server::Installed;
use crate::store::{Message, Task, Writers};
use crate::workload::Workload;
use std::fs;
use std::time::Duration;

const TURNS: usize = 7;
const SECONDS: f64 = 1.0;
const WARM_UP_SECONDS: f64 = 0.3;
/// What one of them has left to do behind its puts must not fall into the other's turn.
const SETTLE_MAX: Duration = Duration::from_secs(5);

/// Measures both, as often as it takes to know the middle.
pub(crate) fn take(run: &Run<'_>, larder: &Server, store: &Installed) -> Result<Vec<Turn>, String> {
    let folder = run.data.join("turns");
    // Left over by a run that was cut off.
    let _removed = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let task = Task {
        folder: folder.clone(),
        items: run.options.items,
        workloads: vec![Workload::PutItem],
        threads: vec![CONNECTIONS],
        warm_up_seconds: WARM_UP_SECONDS,
        seconds: SECONDS,
        in_turns: true,
    };
    let mut command = store.command();
    command.arg(serde_json::to_string(&task).map_err(|error| error.to_string())?);
    let mut partner = Partner::start(command)?;
    let plan = Plan {
        warm_up: Duration::from_secs_f64(WARM_UP_SECONDS),
        duration: Duration::from_secs_f64(SECONDS),
        ..run.plan(larder, Workload::PutItem, CONNECTIONS)
    };
    let turns: Result<Vec<Turn>, String> =
        (0..TURNS).map(|number| turn(number, &plan, &mut partner)).collect();
    drop(partner);
    let _removed = fs::remove_dir_all(&folder);
    turns
}

/// One turn of each; who begins changes, so that none has the better moments.
fn turn(number: usize, plan: &Plan<'_>, partner: &mut Partner) -> Result<Turn, String> {
    let mut turn = Turn::default();
    let mut order: [Option<Writers>; 3] = [None, Some(Writers::Threads), Some(Writers::Tasks)];
    order.rotate_left(number % 3);
    for writers in order {
        wait_idle(partner.pid, SETTLE_MAX);
        wait_idle(plan.pid, SETTLE_MAX);
        match writers {
            None => turn.larder = measure(plan)?.requests_per_second,
            Some(Writers::Threads) => turn.by_threads = ask(partner, Writers::Threads)?,
            Some(Writers::Tasks) => turn.by_tasks = ask(partner, Writers::Tasks)?,
        }
    }
    Ok(turn)
}

fn ask(partner: &mut Partner, writers: Writers) -> Result<f64, String> {
    let answer = partner.ask(writers.name())?;
    match serde_json::from_str(&answer).map_err(|error| error.to_string())? {
        Message::Cell(cell) => Ok(cell.requests_per_second),
        Message::Failed(reason) => Err(reason),
        Message::Resources { .. } => Err("it measured nothing".to_owned()),
    }
}
