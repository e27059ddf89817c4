//! What was measured, as plain data: written to and read from JSON, and the base of the report.
//!
//! No figure is computed here, only kept.

use serde::{Deserialize, Serialize};

/// A whole run.
#[derive(Serialize, Deserialize)]
pub(crate) struct Figures {
    /// When the run started.
    pub(crate) date: String,
    /// On what.
    pub(crate) machine: Machine,
    /// With which settings.
    pub(crate) settings: Settings,
    /// One row for each server and way of keeping data.
    pub(crate) rows: Vec<Row>,
}

/// The machine under all rows.
#[derive(Serialize, Deserialize)]
pub(crate) struct Machine {
    /// The processor's name.
    pub(crate) processor: String,
    /// Cores that this process may use.
    pub(crate) cores: usize,
    /// Memory in gigabytes.
    pub(crate) memory_gb: f64,
    /// The kernel's release.
    pub(crate) kernel: String,
    /// Median time in milliseconds to append 4 KB to a file and sync it.
    pub(crate) sync_ms: Option<f64>,
}

/// The settings of a run.
#[derive(Serialize, Deserialize)]
pub(crate) struct Settings {
    /// Items in each table.
    pub(crate) items: u64,
    /// Length of one measurement.
    pub(crate) seconds: f64,
    /// Unmeasured time before each.
    pub(crate) warm_up_seconds: f64,
    /// Threads of the load generator.
    pub(crate) client_threads: usize,
    /// Numbers of connections.
    pub(crate) connections: Vec<usize>,
}

/// What a row is for.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// The database under test.
    Larder,
    /// Another one.
    Peer,
    /// A part of Larder's stack without the database.
    Floor,
}

/// Where a row keeps its data.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Keeping {
    /// In files, and every answered write is synced.
    Synced,
    /// In files, and a power cut may take answered writes.
    Unsynced,
    /// In memory only.
    Memory,
    /// There are no data.
    Nothing,
}

/// All figures of one server.
#[derive(Serialize, Deserialize, Clone)]
pub(crate) struct Row {
    /// The name in the tables.
    pub(crate) name: String,
    /// The version that was measured.
    pub(crate) version: String,
    /// What it is for.
    pub(crate) role: Role,
    /// Where it keeps data.
    pub(crate) keeping: Keeping,
    /// Milliseconds from the spawn to the first answer, the median of several starts on an empty folder.
    pub(crate) start_ms: Option<f64>,
    /// Resident megabytes before the first table.
    pub(crate) rss_idle_mb: Option<f64>,
    /// Resident megabytes after all workloads.
    pub(crate) rss_loaded_mb: Option<f64>,
    /// The measurements.
    pub(crate) cells: Vec<Cell>,
    /// What could not be measured.
    pub(crate) failures: Vec<Failure>,
}

/// One workload with one number of connections.
#[derive(Serialize, Deserialize, Clone)]
pub(crate) struct Cell {
    /// The operation.
    pub(crate) workload: String,
    /// Connections, each with one request under way.
    pub(crate) connections: usize,
    /// Answers in the measured time.
    pub(crate) requests: u64,
    /// The measured time.
    pub(crate) seconds: f64,
    /// Answers for each second.
    pub(crate) requests_per_second: f64,
    /// Half of the answers came within this.
    pub(crate) p50_ms: f64,
    /// All but one in a hundred came within this.
    pub(crate) p99_ms: f64,
    /// Processor time of the server's process tree for one request.
    pub(crate) server_cpu_us: Option<f64>,
    /// Processor time of the load generator for one request.
    pub(crate) client_cpu_us: Option<f64>,
    /// The part of the machine that neither of the two used but somebody did, from 0 to 1.
    pub(crate) others_share: Option<f64>,
    /// Answers that were not what was asked for.
    pub(crate) wrong: u64,
}

/// Why a figure is missing.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The workload; none when the whole row is missing.
    pub(crate) workload: Option<String>,
    /// The reason in words.
    pub(crate) reason: String,
}

/// One workload at a fixed rate.
#[derive(Serialize, Deserialize, Clone)]
pub(crate) struct Paced {
    /// The server's name in the tables.
    pub(crate) server: String,
    /// The operation.
    pub(crate) workload: String,
    /// Connections, each with a schedule of its own.
    pub(crate) connections: usize,
    /// Requests that were due in each second.
    pub(crate) rate: f64,
    /// Answers in the measured time.
    pub(crate) requests: u64,
    /// Percents of all answers, and the milliseconds from the moment a request was due within which they came.
    pub(crate) percentiles_ms: Vec<(f64, f64)>,
    /// The same from the moment a request was sent.
    #[serde(default)]
    pub(crate) sent_percentiles_ms: Vec<(f64, f64)>,
    /// One in a hundred requests that need no time at all would have waited longer than this on the machine itself.
    #[serde(default)]
    pub(crate) stall_p99_ms: Option<f64>,
    /// The part of the machine that its host gave to somebody else meanwhile, from 0 to 1.
    #[serde(default)]
    pub(crate) stolen_share: Option<f64>,
    /// How late the generator itself began all but one in a hundred.
    pub(crate) late_p99_ms: f64,
    /// The part of the requests whose connection was free when they fell due, from 0 to 1.
    pub(crate) free_share: f64,
}

impl Paced {
    /// The milliseconds within which so many percent of the answers came.
    pub(crate) fn percentile(&self, percent: f64) -> Option<f64> {
        at(&self.percentiles_ms, percent)
    }

    /// The same from the moment they were sent.
    pub(crate) fn sent_percentile(&self, percent: f64) -> Option<f64> {
        at(&self.sent_percentiles_ms, percent)
    }

    /// The slowest of a hundred beside the middle one.
    pub(crate) fn tail(&self) -> Option<f64> {
        Some(self.percentile(99.0)? / self.percentile(50.0)?)
    }

    /// The same from the moment they were sent.
    pub(crate) fn sent_tail(&self) -> Option<f64> {
        Some(self.sent_percentile(99.0)? / self.sent_percentile(50.0)?)
    }
}

fn at(percentiles_ms: &[(f64, f64)], percent: f64) -> Option<f64> {
    let found = percentiles_ms.iter().find(|(part, _)| (part - percent).abs() < 1e-9);
    found.map(|(_, milliseconds)| *milliseconds)
}

/// Several rounds of what the bar asks for.
#[derive(Serialize, Deserialize)]
pub(crate) struct Bars {
    /// When the run started.
    pub(crate) date: String,
    /// On what.
    pub(crate) machine: Machine,
    /// With which settings.
    pub(crate) settings: Settings,
    /// All servers were measured in each of them.
    pub(crate) rounds: Vec<Round>,
}

/// One round: every server once.
#[derive(Serialize, Deserialize, Default)]
pub(crate) struct Round {
    /// The servers.
    pub(crate) rows: Vec<Row>,
    /// What was measured at a fixed rate.
    pub(crate) paced: Vec<Paced>,
    /// Puts of Larder and of its store, in turns.
    #[serde(default)]
    pub(crate) turns: Vec<Turn>,
}

/// Durable puts in each second, right after each other.
#[derive(Serialize, Deserialize, Clone, Copy, Default)]
pub(crate) struct Turn {
    /// Of Larder.
    pub(crate) larder: f64,
    /// Of the store alone, written by threads.
    pub(crate) by_threads: f64,
    /// Of the store alone, written by tasks.
    pub(crate) by_tasks: f64,
}

/// Larder as its table grows and as connections are added.
#[derive(Serialize, Deserialize)]
pub(crate) struct Growth {
    /// When the run started.
    pub(crate) date: String,
    /// The version that was measured.
    pub(crate) version: String,
    /// On what.
    pub(crate) machine: Machine,
    /// With which settings; its items are those of the table whose connections vary.
    pub(crate) settings: Settings,
    /// How many times each size was measured; the middle one counts.
    pub(crate) rounds: usize,
    /// Each size.
    pub(crate) sizes: Vec<Size>,
    /// Each number of connections, at one size.
    pub(crate) connections: Vec<Cell>,
    /// What could not be measured.
    pub(crate) failures: Vec<Failure>,
}

/// The table at one size.
#[derive(Serialize, Deserialize)]
pub(crate) struct Size {
    /// Items in the table.
    pub(crate) items: u64,
    /// Items added for each second of the load that led here.
    pub(crate) loaded_per_second: f64,
    /// Seconds until the server was idle after the load.
    pub(crate) settled_seconds: f64,
    /// Resident megabytes after that.
    pub(crate) rss_mb: Option<f64>,
    /// Resident megabytes after the measurements of this size.
    pub(crate) rss_after_mb: Option<f64>,
    /// Bytes on the disk after the load has settled.
    pub(crate) disk_bytes: u64,
    /// The four workloads.
    pub(crate) cells: Vec<Cell>,
}
