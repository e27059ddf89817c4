//! RestoreTableFromBackup: the new table is there at once and gets its items in the background.

use op::{Error, Kind, Output, RestoreSummary, RestoreTableFromBackup, TableDescription};

use super::{available, is_read, not_found};
use crate::catalog::{Begin, Copy, Purpose, Task};
use crate::place::Place;
use crate::recovery::{free, restored};
use crate::table::description::describe;
use crate::{Engine, Pending, internal};

pub(crate) fn run(engine: &Engine, request: RestoreTableFromBackup) -> Pending {
    engine.read(restore(engine, request).map(|table| Output::TableChanged(Box::new(table))))
}

fn restore(engine: &Engine, request: RestoreTableFromBackup) -> Result<TableDescription, Error> {
    let mut changes = engine.catalog.changes(&engine.store);
    let backup = engine.catalog.backup(&request.backup).ok_or_else(|| not_found(&request.backup))?;
    available(&backup)?;
    if is_read(engine, &backup) {
        let message = format!("Backup is being used to restore another table: {}", backup.arn);
        return Err(Error::new(Kind::BackupInUse, message));
    }
    free(engine, &request.target)?;
    let summary = RestoreSummary {
        backup_arn: Some(backup.arn.clone()),
        table_arn: Some(backup.table.arn.clone()),
        time_ms: backup.created_ms,
        in_progress: true,
    };
    let table =
        restored::define(engine, &mut changes, &backup.table, request.target, &request.overrides, summary)?;
    let now_ms = engine.env.now_ms();
    let answer = restored::answer(describe(&table, now_ms));
    let purpose = Purpose::Table(table.name.clone());
    let copy = Copy::new(changes.number(), backup.place.clone(), Place::whole(table.space), purpose);
    let begin = Begin { source: None, table: Some(table), backup: None, copy };
    let copy = changes.begin(begin, now_ms, |end| end).map_err(internal)?;
    drop(changes);
    engine.do_at_once(Task::Copy(Box::new(copy)));
    Ok(answer)
}
