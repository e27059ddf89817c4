//! Operations on recovery to a point in time, and what every restored table may have instead of its source's settings.

use crate::{BillingMode, IndexSpec, OnDemand, SseSpec, Throughput};

/// Asks whether recovery to a point in time is on.
#[derive(Debug, Clone)]
pub struct DescribeContinuousBackups {
    /// The table's plain name.
    pub table: String,
}

/// Turns recovery to a point in time on or off, or changes its period.
#[derive(Debug, Clone)]
pub struct UpdateContinuousBackups {
    /// The table's plain name.
    pub table: String,
    /// Whether it is to be on.
    pub enabled: bool,
    /// How many days it is to reach back, 1 to 35; none leaves it as it is, or at 35.
    pub period_days: Option<u32>,
}

/// The answer of DescribeContinuousBackups and UpdateContinuousBackups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ContinuousBackups {
    /// The window of recovery, if it is on.
    pub recovery: Option<RecoveryWindow>,
}

/// How far recovery reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveryWindow {
    /// How many days it may reach back.
    pub period_days: u32,
    /// The earliest time, milliseconds since 1970; none while there is none yet.
    pub earliest_ms: Option<u64>,
    /// The latest time, milliseconds since 1970; none while there is none yet.
    pub latest_ms: Option<u64>,
}

/// Makes a new table of what a table was at a time.
#[derive(Debug, Clone)]
pub struct RestoreTableToPointInTime {
    /// The plain name of the table that was.
    pub source: String,
    /// The new table's name.
    pub target: String,
    /// The time, milliseconds since 1970; none for the latest there is.
    pub time_ms: Option<u64>,
    /// Settings that are not the source's.
    pub overrides: RestoreOverrides,
}

/// What a restored table has instead of its source's settings. Absent fields are as in the source.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RestoreOverrides {
    /// How it is billed.
    pub billing: Option<BillingMode>,
    /// Which of the global indexes it has; empty for none of them.
    pub global_indexes: Option<Vec<IndexSpec>>,
    /// Which of the local indexes it has; empty for none of them.
    pub local_indexes: Option<Vec<IndexSpec>>,
    /// Provisioned units.
    pub throughput: Option<Throughput>,
    /// Bounds of units on demand.
    pub on_demand: Option<OnDemand>,
    /// Its encryption.
    pub sse: Option<SseSpec>,
}

/// Where a restored table came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreSummary {
    /// The backup's ARN, if it came from one.
    pub backup_arn: Option<String>,
    /// The source table's ARN.
    pub table_arn: Option<String>,
    /// The time it was restored to, milliseconds since 1970.
    pub time_ms: u64,
    /// Whether it is still being filled.
    pub in_progress: bool,
}
