//! The one thread that writes. It takes all that is queued, writes it as one batch with one sync, and tells everybody.
//! Knows no transactions: their order is already decided.
//!
//! While it syncs, the next commits queue up; that is the whole group commit, and a lone writer waits for nobody.

use super::Shared;
use super::failure::{guarded, translate};
use super::memtables::Memtables;
use super::queue::{Commit, Ordered, Work};
use super::room::Room;
use crate::error::Error;
use crate::store::Durability;
use fjall::{OwnedWriteBatch, PersistMode};
use std::collections::{BTreeMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Relaxed commits reach the disk after this at the latest.
const RELAXED_SYNC: Duration = Duration::from_millis(100);
/// A view keeps files alive that were merged into others since. Where no commits come, it is renewed after this.
const RENEWAL: Duration = Duration::from_secs(2);
/// So often: merging may go on for a while after the last commit.
const RENEWALS: u8 = 30;

struct Committer {
    shared: Arc<Shared>,
    /// Since when the journal holds what the disk does not have.
    unsynced: Option<Instant>,
    memtables: Memtables,
    /// How often the view that reads have is still to be renewed after the last commit.
    renewals: u8,
}

pub(super) fn start(shared: Arc<Shared>) -> Result<JoinHandle<()>, Error> {
    let mut committer = Committer { shared, unsynced: None, memtables: Memtables::default(), renewals: 0 };
    thread::Builder::new()
        .name("committer".into())
        .spawn(move || {
            // A panic is a bug of ours, but it must not leave anybody waiting for ever.
            if catch_unwind(AssertUnwindSafe(|| committer.run())).is_err() {
                committer.fail(Error::Failed { detail: "the committer ended in a panic".into() });
            }
        })
        .map_err(|error| Error::io("start the committer", error))
}

impl Committer {
    fn run(&mut self) {
        loop {
            let outcome = match self.shared.queue.take(self.patience()) {
                Work::Group(group) => self.write(&group).and_then(|()| {
                    self.note_unsynced();
                    self.sync_when_due()
                }),
                Work::Idle => {
                    self.memtables.go_on(&self.shared);
                    self.shared.published.renew(&self.shared.db);
                    self.renewals = self.renewals.saturating_sub(1);
                    self.sync_when_due()
                }
                Work::Done => {
                    if let Err(error) = self.sync(PersistMode::SyncAll) {
                        self.fail(error);
                    }
                    return;
                }
            };
            if let Err(error) = outcome {
                self.fail(error);
            }
        }
    }

    /// Makes a group durable and visible, in this order.
    fn write(&mut self, group: &[Commit]) -> Result<(), Error> {
        let Some(last) = group.last() else { return Ok(()) };
        self.renewals = RENEWALS;
        if let Some(failure) = self.shared.queue.failure() {
            return Err(failure);
        }
        let shared = &*self.shared;
        let writes = newest_writes(group);
        let rooms = rooms_of(&writes);
        Memtables::make_way(shared, &rooms)?;
        let was_hot = shared.hot.begin(&writes);
        if let Err(error) = self.commit(&writes) {
            shared.hot.abandon(&writes);
            return Err(error);
        }
        shared.published.renew(&shared.db);
        shared.hot.end(&writes, &was_hot);
        // INVARIANT: pending values go before waiters wake, so that a space dropped after its last commit leaves none.
        for commit in group {
            for ordered in &commit.writes {
                if let Some(stripe) = ordered.stripe {
                    shared.stripes.settle(stripe, &ordered.write.key, commit.ticket);
                }
            }
        }
        shared.progress.advance(last.ticket);
        let bytes: usize = group.iter().map(|commit| commit.bytes).sum();
        self.memtables.after_commit(shared, &rooms, bytes as u64);
        shared.free.committed(bytes as u64);
        Ok(())
    }

    /// OBSERVED: fjall 3.1.13 writes a batch to the journal, then syncs it as asked, then changes its memory tables, and
    /// makes the batch visible to snapshots last. Nothing can be read that is not on the disk.
    fn commit(&self, writes: &[&Ordered]) -> Result<(), Error> {
        let shared = &*self.shared;
        let mode = match shared.durability {
            Durability::Sync => PersistMode::SyncData,
            Durability::Relaxed => PersistMode::Buffer,
        };
        let mut batch =
            OwnedWriteBatch::with_capacity(shared.db.clone(), writes.len()).durability(Some(mode));
        for Ordered { room, write, .. } in writes {
            match &write.value {
                Some(value) => batch.insert(room.keyspace(), write.key.bytes.clone(), value.clone()),
                None => batch.remove(room.keyspace(), write.key.bytes.clone()),
            }
        }
        let place = shared.folder.data();
        guarded(place, || batch.commit().map_err(|error| translate(error, place, "commit")))
    }

    /// How long to wait for commits before something else is due.
    fn patience(&self) -> Option<Duration> {
        let until_sync = self.unsynced.map(|since| RELAXED_SYNC.saturating_sub(since.elapsed()));
        let until_renewal = (self.renewals > 0).then_some(RENEWAL);
        [until_sync, until_renewal, self.memtables.patience()].into_iter().flatten().min()
    }

    /// A relaxed commit has been made.
    fn note_unsynced(&mut self) {
        if self.shared.durability == Durability::Relaxed {
            #[expect(
                clippy::disallowed_methods,
                reason = "how long the disk lags behind is no matter of the users' clock"
            )]
            self.unsynced.get_or_insert_with(Instant::now);
        }
    }

    fn sync_when_due(&mut self) -> Result<(), Error> {
        match self.unsynced {
            Some(since) if since.elapsed() >= RELAXED_SYNC => self.sync(PersistMode::SyncData),
            Some(_) | None => Ok(()),
        }
    }

    fn sync(&mut self, mode: PersistMode) -> Result<(), Error> {
        self.unsynced = None;
        if self.shared.queue.failure().is_some() {
            return Ok(());
        }
        let place = self.shared.folder.data();
        self.shared.db.persist(mode).map_err(|error| translate(error, place, "sync the journal"))
    }

    /// A commit that may or may not be on the disk: nothing can be promised from here on.
    fn fail(&self, error: Error) {
        let failure = match error {
            Error::Failed { .. } => error,
            Error::Locked { .. }
            | Error::NewerFormat { .. }
            | Error::Unwritable { .. }
            | Error::Corrupt { .. }
            | Error::Io { .. }
            | Error::Closed
            | Error::TooManySpaces { .. }
            | Error::NoSpace { .. } => Error::Failed { detail: error.to_string().into() },
        };
        if self.shared.queue.failure().is_none() {
            tracing::error!(error = %failure, "a commit failed: writes are refused until the next start, reads go on");
        }
        self.shared.queue.fail(failure.clone());
        self.shared.progress.fail(failure);
    }
}

/// The writes of a group without those that a later write of the same key replaces: all of a batch have one sequence
/// number in the engine, so a key may be in it once.
fn newest_writes(group: &[Commit]) -> Vec<&Ordered> {
    let all = group.iter().rev().flat_map(|commit| commit.writes.iter().rev());
    let mut seen: HashSet<(u64, &[u8])> = HashSet::new();
    all.filter(|ordered| seen.insert((ordered.room.generation(), &ordered.write.key.bytes))).collect()
}

/// The rooms that some writes go to, each once.
fn rooms_of(writes: &[&Ordered]) -> Vec<Arc<Room>> {
    let rooms: BTreeMap<u64, &Arc<Room>> =
        writes.iter().map(|ordered| (ordered.room.generation(), &ordered.room)).collect();
    rooms.into_values().cloned().collect()
}
