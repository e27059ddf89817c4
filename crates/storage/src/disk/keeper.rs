//! The threads behind the committer: one writes memory tables out to files, one merges files, one removes files. Knows no
//! commits.

mod filing;
mod merging;

use super::Shared;
use super::layers::Current;
use super::log::Slot;
use super::memtable::Memtable;
use super::room::Room;
use super::sorted::{Sorted, Sorter};
use crate::error::Error;
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// So many memory tables may wait to be written out before commits wait.
const SEALED_MAX: usize = 2;
/// A disk that failed may be better later.
const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// What is written out must not fall behind by that, only wait its turn.
#[cfg(target_os = "linux")]
const PRIORITY_STEP: i32 = 5;
/// Nothing is written out for so long on a disk that still works.
const BEHIND_MAX: Duration = Duration::from_secs(300);

/// A memory table that takes no more commits, and the slot of the log that holds the same.
pub(super) struct Sealed {
    pub(super) memtable: Arc<Memtable>,
    pub(super) slot: Slot,
    /// The last record of it.
    pub(super) last: u64,
}

/// What is asked of the two threads.
#[derive(Default)]
pub(super) struct Keeper {
    state: Mutex<State>,
    asked: Condvar,
    /// Rung when something of a memory table was written out.
    filed: Condvar,
    /// Rung when files were merged.
    merged: Condvar,
    /// Held from a look at files until the look is what readers have.
    looking: Mutex<()>,
}

#[derive(Default)]
struct State {
    sealed: VecDeque<Sealed>,
    wants_slot: bool,
    /// Rooms that are gone and may have files.
    removals: Vec<Arc<Room>>,
    /// Rooms with files that may want to be merged.
    unmerged: VecDeque<Arc<Room>>,
    /// The room whose files are being merged.
    merging: Option<Arc<Room>>,
    /// How often something was written out.
    filings: u64,
    is_closed: bool,
}

/// What the thread that writes out does next.
enum Task {
    WriteOut(Sealed),
    MakeSlot,
    Remove,
    End,
}

impl Keeper {
    pub(super) fn hand_over(&self, sealed: Sealed) {
        self.state.lock().sealed.push_back(sealed);
        self.asked.notify_all();
    }

    /// Another slot of the log will be needed soon.
    pub(super) fn ask_for_slot(&self) {
        self.state.lock().wants_slot = true;
        self.asked.notify_all();
    }

    /// A room is gone: its files are to go, too, when nobody reads them any more.
    pub(super) fn remove(&self, room: Arc<Room>, current: &Current) {
        {
            let _looking = self.looking.lock();
            room.set_gone();
            current.replace(vec![(room.id(), None)], None);
        }
        room.files.read().iter().for_each(Sorter::stop_merging);
        self.state.lock().removals.push(room);
        self.asked.notify_all();
    }

    pub(super) fn ask_for_merge(&self, room: &Arc<Room>) {
        let mut state = self.state.lock();
        if state.unmerged.iter().all(|other| other.id() != room.id()) {
            state.unmerged.push_back(Arc::clone(room));
            self.asked.notify_all();
        }
    }

    /// Waits until so little waits to be written out that one more may, as long as anything is written out at all.
    pub(super) fn await_room(&self, current: &Current) -> Result<(), Error> {
        let mut state = self.state.lock();
        while current.sealed() >= SEALED_MAX {
            let filings = state.filings;
            if self.filed.wait_for(&mut state, BEHIND_MAX).timed_out() && state.filings == filings {
                return Err(Error::Failed { detail: "memory tables are not written out any more".into() });
            }
        }
        Ok(())
    }

    pub(super) fn close(&self) {
        self.state.lock().is_closed = true;
        self.asked.notify_all();
        self.merged.notify_all();
    }

    /// Something more of a memory table is in files.
    fn note_filed(&self) {
        self.state.lock().filings += 1;
        self.filed.notify_all();
    }

    fn is_closed(&self) -> bool {
        self.state.lock().is_closed
    }

    fn task(&self) -> Task {
        let mut state = self.state.lock();
        loop {
            if state.is_closed {
                return Task::End;
            }
            if let Some(sealed) = state.sealed.pop_front() {
                return Task::WriteOut(sealed);
            }
            if std::mem::take(&mut state.wants_slot) {
                return Task::MakeSlot;
            }
            if state.removals.is_empty() {
                self.asked.wait(&mut state);
            } else {
                return Task::Remove;
            }
        }
    }

    /// The next room to merge; none when the store closes.
    fn next_unmerged(&self) -> Option<Arc<Room>> {
        let mut state = self.state.lock();
        loop {
            if state.is_closed {
                return None;
            }
            state.merging = state.unmerged.pop_front();
            if let Some(room) = &state.merging {
                return Some(Arc::clone(room));
            }
            self.asked.wait(&mut state);
        }
    }

    /// The most runs of files that a room has whose turn to be merged it is or will be.
    fn runs_behind(&self) -> usize {
        let state = self.state.lock();
        let rooms: Vec<Arc<Room>> = state.unmerged.iter().chain(&state.merging).cloned().collect();
        drop(state);
        rooms.iter().map(|room| merging::runs(room)).max().unwrap_or(0)
    }

    /// Waits a while, or until the store closes.
    fn pause(&self, pause: Duration) {
        let mut state = self.state.lock();
        if !state.is_closed {
            self.asked.wait_for(&mut state, pause);
        }
    }
}

/// Starts the threads.
pub(super) fn start(shared: &Arc<Shared>) -> Result<Vec<JoinHandle<()>>, Error> {
    let spawn = |name: &str, work: fn(&Shared)| {
        let shared = Arc::clone(shared);
        let guarded = move || {
            step_back();
            if catch_unwind(AssertUnwindSafe(|| work(&shared))).is_err() {
                let failure = Error::Failed { detail: "a thread of the store ended in a panic".into() };
                shared.queue.fail(failure.clone());
                shared.progress.fail(failure);
            }
        };
        let started = thread::Builder::new().name(name.into()).spawn(guarded);
        started.map_err(|error| Error::io(format!("start the thread {name}"), error))
    };
    Ok(vec![
        spawn("files", filing::write_out_for_ever)?,
        spawn("merges", merging::merge_for_ever)?,
        spawn("removals", |shared| shared.removal.run())?,
    ])
}

/// Lets those who answer requests go first. A system that does not allow this goes on without.
#[cfg(target_os = "linux")]
fn step_back() {
    let _ = rustix::process::nice(PRIORITY_STEP);
}

#[cfg(not(target_os = "linux"))]
fn step_back() {}

/// What readers are to have of a room's files; nothing if it is gone.
fn look(shared: &Shared, room: &Room) -> Option<Arc<Sorted>> {
    if room.is_gone() {
        return None;
    }
    room.files.read().as_ref().map(|files| {
        shared.removal.follow(room.id(), &files.numbers());
        Arc::new(files.look())
    })
}

/// Removes what a write that failed left behind, if nobody else writes to this room now. A disk that is full needs it.
fn remove_leftovers(room: &Room) {
    if let Some(files) = room.files.try_write()
        && let Some(files) = &*files
    {
        files.remove_leftovers();
    }
}
