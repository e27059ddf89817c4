//! DeleteBackup: the backup is gone at once, its items go in the background.

use op::{BackupDescription, BackupStatus, DeleteBackup, Error, Kind, Output};

use super::{available, describe, is_read, not_found};
use crate::{Engine, Pending, internal};

pub(crate) fn run(engine: &Engine, request: &DeleteBackup) -> Pending {
    engine.read(delete(engine, &request.arn).map(|backup| Output::Backup(Box::new(backup))))
}

fn delete(engine: &Engine, arn: &str) -> Result<BackupDescription, Error> {
    let mut changes = engine.catalog.changes(&engine.store);
    let backup = engine.catalog.backup(arn).ok_or_else(|| not_found(arn))?;
    available(&backup)?;
    if is_read(engine, &backup) {
        return Err(Error::new(Kind::BackupInUse, format!("Backup is being restored: {arn}")));
    }
    changes.remove_backup(&backup).map_err(internal)?;
    let mut description = describe(&backup);
    description.details.status = BackupStatus::Deleted;
    Ok(description)
}
