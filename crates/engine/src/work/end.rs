//! Ends the states of tables whose time is over. Knows which state follows; `table::life` knows what it means.

use op::TableStatus;
use storage::Error;

use crate::Engine;
use crate::catalog::TableCell;
use crate::table::life;

/// Looks at all tables if the time of one of them has come.
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
    Ok(())
}

fn one(engine: &Engine, cell: &TableCell, now_ms: u64) -> Result<(), Error> {
    let mut changes = engine.catalog.changes(&engine.store);
    let mut table = cell.table().as_ref().clone();
    if table.status_until_ms.is_none_or(|at_ms| at_ms > now_ms) {
        return Ok(());
    }
    if table.status == TableStatus::Deleting {
        table.status_until_ms = None;
        return changes.remove(cell, table, now_ms);
    }
    life::end(&mut table);
    changes.replace(cell, table)
}
