//! The engine on a disk. Knows folders, spaces and the path of a commit; nothing outside this room knows how files are kept.
//!
//! The path of a commit: `order` gives it a ticket in the queue; the committer takes all that is queued, writes it to the log
//! as one record and syncs once; then it goes to the memory table and is visible, its pending values are settled, and those
//! who wait for the ticket wake. Later the keeper writes the memory table out to sorted files and merges those.

mod committer;
mod failure;
mod folder;
mod free;
mod hot;
mod keeper;
mod layers;
mod log;
mod manifest;
mod memtable;
mod merge;
mod pace;
mod queue;
mod removal;
mod room;
mod sorted;
mod start;
#[cfg(test)]
mod tests;

use crate::batch::Batch;
use crate::error::Error;
use crate::progress::{Durable, Progress, Ticket};
use crate::range::{Direction, Range, Visit};
use crate::space::Space;
use crate::stamp::Stamp;
use crate::store::{Durability, Shortage};
use crate::stripes::{Stripe, Stripes};
use bytes::Bytes;
use folder::Folder;
use free::Free;
use hot::{Hot, Lookup};
use keeper::Keeper;
use layers::{Current, Seen};
use log::{Secret, Slots};
use parking_lot::Mutex;
use queue::{Ordered, Queue, SpaceChange};
use removal::Removal;
use room::Rooms;
use sorted::Files;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

/// An open folder and its threads.
pub(crate) struct Disk {
    shared: Arc<Shared>,
    committer: Mutex<Option<JoinHandle<()>>>,
    keepers: Mutex<Vec<JoinHandle<()>>>,
}

/// What readers, writers, the committer and the keeper share.
struct Shared {
    rooms: Rooms,
    current: Current,
    hot: Hot,
    queue: Queue,
    keeper: Keeper,
    progress: Arc<Progress>,
    stripes: Arc<Stripes>,
    durability: Durability,
    free: Free,
    slots: Slots,
    files: Files,
    removal: Removal,
    secret: Secret,
    /// Held as long as anybody can read: the last field is the last to be dropped.
    folder: Folder,
}

/// A view of all spaces at one moment.
pub(crate) struct View {
    seen: Seen,
    shared: Arc<Shared>,
}

impl Disk {
    pub(crate) fn open(
        dir: &Path,
        durability: Durability,
        cache_bytes: u64,
        stripes: Arc<Stripes>,
    ) -> Result<Disk, Error> {
        let (shared, log) = start::open(dir, durability, cache_bytes, stripes)?;
        let shared = Arc::new(shared);
        let started = keeper::start(&shared).and_then(|keepers| {
            let committer = committer::start(Arc::clone(&shared), log)?;
            Ok((keepers, committer))
        });
        match started {
            Ok((keepers, committer)) => {
                Ok(Disk { shared, committer: Mutex::new(Some(committer)), keepers: Mutex::new(keepers) })
            }
            Err(error) => {
                // Those that were started end.
                shared.keeper.close();
                shared.removal.close();
                Err(error)
            }
        }
    }

    pub(crate) fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error> {
        let shared = &*self.shared;
        let room = shared.rooms.get(space)?;
        let permit = match shared.hot.get(room.id(), key) {
            Lookup::Hit(value) => return Ok(Some(value)),
            Lookup::Miss(permit) => permit,
        };
        let value = shared.current.look().get(room.id(), key)?;
        if let Some(value) = &value {
            shared.hot.offer(permit, room.id(), key, value);
        }
        Ok(value)
    }

    pub(crate) fn scan(
        &self,
        space: Space,
        range: &Range,
        direction: Direction,
        visit: &mut Visit<'_>,
    ) -> Result<(), Error> {
        self.view().scan(space, range, direction, visit)
    }

    pub(crate) fn view(&self) -> View {
        View { seen: self.shared.current.look(), shared: Arc::clone(&self.shared) }
    }

    /// Waits while so much is queued that more would only cost memory.
    pub(crate) fn make_room(&self) -> Result<(), Error> {
        self.shared.queue.make_room()
    }

    /// What to wait for while so much is queued.
    pub(crate) fn backlog(&self) -> Option<Ticket> {
        self.shared.queue.backlog()
    }

    /// Why nothing should be added, if so.
    pub(crate) fn shortage(&self) -> Option<Shortage> {
        self.shared.free.shortage()
    }

    /// Keeps another number of bytes free than the usual one.
    pub(crate) fn keep_free(&self, bytes: u64) {
        self.shared.free.keep(bytes);
    }

    /// Queues a batch. `stripes` says for each write in which held stripe its pending value will be recorded.
    pub(crate) fn order(&self, batch: Batch, stripes: Vec<Option<Stripe>>) -> Result<Ticket, Error> {
        // INVARIANT: rooms stay locked until the batch is queued, so that a drop of a space can wait for all its writes.
        let rooms = self.shared.rooms.read();
        let (appended, writes) = batch.into_parts();
        let ordered = writes
            .into_iter()
            .zip(stripes)
            .map(|(write, stripe)| {
                Ok(Ordered { room: rooms.get_for_writing(write.key.space)?, write, stripe })
            })
            .collect::<Result<Vec<Ordered>, Error>>()?;
        self.shared.queue.push(ordered, appended)
    }

    pub(crate) fn last_stamp(&self) -> Stamp {
        self.shared.queue.last_stamp()
    }

    pub(crate) fn raise_stamp(&self, stamp: Stamp) {
        self.shared.queue.raise_stamp(stamp);
    }

    pub(crate) fn durable(&self, ticket: Ticket) -> Durable {
        Durable::new(&self.shared.progress, ticket)
    }

    pub(crate) fn create_space(&self, space: Space) -> Result<(), Error> {
        let shared = &*self.shared;
        shared.queue.check()?;
        // Looked at before the lock as well: one that exists need not wait until another one is made.
        if shared.rooms.contains(space) {
            return Ok(());
        }
        let _alone = shared.rooms.alone();
        if shared.rooms.contains(space) {
            return Ok(());
        }
        let room = shared.rooms.make()?;
        let ticket = shared.queue.push_space_change(SpaceChange::Create(space, room))?;
        self.durable(ticket).block()
    }

    pub(crate) fn drop_space(&self, space: Space) -> Result<(), Error> {
        let shared = &*self.shared;
        shared.queue.check()?;
        let _alone = shared.rooms.alone();
        let room = shared.rooms.set_leaving(space, true)?;
        let dropped = shared
            .queue
            .push_space_change(SpaceChange::Drop(space, Arc::clone(&room)))
            .and_then(|ticket| self.durable(ticket).block());
        match &dropped {
            Ok(()) => shared.keeper.remove(room, &shared.current),
            Err(_) => drop(shared.rooms.set_leaving(space, false)),
        }
        dropped
    }

    pub(crate) fn spaces(&self) -> Vec<Space> {
        self.shared.rooms.list()
    }

    pub(crate) fn bytes(&self, space: Space) -> u64 {
        let bytes = |room: Arc<room::Room>| self.shared.current.bytes(room.id()) + room.unfiled_bytes();
        self.shared.rooms.get(space).map_or(0, bytes)
    }

    pub(crate) fn close(&self) -> Result<(), Error> {
        self.shared.queue.close();
        let Some(committer) = self.committer.lock().take() else { return Ok(()) };
        // A panic of a thread is noted as a failure of the queue.
        let _ = committer.join();
        self.shared.keeper.close();
        self.shared.removal.close();
        for room in self.shared.rooms.by_number().values() {
            room.files.read().iter().for_each(sorted::Sorter::stop_merging);
        }
        for keeper in self.keepers.lock().drain(..) {
            let _ = keeper.join();
        }
        self.shared.queue.failure().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
impl Disk {
    /// What the committer does when a commit fails.
    pub(crate) fn fail(&self, error: Error) {
        self.shared.queue.fail(error.clone());
        self.shared.progress.fail(error);
    }
}

impl View {
    pub(crate) fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error> {
        self.seen.get(self.shared.rooms.get(space)?.id(), key)
    }

    pub(crate) fn scan(
        &self,
        space: Space,
        range: &Range,
        direction: Direction,
        visit: &mut Visit<'_>,
    ) -> Result<(), Error> {
        let room = self.shared.rooms.get(space)?;
        if range.is_empty() {
            return Ok(());
        }
        self.seen.scan(room.id(), range, direction, visit)
    }
}
