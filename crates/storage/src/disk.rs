//! The engine on a disk: fjall behind one seam. Knows folders, spaces and the path of a commit; nothing outside this
//! room knows that there is a fjall.
//!
//! The path of a commit: `order` gives it a ticket in the queue; the committer takes all that is queued, writes it as one
//! batch and syncs once; then it is visible, its pending values are settled, and those who wait for the ticket wake.

mod committer;
mod failure;
mod folder;
mod free;
mod hot;
mod journal;
mod memtables;
mod published;
mod queue;
mod room;
mod run;

use crate::batch::Batch;
use crate::error::Error;
use crate::progress::{Durable, Progress, Ticket};
use crate::range::{Direction, Range, Visit};
use crate::space::Space;
use crate::stamp::Stamp;
use crate::store::{Durability, Shortage};
use crate::stripes::{Stripe, Stripes};
use bytes::Bytes;
use failure::{guarded, translate};
use fjall::{Database, Readable};
use folder::Folder;
use free::Free;
use hot::{Hot, Lookup};
use parking_lot::Mutex;
use published::Published;
use queue::{Ordered, Queue};
use room::{Room, Rooms};
use run::Run;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

/// Open files of the engine. It leaves room for connections under the usual limit of 1,024 of a process.
const OPEN_FILES_MAX: usize = 256;

/// An open folder and its committer.
pub(crate) struct Disk {
    shared: Arc<Shared>,
    committer: Mutex<Option<JoinHandle<()>>>,
}

/// What readers, writers and the committer share.
struct Shared {
    rooms: Rooms,
    hot: Hot,
    queue: Queue,
    progress: Arc<Progress>,
    stripes: Arc<Stripes>,
    durability: Durability,
    published: Published,
    free: Free,
    db: Database,
    /// Held as long as anybody can read: the last field is the last to be dropped.
    folder: Folder,
}

/// A view of all spaces at one moment.
pub(crate) struct View {
    snapshot: Arc<fjall::Snapshot>,
    shared: Arc<Shared>,
}

impl Disk {
    pub(crate) fn open(
        dir: &Path,
        durability: Durability,
        cache_bytes: u64,
        stripes: Arc<Stripes>,
    ) -> Result<Disk, Error> {
        let folder = Folder::open(dir)?;
        let data = folder.data();
        folder.settle()?;
        journal::mend(data)?;
        let run = Run::begin(folder.dir(), data)?;
        let hot_bytes = cache_bytes / 3;
        let db = guarded(data, || {
            Database::builder(data)
                .cache_size(cache_bytes - hot_bytes)
                .worker_threads(worker_threads())
                .max_journaling_size(u64::MAX)
                .max_cached_files(Some(OPEN_FILES_MAX))
                .open()
                .map_err(|error| translate(error, data, "open the data folder"))
        })?;
        run.reserve(&db);
        // The format, the count of runs and the engine's folder are durable before anything is stored.
        folder::sync_folder(folder.dir()).map_err(|error| Error::io("sync the data folder", error))?;
        let shared = Arc::new(Shared {
            rooms: Rooms::open(&db, data)?,
            hot: Hot::new(hot_bytes),
            queue: Queue::default(),
            progress: Arc::default(),
            stripes,
            durability,
            published: Published::new(&db),
            free: Free::new(folder.dir()),
            db,
            folder,
        });
        let committer = committer::start(Arc::clone(&shared))?;
        Ok(Disk { shared, committer: Mutex::new(Some(committer)) })
    }

    pub(crate) fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error> {
        let shared = &*self.shared;
        let room = shared.rooms.get(space)?;
        let permit = match shared.hot.get(room.generation(), key) {
            Lookup::Hit(value) => return Ok(Some(value)),
            Lookup::Miss(permit) => permit,
        };
        let value = read(&shared.published.snapshot(), &room, key)?;
        if let Some(value) = &value {
            shared.hot.offer(permit, room.generation(), key, value);
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
        View { snapshot: self.shared.published.snapshot(), shared: Arc::clone(&self.shared) }
    }

    /// Waits while so much is queued that more would only cost memory.
    pub(crate) fn make_room(&self) -> Result<(), Error> {
        self.shared.queue.make_room()
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
            .map(|(write, stripe)| Ok(Ordered { room: rooms.get(write.key.space)?, write, stripe }))
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
        shared.rooms.create(&shared.db, shared.folder.data(), space)
    }

    pub(crate) fn drop_space(&self, space: Space) -> Result<(), Error> {
        let shared = &*self.shared;
        shared.queue.check()?;
        shared.rooms.remove(&shared.db, shared.folder.data(), space, || {
            Durable::new(&shared.progress, shared.queue.last()).block()
        })
    }

    pub(crate) fn spaces(&self) -> Vec<Space> {
        self.shared.rooms.list()
    }

    pub(crate) fn bytes(&self, space: Space) -> u64 {
        self.shared.rooms.get(space).map_or(0, |room| room.bytes())
    }

    pub(crate) fn close(&self) -> Result<(), Error> {
        self.shared.queue.close();
        let Some(committer) = self.committer.lock().take() else { return Ok(()) };
        // A panic of the committer is noted as a failure of the queue.
        let _ = committer.join();
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
        read(&self.snapshot, &*self.shared.rooms.get(space)?, key)
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
        let bounds = (range.from.clone(), range.to.clone());
        let mut entries = guarded(room.path(), || Ok(self.snapshot.range(room.keyspace(), bounds)))?;
        loop {
            let entry = guarded(room.path(), || {
                let guard = match direction {
                    Direction::Forward => entries.next(),
                    Direction::Backward => entries.next_back(),
                };
                guard
                    .map(fjall::Guard::into_inner)
                    .transpose()
                    .map_err(|error| translate(error, room.path(), "scan"))
            })?;
            let Some((key, value)) = entry else { return Ok(()) };
            if visit(&key, &value).is_break() {
                return Ok(());
            }
        }
    }
}

fn read(snapshot: &fjall::Snapshot, room: &Room, key: &[u8]) -> Result<Option<Bytes>, Error> {
    guarded(room.path(), || {
        let value = snapshot.get(room.keyspace(), key);
        value
            .map(|value| value.map(Bytes::from))
            .map_err(|error| translate(error, room.path(), "read a value"))
    })
}

/// Threads that write memory tables out and merge files.
///
/// OBSERVED: with two or more of them fjall 3.1.13 keeps its first worker spinning on merges that wait for the others,
/// which would take half of a small machine. One is enough for what two cores can write.
fn worker_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if cores <= 4 { 1 } else { 3 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Config, Store};

    #[test]
    fn a_failed_commit_ends_writes_and_leaves_reads() {
        let dir = tempfile::TempDir::new().unwrap();
        let config = Config::Disk {
            dir: dir.path().to_path_buf(),
            durability: Durability::Sync,
            cache_bytes: 1 << 20,
        };
        let store = Store::open(config).unwrap();
        let space = Space(1);
        store.create_space(space).unwrap();
        let write = |value: &'static str| {
            store.apply(&[crate::space::Key::new(space, "a")], &mut |_| {
                let mut batch = Batch::new();
                batch.put(space, "a", value);
                Some(batch)
            })
        };
        store.wait(write("1").unwrap()).unwrap();
        store.engine_failure(Error::Failed { detail: "the disk said no".into() });
        assert!(matches!(write("2"), Err(Error::Failed { .. })));
        assert!(matches!(store.wait(Ticket(99)), Err(Error::Failed { .. })));
        assert!(matches!(store.create_space(Space(2)), Err(Error::Failed { .. })));
        assert_eq!(store.get(space, b"a").unwrap().as_deref(), Some(&b"1"[..]));
        assert!(matches!(store.close(), Err(Error::Failed { .. })));
    }
}
