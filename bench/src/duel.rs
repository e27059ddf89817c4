//! Two builds of Larder side by side, asked in turns of a second.
//!
//! What a change brings is often less than what the machine changes from one minute to the next, so each figure of one build
//! needs one of the other right beside it. Both run all the time; one is asked when the other is idle.

use crate::figures::Keeping;
use crate::fill::fill;
use crate::load;
use crate::measure::Run;
use crate::pace::{self, Pace};
use crate::process::{Server, wait_idle};
use crate::progress::Progress;
use crate::server::{Family, Installed};
use crate::verdict::middle;
use crate::workload::Workload;
use std::fs;
use std::path::Path;
use std::time::Duration;

const NAMES: [&str; 2] = ["larder", "against"];
/// What one has left to do behind its writes must not fall into the other's turn.
const SETTLE_MAX: Duration = Duration::from_secs(5);
/// How long the machine alone is watched before requests fall due.
const WATCHED: Duration = Duration::from_millis(100);

/// The figures of one build.
#[derive(Clone, Copy, Debug)]
enum Reached {
    /// With all connections busy.
    Full { per_second: f64, cpu_us: f64 },
    /// With requests that fall due at a rate: milliseconds from then.
    Paced { p50_ms: f64, p99_ms: f64 },
}

/// Those of both, one right after the other.
type Turn = [Reached; 2];

impl Reached {
    /// What is compared: more is better.
    fn merit(self) -> f64 {
        match self {
            Self::Full { per_second, .. } => per_second,
            Self::Paced { p99_ms, .. } => 1.0 / p99_ms,
        }
    }
}

/// Measures both builds and says how they compare.
pub(crate) fn run(run: &Run<'_>) -> Result<String, String> {
    let against = run.options.against.as_deref().ok_or("a duel needs --against PATH, another build")?;
    let builds = [Family::Larder.install(run.options)?, Installed::at(against)?];
    let folder = run.data.join("duel");
    // Left over by a run that was cut off.
    let _removed = fs::remove_dir_all(&folder);
    let report = duel(run, &builds, &folder);
    let _removed = fs::remove_dir_all(&folder);
    report
}

fn duel(run: &Run<'_>, builds: &[Installed; 2], folder: &Path) -> Result<String, String> {
    let [one, other] = builds;
    let servers = [start(run, one, &folder.join("0"))?, start(run, other, &folder.join("1"))?];
    let mut progress =
        Progress::new(run.options.rounds * run.options.workloads.len() * run.options.connections.len());
    let mut report = String::new();
    for &workload in &run.options.workloads {
        for &connections in &run.options.connections {
            let turns: Result<Vec<Turn>, String> = (0..run.options.rounds)
                .map(|round| turn(run, &servers, (workload, connections), round))
                .collect();
            let turns = turns?;
            progress.step(turns.len(), &format!("{} over {connections}", workload.name()));
            report.push_str(&verdict(workload, connections, &turns));
        }
    }
    Ok(report)
}

fn start(run: &Run<'_>, installed: &Installed, folder: &Path) -> Result<Server, String> {
    let files = folder.join("files");
    fs::create_dir_all(&files).map_err(|error| format!("{}: {error}", files.display()))?;
    let command = |port| Family::Larder.command(installed, Keeping::Synced, &files, port);
    let server = Server::start(command, &folder.join("server.log"))?;
    fill(server.address, &run.tables(Family::Larder), run.options.items, run.letters)?;
    Ok(server)
}

/// A turn of both; who begins changes.
fn turn(
    run: &Run<'_>,
    servers: &[Server; 2],
    (workload, connections): (Workload, usize),
    round: usize,
) -> Result<Turn, String> {
    let ask = |server: &Server| {
        for server in servers {
            wait_idle(server.pid, SETTLE_MAX);
        }
        measure(run, server, workload, connections)
    };
    let [one, other] = servers;
    if round.is_multiple_of(2) {
        Ok([ask(one)?, ask(other)?])
    } else {
        let reached = ask(other)?;
        Ok([ask(one)?, reached])
    }
}

fn measure(
    run: &Run<'_>,
    server: &Server,
    workload: Workload,
    connections: usize,
) -> Result<Reached, String> {
    let plan = run.plan(server, workload, connections);
    let Some(rate) = run.options.rate else {
        let cell = load::measure(&plan)?;
        let cpu_us = cell.server_cpu_us.unwrap_or_default();
        return Ok(Reached::Full { per_second: cell.requests_per_second, cpu_us });
    };
    let pace = Pace {
        address: server.address,
        workload,
        connections,
        rate,
        items: run.options.items,
        warm_up: plan.warm_up,
        duration: plan.duration,
        letters: run.letters,
        watched: WATCHED,
        disk: None,
    };
    let paced = pace::measure(&pace, "larder")?;
    let of = |percent| paced.percentile(percent).unwrap_or_default();
    Ok(Reached::Paced { p50_ms: of(50.0), p99_ms: of(99.0) })
}

fn verdict(workload: Workload, connections: usize, turns: &[Turn]) -> String {
    let of = |figure: &dyn Fn(&Turn) -> f64| {
        middle(&turns.iter().map(figure).collect::<Vec<f64>>()).unwrap_or_default()
    };
    let ratio = |[one, other]: &Turn| one.merit() / other.merit();
    let ahead = turns.iter().filter(|turn| ratio(turn) > 1.0).count();
    let mut text = format!("{} over {connections}, the middle of {} turns:\n", workload.name(), turns.len());
    for (place, name) in NAMES.into_iter().enumerate() {
        let figure =
            |what: &dyn Fn(Reached) -> f64| of(&|turn| turn.get(place).map_or(0.0, |reached| what(*reached)));
        let first = figure(&|reached| match reached {
            Reached::Full { per_second, .. } => per_second,
            Reached::Paced { p50_ms, .. } => p50_ms,
        });
        let second = figure(&|reached| match reached {
            Reached::Full { cpu_us, .. } => cpu_us,
            Reached::Paced { p99_ms, .. } => p99_ms,
        });
        text.push_str(&match turns.first() {
            Some([Reached::Paced { .. }, _]) => {
                let tail = figure(&|reached| match reached {
                    Reached::Paced { p50_ms, p99_ms } => p99_ms / p50_ms,
                    Reached::Full { .. } => 0.0,
                });
                format!("  {name:<8} p50 {first:.3} ms, p99 {second:.3} ms from when it was due, {tail:.1} times\n")
            }
            _ => format!("  {name:<8} {first:>9.0} each second, {second:.1} us of CPU\n"),
        });
    }
    text.push_str(&format!("  {:.3} times as fast, ahead in {ahead} of {}\n", of(&ratio), turns.len()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duel_is_decided_turn_by_turn() {
        // The machine is twice as fast in the last turn; the builds differ by a tenth in each.
        let turn = |rate: f64| {
            [(rate * 1.1, 10.0), (rate, 11.0)]
                .map(|(per_second, cpu_us)| Reached::Full { per_second, cpu_us })
        };
        let told = verdict(Workload::GetItem, 16, &[turn(100.0), turn(110.0), turn(200.0)]);
        assert!(told.contains("1.100 times as fast, ahead in 3 of 3"), "{told}");
        assert!(told.contains("larder         121 each second, 10.0 us"), "{told}");
    }

    #[test]
    fn at_a_rate_the_shorter_tail_wins() {
        let paced = |p99_ms| Reached::Paced { p50_ms: 0.1, p99_ms };
        let told = verdict(Workload::GetItem, 16, &[[paced(0.5), paced(1.0)], [paced(0.4), paced(0.3)]]);
        assert!(told.contains("p50 0.100 ms, p99 0.500 ms from when it was due, 5.0 times"), "{told}");
        assert!(told.contains("ahead in 1 of 2"), "{told}");
    }
}
