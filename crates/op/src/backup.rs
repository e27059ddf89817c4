//! Operations on backups, and how a backup is described.

use crate::{
    BillingMode, IndexSpec, KeyElement, OnDemand, RestoreOverrides, SseStatus, StreamSpec, Throughput,
    TimeToLive,
};

/// Keeps a table as it is now.
#[derive(Debug, Clone)]
pub struct CreateBackup {
    /// The table's plain name.
    pub table: String,
    /// The backup's name, which need not be unique.
    pub name: String,
}

/// Asks what a backup is like.
#[derive(Debug, Clone)]
pub struct DescribeBackup {
    /// The backup's ARN.
    pub arn: String,
}

/// Removes a backup.
#[derive(Debug, Clone)]
pub struct DeleteBackup {
    /// The backup's ARN.
    pub arn: String,
}

/// Lists backups, of one table or of all.
#[derive(Debug, Clone)]
pub struct ListBackups {
    /// The table's plain name; none for all tables.
    pub table: Option<String>,
    /// How many backups.
    pub limit: usize,
    /// Only those made at or after this time, milliseconds since 1970.
    pub from_ms: Option<u64>,
    /// Only those made before this time, milliseconds since 1970.
    pub before_ms: Option<u64>,
    /// The ARN of the backup after which to go on.
    pub start: Option<String>,
    /// Only those of this kind; none for all kinds.
    pub kind: Option<BackupKind>,
}

/// Makes a new table of a backup.
#[derive(Debug, Clone)]
pub struct RestoreTableFromBackup {
    /// The backup's ARN.
    pub backup: String,
    /// The new table's name.
    pub target: String,
    /// Settings that are not the backup's.
    pub overrides: RestoreOverrides,
}

/// The answer of ListBackups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Backups {
    /// The backups.
    pub backups: Vec<BackupSummary>,
    /// The ARN of the last one, if there are more.
    pub last: Option<String>,
}

/// A backup as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupSummary {
    /// The source table's plain name.
    pub table: String,
    /// The source table's id.
    pub table_id: String,
    /// The source table's ARN.
    pub table_arn: String,
    /// The backup itself.
    pub details: BackupDetails,
}

/// A backup by itself, which is the answer of CreateBackup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupDetails {
    /// Its ARN.
    pub arn: String,
    /// Its name.
    pub name: String,
    /// Its size.
    pub size_bytes: Option<u64>,
    /// Its state.
    pub status: BackupStatus,
    /// Who made it.
    pub kind: BackupKind,
    /// When it was made, milliseconds since 1970.
    pub created_ms: u64,
    /// When it goes by itself, milliseconds since 1970.
    pub expiry_ms: Option<u64>,
}

/// States of a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the state of its name")]
pub enum BackupStatus {
    Creating,
    Deleted,
    Available,
}

/// Who made a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackupKind {
    /// Somebody, by CreateBackup.
    User,
    /// The service, when a table with recovery was deleted.
    System,
    /// Another service of the account.
    AwsBackup,
}

/// The answer of DescribeBackup and DeleteBackup.
#[derive(Debug, Clone, PartialEq)]
pub struct BackupDescription {
    /// The backup itself.
    pub details: BackupDetails,
    /// The table it was made of.
    pub source: SourceTable,
    /// What that table had besides.
    pub features: SourceFeatures,
}

/// The table a backup was made of, as it was then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceTable {
    /// Its plain name.
    pub name: String,
    /// Its id.
    pub id: String,
    /// Its ARN.
    pub arn: String,
    /// Size of its items.
    pub size_bytes: u64,
    /// How many items it had.
    pub item_count: u64,
    /// Its primary key.
    pub key_schema: Vec<KeyElement>,
    /// When it was made, milliseconds since 1970.
    pub created_ms: u64,
    /// Provisioned units; zeros on demand.
    pub throughput: Throughput,
    /// Bounds of units on demand.
    pub on_demand: Option<OnDemand>,
    /// How it was billed.
    pub billing: BillingMode,
}

/// What a backed up table had besides its items.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SourceFeatures {
    /// Local indexes.
    pub local_indexes: Vec<IndexSpec>,
    /// Global indexes.
    pub global_indexes: Vec<IndexSpec>,
    /// Its stream.
    pub stream: Option<StreamSpec>,
    /// How items expired.
    pub expiry: Option<TimeToLive>,
    /// Its encryption, if not the service's own key.
    pub sse: Option<SseStatus>,
}
