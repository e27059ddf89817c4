//! The report of all servers: the ratios, every figure, what is missing and why, and how it was all measured.
//!
//! It is one Markdown text for the terminal and for docs/performance/servers.md alike.

use crate::compare::{cell, ratios};
use crate::figures::{Cell, Figures, Keeping, Machine, Role, Row};
use crate::grid::{Grid, or_dash, short, whole};
use crate::workload::Workload;

/// More of the machine than this in other hands makes rates and latencies doubtful.
pub(crate) const OTHERS_SHARE_MAX: f64 = 0.05;

/// The whole report.
pub(crate) fn render(figures: &Figures) -> String {
    let mut text = format!(
        "# Larder beside other servers\n\nMeasured on {} and written by `bench/run`; the raw figures are in \
         `bench/results/`. The bar, latency at half load and growth are in [README.md](README.md).\n\n",
        figures.date
    );
    if figures.rows.iter().any(|row| row.role == Role::Larder && !row.cells.is_empty()) {
        text += &format!("## Larder beside the best peer and the floor\n\n{}", ratios(figures));
    }
    text += &format!("## All servers over {} connections\n\n", middle(figures));
    text +=
        &format!("Requests per second:\n\n{}\n", overview(figures, |cell| Some(cell.requests_per_second)));
    text += &format!(
        "Server CPU in microseconds per request:\n\n{}\n",
        overview(figures, |cell| cell.server_cpu_us)
    );
    text += &format!("Start and memory:\n\n{}\n", resources(figures));
    text += "## Each workload\n\n";
    for workload in Workload::ALL {
        if let Some(grid) = workload_grid(figures, workload) {
            text += &format!(
                "### {}\n\n{}.\n\n{}\n",
                workload.name(),
                capital(workload.describe()),
                grid.render()
            );
        }
    }
    text += &missing(&figures.rows);
    text + &method(figures)
}

/// The number of connections for the overview.
fn middle(figures: &Figures) -> usize {
    let connections = &figures.settings.connections;
    if connections.contains(&16) { 16 } else { connections.last().copied().unwrap_or(1) }
}

/// Rows by workloads, one figure each.
fn overview(figures: &Figures, figure: impl Fn(&Cell) -> Option<f64>) -> String {
    let names = Workload::ALL.map(Workload::name);
    let mut grid = Grid::new(["server"].into_iter().chain(names));
    for row in &figures.rows {
        let value = |workload| cell(row, workload, middle(figures)).and_then(&figure);
        let cells = Workload::ALL.map(|workload| or_dash(value(workload), whole));
        grid.row([row.name.clone()].into_iter().chain(cells).collect());
    }
    grid.render()
}

fn resources(figures: &Figures) -> String {
    let mut grid = Grid::new(["server", "version", "start ms", "idle RSS MB", "loaded RSS MB"]);
    for row in &figures.rows {
        grid.row(vec![
            row.name.clone(),
            row.version.clone(),
            or_dash(row.start_ms, short),
            or_dash(row.rss_idle_mb, short),
            or_dash(row.rss_loaded_mb, short),
        ]);
    }
    grid.render()
}

/// All figures of one workload; none when nobody was asked for it.
fn workload_grid(figures: &Figures, workload: Workload) -> Option<Grid> {
    let headings =
        ["server", "connections", "requests/s", "p50 ms", "p99 ms", "server CPU us", "client CPU us"];
    let mut grid = Grid::new(headings);
    let mut found = false;
    for row in &figures.rows {
        for &connections in &figures.settings.connections {
            if let Some(cell) = cell(row, workload, connections) {
                found = true;
                grid.row(cell_row(row, cell));
            }
        }
        if row.failures.iter().any(|failure| failure.workload.as_deref() == Some(workload.name())) {
            found = true;
            let dashes = std::iter::repeat_n("-".to_owned(), headings.len() - 1);
            grid.row([row.name.clone()].into_iter().chain(dashes).collect());
        }
    }
    found.then_some(grid)
}

fn cell_row(row: &Row, cell: &Cell) -> Vec<String> {
    vec![
        row.name.clone(),
        cell.connections.to_string(),
        whole(cell.requests_per_second),
        short(cell.p50_ms),
        short(cell.p99_ms),
        or_dash(cell.server_cpu_us, short),
        or_dash(cell.client_cpu_us, short),
    ]
}

/// Reasons for every dash, and doubts.
pub(crate) fn missing(rows: &[Row]) -> String {
    let mut lines = Vec::new();
    for row in rows {
        for failure in &row.failures {
            let workload = failure.workload.as_deref().unwrap_or("everything");
            lines.push(format!("- {}, {workload}: {}", row.name, failure.reason));
        }
        let wrong: u64 = row.cells.iter().map(|cell| cell.wrong).sum();
        if wrong > 0 {
            lines.push(format!("- {}: {wrong} answers were errors and are not counted", row.name));
        }
        let shares: Vec<f64> = row.cells.iter().filter_map(|cell| cell.others_share).collect();
        let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
        if mean > OTHERS_SHARE_MAX {
            let percent = mean * 100.0;
            lines.push(format!(
                "- {}: other programs used {percent:.0} % of the machine meanwhile; trust its CPU figures above its rates",
                row.name
            ));
        }
    }
    if lines.is_empty() {
        return String::new();
    }
    format!("## What is missing or doubtful\n\n{}\n\n", lines.join("\n"))
}

fn method(figures: &Figures) -> String {
    let settings = &figures.settings;
    let connections: Vec<String> = settings.connections.iter().map(ToString::to_string).collect();
    let unsynced = figures.rows.iter().any(|row| row.keeping == Keeping::Unsynced);
    let unsynced = if unsynced {
        " A row marked \"no sync\" keeps files but answers before its data are safe on the disk (dynalite asks LevelDB \
         for no sync; what DynamoDB Local does is not documented), so its writes are not durable."
    } else {
        ""
    };
    format!(
        "## Method\n\n\
         One server runs at a time, on an empty folder, on the same machine as the load generator. Each gets three tables of {items} \
         items of about 1 KB: one with a partition key, one with ten items in each partition, one with two global indexes; Larder also one with a stream and recovery. \
         The generator is closed-loop: each of its connections (kept alive, HTTP/1.1) sends a request, waits for the whole answer, \
         checks status and length, and sends the next one, with random keys out of those loaded. Connections: {connections}. \
         Each figure comes from {seconds} s after {warm_up} s of warm-up; the generator has {threads} thread(s).\n\n\
         Server CPU is user and system time of the server's process tree, divided by the requests answered; client CPU is the \
         generator's own. Start is the median of five, from the spawn to the first answer to ListTables. Idle RSS is read before the \
         first table, loaded RSS after the last workload.\n\n\
         \"Disk\" means that every answered write is synced: Larder's default, and dynoxide's SQLite with a write-ahead log and full \
         synchronisation.{unsynced}\n\n\
         \"HTTP alone\" is hyper on tokio with two workers that reads the request and answers prepared bytes of the right size. \
         \"Store alone\" is Larder's store called by as many writers as there are connections, without HTTP, JSON or expressions; \
         puts come from blocking threads and from tasks on two workers, and the faster counts.\n\n\
         ## Machine\n\n\
         {machine}\n\n\
         ## Run it again\n\n\
         ```\nbench/run            # everything, about 20 minutes; writes this file\n\
         bench/run --quick    # one second for each figure; prints only\nbench/run --help\n```\n",
        items = whole(settings.items as f64),
        connections = connections.join(", "),
        seconds = settings.seconds,
        warm_up = settings.warm_up_seconds,
        threads = settings.client_threads,
        machine = machine_sentence(&figures.machine),
    )
}

/// The machine in two sentences.
pub(crate) fn machine_sentence(machine: &Machine) -> String {
    format!(
        "{}, {} cores, {:.0} GB, {}. A 4 KB append with a sync takes {} ms (median).",
        machine.processor,
        machine.cores,
        machine.memory_gb,
        machine.kernel,
        or_dash(machine.sync_ms, short),
    )
}

fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
