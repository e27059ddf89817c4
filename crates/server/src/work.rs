//! The loop that does the engine's background work, on a thread of its own, until told to stop.
//! Knows not what the work is.

use engine::{Engine, Rest};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// The pause after a step that panicked, so that a lasting fault does not burn a core.
const FAULT_PAUSE: Duration = Duration::from_secs(1);

/// The running loop.
pub(crate) struct Work {
    engine: Arc<Engine>,
    stopping: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Work {
    /// Starts the loop.
    pub(crate) fn start(engine: Arc<Engine>) -> io::Result<Work> {
        let stopping = Arc::new(AtomicBool::new(false));
        let (worked, told) = (Arc::clone(&engine), Arc::clone(&stopping));
        let thread =
            std::thread::Builder::new().name("larder-work".to_owned()).spawn(move || run(&worked, &told))?;
        Ok(Work { engine, stopping, thread })
    }

    /// Stops the loop after the step it is in.
    pub(crate) fn stop(self) {
        self.stopping.store(true, Ordering::Release);
        self.engine.wake_work();
        if self.thread.join().is_err() {
            tracing::error!("the background work ended with a panic");
        }
    }
}

fn run(engine: &Engine, stopping: &AtomicBool) {
    while !stopping.load(Ordering::Acquire) {
        match catch_unwind(AssertUnwindSafe(|| engine.work())) {
            Ok(Rest::Again) => {}
            Ok(Rest::Until(pause)) => engine.wait_for_work(pause),
            Err(_) => {
                tracing::error!("a step of the background work panicked");
                engine.wait_for_work(FAULT_PAUSE);
            }
        }
    }
}
