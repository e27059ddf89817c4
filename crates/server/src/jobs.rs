//! The threads that carry jobs out: imports, exports and bulk operations, which go between tables and buckets. A job
//! that is cut off goes on with the next start. Knows not what jobs do to tables.

mod bulk;
mod export;
mod failure;
mod import;
mod pace;
mod source;

use engine::{Engine, JobRun};
use failure::Stopped;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use transfer::Buckets;

/// Jobs that are carried out at a time.
const THREADS: usize = 2;
/// How long a thread waits for a job before it looks again.
const IDLE: Duration = Duration::from_secs(10);
/// The pause after a job whose end could not be written down, so that a lasting fault does not burn a core.
const FAULT_PAUSE: Duration = Duration::from_secs(5);
/// The longest pause in which nobody looks whether to stop.
const PAUSE_MAX: Duration = Duration::from_millis(200);

/// The running threads.
pub(crate) struct Jobs {
    engine: Arc<Engine>,
    stopping: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

/// What a job needs besides itself.
pub(crate) struct Means<'a> {
    engine: &'a Engine,
    pub(crate) buckets: &'a Buckets,
    /// Set when the server is to stop. The job is left as it is then.
    pub(crate) stopping: &'a Arc<AtomicBool>,
}

impl Means<'_> {
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    /// Waits until the disk has room for more of a job, unless the server is to stop.
    fn wait_for_room(&self) -> Result<(), Stopped> {
        while !self.engine.has_room() {
            if self.is_stopping() {
                return Err(Stopped::Later);
            }
            std::thread::sleep(PAUSE_MAX);
        }
        Ok(())
    }
}

impl Jobs {
    /// Takes up the jobs that are open, and those to come.
    pub(crate) fn start(engine: &Arc<Engine>, buckets: &Buckets) -> io::Result<Jobs> {
        if let Err(error) = buckets.sweep() {
            tracing::warn!(%error, "uploads that were cut off are still there");
        }
        if engine.sweep_jobs().is_err() {
            tracing::warn!("reports of jobs that ended are still there");
        }
        let stopping = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        for _ in 0..THREADS {
            let (engine, buckets, stopping) = (Arc::clone(engine), buckets.clone(), Arc::clone(&stopping));
            let work =
                move || run(&engine, &Means { engine: &engine, buckets: &buckets, stopping: &stopping });
            threads.push(std::thread::Builder::new().name("larder-jobs".to_owned()).spawn(work)?);
        }
        Ok(Jobs { engine: Arc::clone(engine), stopping, threads })
    }

    /// Stops the threads; what they were doing goes on with the next start.
    pub(crate) fn stop(self) {
        self.stopping.store(true, Ordering::Release);
        for thread in self.threads {
            self.engine.wake_jobs();
            if thread.join().is_err() {
                tracing::error!("a thread of jobs ended with a panic");
            }
        }
    }
}

fn run(engine: &Engine, means: &Means<'_>) {
    while !means.is_stopping() {
        let Some(job) = engine.take_job() else {
            engine.wait_for_jobs(IDLE);
            continue;
        };
        let arn = job.arn().to_owned();
        match catch_unwind(AssertUnwindSafe(|| carry_out(job, means))) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::error!(
                    job = arn,
                    error = error.message,
                    "the end of a job could not be written down"
                );
                rest(means);
            }
            Err(_) => {
                tracing::error!(job = arn, "a job panicked and is left alone until the next start");
                engine.leave_job(&arn);
            }
        }
    }
}

fn rest(means: &Means<'_>) {
    let mut left = FAULT_PAUSE;
    while !left.is_zero() && !means.is_stopping() {
        std::thread::sleep(PAUSE_MAX);
        left = left.saturating_sub(PAUSE_MAX);
    }
}

/// Carries a job out, as far as the server goes on. What goes wrong is written into its record; it is an error only if
/// that cannot be done.
fn carry_out(job: JobRun<'_>, means: &Means<'_>) -> Result<(), op::Error> {
    match job {
        JobRun::Export(run) => export::carry_out(*run, means),
        JobRun::Import(run) => import::carry_out(run, means),
        JobRun::Bulk(run) => bulk::carry_out(run, means),
    }
}
