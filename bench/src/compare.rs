//! Larder against its best peer and against the floor: ratios, and the bar the project set itself.
//!
//! It reads figures and writes sentences; it measures nothing.

use crate::figures::{Cell, Figures, Keeping, Role, Row};
use crate::grid::{Grid, or_dash, short, times, whole};
use crate::workload::Workload;

/// The number of connections at which the bar is set.
const BAR_CONNECTIONS: usize = 16;

/// The ratios of every workload and number of connections.
pub(crate) fn ratios(figures: &Figures) -> String {
    let headings = [
        "workload",
        "connections",
        "larder/s",
        "best peer/s",
        "best peer",
        "to best peer",
        "to HTTP floor",
        "CPU to HTTP floor",
    ];
    let mut text = String::new();
    for (keeping, title) in [(Keeping::Synced, "On disk"), (Keeping::Memory, "In memory")] {
        let Some(larder) = row(figures, Role::Larder, keeping) else { continue };
        let mut grid = Grid::new(headings);
        for workload in Workload::ALL {
            for &connections in &figures.settings.connections {
                if let Some(cell) = cell(larder, workload, connections) {
                    grid.row(ratio_row(figures, keeping, workload, cell));
                }
            }
        }
        text += &format!("{title}:\n\n{}\n", grid.render());
    }
    text
}

fn ratio_row(figures: &Figures, keeping: Keeping, workload: Workload, larder: &Cell) -> Vec<String> {
    let is_rival = |row: &Row| (row.keeping == Keeping::Memory) == (keeping == Keeping::Memory);
    let best = best_peer(figures, workload, larder.connections, is_rival);
    let floor = http_floor(figures, workload, larder.connections);
    let cpu = larder.server_cpu_us.zip(floor.and_then(|floor| floor.server_cpu_us));
    let rate = larder.requests_per_second;
    vec![
        workload.name().to_owned(),
        larder.connections.to_string(),
        whole(rate),
        or_dash(best.map(|(_, cell)| cell.requests_per_second), whole),
        best.map_or_else(|| "-".to_owned(), |(row, _)| row.name.clone()),
        or_dash(best.map(|(_, cell)| rate / cell.requests_per_second), times),
        or_dash(floor.map(|floor| rate / floor.requests_per_second), times),
        or_dash(cpu.map(|(larder, floor)| larder / floor), times),
    ]
}

/// The bar and what was reached.
pub(crate) fn bar(figures: &Figures) -> String {
    let larder = row(figures, Role::Larder, Keeping::Synced);
    let larder_cell = |workload| larder.and_then(|row| cell(row, workload, BAR_CONNECTIONS));
    let against = |workload, is_rival: fn(&Row) -> bool| {
        let (row, best) = best_peer(figures, workload, BAR_CONNECTIONS, is_rival)?;
        Some((larder_cell(workload)?.requests_per_second / best.requests_per_second, row.name.clone()))
    };
    let floor_cpu =
        http_floor(figures, Workload::GetItem, BAR_CONNECTIONS).and_then(|cell| cell.server_cpu_us);
    let larder_cpu = larder_cell(Workload::GetItem).and_then(|cell| cell.server_cpu_us);
    let followed = larder_cell(Workload::PutItemFollowed).zip(larder_cell(Workload::PutItem));
    let followed = followed
        .map(|(with, without)| (with.requests_per_second / without.requests_per_second, "Larder".to_owned()));
    let lines = [
        Line::least(
            "GetItem/s over 16 connections to the best peer, wherever it keeps its data",
            4.0,
            against(Workload::GetItem, |_| true),
        ),
        Line::least(
            "PutItem/s over 16 connections, durable, to the best peer that syncs",
            4.0,
            against(Workload::PutItem, |row| row.keeping == Keeping::Synced),
        ),
        Line::told(
            "PutItem/s over 16 connections, durable, to the best peer that does not sync",
            against(Workload::PutItem, |row| row.keeping == Keeping::Unsynced),
        ),
        Line::least(
            "PutItem/s with a stream and recovery, durable, over 16 connections, to the same without",
            0.6,
            followed,
        ),
        Line::most(
            "CPU of a GetItem over 16 connections to the HTTP floor",
            2.0,
            " x",
            larder_cpu.zip(floor_cpu).map(|(larder, floor)| larder / floor),
        ),
        Line::most("start", 50.0, " ms", larder.and_then(|row| row.start_ms)),
        Line::most("idle RSS", 30.0, " MB", larder.and_then(|row| row.rss_idle_mb)),
    ];
    let mut grid = Grid::new(["what", "asked", "reached", ""]);
    for line in lines {
        grid.row(line.cells());
    }
    grid.render()
}

/// One line of the bar.
struct Line {
    what: &'static str,
    asked: String,
    reached: String,
    met: Option<bool>,
}

impl Line {
    fn least(what: &'static str, least: f64, ratio: Option<(f64, String)>) -> Self {
        let met = ratio.as_ref().map(|(ratio, _)| *ratio >= least);
        Self { what, asked: format!("at least {least} x"), met, ..Self::told(what, ratio) }
    }

    fn told(what: &'static str, ratio: Option<(f64, String)>) -> Self {
        let reached =
            ratio.map_or_else(|| "-".to_owned(), |(ratio, name)| format!("{} ({name})", times(ratio)));
        Self { what, asked: String::new(), reached, met: None }
    }

    fn most(what: &'static str, most: f64, unit: &str, figure: Option<f64>) -> Self {
        Self {
            what,
            asked: format!("at most {most}{unit}"),
            reached: or_dash(figure, |figure| format!("{}{unit}", short(figure))),
            met: figure.map(|figure| figure <= most),
        }
    }

    fn cells(self) -> Vec<String> {
        let verdict = match self.met {
            Some(true) => "met",
            Some(false) => "missed",
            None => "",
        };
        vec![self.what.to_owned(), self.asked, self.reached, verdict.to_owned()]
    }
}

/// The measurement of a workload over so many connections.
pub(crate) fn cell(row: &Row, workload: Workload, connections: usize) -> Option<&Cell> {
    row.cells.iter().find(|cell| cell.workload == workload.name() && cell.connections == connections)
}

fn row(figures: &Figures, role: Role, keeping: Keeping) -> Option<&Row> {
    figures.rows.iter().find(|row| row.role == role && row.keeping == keeping)
}

fn http_floor(figures: &Figures, workload: Workload, connections: usize) -> Option<&Cell> {
    cell(row(figures, Role::Floor, Keeping::Nothing)?, workload, connections)
}

fn best_peer(
    figures: &Figures,
    workload: Workload,
    connections: usize,
    is_rival: impl Fn(&Row) -> bool,
) -> Option<(&Row, &Cell)> {
    let peers = figures.rows.iter().filter(|row| row.role == Role::Peer && is_rival(row));
    peers
        .filter_map(|row| Some((row, cell(row, workload, connections)?)))
        .max_by(|one, other| one.1.requests_per_second.total_cmp(&other.1.requests_per_second))
}
