//! The log: every commit, in order, before anything else knows of it. Knows records and slots, and nothing of rooms, values
//! or memory.
//!
//! A slot is a file that is used again and again, so that a commit writes over bytes that are on the disk already: a sync
//! then has nothing to tell the file system. A slot holds what one memory table holds, and is free when that is in files.

mod record;
mod recovery;

pub(super) use record::{Change, Secret};
pub(super) use recovery::{Part, Recovered, recover};

use super::folder::sync_folder;
use super::pace::Rests;
use crate::error::Error;
use bytes::Bytes;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A slot takes this much; a record that is larger has a slot for itself.
pub(super) const SLOT_BYTES: u64 = if cfg!(test) { 128 * 1024 } else { 32 * 1024 * 1024 };
/// So many slots are kept for later.
const FREE_MAX: usize = 3;
const ENDING: &str = "jnl";
/// A buffer that one large commit needed is not kept.
const BUFFER_BYTES_MAX: usize = 4 * 1024 * 1024;
const ZEROS_BYTES: usize = if cfg!(test) { 64 * 1024 } else { 256 * 1024 };

/// One file of the log.
pub(super) struct Slot {
    number: u64,
    path: PathBuf,
    file: File,
}

/// The slots that hold nothing that is still needed, and how more are made.
pub(super) struct Slots {
    folder: PathBuf,
    state: Mutex<SlotsState>,
}

struct SlotsState {
    free: Vec<Slot>,
    /// The numbers of those that hold what is needed.
    in_use: BTreeSet<u64>,
    next_number: u64,
}

/// The end of the log, where commits are added.
pub(super) struct Log {
    slot: Slot,
    position: u64,
    secret: Secret,
    /// The last record that was written, and the last that is on the disk for certain.
    written: u64,
    synced: u64,
    buffer: Vec<u8>,
}

impl Log {
    /// Goes on behind the record `last`. All records until now have a run below that of the secret.
    pub(super) fn new(slot: Slot, position: u64, secret: Secret, last: u64) -> Log {
        Log { slot, position, secret, written: last, synced: last, buffer: Vec::new() }
    }

    /// Begins the next record.
    pub(super) fn begin(&mut self) {
        record::begin(&mut self.buffer);
    }

    pub(super) fn put(&mut self, room: u64, key: &[u8], value: &[u8]) {
        record::put(&mut self.buffer, room, key, value);
    }

    pub(super) fn delete(&mut self, room: u64, key: &[u8]) {
        record::delete(&mut self.buffer, room, key);
    }

    pub(super) fn create(&mut self, space: u64, room: u64) {
        record::create(&mut self.buffer, space, room);
    }

    pub(super) fn drop_room(&mut self, room: u64) {
        record::drop_room(&mut self.buffer, room);
    }

    /// Whether the record that was begun has its place in this slot.
    pub(super) fn has_room(&self) -> bool {
        self.position == 0 || self.position + self.buffer.len() as u64 <= SLOT_BYTES
    }

    /// Whether so much of the slot is used that another one should be made ready.
    pub(super) fn is_half_full(&self) -> bool {
        self.position >= SLOT_BYTES / 2
    }

    /// Goes on in another slot, and answers the one that was left.
    pub(super) fn go_on_in(&mut self, slot: Slot) -> Result<Slot, Error> {
        self.sync()?;
        self.position = 0;
        Ok(std::mem::replace(&mut self.slot, slot))
    }

    /// Hands the record that was begun to the system; answers its number.
    pub(super) fn write(&mut self) -> Result<u64, Error> {
        let number = self.written + 1;
        record::finish(&mut self.buffer, self.secret.salt, self.secret.run_max, number, self.synced);
        write_at(&self.slot.file, &self.buffer, self.position)
            .map_err(|error| self.slot.failure("write", error))?;
        self.position += self.buffer.len() as u64;
        self.written = number;
        if self.buffer.capacity() > BUFFER_BYTES_MAX {
            self.buffer = Vec::new();
        }
        Ok(number)
    }

    /// The number of the last record.
    pub(super) fn last(&self) -> u64 {
        self.written
    }

    /// Makes durable what was written.
    pub(super) fn sync(&mut self) -> Result<(), Error> {
        if self.synced < self.written {
            self.slot.file.sync_data().map_err(|error| self.slot.failure("sync", error))?;
            self.synced = self.written;
        }
        Ok(())
    }

    /// Adds a record of nothing, which says that all before it is on the disk: damage there can then be told from a write
    /// that was cut off by a crash. It needs no sync itself.
    pub(super) fn mark(&mut self) -> Result<u64, Error> {
        self.begin();
        self.write()
    }
}

impl Slots {
    /// The slots of a folder: those that are free, and the numbers of those in use.
    pub(super) fn new(folder: &Path, free: Vec<Slot>, in_use: BTreeSet<u64>, next_number: u64) -> Slots {
        let state = SlotsState { free, in_use, next_number };
        Slots { folder: folder.to_path_buf(), state: Mutex::new(state) }
    }

    /// Removes what is too much to be kept. The manifest must not name it any more.
    pub(super) fn trim(&self) {
        let mut state = self.state.lock();
        let kept = state.free.len().min(FREE_MAX);
        let surplus = state.free.split_off(kept);
        drop(state);
        surplus.iter().for_each(Slot::remove);
    }

    /// A slot that was used before, or else a new one.
    pub(super) fn take(&self) -> Result<Slot, Error> {
        let free = self.state.lock().free.pop();
        let slot = free.map_or_else(|| self.make(), Ok)?;
        self.state.lock().in_use.insert(slot.number);
        Ok(slot)
    }

    /// The numbers of the slots that hold what is needed.
    pub(super) fn in_use(&self) -> BTreeSet<u64> {
        self.state.lock().in_use.clone()
    }

    /// Nothing in this slot is needed any more.
    pub(super) fn give_back(&self, slot: Slot) {
        let mut state = self.state.lock();
        state.in_use.remove(&slot.number);
        state.free.push(slot);
        drop(state);
        self.trim();
    }

    /// Makes a slot ready if there is none, with zeros all over it. That takes a while and is for spare time: `leisure`
    /// says how long to rest after each part, as a multiple of the work, or that it is time to end.
    pub(super) fn prepare(&self, leisure: impl Fn() -> Option<u32>) -> Result<(), Error> {
        if !self.state.lock().free.is_empty() {
            return Ok(());
        }
        let slot = self.make()?;
        let zeros = vec![0; ZEROS_BYTES];
        let mut rests = Rests::new();
        for place in (0..SLOT_BYTES).step_by(ZEROS_BYTES) {
            let filled = write_at(&slot.file, &zeros, place).and_then(|()| slot.file.sync_data());
            if let Err(error) = filled {
                // It is no use on a full disk.
                slot.remove();
                return Err(slot.failure("prepare", error));
            }
            let Some(leisure) = leisure() else { break };
            rests.rest(leisure);
        }
        self.give_back(slot);
        Ok(())
    }

    fn make(&self) -> Result<Slot, Error> {
        let number = {
            let mut state = self.state.lock();
            state.next_number += 1;
            state.next_number - 1
        };
        let path = self.folder.join(format!("{number}.{ENDING}"));
        let made = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
        let made = made.and_then(|file| sync_folder(&self.folder).map(|()| file));
        match made {
            Ok(file) => Ok(Slot { number, path, file }),
            Err(error) => Err(Error::io(format!("make {}", path.display()), error)),
        }
    }
}

impl Slot {
    fn failure(&self, action: &str, error: io::Error) -> Error {
        Error::io(format!("{action} {}", self.path.display()), error)
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    fn remove(&self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(%error, file = %self.path.display(), "a file of the log could not be removed");
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The whole of it.
    fn read(&self) -> Result<Bytes, Error> {
        fs::read(&self.path).map(Bytes::from).map_err(|error| self.failure("read", error))
    }
}

/// The slots of a folder by their numbers.
fn slots(folder: &Path) -> Result<Vec<Slot>, Error> {
    let list = || -> io::Result<BTreeMap<u64, PathBuf>> {
        let mut found = BTreeMap::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let number = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
            if let (Some(number), Some(ENDING)) =
                (number, path.extension().and_then(|ending| ending.to_str()))
            {
                found.insert(number, path);
            }
        }
        Ok(found)
    };
    let found = list().map_err(|error| Error::io(format!("list {}", folder.display()), error))?;
    let open = |(number, path): (u64, PathBuf)| {
        let file = OpenOptions::new().read(true).write(true).open(&path);
        match file {
            Ok(file) => Ok(Slot { number, path, file }),
            Err(error) => Err(Error::io(format!("open {}", path.display()), error)),
        }
    };
    found.into_iter().map(open).collect()
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], place: u64) -> io::Result<()> {
    use std::os::unix::fs::FileExt;
    file.write_all_at(bytes, place)
}

#[cfg(not(unix))]
fn write_at(mut file: &File, bytes: &[u8], place: u64) -> io::Result<()> {
    use std::io::{Seek, SeekFrom, Write};
    file.seek(SeekFrom::Start(place))?;
    file.write_all(bytes)
}
