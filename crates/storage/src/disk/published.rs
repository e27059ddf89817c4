//! The view that all reads have: the state after the last whole commit. Knows no keys.
//!
//! OBSERVED: fjall 3.1.13 gives a number to each batch and to each change of its files, and shows snapshots all up to the
//! last number that is done. A memory table that is written out, or files that are merged, while a batch is on its way
//! into the memory tables make the part of it visible that is there already. So readers do not take snapshots: the
//! committer takes one when no batch is on its way, and hands it to all.

use fjall::{Database, Snapshot};
use parking_lot::RwLock;
use std::sync::Arc;

pub(super) struct Published(RwLock<Arc<Snapshot>>);

impl Published {
    /// What is there at the start.
    pub(super) fn new(db: &Database) -> Published {
        Published(RwLock::new(Arc::new(db.snapshot())))
    }

    /// The state after the last whole commit.
    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.0.read())
    }

    /// Shows everybody what is there now. Only the committer may call this, between two batches.
    pub(super) fn renew(&self, db: &Database) {
        let snapshot = Arc::new(db.snapshot());
        let before = std::mem::replace(&mut *self.0.write(), snapshot);
        // Letting go of a snapshot may tidy up the engine's list of them, which nobody who reads should wait for.
        drop(before);
    }
}
