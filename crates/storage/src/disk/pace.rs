//! Hands files to the disk piece by piece while they are written. Knows nothing of what is in them.
//!
//! The system would keep all of a file in memory until it is synced, and then the disk has tens of megabytes to write
//! before it gets to the next commit.

use lsm_tree::compaction::filter::Context;
use lsm_tree::compaction::{CompactionFilter, Factory, ItemAccessor, Verdict};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// So much is handed over at a time: two milliseconds of a disk that takes half a gigabyte in a second.
const PIECE_BYTES: u64 = 1024 * 1024;

/// How far the files of a folder with a number from `first` on are ahead of the disk.
pub(super) struct Pace {
    folder: PathBuf,
    first: u64,
    unsynced_bytes: u64,
}

/// What merges of a room share with those who start and stop them.
#[derive(Default)]
pub(super) struct Merging {
    first: AtomicU64,
    is_stopped: AtomicBool,
}

/// Paces the files that a merge writes, and ends it early when it is told to.
struct Paced {
    pace: Pace,
    merging: Arc<Merging>,
}

/// Makes one for each merge.
pub(super) struct Pacing {
    folder: PathBuf,
    merging: Arc<Merging>,
}

impl Pace {
    pub(super) fn new(folder: &Path, first: u64) -> Pace {
        Pace { folder: folder.to_path_buf(), first, unsynced_bytes: 0 }
    }

    /// So many bytes more are on their way.
    pub(super) fn note(&mut self, bytes: usize) {
        self.unsynced_bytes += bytes as u64;
        if self.unsynced_bytes >= PIECE_BYTES {
            self.unsynced_bytes = 0;
            // Whoever writes the file syncs it in the end and tells what went wrong then.
            let _ = self.hand_over();
        }
    }

    fn hand_over(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let number = entry.file_name().to_str().and_then(|name| name.parse::<u64>().ok());
            if number.is_some_and(|number| number >= self.first) {
                File::open(entry.path())?.sync_data()?;
            }
        }
        Ok(())
    }
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

impl Pacing {
    pub(super) fn new(folder: &Path, merging: &Arc<Merging>) -> Pacing {
        Pacing { folder: folder.to_path_buf(), merging: Arc::clone(merging) }
    }
}

impl Factory for Pacing {
    fn name(&self) -> &str {
        "pace"
    }

    fn make_filter(&self, _: &Context) -> Box<dyn CompactionFilter> {
        let first = self.merging.first.load(Ordering::SeqCst);
        Box::new(Paced { pace: Pace::new(&self.folder, first), merging: Arc::clone(&self.merging) })
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
