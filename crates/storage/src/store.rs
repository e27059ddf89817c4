//! The store: one door for all engines. Knows the order of the steps of a transaction, and no engine from inside.

use crate::batch::{Batch, Write};
use crate::disk::Disk;
use crate::error::Error;
use crate::memory::Memory;
use crate::progress::{Durable, Ticket};
use crate::range::{Direction, Range, Visit};
use crate::snapshot::Snapshot;
use crate::space::{Key, Space};
use crate::stamp::Stamp;
use crate::stripes::{Latest, Locked, Stripe, Stripes};
use bytes::Bytes;
use std::path::PathBuf;
use std::sync::Arc;

/// Where a store lives.
#[derive(Clone, Debug)]
pub enum Config {
    /// In memory, until it is dropped.
    Memory,
    /// In a folder, which is created where it does not exist.
    Disk {
        /// The folder; one process at a time may hold it.
        dir: PathBuf,
        /// When a commit counts as done.
        durability: Durability,
        /// Memory for blocks of the files (two thirds, 64 MB at most) and for hot values (the rest).
        cache_bytes: u64,
    },
    /// On a disk that is only played.
    #[cfg(feature = "simulation")]
    Simulated(crate::simulated::Simulation),
}

/// When a commit on a disk becomes visible and its ticket durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// When the disk has confirmed it: it survives a power cut.
    Sync,
    /// When the system has it: it survives the end of the process. The disk has it at most 100 ms later.
    Relaxed,
}

/// A disk that is nearly full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// What is left.
    pub free_bytes: u64,
    /// What must be left before more can be added.
    pub enough_bytes: u64,
}

/// Ordered byte keys in spaces, with one-shot transactions.
pub struct Store {
    stripes: Arc<Stripes>,
    engine: Engine,
}

enum Engine {
    Memory(Memory),
    Disk(Disk),
    #[cfg(feature = "simulation")]
    Simulated(crate::simulated::Simulated),
}

impl Store {
    /// Opens a store; a folder is repaired where a crash tore the last write.
    pub fn open(config: Config) -> Result<Store, Error> {
        let stripes = Arc::new(Stripes::new());
        let engine = match config {
            Config::Memory => Engine::Memory(Memory::default()),
            Config::Disk { dir, durability, cache_bytes } => {
                Engine::Disk(Disk::open(&dir, durability, cache_bytes, Arc::clone(&stripes))?)
            }
            #[cfg(feature = "simulation")]
            Config::Simulated(simulation) => {
                Engine::Simulated(crate::simulated::Simulated::open(&simulation, Arc::clone(&stripes)))
            }
        };
        Ok(Store { stripes, engine })
    }

    /// The value of a key, as far as it is durable.
    pub fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error> {
        match &self.engine {
            Engine::Memory(memory) => memory.get(space, key),
            Engine::Disk(disk) => disk.get(space, key),
            #[cfg(feature = "simulation")]
            Engine::Simulated(disk) => disk.get(space, key),
        }
    }

    /// Shows every key of a range with its value to `visit`, until that breaks off. All of it is one consistent view.
    pub fn scan(
        &self,
        space: Space,
        range: &Range,
        direction: Direction,
        visit: &mut Visit<'_>,
    ) -> Result<(), Error> {
        match &self.engine {
            Engine::Memory(memory) => memory.scan(space, range, direction, visit),
            Engine::Disk(disk) => disk.scan(space, range, direction, visit),
            #[cfg(feature = "simulation")]
            Engine::Simulated(disk) => disk.view().scan(space, range, direction, visit),
        }
    }

    /// A view of all spaces as they are now, as far as they are durable.
    pub fn snapshot(&self) -> Snapshot {
        match &self.engine {
            Engine::Memory(memory) => Snapshot::memory(memory.view()),
            Engine::Disk(disk) => Snapshot::disk(disk.view()),
            #[cfg(feature = "simulation")]
            Engine::Simulated(disk) => Snapshot::simulated(disk.view()),
        }
    }

    /// One transaction: locks `keys`, shows `decide` their latest values in the same order (also those that are ordered
    /// but not yet durable), orders the batch it answers, and unlocks. No batch or an empty one writes nothing.
    ///
    /// The ticket is durable when all that this call wrote *and read* is durable. A caller must wait for it before it
    /// tells anybody the outcome, also when it wrote nothing: a refusal may rest on a value a crash could still undo.
    ///
    /// INVARIANT: a key that any call names must be named by every call that writes it. A batch may write other keys
    /// too (entries derived from a named key), but the latest value of such a key is seen by reads only.
    ///
    /// `decide` must be pure, it may be called again. It must not call the store.
    pub fn apply(
        &self,
        keys: &[Key],
        decide: &mut dyn FnMut(&[Option<Bytes>]) -> Option<Batch>,
    ) -> Result<Ticket, Error> {
        match &self.engine {
            Engine::Memory(_) => {}
            Engine::Disk(disk) => disk.make_room()?,
            #[cfg(feature = "simulation")]
            Engine::Simulated(disk) => disk.make_room()?,
        }
        let mut locked = self.stripes.lock(keys);
        let (values, read) = self.latest(&locked, keys)?;
        match decide(&values) {
            Some(batch) if !batch.is_empty() => self.order(&mut locked, batch),
            Some(_) | None => Ok(read),
        }
    }

    /// What to wait for before more is ordered, while so much is on its way to the disk that more would only cost memory.
    /// `apply` waits for it as well, but blocks the thread.
    pub fn backlog(&self) -> Option<Ticket> {
        match &self.engine {
            Engine::Memory(_) => None,
            Engine::Disk(disk) => disk.backlog(),
            #[cfg(feature = "simulation")]
            Engine::Simulated(_) => None,
        }
    }

    /// Why nothing should be added for now, if so. Commits are still taken: what removes something or was promised may go
    /// on, but a disk that is full to the last byte ends all commits until the store is opened again.
    pub fn shortage(&self) -> Option<Shortage> {
        match &self.engine {
            Engine::Memory(_) => None,
            Engine::Disk(disk) => disk.shortage(),
            #[cfg(feature = "simulation")]
            Engine::Simulated(disk) => disk.shortage(),
        }
    }

    /// Keeps so many bytes of the disk free instead of the usual share. A store in memory has no disk.
    pub fn keep_free(&self, bytes: u64) {
        match &self.engine {
            Engine::Memory(_) => {}
            Engine::Disk(disk) => disk.keep_free(bytes),
            #[cfg(feature = "simulation")]
            Engine::Simulated(_) => {}
        }
    }

    /// The stamp of the latest commit that appended something, durable or not. What is appended later has a greater one.
    pub fn last_stamp(&self) -> Stamp {
        match &self.engine {
            Engine::Memory(memory) => memory.last_stamp(),
            Engine::Disk(disk) => disk.last_stamp(),
            #[cfg(feature = "simulation")]
            Engine::Simulated(disk) => disk.last_stamp(),
        }
    }

    /// Later stamps are greater than this one. A store that is opened begins anew, so whoever finds appended values from
    /// before says so.
    pub fn raise_stamp(&self, stamp: Stamp) {
        match &self.engine {
            Engine::Memory(memory) => memory.raise_stamp(stamp),
            Engine::Disk(disk) => disk.raise_stamp(stamp),
            #[cfg(feature = "simulation")]
            Engine::Simulated(disk) => disk.raise_stamp(stamp),
        }
    }

    /// A future that resolves when the ticket is durable.
    pub fn durable(&self, ticket: Ticket) -> Durable {
        match &self.engine {
            Engine::Memory(_) => Durable::ready(),
            Engine::Disk(disk) => disk.durable(ticket),
            #[cfg(feature = "simulation")]
            Engine::Simulated(disk) => disk.durable(ticket),
        }
    }

    /// Blocks until the ticket is durable.
    pub fn wait(&self, ticket: Ticket) -> Result<(), Error> {
        // In a simulation nobody else would do what is waited for.
        #[cfg(feature = "simulation")]
        if let Engine::Simulated(disk) = &self.engine {
            return disk.wait(ticket);
        }
        self.durable(ticket).block()
    }

    /// Creates a space; one that exists stays as it is. Durable on return. A folder holds a thousand of them at most.
    pub fn create_space(&self, space: Space) -> Result<(), Error> {
        match &self.engine {
            Engine::Memory(memory) => memory.create_space(space),
            Engine::Disk(disk) => disk.create_space(space),
            #[cfg(feature = "simulation")]
            Engine::Simulated(disk) => disk.create_space(space),
        }
    }

    /// Drops a space with all its keys and gives its room on the disk back. Durable on return.
    pub fn drop_space(&self, space: Space) -> Result<(), Error> {
        match &self.engine {
            Engine::Memory(memory) => memory.drop_space(space),
            Engine::Disk(disk) => disk.drop_space(space),
            #[cfg(feature = "simulation")]
            Engine::Simulated(disk) => disk.drop_space(space),
        }
    }

    /// All spaces, in order.
    pub fn spaces(&self) -> Vec<Space> {
        match &self.engine {
            Engine::Memory(memory) => memory.spaces(),
            Engine::Disk(disk) => disk.spaces(),
            #[cfg(feature = "simulation")]
            Engine::Simulated(disk) => disk.spaces(),
        }
    }

    /// About how many bytes a space takes; 0 where there is no such space.
    pub fn bytes_on_disk(&self, space: Space) -> u64 {
        match &self.engine {
            Engine::Memory(memory) => memory.bytes(space),
            Engine::Disk(disk) => disk.bytes(space),
            #[cfg(feature = "simulation")]
            Engine::Simulated(disk) => disk.bytes(space),
        }
    }

    /// Ends all commits and syncs everything. Later commits are refused, reads go on; the folder is free again when the
    /// store and its snapshots are dropped.
    pub fn close(&self) -> Result<(), Error> {
        match &self.engine {
            Engine::Memory(memory) => {
                memory.close();
                Ok(())
            }
            Engine::Disk(disk) => disk.close(),
            #[cfg(feature = "simulation")]
            Engine::Simulated(disk) => disk.close(),
        }
    }

    /// The latest values of locked keys, and the ticket of the newest commit among them.
    fn latest(&self, locked: &Locked<'_>, keys: &[Key]) -> Result<(Vec<Option<Bytes>>, Ticket), Error> {
        let mut values = Vec::with_capacity(keys.len());
        let mut newest = Ticket::NONE;
        for key in keys {
            values.push(match locked.latest(key) {
                Latest::Ordered(value, ticket) => {
                    newest = newest.max(ticket);
                    value
                }
                Latest::Visible => self.get(key.space, &key.bytes)?,
            });
        }
        Ok((values, newest))
    }

    /// Gives a batch its place in the order, and keeps its values of locked keys at hand until they are visible.
    fn order(&self, locked: &mut Locked<'_>, batch: Batch) -> Result<Ticket, Error> {
        match &self.engine {
            Engine::Memory(memory) => memory.write(batch).map(|()| Ticket::NONE),
            Engine::Disk(disk) => order_pending(locked, batch, |batch, stripes| disk.order(batch, stripes)),
            #[cfg(feature = "simulation")]
            Engine::Simulated(disk) => {
                order_pending(locked, batch, |batch, stripes| disk.order(batch, stripes))
            }
        }
    }
}

/// Orders a batch of an engine whose commits are visible later.
fn order_pending(
    locked: &mut Locked<'_>,
    batch: Batch,
    order: impl FnOnce(Batch, Vec<Option<Stripe>>) -> Result<Ticket, Error>,
) -> Result<Ticket, Error> {
    let held = |write: &Write| if write.is_appended() { None } else { locked.held(&write.key) };
    let stripes: Vec<Option<Stripe>> = batch.writes().iter().map(held).collect();
    let pending: Vec<(Stripe, Write)> = batch
        .writes()
        .iter()
        .zip(&stripes)
        .filter_map(|(write, stripe)| Some(((*stripe)?, write.share())))
        .collect();
    let ticket = order(batch, stripes)?;
    // INVARIANT: the committer settles pending values under the stripe locks that are still held here.
    for (stripe, write) in pending {
        locked.record(stripe, write, ticket);
    }
    Ok(ticket)
}

impl Drop for Store {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::error!(%error, "the store was not closed cleanly");
        }
    }
}

#[cfg(test)]
impl Store {
    /// Puts a disk into the state after a failed commit.
    pub(crate) fn engine_failure(&self, error: Error) {
        if let Engine::Disk(disk) = &self.engine {
            disk.fail(error);
        }
    }
}
