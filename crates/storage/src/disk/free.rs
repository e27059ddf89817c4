//! How much room the disk has left. Knows nothing of what fills it.
//!
//! OBSERVED: fjall 3.1.13 takes no write any more, for as long as it runs, after one of its files could not be written. So
//! writes are to stop while there is still room for what is under way: memory tables and merged files.

use crate::store::Shortage;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// What is kept free for what is under way, on a disk of four times that or more; a quarter of a smaller one.
const KEPT_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// The disk of a folder.
pub(super) struct Free {
    place: PathBuf,
    kept_bytes: u64,
    is_short: AtomicBool,
}

impl Free {
    pub(super) fn new(place: &Path) -> Free {
        let kept_bytes = measured(place).map_or(0, |(_, total)| KEPT_BYTES_MAX.min(total / 4));
        Free::keeping(place, kept_bytes)
    }

    fn keeping(place: &Path, kept_bytes: u64) -> Free {
        let free = Free { place: place.to_path_buf(), kept_bytes, is_short: AtomicBool::new(false) };
        free.measure();
        free
    }

    /// Looks at the disk, which takes about a microsecond. A disk that cannot be looked at counts as free.
    pub(super) fn measure(&self) -> Option<Shortage> {
        let (free_bytes, _) = measured(&self.place)?;
        let is_short = free_bytes < self.kept_bytes;
        let was_short = self.is_short.swap(is_short, Ordering::Relaxed);
        if is_short && !was_short {
            tracing::warn!(
                free_bytes,
                kept_bytes = self.kept_bytes,
                "the disk is nearly full: writes are refused"
            );
        } else if was_short && !is_short {
            tracing::info!(free_bytes, "the disk has room again: writes are taken");
        }
        is_short.then_some(Shortage { free_bytes, kept_bytes: self.kept_bytes })
    }

    /// Why nothing should be added, if so. The disk is looked at only while it was short the last time.
    pub(super) fn shortage(&self) -> Option<Shortage> {
        if self.is_short.load(Ordering::Relaxed) { self.measure() } else { None }
    }
}

/// Free bytes and all bytes of the disk below a folder.
#[cfg(target_os = "linux")]
pub(super) fn measured(place: &Path) -> Option<(u64, u64)> {
    let system = rustix::fs::statvfs(place).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(system.f_frsize);
    Some((bytes(system.f_bavail), bytes(system.f_blocks)))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn measured(_place: &Path) -> Option<(u64, u64)> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_short_as_long_as_it_has_less_than_is_kept() {
        let dir = tempfile::TempDir::new().unwrap();
        let free = Free::keeping(dir.path(), u64::MAX);
        assert_eq!(free.shortage().map(|shortage| shortage.kept_bytes), Some(u64::MAX));
        let free = Free { kept_bytes: 0, ..free };
        assert_eq!(free.shortage(), None);
        assert!(!free.is_short.load(Ordering::Relaxed));
        assert_eq!(Free::keeping(dir.path(), 0).shortage(), None);
    }

    #[test]
    fn a_disk_that_cannot_be_measured_counts_as_free() {
        assert_eq!(Free::keeping(Path::new("/nowhere/at/all"), u64::MAX).shortage(), None);
    }
}
