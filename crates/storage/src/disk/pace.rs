//! Writes files in small pieces, with rests between them. Knows nothing of what is in them.
//!
//! The system would keep all of a file in memory until it is synced, and then the disk has tens of megabytes to write
//! before it gets to the next commit. And a thread that makes files without a rest has a core for milliseconds at a
//! time, whatever its priority, while somebody waits for an answer.

use lsm_tree::compaction::filter::Context;
use lsm_tree::compaction::{CompactionFilter, Factory, ItemAccessor, Verdict};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// So much is handed to the disk at a time.
const PIECE_BYTES: u64 = 128 * 1024;
/// The clock is looked at after so much.
const LOOK_BYTES: u64 = 8 * 1024;
/// After so long it is time for a rest.
const WORK_MAX: Duration = Duration::from_micros(200);
/// The folder is searched for new files after so many pieces.
const SEARCH_PIECES: u64 = 8;
/// Nobody needs to rest for longer, however slow the disk is.
const REST_MAX: Duration = Duration::from_millis(20);
/// How long to rest when nobody waits, as a multiple of the work before it.
pub(super) const LEISURE_MAX: u32 = 3;

/// Keeps a thread from having a core or the disk for long.
pub(super) struct Rests {
    /// Since when it has worked without a rest.
    since: Instant,
}

/// How far the files of a folder with a number from `first` on are ahead of the disk.
pub(super) struct Pace<L> {
    folder: PathBuf,
    first: u64,
    files: Vec<Growing>,
    /// Bytes that were written, that are not handed over, and since the last look at the clock.
    bytes: u64,
    unsynced_bytes: u64,
    unseen_bytes: u64,
    pieces: u64,
    rests: Rests,
    /// How long to rest, as a multiple of the work before it, when so many bytes were written.
    leisure: L,
}

/// A file that is being written.
struct Growing {
    number: u64,
    file: File,
    synced_bytes: u64,
}

/// What merges of a room share with those who start and stop them.
#[derive(Default)]
pub(super) struct Merging {
    first: AtomicU64,
    is_stopped: AtomicBool,
}

/// How long merges rest, as a multiple of their work.
#[derive(Default)]
pub(super) struct Leisure(AtomicU32);

/// Paces the files that a merge writes, and ends it early when it is told to.
struct Paced {
    pace: Pace<Box<dyn Fn(u64) -> u32 + Send + Sync>>,
    merging: Arc<Merging>,
}

/// Makes one for each merge.
pub(super) struct Pacing {
    folder: PathBuf,
    merging: Arc<Merging>,
    leisure: Arc<Leisure>,
}

impl Rests {
    pub(super) fn new() -> Rests {
        Rests { since: now() }
    }

    fn are_due(&self) -> bool {
        self.since.elapsed() >= WORK_MAX
    }

    /// Rests for so many times as long as was worked since the last time.
    pub(super) fn rest(&mut self, leisure: u32) {
        if leisure > 0 {
            thread::sleep((self.since.elapsed() * leisure).min(REST_MAX));
        }
        self.since = now();
    }
}

#[expect(clippy::disallowed_methods, reason = "how long a core was used is no matter of the users' clock")]
fn now() -> Instant {
    Instant::now()
}

impl<L: Fn(u64) -> u32> Pace<L> {
    pub(super) fn new(folder: &Path, first: u64, leisure: L) -> Pace<L> {
        Pace {
            folder: folder.to_path_buf(),
            first,
            files: Vec::new(),
            bytes: 0,
            unsynced_bytes: 0,
            unseen_bytes: 0,
            pieces: 0,
            rests: Rests::new(),
            leisure,
        }
    }

    /// So many bytes more are on their way.
    pub(super) fn note(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        self.unsynced_bytes += bytes as u64;
        self.unseen_bytes += bytes as u64;
        if self.unseen_bytes < LOOK_BYTES {
            return;
        }
        self.unseen_bytes = 0;
        if self.unsynced_bytes >= PIECE_BYTES {
            self.unsynced_bytes = 0;
            // Whoever writes the file syncs it in the end and tells what went wrong then.
            let _ = self.hand_over();
            self.pieces += 1;
        }
        if self.rests.are_due() {
            self.rests.rest((self.leisure)(self.bytes));
        }
    }

    fn hand_over(&mut self) -> io::Result<()> {
        if self.pieces.is_multiple_of(SEARCH_PIECES) {
            self.search()?;
        }
        for growing in &mut self.files {
            let bytes = growing.file.metadata()?.len();
            if bytes > growing.synced_bytes {
                start_writing(&growing.file, growing.synced_bytes, bytes)?;
                growing.synced_bytes = bytes;
            }
        }
        Ok(())
    }

    /// Looks for files that have come, and forgets those that have gone.
    fn search(&mut self) -> io::Result<()> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let number = entry.file_name().to_str().and_then(|name| name.parse::<u64>().ok());
            let Some(number) = number.filter(|number| *number >= self.first) else { continue };
            let known = self.files.iter().position(|growing| growing.number == number);
            found.push(match known {
                Some(place) => self.files.swap_remove(place),
                None => Growing { number, file: File::open(entry.path())?, synced_bytes: 0 },
            });
        }
        self.files = found;
        Ok(())
    }
}

/// Lets the disk begin with a part of a file.
#[cfg(target_os = "linux")]
fn start_writing(file: &File, from: u64, to: u64) -> io::Result<()> {
    // What is being written stays in memory; only pages that the disk has already would go.
    let length = std::num::NonZeroU64::new(to - from);
    Ok(rustix::fs::fadvise(file, from, length, rustix::fs::Advice::DontNeed)?)
}

#[cfg(not(target_os = "linux"))]
fn start_writing(file: &File, _: u64, _: u64) -> io::Result<()> {
    file.sync_data()
}

impl Merging {
    /// Files from this number on belong to the next merge.
    pub(super) fn begin(&self, first: u64) {
        self.first.store(first, Ordering::SeqCst);
    }

    /// Ends the merge that is under way, and all later ones.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::SeqCst)
    }
}

impl Leisure {
    pub(super) fn set(&self, leisure: u32) {
        self.0.store(leisure, Ordering::Relaxed);
    }

    fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Pacing {
    pub(super) fn new(folder: &Path, merging: &Arc<Merging>, leisure: &Arc<Leisure>) -> Pacing {
        let (merging, leisure) = (Arc::clone(merging), Arc::clone(leisure));
        Pacing { folder: folder.to_path_buf(), merging, leisure }
    }
}

impl Factory for Pacing {
    fn name(&self) -> &str {
        "pace"
    }

    fn make_filter(&self, _: &Context) -> Box<dyn CompactionFilter> {
        let first = self.merging.first.load(Ordering::SeqCst);
        let leisure = Arc::clone(&self.leisure);
        let pace = Pace::new(
            &self.folder,
            first,
            Box::new(move |_| leisure.get()) as Box<dyn Fn(u64) -> u32 + Send + Sync>,
        );
        Box::new(Paced { pace, merging: Arc::clone(&self.merging) })
    }
}

impl CompactionFilter for Paced {
    fn filter_item(&mut self, item: ItemAccessor<'_>, _: &Context) -> lsm_tree::Result<Verdict> {
        if self.merging.is_stopped() {
            return Err(lsm_tree::Error::Io(io::Error::other("the store closes")));
        }
        self.pace.note(item.key().len() + item.value()?.len());
        Ok(Verdict::Keep)
    }
}
