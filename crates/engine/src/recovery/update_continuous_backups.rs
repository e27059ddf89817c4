//! UpdateContinuousBackups.

use op::{ContinuousBackups, Error, Output, TableStatus, UpdateContinuousBackups};

use super::{earliest_ms, not_found, window};
use crate::log::stamp_of;
use crate::schema::{Log, Recovery, Table};
use crate::{Engine, Pending, internal};

/// How far recovery reaches back if nobody says it.
const DAYS: u32 = 35;

pub(crate) fn run(engine: &Engine, request: &UpdateContinuousBackups) -> Pending {
    engine.read(update(engine, request).map(Output::ContinuousBackups))
}

fn update(engine: &Engine, request: &UpdateContinuousBackups) -> Result<ContinuousBackups, Error> {
    let mut changes = engine.catalog.changes(&engine.store);
    let cell = engine.catalog.cell(&request.table).ok_or_else(|| not_found(&request.table))?;
    let mut table = cell.table().as_ref().clone();
    ready(&table)?;
    let now_ms = engine.env.now_ms();
    let current = table.log.as_ref().and_then(|log| log.recovery);
    match (request.enabled, current) {
        (true, None) => {
            if table.log.is_none() {
                table.log = Some(Log::new(changes.space()));
            }
            let days = request.period_days.unwrap_or(DAYS);
            changes.replace_between(&cell, table, now_ms, &mut |table, since| {
                if let Some(log) = &mut table.log {
                    log.recovery = Some(Recovery { since, days });
                }
            })
        }
        (true, Some(recovery)) => {
            let days = request.period_days.unwrap_or(recovery.days);
            set(&mut table, Some(shifted(recovery, days, now_ms)));
            changes.replace(&cell, table)
        }
        (false, Some(_)) => {
            set(&mut table, None);
            changes.replace(&cell, table)
        }
        (false, None) => Ok(()),
    }
    .map_err(internal)?;
    Ok(window(&cell.table(), now_ms))
}

/// Recovery with another period. What lies before the shorter of both may be gone already, so a longer one reaches back
/// no further at first.
fn shifted(recovery: Recovery, days: u32, now_ms: u64) -> Recovery {
    let shorter = Recovery { days: days.min(recovery.days), ..recovery };
    let since = recovery.since.max(stamp_of(earliest_ms(shorter, now_ms)));
    Recovery { since: if days == recovery.days { recovery.since } else { since }, days }
}

/// Sets recovery of a table that has a log. A log that nobody needs goes.
fn set(table: &mut Table, recovery: Option<Recovery>) {
    table.log = table.log.take().and_then(|mut log| {
        log.recovery = recovery;
        log.is_needed().then_some(log)
    });
}

fn ready(table: &Table) -> Result<(), Error> {
    match table.status {
        TableStatus::Active | TableStatus::Updating | TableStatus::Deleting => Ok(()),
        // OBSERVED: a table that is being created is not there yet for backups.
        TableStatus::Creating => Err(not_found(&table.name)),
    }
}
