//! The plots of docs/performance: which figures go into which.
//!
//! It chooses points and names; how a plot is drawn it leaves to others.

use crate::bars::HALVED;
use crate::figures::{Bars, Cell, Growth};
use crate::plot::{Axis, Plot, Series};
use crate::verdict::{figures, middle};
use crate::workload::Workload;

/// A plot and the name of its file.
pub(crate) struct Picture {
    /// The file's name.
    pub(crate) file: &'static str,
    /// The plot.
    pub(crate) plot: Plot,
}

/// The plots of a run of growth.
pub(crate) fn of_growth(growth: &Growth) -> Vec<Picture> {
    let sizes = || {
        Axis::marked("items in the table", growth.sizes.iter().map(|size| size_tick(size.items)).collect())
    };
    let numbers = &growth.settings.connections;
    let connections = || {
        let ticks = numbers.iter().map(|number| (*number as f64, number.to_string())).collect();
        Axis::marked("connections", ticks)
    };
    let by_size = |figure: Figure| {
        let points = growth.sizes.iter().flat_map(|size| {
            size.cells.iter().filter_map(move |cell| Some((cell, size.items as f64, figure(cell)?)))
        });
        lines(points.collect())
    };
    let by_connections = |figure: Figure| {
        let points =
            growth.connections.iter().filter_map(|cell| Some((cell, cell.connections as f64, figure(cell)?)));
        lines(points.collect())
    };
    let at = size_tick(growth.settings.items).1;
    let cpu_title = "Server CPU for each request".to_owned();
    vec![
        picture("items-cpu.svg", cpu_title.clone(), sizes(), Unit::Cpu, by_size(cpu)),
        picture("items-rate.svg", "Requests answered".to_owned(), sizes(), Unit::Rate, by_size(rate)),
        picture(
            "items-p99.svg",
            "Latency with all connections busy".to_owned(),
            sizes(),
            Unit::Slow,
            by_size(slow),
        ),
        Picture { file: "items-space.svg", plot: space(growth, sizes()) },
        picture(
            "connections-cpu.svg",
            format!("{cpu_title}, {at} items"),
            connections(),
            Unit::Cpu,
            by_connections(cpu),
        ),
        picture(
            "connections-rate.svg",
            format!("Requests answered, {at} items"),
            connections(),
            Unit::Rate,
            by_connections(rate),
        ),
        picture(
            "connections-p99.svg",
            format!("Latency with all connections busy, {at} items"),
            connections(),
            Unit::Slow,
            by_connections(slow),
        ),
    ]
}

/// The plot of latency at half load: the share of requests still waiting, and for how long they wait.
pub(crate) fn of_bars(bars: &Bars) -> Option<Picture> {
    let mut series = Vec::new();
    for (colour, workload) in HALVED.into_iter().enumerate() {
        for server in ["larder, disk", "floor: HTTP alone"] {
            let is_floor = server.starts_with("floor");
            let at = |percent: f64| {
                let values = figures(&bars.rounds, |round| {
                    let found = round
                        .paced
                        .iter()
                        .find(|paced| paced.server == server && paced.workload == workload.name());
                    found?.percentile(percent)
                });
                Some((100.0 / (100.0 - percent), middle(&values)?))
            };
            let points: Vec<(f64, f64)> =
                PERCENTS.into_iter().filter_map(|(percent, _)| at(percent)).collect();
            if !points.is_empty() {
                let name =
                    if is_floor { format!("floor {}", workload.name()) } else { workload.name().to_owned() };
                series.push(Series { name, colour: colour * 2, is_dashed: is_floor, points });
            }
        }
    }
    let ticks = PERCENTS.map(|(percent, name)| (100.0 / (100.0 - percent), name.to_owned())).to_vec();
    let x = Axis::marked("percentile of the requests", ticks);
    (!series.is_empty())
        .then(|| picture("half-load.svg", "Latency at half load".to_owned(), x, Unit::Latency, series))
}

const PERCENTS: [(f64, &str); 4] = [(50.0, "p50"), (90.0, "p90"), (99.0, "p99"), (99.9, "p99.9")];

type Figure = fn(&Cell) -> Option<f64>;

fn cpu(cell: &Cell) -> Option<f64> {
    cell.server_cpu_us
}

fn rate(cell: &Cell) -> Option<f64> {
    Some(cell.requests_per_second)
}

fn slow(cell: &Cell) -> Option<f64> {
    Some(cell.p99_ms)
}

#[derive(Clone, Copy)]
enum Unit {
    Cpu,
    Rate,
    Slow,
    Latency,
}

fn picture(file: &'static str, title: String, x: Axis, unit: Unit, series: Vec<Series>) -> Picture {
    let values: Vec<f64> = series.iter().flat_map(|one| one.points.iter().map(|point| point.1)).collect();
    let y = match unit {
        Unit::Cpu => Axis::linear("microseconds of server CPU", values.into_iter()),
        Unit::Rate => Axis::linear("requests each second", values.into_iter()),
        Unit::Slow => Axis::logarithmic("p99 in milliseconds, logarithmic", values.into_iter()),
        Unit::Latency => Axis::logarithmic(
            "milliseconds from the moment a request was due, logarithmic",
            values.into_iter(),
        ),
    };
    Picture { file, plot: Plot { title, x, y, series } }
}

/// One line for each workload.
fn lines(points: Vec<(&Cell, f64, f64)>) -> Vec<Series> {
    let line = |(colour, workload): (usize, Workload)| {
        let own = points.iter().filter(|(cell, ..)| cell.workload == workload.name());
        let points: Vec<(f64, f64)> = own.map(|(_, x, y)| (*x, *y)).collect();
        Series { name: workload.name().to_owned(), colour, is_dashed: false, points }
    };
    Workload::GROWN.into_iter().enumerate().map(line).filter(|series| !series.points.is_empty()).collect()
}

fn space(growth: &Growth, x: Axis) -> Plot {
    let disk = growth.sizes.iter().map(|size| (size.items as f64, size.disk_bytes as f64 / 1e6)).collect();
    let memory =
        growth.sizes.iter().filter_map(|size| Some((size.items as f64, size.rss_after_mb?))).collect();
    let line =
        |name: &str, colour, points| Series { name: name.to_owned(), colour, is_dashed: false, points };
    let series = vec![line("disk", 1, disk), line("memory", 0, memory)];
    let values: Vec<f64> = series.iter().flat_map(|one| one.points.iter().map(|point| point.1)).collect();
    let y = Axis::logarithmic("megabytes, logarithmic", values.into_iter());
    Plot { title: "Disk and memory".to_owned(), x, y, series }
}

/// A number of items as people say it.
pub(crate) fn size_tick(items: u64) -> (f64, String) {
    let name = match items {
        1_000_000.. if items.is_multiple_of(1_000_000) => format!("{} M", items / 1_000_000),
        1_000.. if items.is_multiple_of(1_000) => format!("{} k", items / 1_000),
        _ => items.to_string(),
    };
    (items as f64, name)
}
