//! What becomes of a copy that is complete: a table is active, a backup available, an export can be read.

use std::sync::Arc;

use op::BackupStatus;
use storage::Error;

use crate::catalog::{Backup, Copy, Ended, Figures, Purpose, Stage};
use crate::schema::{Stats, Table};
use crate::table::life;
use crate::{Engine, LifeCycle};

/// Ends a copy.
pub(super) fn end(engine: &Engine, copy: Copy) -> Result<(), Error> {
    let copy = Copy { stage: Stage::Finish, after: None, ..copy };
    let mut changes = engine.catalog.changes(&engine.store);
    let mut ended = Ended::default();
    match &copy.purpose {
        Purpose::Table(name) => {
            ended.table = engine.catalog.cell(name).map(|cell| {
                let table = complete(engine, cell.table().as_ref().clone(), &copy.figures);
                (cell, table)
            });
        }
        Purpose::Backup(arn) => {
            let figures = copy.figures.first().copied().unwrap_or_default();
            ended.backup = engine.catalog.backup(arn).map(|backup| Backup {
                status: BackupStatus::Available,
                figures,
                ..backup.as_ref().clone()
            });
        }
        Purpose::Export => {
            ended.copy = Some(Copy { stage: Stage::Ready, log: None, ..copy.clone() });
        }
    }
    changes.end(&copy, ended)?;
    drop(changes);
    if copy.purpose == Purpose::Export {
        engine.wake_jobs();
    }
    Ok(())
}

/// A restored table that has all its items. It is not active earlier than a new table would be.
fn complete(engine: &Engine, mut table: Table, figures: &[Figures]) -> Table {
    let mut stats = figures.iter().map(|figures| Arc::new(Stats::new(figures.items, figures.bytes)));
    table.stats = stats.next().unwrap_or_default();
    for index in table.local_indexes.iter_mut().chain(&mut table.global_indexes) {
        index.stats = stats.next().unwrap_or_default();
    }
    if let Some(restore) = &mut table.restore {
        restore.in_progress = false;
    }
    let least_ms = table.created_ms.saturating_add(life::CREATING_MS);
    match engine.life_cycle {
        LifeCycle::Realistic if least_ms > engine.env.now_ms() => table.status_until_ms = Some(least_ms),
        LifeCycle::Realistic | LifeCycle::Immediate => life::end(&mut table),
    }
    table
}
