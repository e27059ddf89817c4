//! Two builds of Larder side by side, asked in turns of a second.
//!
//! What a change brings is often less than what the machine changes from one minute to the next, so each figure of one build
//! needs one of the other right beside it. Both run all the time; one is asked when the other is idle.

use crate::figures::Keeping;
use crate::fill::fill;
use crate::load::measure;
use crate::measure::Run;
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

/// A figure of each build, one right after the other.
#[derive(Clone, Copy, Default)]
struct Turn {
    per_second: [f64; 2],
    cpu_us: [f64; 2],
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
    let mut turn = Turn::default();
    let mut order = [0, 1];
    order.rotate_left(round % 2);
    for place in order {
        for server in servers {
            wait_idle(server.pid, SETTLE_MAX);
        }
        let Some(server) = servers.get(place) else { continue };
        let cell = measure(&run.plan(server, workload, connections))?;
        if let (Some(rate), Some(cpu)) = (turn.per_second.get_mut(place), turn.cpu_us.get_mut(place)) {
            (*rate, *cpu) = (cell.requests_per_second, cell.server_cpu_us.unwrap_or_default());
        }
    }
    Ok(turn)
}

fn verdict(workload: Workload, connections: usize, turns: &[Turn]) -> String {
    let of = |figure: &dyn Fn(&Turn) -> f64| {
        middle(&turns.iter().map(figure).collect::<Vec<f64>>()).unwrap_or_default()
    };
    let ratio = |turn: &Turn| turn.per_second[0] / turn.per_second[1];
    let ahead = turns.iter().filter(|turn| ratio(turn) > 1.0).count();
    let mut text = format!("{} over {connections}, the middle of {} turns:\n", workload.name(), turns.len());
    for (place, name) in NAMES.into_iter().enumerate() {
        let rate = of(&|turn| turn.per_second.get(place).copied().unwrap_or_default());
        let cpu = of(&|turn| turn.cpu_us.get(place).copied().unwrap_or_default());
        text.push_str(&format!("  {name:<8} {rate:>9.0} each second, {cpu:.1} us of CPU\n"));
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
        let turn = |rate: f64| Turn { per_second: [rate * 1.1, rate], cpu_us: [10.0, 11.0] };
        let told = verdict(Workload::GetItem, 16, &[turn(100.0), turn(110.0), turn(200.0)]);
        assert!(told.contains("1.100 times as fast, ahead in 3 of 3"), "{told}");
        assert!(told.contains("larder         121 each second, 10.0 us"), "{told}");
    }
}
