//! Larder against its best peer and against the floor.
//!
//! It reads figures and writes tables of ratios; it measures nothing.

use crate::figures::{Cell, Figures, Keeping, Role, Row};
use crate::grid::{Grid, or_dash, times, whole};
use crate::workload::Workload;

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
        let Some(larder) = row(&figures.rows, Role::Larder, keeping) else { continue };
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
    let best = best_peer(&figures.rows, workload, larder.connections, is_rival);
    let floor = http_floor(&figures.rows, workload, larder.connections);
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

/// The measurement of a workload over so many connections.
pub(crate) fn cell(row: &Row, workload: Workload, connections: usize) -> Option<&Cell> {
    row.cells.iter().find(|cell| cell.workload == workload.name() && cell.connections == connections)
}

/// The row of a role that keeps its data so.
pub(crate) fn row(rows: &[Row], role: Role, keeping: Keeping) -> Option<&Row> {
    rows.iter().find(|row| row.role == role && row.keeping == keeping)
}

/// The measurement of HTTP alone.
pub(crate) fn http_floor(rows: &[Row], workload: Workload, connections: usize) -> Option<&Cell> {
    cell(row(rows, Role::Floor, Keeping::Nothing)?, workload, connections)
}

/// The fastest of the peers that count.
pub(crate) fn best_peer(
    rows: &[Row],
    workload: Workload,
    connections: usize,
    is_rival: impl Fn(&Row) -> bool,
) -> Option<(&Row, &Cell)> {
    let peers = rows.iter().filter(|row| row.role == Role::Peer && is_rival(row));
    peers
        .filter_map(|row| Some((row, cell(row, workload, connections)?)))
        .max_by(|one, other| one.1.requests_per_second.total_cmp(&other.1.requests_per_second))
}
