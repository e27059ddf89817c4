//! Decides when memory tables are written out to files. Knows no commits, only which rooms they went to.
//!
//! OBSERVED: left alone, fjall 3.1.13 asks its worker to seal a full memory table once more with every commit. Behind a
//! long merge a thousand of these requests fill the worker's queue, then the worker itself waits for a place in it, and
//! nothing is written out ever again: eight writers of 1 KB values came to that after some 400,000 commits. So the engine
//! is told that memory tables are never full, and they are sealed here.

use super::Shared;
use super::failure::translate;
use super::room::{MEMTABLE_BYTES_MAX, Room};
use crate::error::Error;
use fjall::PersistMode;
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Memory tables together; above it the largest are written out.
const TOGETHER_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// After so many bytes all memory tables and the journals are looked at.
const MEASURE_BYTES: u64 = TOGETHER_BYTES_MAX / 4;
/// More sealed memory tables than this are not left waiting when new ones are sealed.
const OUTSTANDING_MAX: usize = 8;
/// The engine waits by itself at four sealed memory tables of a room and at thirty runs of files, and it does not notice
/// when its worker has ended. Waiting here begins earlier and does notice.
const SEALED_MAX: usize = 3;
const RUNS_MAX: usize = 28;
const PAUSE: Duration = Duration::from_millis(5);
const LAGGARD_PAUSE: Duration = Duration::from_millis(20);
/// Ten seconds, for memory only: going on costs no more than that.
const TRIM_PAUSES_MAX: u32 = 2_000;
/// Five minutes: no merge of one room takes so long on a disk that still works.
const BEHIND_PAUSES_MAX: u32 = 60_000;

/// What is known about memory tables between two commits.
#[derive(Default)]
pub(super) struct Memtables {
    /// Bytes written since all memory tables were last looked at.
    unmeasured_bytes: u64,
    /// Whether a sealed journal was there the last time.
    journal_waits: bool,
    /// Rooms that keep an old journal from being removed.
    laggards: VecDeque<Arc<Room>>,
}

impl Memtables {
    /// Waits until none of these rooms is so far behind that the engine would wait in the commit.
    pub(super) fn make_way(shared: &Shared, rooms: &[Arc<Room>]) -> Result<(), Error> {
        for room in rooms {
            let mut pauses = 0;
            while room.sealed_memtables() >= SEALED_MAX || room.runs() >= RUNS_MAX {
                let place = shared.folder.data();
                shared
                    .db
                    .persist(PersistMode::Buffer)
                    .map_err(|error| translate(error, place, "write memory tables out"))?;
                if pauses == BEHIND_PAUSES_MAX {
                    return Err(Error::Failed {
                        detail: "memory tables are not written out any more".into(),
                    });
                }
                pauses += 1;
                thread::sleep(PAUSE);
            }
        }
        Ok(())
    }

    /// Seals what has become too large by a commit of so many bytes to these rooms.
    pub(super) fn after_commit(&mut self, shared: &Shared, rooms: &[Arc<Room>], bytes: u64) {
        for room in rooms.iter().filter(|room| room.memtable_bytes() > MEMTABLE_BYTES_MAX) {
            seal(room);
        }
        self.unmeasured_bytes += bytes;
        if self.unmeasured_bytes >= MEASURE_BYTES {
            self.unmeasured_bytes = 0;
            trim(shared);
            self.find_laggards(shared);
        }
        self.go_on(shared);
    }

    /// Seals more of what is left to be sealed, as far as the worker keeps up.
    pub(super) fn go_on(&mut self, shared: &Shared) {
        while shared.db.outstanding_flushes() < OUTSTANDING_MAX {
            let Some(room) = self.laggards.pop_front() else { return };
            seal(&room);
        }
    }

    /// How long nobody need look after memory tables; no limit if nothing is left to be sealed.
    pub(super) fn patience(&self) -> Option<Duration> {
        (!self.laggards.is_empty()).then_some(LAGGARD_PAUSE)
    }

    /// A journal goes when all that is in it is in files. One that was sealed some time ago and is still there waits for
    /// rooms that are written so seldom that their memory tables never fill.
    fn find_laggards(&mut self, shared: &Shared) {
        let waited = std::mem::replace(&mut self.journal_waits, shared.db.journal_count() > 1);
        if waited && self.journal_waits && self.laggards.is_empty() {
            let rooms = shared.rooms.all();
            self.laggards = rooms.into_iter().filter(|room| room.memtable_bytes() > 0).collect();
        }
    }
}

/// Writes the largest memory tables out when all of them together take too much memory: a thousand spaces could fill a
/// thousand of them.
fn trim(shared: &Shared) {
    let mut rooms: Vec<(u64, Arc<Room>)> =
        shared.rooms.all().into_iter().map(|room| (room.memtable_bytes(), room)).collect();
    let mut total: u64 = rooms.iter().map(|(bytes, _)| bytes).sum();
    if total <= TOGETHER_BYTES_MAX {
        return;
    }
    await_flushes(shared);
    rooms.sort_by_key(|(bytes, _)| Reverse(*bytes));
    for (bytes, room) in rooms {
        if total <= TOGETHER_BYTES_MAX / 2 {
            return;
        }
        seal(&room);
        total -= bytes;
    }
}

/// Waits until most of the memory tables that were sealed before are on the disk, or a slow disk would let them pile
/// up in memory. The wait ends in any case: an engine that has stopped says so at the next commit.
fn await_flushes(shared: &Shared) {
    for _ in 0..TRIM_PAUSES_MAX {
        if shared.db.outstanding_flushes() <= OUTSTANDING_MAX {
            return;
        }
        thread::sleep(PAUSE);
    }
}

fn seal(room: &Room) {
    if let Err(error) = room.keyspace().rotate_memtable() {
        tracing::warn!(%error, "a memory table could not be written out");
    }
}
