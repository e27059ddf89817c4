//! The bar the project set itself, and what was reached: each figure is made in every round, and the middle one counts.
//!
//! It reads rounds and writes tables; it measures nothing.

use crate::bars::CONNECTIONS;
use crate::compare::{best_peer, cell, http_floor, row};
use crate::figures::{Bars, Keeping, Paced, Role, Round, Row, Turn};
use crate::grid::{Grid, or_dash, short, times, whole};
use crate::workload::Workload;

/// The bar and what was reached.
pub(crate) fn bar(bars: &Bars) -> String {
    let rounds = &bars.rounds;
    let lines = [
        Line::most("CPU of a GetItem to the HTTP floor", 1.5, " x", figures(rounds, get_cpu_to_floor)),
        Line::least(
            "PutItem/s, durable, to the store's own group commit, in turns",
            0.7,
            figures(rounds, put_to_store),
            "floor: store alone",
        ),
        Line::least(
            "GetItem/s to the best peer, wherever it keeps its data",
            4.0,
            figures(rounds, |round| to_peer(round, Workload::GetItem, |_| true)),
            &peer_name(rounds, Workload::GetItem, |_| true),
        ),
        Line::least(
            "PutItem/s, durable, to the best peer that syncs",
            4.0,
            figures(rounds, |round| to_peer(round, Workload::PutItem, is_synced)),
            &peer_name(rounds, Workload::PutItem, is_synced),
        ),
        Line::least(
            "PutItem/s, durable, to the best peer of all, also those that do not sync or keep data in memory",
            4.0,
            figures(rounds, |round| to_peer(round, Workload::PutItem, |_| true)),
            &peer_name(rounds, Workload::PutItem, |_| true),
        ),
        half(
            "GetItem at half load, from when it was sent: p99 to p50",
            rounds,
            Workload::GetItem,
            Paced::sent_tail,
        ),
        half(
            "GetItem at half load, from when it was due: p99 to p50",
            rounds,
            Workload::GetItem,
            Paced::tail,
        ),
        half(
            "PutItem, durable, at half load, from when it was sent: p99 to p50",
            rounds,
            Workload::PutItem,
            Paced::sent_tail,
        ),
        half(
            "PutItem, durable, at half load, from when it was due: p99 to p50",
            rounds,
            Workload::PutItem,
            Paced::tail,
        ),
        Line::least(
            "PutItem/s with a stream and recovery, durable, to the same without",
            0.6,
            figures(rounds, followed),
            "Larder",
        ),
        Line::most("start", 50.0, " ms", figures(rounds, |round| larder(round)?.start_ms)),
        Line::most("idle RSS", 30.0, " MB", figures(rounds, |round| larder(round)?.rss_idle_mb)),
    ];
    let mut grid = Grid::new(["what", "asked", "reached", "in each round", ""]);
    for line in lines {
        grid.row(line.cells());
    }
    grid.render()
}

fn half(what: &'static str, rounds: &[Round], workload: Workload, tail: fn(&Paced) -> Option<f64>) -> Line {
    Line::most(what, 5.0, " x", figures(rounds, |round| tail(larder_paced(round, workload)?)))
}

/// Rates and CPU behind the bar.
pub(crate) fn rates(bars: &Bars) -> String {
    let Some(first) = bars.rounds.first() else { return String::new() };
    let mut grid = Grid::new([
        "server",
        "version",
        "GetItem/s",
        "GetItem CPU us",
        "GetItem p99 ms",
        "PutItem/s",
        "PutItem CPU us",
        "PutItem p99 ms",
    ]);
    for model in &first.rows {
        let of = |workload, figure: fn(&crate::figures::Cell) -> Option<f64>| {
            middle(&figures(&bars.rounds, |round| {
                let row = round.rows.iter().find(|row| row.name == model.name)?;
                figure(cell(row, workload, CONNECTIONS)?)
            }))
        };
        let mut cells = vec![model.name.clone(), model.version.clone()];
        for workload in [Workload::GetItem, Workload::PutItem] {
            cells.push(or_dash(of(workload, |cell| Some(cell.requests_per_second)), whole));
            cells.push(or_dash(of(workload, |cell| cell.server_cpu_us), short));
            cells.push(or_dash(of(workload, |cell| Some(cell.p99_ms)), short));
        }
        grid.row(cells);
    }
    grid.render()
}

/// The middle of the values, if there are any.
pub(crate) fn middle(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

/// What every round says to a question, where it has an answer.
pub(crate) fn figures(rounds: &[Round], figure: impl Fn(&Round) -> Option<f64>) -> Vec<f64> {
    rounds.iter().filter_map(figure).collect()
}

fn larder(round: &Round) -> Option<&Row> {
    row(&round.rows, Role::Larder, Keeping::Synced)
}

fn larder_rate(round: &Round, workload: Workload) -> Option<f64> {
    Some(cell(larder(round)?, workload, CONNECTIONS)?.requests_per_second)
}

fn larder_paced(round: &Round, workload: Workload) -> Option<&Paced> {
    let name = &larder(round)?.name;
    round.paced.iter().find(|paced| paced.server == *name && paced.workload == workload.name())
}

fn get_cpu_to_floor(round: &Round) -> Option<f64> {
    let floor = http_floor(&round.rows, Workload::GetItem, CONNECTIONS)?.server_cpu_us?;
    Some(cell(larder(round)?, Workload::GetItem, CONNECTIONS)?.server_cpu_us? / floor)
}

/// Of turns that follow each other; rows of a round are a minute apart, in which the machine changes more than that.
/// The writers count with whom the store is faster most of the time: the faster of two single figures would be the
/// luckier one.
fn put_to_store(round: &Round) -> Option<f64> {
    let ratio = |store: fn(&Turn) -> f64| {
        middle(&round.turns.iter().map(|turn| turn.larder / store(turn)).collect::<Vec<f64>>())
    };
    Some(ratio(|turn| turn.by_threads)?.min(ratio(|turn| turn.by_tasks)?))
}

fn followed(round: &Round) -> Option<f64> {
    Some(larder_rate(round, Workload::PutItemFollowed)? / larder_rate(round, Workload::PutItem)?)
}

fn is_synced(row: &Row) -> bool {
    row.keeping == Keeping::Synced
}

fn to_peer(round: &Round, workload: Workload, is_rival: fn(&Row) -> bool) -> Option<f64> {
    let (_, best) = best_peer(&round.rows, workload, CONNECTIONS, is_rival)?;
    Some(larder_rate(round, workload)? / best.requests_per_second)
}

/// The peers that were best in some round.
fn peer_name(rounds: &[Round], workload: Workload, is_rival: fn(&Row) -> bool) -> String {
    let best = |round: &Round| {
        Some(best_peer(&round.rows, workload, CONNECTIONS, is_rival)?.0.name.replace(", ", " "))
    };
    let mut names: Vec<String> = rounds.iter().filter_map(best).collect();
    names.sort_unstable();
    names.dedup();
    names.join(" or ")
}

/// One line of the bar.
struct Line {
    what: &'static str,
    asked: String,
    reached: String,
    rounds: String,
    met: Option<bool>,
}

impl Line {
    fn least(what: &'static str, least: f64, ratios: Vec<f64>, rival: &str) -> Self {
        let reached = middle(&ratios);
        Self {
            what,
            asked: format!("at least {least} x"),
            reached: or_dash(reached, |ratio| format!("{} ({rival})", times(ratio))),
            rounds: each(&ratios),
            met: reached.map(|ratio| ratio >= least),
        }
    }

    fn most(what: &'static str, most: f64, unit: &str, values: Vec<f64>) -> Self {
        let reached = middle(&values);
        Self {
            what,
            asked: format!("at most {most}{unit}"),
            reached: or_dash(reached, |value| format!("{}{unit}", short(value))),
            rounds: each(&values),
            met: reached.map(|value| value <= most),
        }
    }

    fn cells(self) -> Vec<String> {
        let verdict = match self.met {
            Some(true) => "met",
            Some(false) => "missed",
            None => "not measured",
        };
        vec![self.what.to_owned(), self.asked, self.reached, self.rounds, verdict.to_owned()]
    }
}

fn each(values: &[f64]) -> String {
    values.iter().map(|value| short(*value)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_round_decides() {
        let met = |values: &[f64]| Line::most("x", 1.5, " x", values.to_vec()).met;
        assert_eq!(met(&[1.4, 9.0, 1.5]), Some(true));
        assert_eq!(met(&[1.4, 1.6, 1.7]), Some(false));
        assert_eq!(met(&[]), None);
        assert_eq!(Line::least("x", 4.0, vec![3.9, 4.1, 4.0], "y").met, Some(true));
    }

    #[test]
    fn puts_are_compared_turn_by_turn_with_the_writers_that_are_faster_most_of_the_time() {
        let turn = |larder, by_threads, by_tasks| Turn { larder, by_threads, by_tasks };
        let turns = vec![turn(60.0, 60.0, 100.0), turn(30.0, 100.0, 50.0), turn(20.0, 25.0, 25.0)];
        let round = Round { turns, ..Round::default() };
        // 1.0, 0.3, 0.8 to threads; 0.6, 0.6, 0.8 to tasks.
        assert_eq!(put_to_store(&round), Some(0.6));
        assert_eq!(put_to_store(&Round::default()), None);
    }
}
