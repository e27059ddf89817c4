//! Numbered tasks on several threads. Knows not what they do.

use crate::error::Error;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Does numbered tasks on several threads until all are done or one fails; the first failure counts.
pub(crate) fn in_parallel(
    threads: usize,
    tasks: usize,
    task: impl Fn(usize, &AtomicBool) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let (next, stopping, failed) = (AtomicUsize::new(0), AtomicBool::new(false), Mutex::new(None));
    std::thread::scope(|scope| {
        for _ in 0..threads.min(tasks) {
            scope.spawn(|| {
                while !stopping.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= tasks {
                        return;
                    }
                    if let Err(error) = task(number, &stopping) {
                        stopping.store(true, Ordering::Relaxed);
                        failed.lock().get_or_insert(error);
                    }
                }
            });
        }
    });
    failed.into_inner().map_or(Ok(()), Err)
}
