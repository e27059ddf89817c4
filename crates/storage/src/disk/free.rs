//! How much room the disk has left. Knows nothing of what fills it.
//!
//! A commit that the disk has no room for ends all commits until the next start: nobody knows what of it is there. So writes
//! are to stop while there is still room for what is under way: memory tables and merged files.

use crate::store::Shortage;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const MB: u64 = 1024 * 1024;
/// Memory tables and their slots of the log take this much at most while they are written out.
const KEPT_BYTES_MIN: u64 = 256 * MB;
/// A merge writes its files before it removes those that it merged. Large merges come with large stores on large disks.
const KEPT_BYTES_MAX: u64 = 1024 * MB;
const KEPT_SHARE: u64 = 64;
/// Of a small disk, most must be left for use.
const SMALL_SHARE: u64 = 4;
/// Writing goes on when there is this share more than what is kept, so that it does not stop again at once.
const SPARE_SHARE: u64 = 4;
/// The disk is looked at after so many bytes of commits.
const MEASURE_BYTES: u64 = 4 * MB;
/// And when the last look was so long ago: others fill it, too.
const MEASURE_PAUSE: Duration = Duration::from_millis(500);

/// The disk of a folder.
pub(super) struct Free {
    place: PathBuf,
    kept_bytes: AtomicU64,
    is_short: AtomicBool,
    /// Bytes of commits since the last look.
    written_bytes: AtomicU64,
    opened: Instant,
    /// When the last look was, in milliseconds since it was opened.
    measured_ms: AtomicU64,
}

impl Free {
    pub(super) fn new(place: &Path) -> Free {
        #[expect(clippy::disallowed_methods, reason = "how old a look is, is no matter of the users' clock")]
        let opened = Instant::now();
        let free = Free {
            place: place.to_path_buf(),
            kept_bytes: AtomicU64::new(measured(place).map_or(0, |(_, total)| kept_bytes(total))),
            is_short: AtomicBool::new(false),
            written_bytes: AtomicU64::new(0),
            opened,
            measured_ms: AtomicU64::new(0),
        };
        free.measure();
        free
    }

    /// Keeps another number of bytes free than the usual one.
    pub(super) fn keep(&self, bytes: u64) {
        self.kept_bytes.store(bytes, Ordering::Relaxed);
        self.measure();
    }

    /// Notes that so many bytes were committed, and looks at the disk now and then.
    pub(super) fn committed(&self, bytes: u64) {
        if self.written_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes >= MEASURE_BYTES {
            self.measure();
        }
    }

    /// Why nothing should be added, if so. A disk that had room is looked at twice a second at most: what this costs a
    /// write is a look at the clock.
    pub(super) fn shortage(&self) -> Option<Shortage> {
        let age_ms = self.now_ms().saturating_sub(self.measured_ms.load(Ordering::Relaxed));
        if self.is_short.load(Ordering::Relaxed) || u128::from(age_ms) >= MEASURE_PAUSE.as_millis() {
            self.measure()
        } else {
            None
        }
    }

    /// Looks at the disk, which takes about a microsecond. A disk that cannot be looked at counts as free.
    fn measure(&self) -> Option<Shortage> {
        self.written_bytes.store(0, Ordering::Relaxed);
        self.measured_ms.store(self.now_ms(), Ordering::Relaxed);
        let (free_bytes, _) = measured(&self.place)?;
        let kept_bytes = self.kept_bytes.load(Ordering::Relaxed);
        let enough_bytes = kept_bytes.saturating_add(kept_bytes / SPARE_SHARE);
        let was_short = self.is_short.load(Ordering::Relaxed);
        let is_short = free_bytes < if was_short { enough_bytes } else { kept_bytes };
        let was_short = self.is_short.swap(is_short, Ordering::Relaxed);
        if is_short && !was_short {
            tracing::warn!(free_bytes, kept_bytes, "the disk is nearly full: writes are refused");
        } else if was_short && !is_short {
            tracing::info!(free_bytes, kept_bytes, "the disk has room again: writes are taken");
        }
        is_short.then_some(Shortage { free_bytes, enough_bytes })
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// What is kept of a disk of so many bytes.
fn kept_bytes(total: u64) -> u64 {
    (total / KEPT_SHARE).clamp(KEPT_BYTES_MIN, KEPT_BYTES_MAX).min(total / SMALL_SHARE)
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
        let free = Free::new(dir.path());
        free.keep(0);
        assert_eq!(free.shortage(), None);
        free.keep(u64::MAX);
        assert_eq!(free.shortage().map(|shortage| shortage.enough_bytes), Some(u64::MAX));
        free.keep(0);
        assert_eq!(free.shortage(), None);
    }

    #[test]
    fn a_disk_that_was_short_needs_some_more_than_is_kept() {
        let dir = tempfile::TempDir::new().unwrap();
        let free = Free::new(dir.path());
        let (free_bytes, _) = measured(dir.path()).unwrap();
        // Others may write meanwhile, but not a tenth of the disk.
        let kept = free_bytes - free_bytes / 10;
        free.keep(kept);
        assert_eq!(free.shortage(), None);
        free.keep(u64::MAX);
        free.keep(kept);
        assert!(free.shortage().is_some(), "a tenth more than is kept is not a quarter more");
    }

    #[test]
    fn commits_lead_to_a_look() {
        let dir = tempfile::TempDir::new().unwrap();
        let free = Free::new(dir.path());
        free.keep(0);
        free.kept_bytes.store(u64::MAX, Ordering::Relaxed);
        free.committed(MEASURE_BYTES - 1);
        assert!(!free.is_short.load(Ordering::Relaxed));
        free.committed(1);
        assert!(free.is_short.load(Ordering::Relaxed));
    }

    #[test]
    fn so_does_time() {
        let dir = tempfile::TempDir::new().unwrap();
        let free = Free::new(dir.path());
        free.keep(0);
        free.kept_bytes.store(u64::MAX, Ordering::Relaxed);
        std::thread::sleep(MEASURE_PAUSE);
        assert!(free.shortage().is_some());
    }

    #[test]
    fn most_of_a_small_disk_can_be_used() {
        assert_eq!(kept_bytes(300 * MB), 75 * MB);
        assert_eq!(kept_bytes(1024 * MB), 256 * MB);
        assert_eq!(kept_bytes(20 * 1024 * MB), 320 * MB);
        assert_eq!(kept_bytes(1024 * 1024 * MB), 1024 * MB);
    }

    #[test]
    fn a_disk_that_cannot_be_measured_counts_as_free() {
        let free = Free::new(Path::new("/nowhere/at/all"));
        free.keep(u64::MAX);
        assert_eq!(free.shortage(), None);
    }
}
