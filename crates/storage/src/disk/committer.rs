//! The one thread that writes. It takes all that is queued, writes it as one record of the log with one sync, and tells
//! everybody. Knows no transactions: their order is already decided.
//!
//! While it syncs, the next commits queue up; that is the whole group commit, and a lone writer waits for nobody. It waits
//! for no file but the log, unless memory tables pile up.

use super::Shared;
use super::keeper::Sealed;
use super::log::Log;
use super::queue::{Commit, Ordered, SpaceChange, Work};
use crate::error::Error;
use crate::store::Durability;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Relaxed commits reach the disk after this at the latest.
const RELAXED_SYNC: Duration = Duration::from_millis(100);
/// When no commit has come for so long, the log says that all of it is on the disk.
const MARK_PAUSE: Duration = Duration::from_millis(20);
/// A memory table of this size is written out, also when its slot of the log has room.
pub(super) const MEMTABLE_BYTES_MAX: u64 = 64 * 1024 * 1024;

struct Committer {
    shared: Arc<Shared>,
    log: Log,
    /// Since when the log holds what the disk does not have.
    unsynced: Option<Instant>,
    /// Whether the last record of the log is one of commits.
    is_unmarked: bool,
    /// Whether a slot was asked for that this one can be followed by.
    has_asked: bool,
}

pub(super) fn start(shared: Arc<Shared>, log: Log) -> Result<JoinHandle<()>, Error> {
    let mut committer = Committer { shared, log, unsynced: None, is_unmarked: false, has_asked: false };
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
            let work = self.shared.queue.take(self.patience());
            let is_done = matches!(work, Work::Done);
            if let Err(error) = self.carry_out(work) {
                self.fail(error);
            }
            if is_done {
                return;
            }
        }
    }

    fn carry_out(&mut self, work: Work) -> Result<(), Error> {
        if let Some(failure) = self.shared.queue.failure() {
            return match work {
                Work::Group(_) => Err(failure),
                Work::Idle | Work::Done => Ok(()),
            };
        }
        match work {
            Work::Group(group) => {
                self.write(&group)?;
                self.note_unsynced();
                self.sync_when_due()
            }
            Work::Idle => {
                self.sync_when_due()?;
                if self.unsynced.is_none() { self.mark() } else { Ok(()) }
            }
            Work::Done => {
                self.sync()?;
                self.mark()?;
                self.sync()
            }
        }
    }

    /// Makes a group durable and visible, in this order.
    fn write(&mut self, group: &[Commit]) -> Result<(), Error> {
        let Some(last) = group.last() else { return Ok(()) };
        let writes = newest_writes(group);
        let number = self.log_group(group, &writes)?;
        let shared = &*self.shared;
        let was_hot = shared.hot.begin(&writes);
        let active = shared.current.active();
        for Ordered { room, write, .. } in &writes {
            room.note_written(write.bytes() as u64);
            active.add(room.id(), write.key.bytes.clone(), write.value.clone(), number);
        }
        shared.current.show(number);
        shared.hot.end(&writes, &was_hot);
        // INVARIANT: pending values go before waiters wake, so that a space dropped after its last commit leaves none.
        for commit in group {
            for ordered in &commit.writes {
                if let Some(stripe) = ordered.stripe {
                    shared.stripes.settle(stripe, &ordered.write.key, commit.ticket);
                }
            }
            match &commit.space_change {
                Some(SpaceChange::Create(space, room)) => shared.rooms.insert(*space, Arc::clone(room)),
                Some(SpaceChange::Drop(space, _)) => shared.rooms.remove(*space),
                None => {}
            }
        }
        shared.progress.advance(last.ticket);
        shared.free.committed(group.iter().map(|commit| commit.bytes as u64).sum());
        if self.log.is_half_full() && !self.has_asked {
            self.has_asked = true;
            shared.keeper.ask_for_slot();
        }
        if active.bytes() > MEMTABLE_BYTES_MAX {
            self.seal()?;
        }
        Ok(())
    }

    /// Puts a group into the log; answers the number of its record.
    fn log_group(&mut self, group: &[Commit], writes: &[&Ordered]) -> Result<u64, Error> {
        self.log.begin();
        for Ordered { room, write, .. } in writes {
            match &write.value {
                Some(value) => self.log.put(room.id(), &write.key.bytes, value),
                None => self.log.delete(room.id(), &write.key.bytes),
            }
        }
        for commit in group {
            match &commit.space_change {
                Some(SpaceChange::Create(space, room)) => self.log.create(space.0, room.id()),
                Some(SpaceChange::Drop(_, room)) => self.log.drop_room(room.id()),
                None => {}
            }
        }
        if !self.log.has_room() {
            self.seal()?;
        }
        let number = self.log.write()?;
        // The files of a space that is dropped go at once, so that must be certain.
        let changes_spaces = group.iter().any(|commit| commit.space_change.is_some());
        if self.shared.durability == Durability::Sync || changes_spaces {
            self.log.sync()?;
        }
        self.is_unmarked = true;
        Ok(number)
    }

    /// Hands the memory table with its slot of the log to the keeper, and goes on with new ones.
    fn seal(&mut self) -> Result<(), Error> {
        let shared = &*self.shared;
        shared.keeper.await_room(&shared.current)?;
        let slot = self.log.go_on_in(shared.slots.take()?)?;
        self.unsynced = None;
        self.has_asked = false;
        let last = self.log.last();
        shared.keeper.hand_over(Sealed { memtable: shared.current.seal(), slot, last });
        Ok(())
    }

    /// How long to wait for commits before something else is due.
    fn patience(&self) -> Option<Duration> {
        let until_sync = self.unsynced.map(|since| RELAXED_SYNC.saturating_sub(since.elapsed()));
        until_sync.or_else(|| self.is_unmarked.then_some(MARK_PAUSE))
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
            Some(since) if since.elapsed() >= RELAXED_SYNC => self.sync(),
            Some(_) | None => Ok(()),
        }
    }

    fn sync(&mut self) -> Result<(), Error> {
        self.unsynced = None;
        self.log.sync()
    }

    fn mark(&mut self) -> Result<(), Error> {
        if self.is_unmarked {
            self.is_unmarked = false;
            let number = self.log.mark()?;
            self.shared.current.show(number);
        }
        Ok(())
    }

    /// A commit that may or may not be on the disk: nothing can be promised from here on.
    fn fail(&mut self, error: Error) {
        // Nothing is due any more, so it sleeps until the store is closed.
        self.unsynced = None;
        self.is_unmarked = false;
        let failure = match error {
            Error::Failed { .. } => error,
            Error::Locked { .. }
            | Error::NewerFormat { .. }
            | Error::OlderFormat { .. }
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

/// The writes of a group without those that a later write of the same key replaces: nobody ever sees them.
fn newest_writes(group: &[Commit]) -> Vec<&Ordered> {
    let all = group.iter().rev().flat_map(|commit| commit.writes.iter().rev());
    let mut seen: HashSet<(u64, &[u8])> = HashSet::new();
    all.filter(|ordered| seen.insert((ordered.room.id(), &ordered.write.key.bytes))).collect()
}
