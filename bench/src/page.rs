//! docs/performance/README.md: the bar, half load, growth, plots, method and machine, from the figures at hand.
//!
//! What stands under the last heading is written by hand and kept as it is.

use crate::bars::HALVED;
use crate::curves::{Picture, size_tick};
use crate::figures::{Bars, Cell, Growth, Paced, Row};
use crate::grid::{Grid, or_dash, short, times, whole};
use crate::growth::CONNECTIONS;
use crate::report::{machine_sentence, missing};
use crate::verdict::{bar, figures, middle, rates};
use crate::workload::Workload;

/// The heading from which on the page is written by hand.
const BY_HAND: &str = "\n## Decisions\n";

/// The page; `old` is the one it replaces.
pub(crate) fn render(
    bars: Option<&Bars>,
    growth: Option<&Growth>,
    pictures: &[Picture],
    old: &str,
) -> String {
    let mut text = String::from(
        "# Performance\n\nWritten by `bench/run bars` and `bench/run growth` from `bench/results/`, all but the last section. \
         All servers and workloads side by side are in [servers.md](servers.md); what letting items expire costs is in \
         [expiry.md](../expiry.md).\n\n",
    );
    if let Some(bars) = bars {
        text += &of_bars(bars, pictures);
    }
    if let Some(growth) = growth {
        text += &of_growth(growth, pictures);
    }
    text += METHOD;
    text += &machines(bars, growth);
    text += RUN_AGAIN;
    text + &by_hand(old)
}

/// The part that is kept.
fn by_hand(old: &str) -> String {
    let kept = old.find(BY_HAND).and_then(|start| old.get(start..));
    let begin = "\nWhat was measured, what was decided by it, and what was changed. Written by hand.\n";
    kept.map_or_else(|| format!("{BY_HAND}{begin}"), ToOwned::to_owned)
}

/// The bar, the rates behind it, and half load.
pub(crate) fn of_bars(bars: &Bars, pictures: &[Picture]) -> String {
    let count = bars.rounds.len();
    let version =
        bars.rounds.first().and_then(|round| round.rows.first()).map_or("", |row| row.version.as_str());
    let mut text = format!(
        "## The bar\n\nMeasured on {} with {version}: {count} rounds, the middle of which counts; all over 16 connections.\n\n{}\n",
        bars.date,
        bar(bars)
    );
    text += &format!("The figures behind it, each the middle of its rounds:\n\n{}\n", rates(bars));
    text += &format!(
        "## Half load\n\nRequests fall due at half the rate that the same round reached with all connections busy. Latency counts from the \
         moment a request was due, and beside that from the moment it was sent, which is later when its connection was still busy. \
         \"Late\" is how long after the due moment the generator itself woke up to send. \"Machine alone\" is how long one in a \
         hundred requests would have waited that need no time at all, because the machine was in other hands or, for durable puts, \
         its disk was: no tail from the due moment can be shorter. It is looked at just before; \"stolen\" is the part of the machine that its host gave to others during the measurement. The floor was asked at the same rates; its lines are broken.\n\n{}\n",
        half_load(bars)
    );
    text += &picture(pictures, "half-load.svg");
    text + &missing(&all_rounds(bars))
}

/// One row for each server with the cells and failures of all rounds.
fn all_rounds(bars: &Bars) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for row in bars.rounds.iter().flat_map(|round| &round.rows) {
        match rows.iter_mut().find(|other| other.name == row.name) {
            Some(other) => {
                other.cells.extend(row.cells.iter().cloned());
                let new = row.failures.iter().filter(|failure| !other.failures.contains(failure)).cloned();
                let new: Vec<_> = new.collect();
                other.failures.extend(new);
            }
            None => rows.push(row.clone()),
        }
    }
    rows
}

fn half_load(bars: &Bars) -> String {
    let headings = [
        "server",
        "workload",
        "due each second",
        "due: p50 ms",
        "p90 ms",
        "p99 ms",
        "p99.9 ms",
        "p99 to p50",
        "sent: p50 ms",
        "p99 ms",
        "p99 to p50",
        "late p99 ms",
        "machine alone p99 ms",
        "stolen %",
    ];
    let mut grid = Grid::new(headings);
    for server in ["larder, disk", "floor: HTTP alone"] {
        for workload in HALVED {
            let of = |figure: &dyn Fn(&Paced) -> Option<f64>| {
                middle(&figures(&bars.rounds, |round| {
                    let is_it = |paced: &&Paced| paced.server == server && paced.workload == workload.name();
                    figure(round.paced.iter().find(is_it)?)
                }))
            };
            let percentile = |percent: f64| or_dash(of(&|paced| paced.percentile(percent)), short);
            grid.row(vec![
                server.to_owned(),
                workload.name().to_owned(),
                or_dash(of(&|paced| Some(paced.rate)), whole),
                percentile(50.0),
                percentile(90.0),
                percentile(99.0),
                percentile(99.9),
                or_dash(of(&Paced::tail), times),
                or_dash(of(&|paced| paced.sent_percentile(50.0)), short),
                or_dash(of(&|paced| paced.sent_percentile(99.0)), short),
                or_dash(of(&Paced::sent_tail), times),
                or_dash(of(&|paced| Some(paced.late_p99_ms)), short),
                or_dash(of(&|paced| paced.stall_p99_ms), short),
                or_dash(of(&|paced| paced.stolen_share.map(|share| share * 100.0)), short),
            ]);
        }
    }
    grid.render()
}

/// Growth: sizes, connections, ratios.
pub(crate) fn of_growth(growth: &Growth, pictures: &[Picture]) -> String {
    let at = size_tick(growth.settings.items).1;
    let mut text = format!(
        "## As the table grows\n\nMeasured on {} with {}: one table with ten items of about 1 KB in each partition, writes durable, \
         over {CONNECTIONS} connections; the middle of {} measurements.\n\n{}\n",
        growth.date,
        growth.version,
        growth.rounds,
        size_ratios(growth)
    );
    for file in ["items-cpu.svg", "items-rate.svg", "items-p99.svg", "items-space.svg"] {
        text += &picture(pictures, file);
    }
    text += &format!("{}\n{}\n", sizes(growth), loads(growth));
    text += &format!(
        "## As connections are added\n\nThe same table at {at} items; each figure measured once.\n\n{}\n",
        connection_ratios(growth)
    );
    for file in ["connections-cpu.svg", "connections-rate.svg", "connections-p99.svg"] {
        text += &picture(pictures, file);
    }
    text += &format!("{}\n", cells(growth.connections.iter().map(|cell| (at.clone(), cell))));
    for failure in &growth.failures {
        text += &format!("- {}: {}\n", failure.workload.as_deref().unwrap_or("everything"), failure.reason);
    }
    if !growth.failures.is_empty() {
        text += "\n";
    }
    text + &disturbance(growth)
}

/// How much the machine was in other hands, when it was.
fn disturbance(growth: &Growth) -> String {
    let cells = growth.sizes.iter().flat_map(|size| &size.cells).chain(&growth.connections);
    let shares: Vec<f64> = cells.filter_map(|cell| cell.others_share).collect();
    let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
    if mean <= crate::report::OTHERS_SHARE_MAX {
        return String::new();
    }
    let percent = mean * 100.0;
    format!(
        "Other programs used {percent:.0} % of the machine meanwhile; trust the CPU figures above the rates.\n\n"
    )
}

fn size_ratios(growth: &Growth) -> String {
    let (Some(first), Some(last)) = (growth.sizes.first(), growth.sizes.last()) else { return String::new() };
    let (small, large) = (size_tick(first.items).1, size_tick(last.items).1);
    ratios(&format!("at {small} items"), &format!("at {large} items"), |workload| {
        (find(&first.cells, workload, CONNECTIONS), find(&last.cells, workload, CONNECTIONS))
    })
}

fn connection_ratios(growth: &Growth) -> String {
    let most = growth.settings.connections.last().copied().unwrap_or(1);
    ratios(&format!("over {CONNECTIONS}"), &format!("over {most}"), |workload| {
        (find(&growth.connections, workload, CONNECTIONS), find(&growth.connections, workload, most))
    })
}

/// Server CPU at two places and how they compare.
fn ratios<'a>(
    one: &str,
    other: &str,
    pick: impl Fn(Workload) -> (Option<&'a Cell>, Option<&'a Cell>),
) -> String {
    let mut grid = Grid::new(["server CPU for each request, us", one, other, "ratio"]);
    for workload in Workload::GROWN {
        let (one, other) = pick(workload);
        let cpu = |cell: Option<&Cell>| cell.and_then(|cell| cell.server_cpu_us);
        let (one, other) = (cpu(one), cpu(other));
        let ratio = one.zip(other).map(|(one, other)| other / one);
        grid.row(vec![
            workload.name().to_owned(),
            or_dash(one, short),
            or_dash(other, short),
            or_dash(ratio, times),
        ]);
    }
    grid.render()
}

fn sizes(growth: &Growth) -> String {
    let rows = growth.sizes.iter().flat_map(|size| {
        let name = size_tick(size.items).1;
        size.cells.iter().map(move |cell| (name.clone(), cell))
    });
    let mut rows: Vec<(String, &Cell)> = rows.collect();
    let place = |cell: &Cell| Workload::GROWN.iter().position(|workload| workload.name() == cell.workload);
    rows.sort_by_key(|(_, cell)| place(cell));
    cells(rows.into_iter())
}

fn cells<'a>(rows: impl Iterator<Item = (String, &'a Cell)>) -> String {
    let headings = [
        "workload",
        "items",
        "connections",
        "requests/s",
        "p50 ms",
        "p99 ms",
        "server CPU us",
        "client CPU us",
    ];
    let mut grid = Grid::new(headings);
    for (items, cell) in rows {
        grid.row(vec![
            cell.workload.clone(),
            items,
            cell.connections.to_string(),
            whole(cell.requests_per_second),
            short(cell.p50_ms),
            short(cell.p99_ms),
            or_dash(cell.server_cpu_us, short),
            or_dash(cell.client_cpu_us, short),
        ]);
    }
    grid.render()
}

fn loads(growth: &Growth) -> String {
    let headings = [
        "items",
        "loaded/s",
        "settled after s",
        "disk MB",
        "disk bytes per item",
        "RSS MB after the load",
        "RSS MB after all workloads",
    ];
    let mut grid = Grid::new(headings);
    for size in &growth.sizes {
        grid.row(vec![
            size_tick(size.items).1,
            whole(size.loaded_per_second),
            short(size.settled_seconds),
            whole(size.disk_bytes as f64 / 1e6),
            whole(size.disk_bytes as f64 / size.items as f64),
            or_dash(size.rss_mb, short),
            or_dash(size.rss_after_mb, short),
        ]);
    }
    grid.render()
}

fn find(cells: &[Cell], workload: Workload, connections: usize) -> Option<&Cell> {
    cells.iter().find(|cell| cell.workload == workload.name() && cell.connections == connections)
}

fn picture(pictures: &[Picture], file: &str) -> String {
    let found = pictures.iter().find(|picture| picture.file == file);
    found.map_or_else(String::new, |picture| format!("![{}]({file})\n\n", picture.plot.title))
}

fn machines(bars: Option<&Bars>, growth: Option<&Growth>) -> String {
    let machine = bars.map(|bars| &bars.machine).or(growth.map(|growth| &growth.machine));
    machine.map_or_else(String::new, |machine| format!("## Machine\n\n{}\n\n", machine_sentence(machine)))
}

const METHOD: &str = "\
## Method

Server and load generator share the machine; one server runs at a time. Rates and CPU come from a closed loop: each connection
(kept alive, HTTP/1.1) sends a request, waits for the whole answer, checks status and length, and sends the next one, with random
keys out of those loaded. Server CPU is user and system time of the server's process tree, merges of files in the background
included, divided by the requests answered. Writes are synced to the disk before they are answered.

The bar: in each round every server is started anew on an empty folder and loaded with 20,000 items, Larder and its floors side by
side, so that what the machine does meanwhile meets all of them; each ratio is made within a round. \"HTTP alone\" is hyper on tokio
with two workers that answers prepared bytes. \"Store alone\" is Larder's store with items of the same size and the same
synchronisation, written by 16 writers, as blocking threads and as tasks on two workers; the faster of the two is shown. The ratio of
puts to it comes from turns: both run all the time, and Larder, the threads and the tasks are measured for a second each, seven times
in changing order, each when the others are idle. Of the two kinds of writers the one counts that is faster by the middle of its turns.

Half load is an open loop: requests fall due at a fixed rate, evenly spread over 16 connections, whether or not earlier ones are
answered, and latency counts from the moment a request was due, so a stall is charged to everybody who waits for it. The generator
never spins, which would take a core from the server: one thread sleeps until a request is due or an answer is there, and
how late it wakes is part of the latency and also told apart. Right before each of these measurements, while the server is idle,
a thread on each core looks at the clock for two seconds; where the clock jumps, the machine was in other hands (of the host of a virtual
machine, mostly), and from the jumps follows what a request would wait that needs no time. Before puts the disk is watched as well:
eight kilobytes are written over and synced for two seconds, and what a sync takes longer than the middle one is a jump.

Growth: one server from beginning to end; its table is loaded by BatchWriteItem to each size, and measured when the server has
been idle and items were read at random for a while (a 20,000th of their number in seconds, 40 at most), so that its cache is as full as it
gets. Its cache (an eighth of the machine's memory) holds all of a million items and a part of ten million; the machine's memory
holds all of them.

";

const RUN_AGAIN: &str = "\
## Run it again

```
bench/run bars      # the bar and half load, about 11 minutes
bench/run growth    # growth, about 15 minutes; needs 18 GB of free disk while it runs
bench/run           # all servers and workloads, about 20 minutes; writes servers.md
bench/run --help
```

The first two write this page, its plots and `bench/results/`.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_by_hand_is_kept() {
        let first = render(None, None, &[], "");
        assert_eq!(first.matches("## Decisions").count(), 1);
        let changed = format!("{first}\nThe store syncs once for each group.\n");
        assert_eq!(render(None, None, &[], &changed), changed);
    }
}
