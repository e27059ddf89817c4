//! The rounds behind the bar: in each, every server is started, loaded and measured once, so that what the machine does
//! meanwhile meets all of them. Latency at half load is measured in the same round as the whole load it is half of.
//!
//! It measures; what the figures mean is said elsewhere.

use crate::figures::{Failure, Keeping, Paced, Role, Round, Row, Turn};
use crate::measure::{Contender, Run};
use crate::pace::{Pace, measure};
use crate::process::{Server, wait_idle};
use crate::progress::Progress;
use crate::server::{Family, Installed};
use crate::turns;
use crate::workload::Workload;
use std::time::Duration;

/// What is measured at half load.
pub(crate) const HALVED: [Workload; 2] = [Workload::GetItem, Workload::PutItem];
/// Over how many connections all of the bar is measured.
pub(crate) const CONNECTIONS: usize = 16;
const SETTLE_MAX: Duration = Duration::from_secs(20);
/// How long the machine alone is watched before each measurement at half load.
const STALLS_WATCHED: Duration = Duration::from_secs(2);

/// Measures all rounds.
pub(crate) fn rounds(run: &Run<'_>) -> Vec<Round> {
    let contenders: Vec<Contender> = contenders(run);
    let steps = |contender: &Contender| {
        let more = match contender.family {
            Family::Larder => HALVED.len() + 1,
            Family::Floor => HALVED.len(),
            Family::Store | Family::Dynoxide | Family::Dynalite | Family::DynamodbLocal => 0,
        };
        run.steps(contender.family) + more
    };
    let mut progress = Progress::new(run.options.rounds * contenders.iter().map(steps).sum::<usize>());
    let mut installed = Vec::new();
    for contender in contenders {
        progress.note(&format!("{}: building or installing where needed", contender.name()));
        installed.push((contender, contender.family.install(run.options)));
    }
    let mut rounds = Vec::new();
    for number in 1..=run.options.rounds {
        progress.note(&format!("round {number} of {}", run.options.rounds));
        let mut round = Round::default();
        for (contender, program) in &installed {
            match program {
                Ok(program) => {
                    let store = installed.iter().find(|(other, _)| other.family == Family::Store);
                    let store = store.and_then(|(_, program)| program.as_ref().ok());
                    one(run, *contender, &Programs { program, store }, &mut round, &mut progress);
                }
                Err(reason) => {
                    progress.step(steps(contender), &format!("{}: {reason}", contender.name()));
                    let mut row = contender.empty_row("");
                    row.failures.push(Failure { workload: None, reason: reason.clone() });
                    round.rows.push(row);
                }
            }
        }
        rounds.push(round);
    }
    progress.note("done");
    rounds
}

/// Larder and its two floors first and side by side, then the peers.
fn contenders(run: &Run<'_>) -> Vec<Contender> {
    let order = [
        Family::Larder,
        Family::Floor,
        Family::Store,
        Family::Dynoxide,
        Family::Dynalite,
        Family::DynamodbLocal,
    ];
    let asked = order.into_iter().filter(|family| run.options.families.contains(family));
    let all = asked.flat_map(|family| {
        family.keepings(run.options).into_iter().map(move |keeping| Contender { family, keeping })
    });
    all.filter(|one| one.family.role() != Role::Larder || one.keeping != Keeping::Memory).collect()
}

/// A contender's program, and that of the store alone if it takes part.
struct Programs<'a> {
    program: &'a Installed,
    store: Option<&'a Installed>,
}

fn one(
    run: &Run<'_>,
    contender: Contender,
    programs: &Programs<'_>,
    round: &mut Round,
    progress: &mut Progress,
) {
    let due: Vec<(Workload, f64)> = match contender.family {
        // Half of what it reached is known only when it has been measured.
        Family::Larder => HALVED.map(|workload| (workload, 0.0)).to_vec(),
        // The same rates against a server that does nothing show what the generator and the machine do to a tail.
        Family::Floor => {
            round.paced.iter().filter_map(|paced| Some((named(&paced.workload)?, paced.rate))).collect()
        }
        Family::Store | Family::Dynoxide | Family::Dynalite | Family::DynamodbLocal => Vec::new(),
    };
    let (mut paced, mut turns) = (Vec::new(), Vec::new());
    let row = run.row_and_more(contender, programs.program, progress, |server, row, progress| {
        for (workload, rate) in due {
            paced.extend(half(run, server, workload, rate, row, progress));
        }
        if let (Family::Larder, Some(store)) = (contender.family, programs.store) {
            turns = in_turns(run, server, store, row, progress);
        }
    });
    round.rows.push(row);
    round.paced.extend(paced);
    round.turns.extend(turns);
}

/// Measures puts of Larder and of its store in turns.
fn in_turns(
    run: &Run<'_>,
    server: &Server,
    store: &Installed,
    row: &mut Row,
    progress: &mut Progress,
) -> Vec<Turn> {
    let what = format!("{} and its store, puts in turns", row.name);
    progress.doing(&what);
    match turns::take(run, server, store) {
        Ok(turns) => {
            let tell = |turn: &Turn| {
                let Turn { larder, by_threads, by_tasks } = turn;
                format!("{larder:.0} to {by_threads:.0} and {by_tasks:.0}")
            };
            progress.step(1, &format!("{what}: {}", turns.iter().map(tell).collect::<Vec<_>>().join(", ")));
            turns
        }
        Err(reason) => {
            progress.step(1, &format!("{what}: {reason}"));
            row.failures.push(Failure { workload: Some("puts in turns with the store".to_owned()), reason });
            Vec::new()
        }
    }
}

/// Measures a workload at a rate; a rate of zero stands for half of what the row reached.
fn half(
    run: &Run<'_>,
    server: &Server,
    workload: Workload,
    rate: f64,
    row: &mut Row,
    progress: &mut Progress,
) -> Option<Paced> {
    let whole = crate::compare::cell(row, workload, CONNECTIONS).map(|cell| cell.requests_per_second);
    let rate = if rate > 0.0 { rate } else { whole? / 2.0 };
    let what = format!("{} {} at {rate:.0}/s", row.name, workload.name());
    progress.doing(&what);
    wait_idle(server.pid, SETTLE_MAX);
    let pace = Pace {
        address: server.address,
        workload,
        connections: CONNECTIONS,
        rate,
        items: run.options.items,
        warm_up: Duration::from_secs_f64(run.options.warm_up_seconds()),
        duration: Duration::from_secs_f64(run.options.seconds),
        letters: run.letters,
        watched: STALLS_WATCHED,
        disk: (workload == Workload::PutItem && row.role == Role::Larder).then_some(run.data.as_path()),
    };
    match measure(&pace, &row.name) {
        Ok(paced) => {
            let show = |percent| paced.percentile(percent).unwrap_or(0.0);
            let (middle, slow, stall) = (show(50.0), show(99.0), paced.stall_p99_ms.unwrap_or(0.0));
            progress.step(
                1,
                &format!("{what}: p50 {middle:.2} ms, p99 {slow:.2} ms, the machine alone {stall:.2} ms"),
            );
            Some(paced)
        }
        Err(reason) => {
            progress.step(1, &format!("{what}: {reason}"));
            let workload = Some(format!("{} at half load", workload.name()));
            row.failures.push(Failure { workload, reason });
            None
        }
    }
}

fn named(name: &str) -> Option<Workload> {
    Workload::ALL.into_iter().find(|workload| workload.name() == name)
}
