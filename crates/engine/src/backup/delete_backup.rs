//! DeleteBackup: the backup is gone at once, its items go in the background.

use op::{BackupDescription, BackupKind, BackupStatus, DeleteBackup, Error, Kind, Output};

use super::{available, describe, is_read, not_found};
use crate::table::definition;
use crate::{Engine, Pending, internal};

pub(crate) fn run(engine: &Engine, request: &DeleteBackup) -> Pending {
    engine.read(delete(engine, &request.arn).map(|backup| Output::Backup(Box::new(backup))))
}

fn delete(engine: &Engine, arn: &str) -> Result<BackupDescription, Error> {
    let mut changes = engine.catalog.changes(&engine.store);
    let backup = engine.catalog.backup(arn).ok_or_else(|| not_found(arn))?;
    available(&backup)?;
    if backup.kind == BackupKind::System {
        let until = backup.expiry_ms.map(definition::second).unwrap_or_default();
        return Err(Error::new(
            Kind::Validation,
            format!(
                "Invalid Request: User is not allowed to delete the system backup with arn {arn}. It will \
                 automatically expire on {until}"
            ),
        ));
    }
    if is_read(engine, &backup) {
        return Err(Error::new(Kind::BackupInUse, format!("Backup is being used to restore table: {arn}")));
    }
    changes.remove_backup(&backup).map_err(internal)?;
    let mut description = describe(&backup);
    description.details.status = BackupStatus::Deleted;
    Ok(description)
}
