//! What the machine alone does to a tail: one thread on each core looks at the clock all the time, and where the clock
//! jumps, the core was in other hands, those of the kernel or of whatever the machine itself runs on.
//!
//! The disk is watched in the same way: a few kilobytes are written over and synced again and again, and what a sync takes
//! longer than usual is a jump.
//!
//! From the jumps follows how long a request would wait that falls due at any moment and needs no time at all. No server on
//! the machine can answer faster than that.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// Shorter jumps are those of looking at a clock, and of interrupts.
const JUMP: Duration = Duration::from_micros(20);

/// The disk is watched on a file of this size, by writes as large as those of a few commits.
const DISK_BYTES: usize = 8 * 1024 * 1024;
const PIECE_BYTES: usize = 8 * 1024;

/// What was seen.
pub(crate) struct Stalls {
    jumps: Vec<Duration>,
    watched: Duration,
}

impl Stalls {
    /// Watches all cores for so long.
    pub(crate) fn watch(cores: usize, time: Duration) -> Self {
        let jumps = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..cores).map(|_| scope.spawn(|| jumps(time))).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
        });
        Self { jumps, watched: time * u32::try_from(cores).unwrap_or(1) }
    }

    /// Watches the disk of a folder for so long.
    pub(crate) fn watch_disk(folder: &Path, time: Duration) -> io::Result<Self> {
        let path = folder.join("stalls");
        let watched = syncs(&path, time);
        let _removed = fs::remove_file(&path);
        let mut syncs = watched?;
        syncs.sort_unstable();
        let usual = syncs.get(syncs.len() / 2).copied().unwrap_or_default();
        let jumps =
            syncs.into_iter().map(|sync| sync.saturating_sub(usual)).filter(|jump| *jump > JUMP).collect();
        Ok(Self { jumps, watched: time })
    }

    /// The wait in milliseconds that so small a part of all moments exceeds.
    pub(crate) fn wait_ms(&self, part: f64) -> f64 {
        let allowed = self.watched.mul_f64(part);
        // The waits of a jump are spread evenly from nothing to its length.
        let exceeds = |wait: Duration| {
            self.jumps.iter().map(|jump| jump.saturating_sub(wait)).sum::<Duration>() > allowed
        };
        let (mut low, mut high) = (Duration::ZERO, self.jumps.iter().max().copied().unwrap_or_default());
        while high - low > Duration::from_micros(1) {
            let middle = low + (high - low) / 2;
            if exceeds(middle) { low = middle } else { high = middle }
        }
        high.as_secs_f64() * 1000.0
    }
}

/// How long each sync took.
fn syncs(path: &Path, time: Duration) -> io::Result<Vec<Duration>> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
    file.write_all_at(&vec![0; DISK_BYTES], 0)?;
    file.sync_all()?;
    let piece = vec![1; PIECE_BYTES];
    let begin = Instant::now();
    let mut syncs = Vec::new();
    for place in (0..DISK_BYTES - PIECE_BYTES).step_by(PIECE_BYTES).cycle() {
        let now = Instant::now();
        if now - begin > time {
            break;
        }
        file.write_all_at(&piece, place as u64)?;
        file.sync_data()?;
        syncs.push(now.elapsed());
    }
    Ok(syncs)
}

fn jumps(time: Duration) -> Vec<Duration> {
    let begin = Instant::now();
    let mut jumps = Vec::new();
    let mut last = begin;
    while last - begin < time {
        let now = Instant::now();
        if now - last > JUMP {
            jumps.push(now - last);
        }
        last = now;
    }
    jumps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stalls(jumps_ms: &[u64]) -> Stalls {
        let jumps = jumps_ms.iter().map(|jump| Duration::from_millis(*jump)).collect();
        Stalls { jumps, watched: Duration::from_secs(1) }
    }

    #[test]
    fn a_wait_follows_from_the_jumps() {
        // In 1 % of a second, which is the last 10 ms of a jump of 30 ms, one waits for more than 20 ms.
        assert!((stalls(&[30]).wait_ms(0.01) - 20.0).abs() < 0.01);
        // Ten jumps of 3 ms: 1 % is a millisecond at the beginning of each, in which one waits for more than 2 ms.
        assert!((stalls(&[3; 10]).wait_ms(0.01) - 2.0).abs() < 0.01);
        assert!(stalls(&[5]).wait_ms(0.01) < 0.01);
        assert!(stalls(&[]).wait_ms(0.01) < 0.01);
    }
}
