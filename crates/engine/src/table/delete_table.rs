//! DeleteTable.

use op::{DeleteTable, Error, IndexStatus, Output, TableDescription, TableStatus};

use super::description::describe;
use super::life::{self, in_use, not_found, settled};
use crate::schema::Table;
use crate::{Engine, LifeCycle, Pending, internal};

pub(crate) fn run(engine: &Engine, request: &DeleteTable) -> Pending {
    engine.read(delete(engine, &request.name).map(|table| Output::TableChanged(Box::new(table))))
}

fn delete(engine: &Engine, name: &str) -> Result<TableDescription, Error> {
    let mut changes = engine.catalog.changes(&engine.store);
    let cell = engine.catalog.cell(name).ok_or_else(|| not_found(name))?;
    let mut table = cell.table().as_ref().clone();
    deletable(&table)?;
    table.status = TableStatus::Deleting;
    let now_ms = engine.env.now_ms();
    let answer = describe(&table, now_ms);
    match engine.life_cycle {
        LifeCycle::Immediate => changes.remove(&cell, table, &*engine.env, now_ms),
        LifeCycle::Realistic => {
            table.status_until_ms = Some(now_ms.saturating_add(life::DELETING_MS));
            changes.replace(&cell, table)
        }
    }
    .map_err(internal)?;
    Ok(answer)
}

fn deletable(table: &Table) -> Result<(), Error> {
    settled(table)?;
    if table.deletion_protection {
        return Err(Error::validation(
            "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.",
        ));
    }
    if table.global_indexes.iter().any(|index| index.status != IndexStatus::Active) {
        return Err(in_use("Cannot delete table while indexes are being created, updated, or deleted."));
    }
    if table.status == TableStatus::Updating {
        return Err(in_use(format_args!("Table: {} is in the process of being updated.", table.name)));
    }
    Ok(())
}
