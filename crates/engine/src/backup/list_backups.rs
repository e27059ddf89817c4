//! ListBackups.

use std::sync::Arc;

use op::{BackupSummary, Backups, ListBackups, Output};

use super::details;
use crate::Engine;
use crate::catalog::Backup;

pub(crate) fn run(engine: &Engine, request: &ListBackups) -> Output {
    let mut found = engine.catalog.backups();
    found.retain(|backup| wants(request, backup));
    let more = found.len() > request.limit;
    found.truncate(request.limit);
    let last = found.last().filter(|_| more).map(|backup| backup.arn.clone());
    Output::Backups(Backups { backups: found.iter().map(summary).collect(), last })
}

fn wants(request: &ListBackups, backup: &Backup) -> bool {
    request.start.as_ref().is_none_or(|start| backup.arn > *start)
        && request.table.as_ref().is_none_or(|table| backup.table.name == *table)
        && request.kind.is_none_or(|kind| backup.kind == kind)
        && request.from_ms.is_none_or(|from_ms| backup.created_ms >= from_ms)
        && request.before_ms.is_none_or(|before_ms| backup.created_ms < before_ms)
}

fn summary(backup: &Arc<Backup>) -> BackupSummary {
    BackupSummary {
        table: backup.table.name.clone(),
        table_id: backup.table.id.clone(),
        table_arn: backup.table.arn.clone(),
        details: details(backup),
    }
}
