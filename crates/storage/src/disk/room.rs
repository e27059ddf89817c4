//! The spaces of a disk and the keyspaces behind them. Knows no values and no queue.

use super::failure::{guarded, translate};
use super::folder::sync_folder;
use crate::error::Error;
use crate::space::Space;
use fjall::{AbstractTree, Database, Keyspace, KeyspaceCreateOptions};
use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

/// A memory table of this size is written out to a file.
pub(super) const MEMTABLE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// LIMIT: fjall 3.1.13 opens no folder with more than a thousand keyspaces in use: before its workers are there it puts
/// a task for each into a queue of that length, and waits for ever for the next place.
const ROOMS_MAX: usize = 1000;

/// One space as it is on the disk.
pub(super) struct Room {
    keyspace: Keyspace,
    generation: u64,
}

/// All spaces.
pub(super) struct Rooms {
    rooms: RwLock<HashMap<Space, Arc<Room>>>,
    /// One creation or drop at a time; it also counts how many rooms there have been.
    generations: Mutex<u64>,
}

/// The spaces as they are while this is held.
pub(super) struct Held<'a>(RwLockReadGuard<'a, HashMap<Space, Arc<Room>>>);

impl Rooms {
    /// The spaces found in a folder.
    pub(super) fn open(db: &Database, place: &Path) -> Result<Rooms, Error> {
        let mut rooms = HashMap::new();
        let mut generation = 0;
        for name in db.list_keyspace_names() {
            let Some(space) = space_of(&name) else {
                let detail = format!("there is a keyspace `{}`, which no store creates", &*name);
                return Err(Error::Corrupt { file: place.to_path_buf(), detail });
            };
            generation += 1;
            let keyspace = open_keyspace(db, place, space)?;
            rooms.insert(space, Arc::new(Room { keyspace, generation }));
        }
        Ok(Rooms { rooms: RwLock::new(rooms), generations: Mutex::new(generation) })
    }

    pub(super) fn get(&self, space: Space) -> Result<Arc<Room>, Error> {
        self.read().get(space)
    }

    /// Keeps spaces from being dropped while it is held.
    pub(super) fn read(&self) -> Held<'_> {
        Held(self.rooms.read())
    }

    pub(super) fn list(&self) -> Vec<Space> {
        let mut spaces: Vec<Space> = self.rooms.read().keys().copied().collect();
        spaces.sort_unstable();
        spaces
    }

    /// All rooms, in the order of their spaces.
    pub(super) fn all(&self) -> Vec<Arc<Room>> {
        let rooms = self.rooms.read();
        let ordered: BTreeMap<&Space, &Arc<Room>> = rooms.iter().collect();
        ordered.into_values().cloned().collect()
    }

    pub(super) fn create(&self, db: &Database, place: &Path, space: Space) -> Result<(), Error> {
        let exists = || self.rooms.read().contains_key(&space);
        // Looked at before the lock as well: one that exists need not wait until another one is made.
        if exists() {
            return Ok(());
        }
        let mut generations = self.generations.lock();
        if exists() {
            return Ok(());
        }
        if self.rooms.read().len() >= ROOMS_MAX {
            return Err(Error::TooManySpaces { max: ROOMS_MAX });
        }
        let keyspace = open_keyspace(db, place, space)?;
        // The engine syncs what is in the new folder, but not the folder's own name.
        let parent = keyspace.path().parent().unwrap_or(place);
        sync_folder(parent).map_err(|error| Error::io("sync a new space", error))?;
        *generations += 1;
        let room = Arc::new(Room { keyspace, generation: *generations });
        self.rooms.write().insert(space, room);
        Ok(())
    }

    /// Removes a space. `drained` returns when everything that is queued now has been written.
    pub(super) fn remove(
        &self,
        db: &Database,
        place: &Path,
        space: Space,
        drained: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let _alone = self.generations.lock();
        let Some(room) = self.rooms.write().remove(&space) else {
            return Err(Error::NoSpace { space: space.0 });
        };
        let deleted = drained().and_then(|()| {
            guarded(place, || {
                db.delete_keyspace(room.keyspace.clone())
                    .map_err(|error| translate(error, place, "drop a space"))
            })
        });
        if deleted.is_err() {
            self.rooms.write().insert(space, room);
        }
        deleted
    }
}

impl Held<'_> {
    pub(super) fn get(&self, space: Space) -> Result<Arc<Room>, Error> {
        self.0.get(&space).cloned().ok_or(Error::NoSpace { space: space.0 })
    }
}

impl Room {
    pub(super) fn keyspace(&self) -> &Keyspace {
        &self.keyspace
    }

    /// A number no other room of this process has, also not one of the same space created later.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn path(&self) -> &Path {
        self.keyspace.path()
    }

    /// Bytes in files and in memory tables; one that is being written out counts as a full one.
    pub(super) fn bytes(&self) -> u64 {
        let leaving = self.sealed_memtables() as u64 * MEMTABLE_BYTES_MAX;
        self.keyspace.disk_space() + self.memtable_bytes() + leaving
    }

    pub(super) fn memtable_bytes(&self) -> u64 {
        self.keyspace.tree.active_memtable().size()
    }

    /// Memory tables that take no more writes and are not in files yet.
    pub(super) fn sealed_memtables(&self) -> usize {
        self.keyspace.sealed_memtable_count()
    }

    /// Runs of files that are not merged yet.
    pub(super) fn runs(&self) -> usize {
        self.keyspace.tree.l0_run_count()
    }
}

/// Opens or makes a keyspace. `memtables` decides when a memory table is full.
fn open_keyspace(db: &Database, place: &Path, space: Space) -> Result<Keyspace, Error> {
    let options = || KeyspaceCreateOptions::default().max_memtable_size(u64::MAX);
    guarded(place, || {
        db.keyspace(&name_of(space), options).map_err(|error| translate(error, place, "create a space"))
    })
}

fn name_of(space: Space) -> String {
    format!("{:016x}", space.0)
}

fn space_of(name: &str) -> Option<Space> {
    u64::from_str_radix(name, 16).ok().map(Space).filter(|space| name_of(*space) == name)
}
