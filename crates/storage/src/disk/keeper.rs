//! The two threads behind the committer: one writes memory tables out to files, one merges files. Knows no commits.
//!
//! When a memory table is in files, the manifest says so, and then its slot of the log is free. A crash before that reads
//! the slot again; what is in files then as well is the same.

use super::Shared;
use super::layers::Current;
use super::log::Slot;
use super::manifest::Manifest;
use super::memtable::Memtable;
use super::room::Room;
use super::sorted::{Sorted, Sorter};
use crate::error::Error;
use parking_lot::{Condvar, Mutex};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// So many memory tables may wait to be written out before commits wait.
const SEALED_MAX: usize = 2;
/// A room with so many runs of files is written to when some are merged.
const RUNS_MAX: usize = 24;
/// No room ever has so many: the tree counts them in a byte.
const RUNS_END: usize = 200;
/// So often a merge is waited for.
const MERGE_PAUSES_MAX: u32 = 60;
/// A disk that failed may be better later.
const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// Readers of a space that was dropped end soon.
const REMOVAL_PAUSE: Duration = Duration::from_millis(20);
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
            if let Some(room) = state.unmerged.pop_front() {
                return Some(room);
            }
            self.asked.wait(&mut state);
        }
    }

    /// Waits a while, or until the store closes.
    fn pause(&self, pause: Duration) {
        let mut state = self.state.lock();
        if !state.is_closed {
            self.asked.wait_for(&mut state, pause);
        }
    }
}

/// Starts both threads.
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
    Ok(vec![spawn("files", write_out_for_ever)?, spawn("merges", merge_for_ever)?])
}

/// Lets those who answer requests go first. A system that does not allow this goes on without.
#[cfg(target_os = "linux")]
fn step_back() {
    let _ = rustix::process::nice(PRIORITY_STEP);
}

#[cfg(not(target_os = "linux"))]
fn step_back() {}

fn write_out_for_ever(shared: &Shared) {
    let keeper = &shared.keeper;
    loop {
        match keeper.task() {
            Task::WriteOut(sealed) => write_out_until_done(shared, sealed),
            Task::MakeSlot => {
                // It is made later when it is needed; only that takes longer then.
                if let Err(error) = shared.slots.prepare(|| !keeper.is_closed()) {
                    tracing::debug!(%error, "no slot of the log could be made in advance");
                }
            }
            Task::Remove => remove_unread(shared),
            Task::End => return,
        }
    }
}

/// Tries until it succeeds: a full disk may have room again, and until then everything stays in memory and in the log.
fn write_out_until_done(shared: &Shared, sealed: Sealed) {
    let mut filed = BTreeMap::new();
    loop {
        match write_out(shared, &sealed, &mut filed) {
            Ok(()) => break,
            Err(error) => {
                tracing::warn!(%error, "a memory table could not be written out, and will be again")
            }
        }
        shared.keeper.pause(RETRY_PAUSE);
        if shared.keeper.is_closed() {
            return;
        }
    }
    shared.slots.give_back(sealed.slot);
}

/// Writes a memory table out, except for the rooms in `filed`, which an earlier try has written. Each room comes to it.
fn write_out(
    shared: &Shared,
    sealed: &Sealed,
    filed: &mut BTreeMap<u64, (Arc<Room>, u64)>,
) -> Result<(), Error> {
    let rooms = shared.rooms.by_number();
    for (number, bytes) in sealed.memtable.rooms() {
        // A room that is gone needs no files.
        let Some(room) = rooms.get(&number).filter(|_| !filed.contains_key(&number)) else { continue };
        await_merges(shared, room)?;
        set_up(shared, room)?;
        add(room, sealed)?;
        filed.insert(number, (Arc::clone(room), bytes));
        shared.keeper.note_filed();
    }
    let needed = shared.slots.in_use().into_iter().filter(|number| *number != sealed.slot.number()).collect();
    write_manifest(shared, sealed.last, needed)?;
    {
        let _looking = shared.keeper.looking.lock();
        let looks = filed.iter().map(|(number, (room, _))| (*number, look(room))).collect();
        shared.current.replace(looks, Some(&sealed.memtable));
    }
    for (room, bytes) in filed.values() {
        room.note_filed(*bytes);
        shared.keeper.ask_for_merge(room);
    }
    shared.keeper.note_filed();
    Ok(())
}

/// Writes what a memory table has of a room to a file.
fn add(room: &Room, sealed: &Sealed) -> Result<(), Error> {
    let added = match &*room.files.read() {
        Some(files) => files.add(sealed.memtable.newest(room.id())),
        None => Ok(()),
    };
    if added.is_err() {
        remove_leftovers(room);
    }
    added
}

/// Removes what a write that failed left behind, if nobody else writes to this room now. A disk that is full needs it.
fn remove_leftovers(room: &Room) {
    if let Some(files) = room.files.try_write()
        && let Some(files) = &*files
    {
        files.remove_leftovers();
    }
}

/// Makes the files of a room that has none.
fn set_up(shared: &Shared, room: &Room) -> Result<(), Error> {
    // A merge may hold them for long, and need not be waited for.
    if room.files.read().is_some() {
        return Ok(());
    }
    let mut files = room.files.write();
    if files.is_none() {
        *files = Some(shared.files.create(room.id())?);
    }
    Ok(())
}

/// All records up to `filed` are in files, the others in these slots of the log.
fn write_manifest(shared: &Shared, filed: u64, slots: BTreeSet<u64>) -> Result<(), Error> {
    let entries = shared.rooms.entries();
    let next_room = shared.rooms.next_room();
    let secret = shared.secret;
    let manifest = Manifest { salt: secret.salt, run: secret.run_max, next_room, filed, slots, entries };
    manifest.write(shared.folder.data())
}

/// What readers are to have of a room's files; nothing if it is gone.
fn look(room: &Room) -> Option<Arc<Sorted>> {
    if room.is_gone() {
        return None;
    }
    room.files.read().as_ref().map(|files| Arc::new(files.look()))
}

/// Waits until a room has so few runs of files that one more may come. A room that is not merged any more goes on for a
/// while, and then takes no more.
fn await_merges(shared: &Shared, room: &Arc<Room>) -> Result<(), Error> {
    let runs = || room.files.read().as_ref().map_or(0, Sorter::runs);
    for _ in 0..MERGE_PAUSES_MAX {
        if runs() < RUNS_MAX || room.is_gone() || shared.keeper.is_closed() {
            return Ok(());
        }
        shared.keeper.ask_for_merge(room);
        let mut state = shared.keeper.state.lock();
        shared.keeper.merged.wait_for(&mut state, RETRY_PAUSE);
    }
    if runs() < RUNS_END {
        Ok(())
    } else {
        Err(Error::Failed { detail: "files are not merged any more".into() })
    }
}

/// Removes the folders of rooms that are gone and that nobody reads or merges any more.
fn remove_unread(shared: &Shared) {
    let rooms = std::mem::take(&mut shared.keeper.state.lock().removals);
    let mut kept = Vec::new();
    for room in rooms {
        match room.files.try_write() {
            Some(mut files) if !files.as_ref().is_some_and(Sorter::is_read) => {
                files.iter().for_each(|files| shared.files.close(files));
                *files = None;
                let path = shared.files.path(room.id());
                if path.exists()
                    && let Err(error) = fs::remove_dir_all(&path)
                {
                    tracing::warn!(%error, folder = %path.display(), "the files of a dropped space could not be removed");
                }
            }
            Some(_) | None => kept.push(Arc::clone(&room)),
        }
    }
    if !kept.is_empty() {
        shared.keeper.state.lock().removals.append(&mut kept);
        shared.keeper.pause(REMOVAL_PAUSE);
    }
}

fn merge_for_ever(shared: &Shared) {
    while let Some(room) = shared.keeper.next_unmerged() {
        loop {
            match merge(shared, &room) {
                Ok(true) if !shared.keeper.is_closed() => {}
                Ok(_) => break,
                Err(error) => {
                    tracing::warn!(%error, "files could not be merged, and will be when more is written");
                    shared.keeper.pause(RETRY_PAUSE);
                    break;
                }
            }
        }
    }
}

/// One merge of a room's files; tells whether there was one.
fn merge(shared: &Shared, room: &Room) -> Result<bool, Error> {
    let merged = match &*room.files.read() {
        Some(files) if !room.is_gone() => files.merge(),
        Some(_) | None => Ok(false),
    };
    if merged.is_err() {
        remove_leftovers(room);
    }
    let has_merged = merged?;
    if has_merged {
        let _looking = shared.keeper.looking.lock();
        shared.current.replace(vec![(room.id(), look(room))], None);
    }
    shared.keeper.merged.notify_all();
    Ok(has_merged)
}
