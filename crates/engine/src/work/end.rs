//! Ends the states of tables and the backups whose time is over. Knows which state follows; `table::life` knows what it means.

use op::TableStatus;
use storage::Error;

use crate::catalog::{Backup, TableCell};
use crate::table::life;
use crate::{Engine, backup};

/// How long a backup stays whose time is over and from which a table is being restored.
const PATIENCE_MS: u64 = 60_000;

/// Looks at all tables and backups if the time of one of them has come.
pub(super) fn all_due(engine: &Engine, now_ms: u64) -> Result<(), Error> {
    if !engine.catalog.tasks().take_due(now_ms) {
        return Ok(());
    }
    for cell in engine.catalog.cells() {
        match cell.table().status_until_ms {
            Some(at_ms) if at_ms <= now_ms => one(engine, &cell, now_ms)?,
            later => engine.catalog.tasks().due(later),
        }
    }
    for backup in engine.catalog.backups() {
        match backup.expiry_ms {
            Some(at_ms) if at_ms <= now_ms => expire(engine, &backup, now_ms)?,
            later => engine.catalog.tasks().due(later),
        }
    }
    Ok(())
}

fn expire(engine: &Engine, backup: &Backup, now_ms: u64) -> Result<(), Error> {
    let mut changes = engine.catalog.changes(&engine.store);
    if backup::is_read(engine, backup) {
        engine.catalog.tasks().due(Some(now_ms.saturating_add(PATIENCE_MS)));
        return Ok(());
    }
    if engine.catalog.backup(&backup.arn).is_none() {
        return Ok(());
    }
    changes.remove_backup(backup)
}

fn one(engine: &Engine, cell: &TableCell, now_ms: u64) -> Result<(), Error> {
    let mut changes = engine.catalog.changes(&engine.store);
    let mut table = cell.table().as_ref().clone();
    if table.status_until_ms.is_none_or(|at_ms| at_ms > now_ms) {
        return Ok(());
    }
    if table.status == TableStatus::Deleting {
        table.status_until_ms = None;
        return changes.remove(cell, table, &*engine.env, now_ms);
    }
    life::end(&mut table);
    changes.replace(cell, table)
}
