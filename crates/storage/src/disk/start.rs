//! Opens a folder: reads what it says of itself, then the log, and puts the layers together. Knows what a crash may leave.

use super::Shared;
use super::folder::{Folder, sync_folder};
use super::free::Free;
use super::hot::Hot;
use super::keeper::{Keeper, Sealed};
use super::layers::Current;
use super::log::{self, Change, Log, Recovered, Secret, Slots};
use super::manifest::Manifest;
use super::memtable::Memtable;
use super::queue::Queue;
use super::removal::Removal;
use super::room::{Room, Rooms};
use super::sorted::{Files, Sorted};
use crate::error::Error;
use crate::space::Space;
use crate::store::Durability;
use crate::stripes::Stripes;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::Path;
use std::sync::Arc;

const SPACES_FOLDER: &str = "spaces";
/// Blocks of files that were merged stay in the cache until others push them out, so a large one would fill with them. Values are
/// the current ones only.
const BLOCK_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The rooms of the spaces while the log is read.
struct Found {
    rooms: BTreeMap<Space, u64>,
    next_room: u64,
}

/// What a part of the log holds.
struct Replayed {
    memtable: Arc<Memtable>,
    part: log::Part,
}

pub(super) fn open(
    dir: &Path,
    durability: Durability,
    cache_bytes: u64,
    stripes: Arc<Stripes>,
) -> Result<(Shared, Log), Error> {
    let folder = Folder::open(dir)?;
    folder.settle()?;
    let data = folder.data();
    let before = prepare(&folder)?;
    let recovered = log::recover(data, before.secret(), before.filed, &before.slots)?;
    // The records of this run are told from those of all before, also of runs that stored nothing.
    let secret = Secret { run_max: before.run + 1, ..before.secret() };
    let mut found = Found {
        rooms: before.entries.iter().map(|entry| (entry.space, entry.room)).collect(),
        next_room: before.next_room,
    };
    let Recovered { parts, free, last, next_slot } = recovered;
    let mut replayed = Vec::new();
    for part in parts {
        replayed.push(found.replay(part)?);
    }
    let block_bytes = (cache_bytes / 3 * 2).min(BLOCK_BYTES_MAX);
    let files = Files::new(&data.join(SPACES_FOLDER), block_bytes);
    let removal = Removal::new(data, files.folder());
    let (rooms, sorted) = open_rooms(&found, &before, &files, &removal, last)?;
    count_unfiled(&rooms, &replayed);
    let in_use = replayed.iter().map(|replayed| replayed.part.slot.number()).collect();
    let slots = Slots::new(data, free, in_use, next_slot);
    let keeper = Keeper::default();
    let active = replayed.pop();
    let sealed = replayed.iter().rev().map(|replayed| Arc::clone(&replayed.memtable)).collect();
    for Replayed { memtable, part } in replayed {
        let last = part.last();
        keeper.hand_over(Sealed { memtable, slot: part.slot, last });
    }
    let (memtable, log) = match active {
        Some(Replayed { memtable, part }) => {
            part.write_again()?;
            let end = part.end();
            (memtable, Log::new(part.slot, end, secret, last))
        }
        None => (Arc::default(), Log::new(slots.take()?, 0, secret, last)),
    };
    let current = Current::new(memtable, last, sealed, sorted);
    let rooms = Rooms::new(rooms, found.next_room);
    let manifest = Manifest {
        salt: secret.salt,
        run: secret.run_max,
        next_room: found.next_room,
        filed: before.filed,
        slots: slots.in_use(),
        entries: before.entries,
    };
    manifest.write(data)?;
    slots.trim();
    sync_folder(folder.dir()).map_err(|error| Error::io("sync the data folder", error))?;
    let shared = Shared {
        rooms,
        current,
        hot: Hot::new(cache_bytes - block_bytes),
        queue: Queue::default(),
        keeper,
        progress: Arc::default(),
        stripes,
        durability,
        free: Free::new(folder.dir()),
        slots,
        files,
        removal,
        secret,
        folder,
    };
    Ok((shared, log))
}

/// Reads the manifest, or sets a new folder up.
fn prepare(folder: &Folder) -> Result<Manifest, Error> {
    let data = folder.data();
    let manifest = Manifest::read(data)?;
    let spaces = data.join(SPACES_FOLDER);
    let made = || -> io::Result<()> {
        fs::create_dir_all(&spaces)?;
        sync_folder(data)
    };
    let action = || format!("set up {}", data.display());
    let manifest = match manifest {
        Some(manifest) => manifest,
        None => {
            fs::create_dir_all(data).map_err(|error| Error::io(action(), error))?;
            let manifest = Manifest { salt: RandomState::new().hash_one(0_u8), ..Manifest::default() };
            manifest.write(data)?;
            manifest
        }
    };
    made().map_err(|error| Error::io(action(), error))?;
    Ok(manifest)
}

impl Found {
    /// Puts a part of the log into a memory table.
    fn replay(&mut self, part: log::Part) -> Result<Replayed, Error> {
        let memtable = Memtable::default();
        for (number, changes) in part.records() {
            for change in changes {
                let Some(change) = change else {
                    let detail = format!("record {number} of the log cannot be read");
                    return Err(Error::Corrupt { file: part.slot.path().to_path_buf(), detail });
                };
                match change {
                    Change::Write { room, key, value } => memtable.add(room, key, value, number),
                    Change::Create { space, room } => {
                        self.rooms.insert(Space(space), room);
                        self.next_room = self.next_room.max(room + 1);
                    }
                    Change::Drop { room } => self.rooms.retain(|_, other| *other != room),
                }
            }
        }
        Ok(Replayed { memtable: Arc::new(memtable), part })
    }
}

type Opened = (HashMap<Space, Arc<Room>>, imbl::HashMap<u64, Arc<Sorted>>);

/// Opens the files of all rooms there are, and removes those of rooms that are gone or were not finished.
fn open_rooms(
    found: &Found,
    manifest: &Manifest,
    files: &Files,
    removal: &Removal,
    last: u64,
) -> Result<Opened, Error> {
    let has_files = |room: u64| manifest.entries.iter().any(|entry| entry.room == room && entry.has_files);
    let filed: HashMap<u64, bool> = found.rooms.values().map(|room| (*room, has_files(*room))).collect();
    let mut rooms = HashMap::new();
    let mut sorted = imbl::HashMap::new();
    for (space, room) in &found.rooms {
        let sorter = if filed.get(room) == Some(&true) { Some(files.open(*room)?) } else { None };
        if let Some(sorter) = &sorter {
            if sorter.last_commit() > last {
                let detail = format!("the log ends at record {last}, files hold more");
                return Err(Error::Corrupt { file: files.path(*room), detail });
            }
            removal.follow(*room, &sorter.numbers());
            sorted.insert(*room, Arc::new(sorter.look()));
        }
        rooms.insert(*space, Arc::new(Room::new(*room, sorter)));
    }
    let list = || fs::read_dir(files.folder()).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = list().map_err(|error| Error::io(format!("list {}", files.folder().display()), error))?;
    for entry in entries {
        let room = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if room.is_none_or(|room| filed.get(&room) != Some(&true))
            && let Err(error) = fs::remove_dir_all(entry.path())
        {
            tracing::warn!(%error, folder = %entry.path().display(), "the files of a dropped space could not be removed");
        }
    }
    Ok((rooms, sorted))
}

/// Tells rooms how much of them stands in the log only.
fn count_unfiled(rooms: &HashMap<Space, Arc<Room>>, replayed: &[Replayed]) {
    let rooms: BTreeMap<u64, &Arc<Room>> = rooms.values().map(|room| (room.id(), room)).collect();
    for replayed in replayed {
        for (number, bytes) in replayed.memtable.rooms() {
            if let Some(room) = rooms.get(&number) {
                room.note_written(bytes);
            }
        }
    }
}
