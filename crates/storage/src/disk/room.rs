//! The spaces of a disk and the rooms behind them. Knows no values and no queue.

use super::manifest::Entry;
use super::sorted::Sorter;
use crate::error::Error;
use crate::space::Space;
use parking_lot::{Mutex, MutexGuard, RwLock, RwLockReadGuard};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// LIMIT: each room is a folder with a few open files of its own now and then, and all are opened at the start.
const ROOMS_MAX: usize = 1000;

/// What a space holds. A space that is dropped and made again has another room.
pub(super) struct Room {
    id: u64,
    /// Its files, once something was written out. Held for writing only when they are made and when they go.
    pub(super) files: RwLock<Option<Sorter>>,
    /// Bytes that are not in files yet.
    unfiled_bytes: AtomicU64,
    /// Whether its space is about to be dropped.
    is_leaving: AtomicBool,
    /// Whether no space has it any more.
    is_gone: AtomicBool,
}

/// All spaces.
pub(super) struct Rooms {
    rooms: RwLock<HashMap<Space, Arc<Room>>>,
    /// One creation or drop at a time.
    changing: Mutex<()>,
    next_room: AtomicU64,
}

/// The spaces as they are while this is held.
pub(super) struct Held<'a>(RwLockReadGuard<'a, HashMap<Space, Arc<Room>>>);

impl Rooms {
    pub(super) fn new(rooms: HashMap<Space, Arc<Room>>, next_room: u64) -> Rooms {
        Rooms { rooms: RwLock::new(rooms), changing: Mutex::default(), next_room: AtomicU64::new(next_room) }
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

    /// All rooms by their numbers.
    pub(super) fn by_number(&self) -> BTreeMap<u64, Arc<Room>> {
        self.rooms.read().values().map(|room| (room.id, Arc::clone(room))).collect()
    }

    /// No room has this number yet, nor a greater one.
    pub(super) fn next_room(&self) -> u64 {
        self.next_room.load(Ordering::SeqCst)
    }

    /// The rooms as the manifest tells them.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let rooms = self.rooms.read();
        let ordered: BTreeMap<&Space, &Arc<Room>> = rooms.iter().collect();
        let entry = |(space, room): (&Space, &Arc<Room>)| {
            let has_files = room.files.read().is_some();
            Entry { space: *space, room: room.id, has_files }
        };
        ordered.into_iter().map(entry).collect()
    }

    /// Keeps everybody else from making and dropping spaces.
    pub(super) fn alone(&self) -> MutexGuard<'_, ()> {
        self.changing.lock()
    }

    pub(super) fn contains(&self, space: Space) -> bool {
        self.rooms.read().contains_key(&space)
    }

    /// A new room, which no space has yet.
    pub(super) fn make(&self) -> Result<Arc<Room>, Error> {
        if self.rooms.read().len() >= ROOMS_MAX {
            return Err(Error::TooManySpaces { max: ROOMS_MAX });
        }
        Ok(Arc::new(Room::new(self.next_room.fetch_add(1, Ordering::SeqCst), None)))
    }

    pub(super) fn insert(&self, space: Space, room: Arc<Room>) {
        self.rooms.write().insert(space, room);
    }

    pub(super) fn remove(&self, space: Space) {
        self.rooms.write().remove(&space);
    }

    /// Whether a space takes writes from now on. One that is about to go takes none.
    pub(super) fn set_leaving(&self, space: Space, is_leaving: bool) -> Result<Arc<Room>, Error> {
        // Whoever orders a write holds the rooms meanwhile, so no write is on its way to the queue here.
        let rooms = self.rooms.write();
        let room = rooms.get(&space).ok_or(Error::NoSpace { space: space.0 })?;
        room.is_leaving.store(is_leaving, Ordering::SeqCst);
        Ok(Arc::clone(room))
    }
}

impl Held<'_> {
    pub(super) fn get(&self, space: Space) -> Result<Arc<Room>, Error> {
        self.0.get(&space).cloned().ok_or(Error::NoSpace { space: space.0 })
    }

    /// The room of a space that takes writes.
    pub(super) fn get_for_writing(&self, space: Space) -> Result<Arc<Room>, Error> {
        let room = self.get(space)?;
        if room.is_leaving.load(Ordering::SeqCst) {
            return Err(Error::NoSpace { space: space.0 });
        }
        Ok(room)
    }
}

impl Room {
    pub(super) fn new(id: u64, files: Option<Sorter>) -> Room {
        Room {
            id,
            files: RwLock::new(files),
            unfiled_bytes: AtomicU64::new(0),
            is_leaving: AtomicBool::new(false),
            is_gone: AtomicBool::new(false),
        }
    }

    /// A number that no other room of the folder ever had.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    pub(super) fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::SeqCst)
    }

    pub(super) fn set_gone(&self) {
        self.is_gone.store(true, Ordering::SeqCst);
    }

    pub(super) fn unfiled_bytes(&self) -> u64 {
        self.unfiled_bytes.load(Ordering::Relaxed)
    }

    pub(super) fn note_written(&self, bytes: u64) {
        self.unfiled_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn note_filed(&self, bytes: u64) {
        // What was replaced in memory is counted once there and once here, so this may be less than was noted.
        let _ = self.unfiled_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |unfiled| {
            Some(unfiled.saturating_sub(bytes))
        });
    }
}
