//! Writes memory tables out to files, and removes the files of rooms that are gone. Knows no merges.
//!
//! When a memory table is in files, the manifest says so, and then its slot of the log is free. A crash before that reads
//! the slot again; what is in files then as well is the same.

use super::merging::{await_merges, pace_merges};
use super::{RETRY_PAUSE, SEALED_MAX, Sealed, Task, look, remove_leftovers};
use crate::disk::Shared;
use crate::disk::committer::MEMTABLE_BYTES_MAX;
use crate::disk::layers::Current;
use crate::disk::log::SLOT_BYTES;
use crate::disk::manifest::Manifest;
use crate::disk::memtable::Memtable;
use crate::disk::pace::{LEISURE_MAX, Rests};
use crate::disk::room::Room;
use crate::disk::sorted::Sorter;
use crate::error::Error;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Readers of a space that was dropped end soon.
const REMOVAL_PAUSE: Duration = Duration::from_millis(20);
/// Readers of a memory table end soon as well; one that does not frees it.
const READERS_PAUSE: Duration = Duration::from_millis(1);
const READERS_PAUSES_MAX: u32 = 20;

pub(super) fn write_out_for_ever(shared: &Shared) {
    let keeper = &shared.keeper;
    loop {
        match keeper.task() {
            Task::WriteOut(sealed) => write_out_until_done(shared, sealed),
            Task::MakeSlot => {
                // It is made later when it is needed; only that takes longer then.
                let leisure = || (!keeper.is_closed()).then(|| u32::from(shared.current.sealed() == 0));
                if let Err(error) = shared.slots.prepare(leisure) {
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
    free(&shared.current, sealed.memtable);
}

/// Frees a memory table that is in files, when those who read it have gone.
fn free(current: &Current, mut memtable: Arc<Memtable>) {
    for _ in 0..READERS_PAUSES_MAX {
        match Arc::try_unwrap(memtable) {
            Ok(memtable) => {
                let mut rests = Rests::new();
                return memtable.free(|| rests.rest(if current.sealed() == 0 { LEISURE_MAX } else { 0 }));
            }
            Err(shared) => memtable = shared,
        }
        thread::sleep(READERS_PAUSE);
    }
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
        let written = filed.values().map(|(_, bytes)| bytes).sum();
        add(shared, room, sealed, written)?;
        filed.insert(number, (Arc::clone(room), bytes));
        shared.keeper.note_filed();
    }
    let needed = shared.slots.in_use().into_iter().filter(|number| *number != sealed.slot.number()).collect();
    write_manifest(shared, sealed.last, needed)?;
    {
        let _looking = shared.keeper.looking.lock();
        let looks = filed.iter().map(|(number, (room, _))| (*number, look(shared, room))).collect();
        shared.current.replace(looks, Some(&sealed.memtable));
    }
    for (room, bytes) in filed.values() {
        room.note_filed(*bytes);
        shared.keeper.ask_for_merge(room);
    }
    pace_merges(shared);
    shared.keeper.note_filed();
    Ok(())
}

/// Writes what a memory table has of a room to a file, when `written` bytes of the table are in files of other rooms.
fn add(shared: &Shared, room: &Room, sealed: &Sealed, written: u64) -> Result<(), Error> {
    let all = sealed.memtable.stored_bytes();
    let leisure = |more: u64| {
        let is_closed = shared.keeper.is_closed();
        if is_closed { 0 } else { write_out_leisure(&shared.current, share(written + more, all)) }
    };
    let added = match &*room.files.read() {
        Some(files) => files.add(sealed.memtable.newest(room.id()), leisure),
        None => Ok(()),
    };
    if added.is_err() {
        remove_leftovers(room);
    }
    added
}

/// How long to rest when such a share of a memory table is written. All of it should be when half of the next table is
/// filled, so that commits never wait for it.
fn write_out_leisure(current: &Current, written: f64) -> u32 {
    let active = current.active();
    let filled = share(active.stored_bytes(), SLOT_BYTES).max(share(active.bytes(), MEMTABLE_BYTES_MAX));
    if current.sealed() < SEALED_MAX && written >= 2.0 * filled { LEISURE_MAX } else { 0 }
}

fn share(part: u64, all: u64) -> f64 {
    part as f64 / all.max(1) as f64
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
                shared.removal.follow(room.id(), &BTreeSet::new());
            }
            Some(_) | None => kept.push(Arc::clone(&room)),
        }
    }
    if !kept.is_empty() {
        shared.keeper.state.lock().removals.append(&mut kept);
        shared.keeper.pause(REMOVAL_PAUSE);
    }
}
