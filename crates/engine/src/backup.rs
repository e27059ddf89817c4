//! Backups: a table's items and definition, kept whatever becomes of the table. Knows how they are described and made of a
//! deleted table; `work::copy` makes the others.

pub(crate) mod create_backup;
pub(crate) mod delete_backup;
pub(crate) mod describe_backup;
pub(crate) mod list_backups;
pub(crate) mod restore_table_from_backup;

use std::sync::Arc;

use op::{
    BackupDescription, BackupDetails, BackupKind, BackupStatus, BillingMode, Error, Kind, SourceFeatures,
    SourceTable, TimeToLive, TtlStatus,
};

use crate::Engine;
use crate::catalog::{Backup, Figures, Stage};
use crate::env::Env;
use crate::place::Place;
use crate::recovery::{DAY_MS, restored};
use crate::schema::Table;

/// How long the backup of a deleted table is kept.
const SYSTEM_MS: u64 = 35 * DAY_MS;

/// The ARN of a backup that is made now.
fn arn(table: &Table, env: &dyn Env, now_ms: u64) -> String {
    format!("{}/backup/{now_ms:014}-{:08x}", table.arn, env.random() >> 32)
}

/// The backup that a table leaves behind when it is deleted, if recovery is on. It takes the table's items over.
pub(crate) fn of_deleted(table: &Table, env: &dyn Env, now_ms: u64) -> Option<Backup> {
    table.log.as_ref()?.recovery?;
    let (items, bytes) = table.stats.figures();
    Some(Backup {
        arn: arn(table, env, now_ms),
        name: format!("{}$DeletedTableBackup", table.name),
        kind: BackupKind::System,
        status: BackupStatus::Available,
        created_ms: now_ms,
        expiry_ms: Some(now_ms.saturating_add(SYSTEM_MS)),
        table: Arc::new(table.clone()),
        figures: Figures { items, bytes },
        place: Place::whole(table.space),
    })
}

/// A backup that is not there.
fn not_found(arn: &str) -> Error {
    Error::new(Kind::BackupNotFound, format!("Backup not found: {arn}"))
}

/// Refuses a backup that is not complete.
fn available(backup: &Backup) -> Result<(), Error> {
    match backup.status {
        BackupStatus::Available => Ok(()),
        BackupStatus::Creating | BackupStatus::Deleted => {
            Err(Error::new(Kind::BackupInUse, format!("Backup is being created: {}", backup.arn)))
        }
    }
}

/// Whether a table is being restored from a backup.
pub(crate) fn is_read(engine: &Engine, backup: &Backup) -> bool {
    engine.catalog.copies().iter().any(|copy| copy.from == backup.place && copy.stage != Stage::Ready)
}

fn details(backup: &Backup) -> BackupDetails {
    BackupDetails {
        arn: backup.arn.clone(),
        name: backup.name.clone(),
        size_bytes: Some(backup.figures.bytes),
        status: backup.status,
        kind: backup.kind,
        created_ms: backup.created_ms,
        expiry_ms: backup.expiry_ms,
    }
}

fn describe(backup: &Backup) -> BackupDescription {
    let table = &backup.table;
    let expires = table.ttl.status == TtlStatus::Enabled;
    BackupDescription {
        details: details(backup),
        source: SourceTable {
            name: table.name.clone(),
            id: table.id.clone(),
            arn: table.arn.clone(),
            size_bytes: backup.figures.bytes,
            item_count: backup.figures.items,
            key_schema: table.key.elements(),
            created_ms: table.created_ms,
            throughput: table.throughput.units,
            on_demand: table.on_demand,
            billing: table.billing.map_or(BillingMode::Provisioned, |billing| billing.mode),
        },
        features: SourceFeatures {
            local_indexes: table.local_indexes.iter().map(restored::spec).collect(),
            global_indexes: table.global_indexes.iter().map(restored::spec).collect(),
            stream: table.stream,
            expiry: expires
                .then(|| TimeToLive { status: table.ttl.status, attribute: table.ttl.attribute.clone() }),
            sse: table.sse.clone(),
        },
    }
}
