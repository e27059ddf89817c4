//! Tables that were deleted and whose streams can still be read. Knows not for how long.

use std::sync::Arc;

use storage::{Batch, Error, Space};

use super::{CATALOG, Catalog, Changes, key_of, record, write};
use crate::catalog::Task;
use crate::schema::Table;

pub(super) const GONE: &[u8] = b"gone/";

impl Catalog {
    /// The last definitions of deleted tables whose logs are still there.
    pub(crate) fn gone(&self) -> Vec<Arc<Table>> {
        self.gone.read().values().cloned().collect()
    }

    /// All tables, also those that are deleted and whose logs are still there.
    pub(crate) fn here_and_gone(&self) -> Vec<Arc<Table>> {
        self.cells().into_iter().map(|cell| cell.table()).chain(self.gone()).collect()
    }

    /// Takes one in.
    pub(super) fn keep(&self, table: Table) {
        if let Some(log) = &table.log {
            self.gone.write().insert(log.space, Arc::new(table));
        }
    }
}

impl Changes<'_> {
    /// The log of a deleted table goes too.
    pub(crate) fn forget(&mut self, log: Space) -> Result<(), Error> {
        write(self.store, |batch| batch.delete(CATALOG, key_of(GONE, log)))?;
        self.catalog.gone.write().remove(&log);
        self.catalog.tasks.push(Task::Drop(log));
        Ok(())
    }
}

/// Notes in a batch that a deleted table's log stays.
pub(super) fn note(batch: &mut Batch, table: &Table) {
    if let Some(log) = &table.log {
        batch.put(CATALOG, key_of(GONE, log.space), record::encode(table));
    }
}
