//! CreateBackup: the backup is of this moment, and gets its items in the background.

use std::sync::Arc;

use op::{BackupDetails, BackupKind, BackupStatus, CreateBackup, Error, Kind, Output, TableStatus};

use super::{arn, details};
use crate::catalog::{Backup, Begin, Copy, Figures, Purpose, Task, own_place};
use crate::place::Place;
use crate::recovery::not_found;
use crate::schema::{Log, Table};
use crate::{Engine, Pending, internal};

pub(crate) fn run(engine: &Engine, request: CreateBackup) -> Pending {
    engine.read(create(engine, request).map(Output::BackupDetails))
}

fn create(engine: &Engine, request: CreateBackup) -> Result<BackupDetails, Error> {
    let mut changes = engine.catalog.changes(&engine.store);
    let cell = engine.catalog.cell(&request.table).ok_or_else(|| not_found(&request.table))?;
    let mut source = cell.table().as_ref().clone();
    ready(&source)?;
    let now_ms = engine.env.now_ms();
    let copied = source.clone();
    if source.log.is_none() {
        source.log = Some(Log::new(changes.space()));
    }
    let number = changes.number();
    let backup = Backup {
        arn: arn(&source, &*engine.env, now_ms),
        name: request.name,
        kind: BackupKind::User,
        status: BackupStatus::Creating,
        created_ms: now_ms,
        expiry_ms: None,
        table: Arc::new(copied),
        figures: Figures::default(),
        place: own_place(number),
    };
    let answer = details(&backup);
    let purpose = Purpose::Backup(backup.arn.clone());
    let copy = Copy::new(number, Place::whole(source.space), backup.place.clone(), purpose);
    let begin = Begin { source: Some((&cell, source)), table: None, backup: Some(backup), copy };
    let copy = changes.begin(begin, now_ms, |end| end).map_err(internal)?;
    drop(changes);
    engine.do_at_once(Task::Copy(Box::new(copy)));
    Ok(answer)
}

fn ready(table: &Table) -> Result<(), Error> {
    let state = match table.status {
        TableStatus::Active | TableStatus::Updating => return Ok(()),
        TableStatus::Creating => "created",
        TableStatus::Deleting => "deleted",
    };
    Err(Error::new(Kind::TableInUse, format!("Table is being {state}: {}", table.name)))
}
