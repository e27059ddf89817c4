//! The threads that serve. Knows no HTTP.
//!
//! Plain connections of the API are served by a crew, one thread of which waits for all of them while others help when it
//! cannot keep up (docs/decisions/0011). Everything else runs in a runtime of tokio: accepting, timers, connections that
//! speak anything unusual, the console. A call that takes long moves aside (`Habit`, `aside`), and other connections go on.

#[cfg(target_os = "linux")]
mod crew;
#[cfg(any(not(target_os = "linux"), test))]
mod portable;
#[cfg(target_os = "linux")]
mod task;
#[cfg(test)]
mod tests;
#[cfg(target_os = "linux")]
mod wire;

#[cfg(target_os = "linux")]
use self::crew::Crew;
#[cfg(target_os = "linux")]
pub(crate) use self::crew::aside;
#[cfg(target_os = "linux")]
pub(crate) use self::wire::Wire;

#[cfg(not(target_os = "linux"))]
use self::portable::Crew;
#[cfg(not(target_os = "linux"))]
pub(crate) use self::portable::{Wire, aside};

use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime};

/// Threads that stand in for one whose call takes long or waits for the disk. They go when they are idle.
const BLOCKING_THREADS_MAX: usize = 16;
/// A call above this holds up everybody else on its thread for longer than it costs to move aside.
const LONG: Duration = Duration::from_micros(250);
/// Below this the caller has other habits now.
const SHORT: Duration = Duration::from_micros(100);

/// All threads that serve.
pub(crate) struct Loops {
    runtime: Runtime,
    crew: Arc<Crew>,
}

/// Where a new connection goes.
#[derive(Clone)]
pub(crate) struct Seats {
    runtime: Handle,
    crew: Arc<Crew>,
}

impl Loops {
    /// One thread for each core.
    pub(crate) fn new() -> io::Result<Loops> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let runtime = Builder::new_multi_thread()
            .worker_threads(cores)
            .max_blocking_threads(BLOCKING_THREADS_MAX)
            .thread_name("larder-runtime")
            .enable_all()
            .build()?;
        // Two at least, so that one can step in when the other is stuck.
        let crew = Crew::start(cores.max(2), runtime.handle().clone())?;
        Ok(Loops { runtime, crew })
    }

    /// The one in which everything runs that is no plain connection.
    pub(crate) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Where connections go.
    pub(crate) fn seats(&self) -> Seats {
        Seats { runtime: self.runtime.handle().clone(), crew: Arc::clone(&self.crew) }
    }

    /// Ends them without waiting for those who are left.
    pub(crate) fn end(self) {
        self.crew.end();
        self.runtime.shutdown_background();
    }
}

impl Seats {
    /// Has a connection served by the crew.
    pub(crate) fn give<S>(&self, stream: TcpStream, serve: impl FnOnce(Wire) -> S) -> io::Result<()>
    where
        S: Future<Output = ()> + Send + 'static,
    {
        self.crew.give(stream, serve)
    }

    /// The runtime, for a connection that wants more than the crew offers.
    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }
}

/// Which kinds of calls of a connection take long, judged by the last one of each kind: who reads a table page by page
/// goes on with it. Until the first was short they are held to be long.
#[derive(Debug, Default)]
pub(crate) struct Habit {
    /// One bit for each kind whose last call was short.
    short: AtomicU8,
}

impl Habit {
    /// Whether a call of this kind, one of eight, will take long.
    pub(crate) fn is_long(&self, kind: u8) -> bool {
        self.short.load(Ordering::Relaxed) & (1 << kind) == 0
    }

    /// A call of this kind took so long.
    pub(crate) fn note(&self, kind: u8, took: Duration) {
        let short = self.short.load(Ordering::Relaxed);
        if took >= LONG {
            self.short.store(short & !(1 << kind), Ordering::Relaxed);
        } else if took <= SHORT {
            self.short.store(short | (1 << kind), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod habit_tests {
    use super::*;

    #[test]
    fn a_habit_is_that_of_the_last_call_that_says_anything() {
        let habit = Habit::default();
        assert!(habit.is_long(3), "until it is known");
        let mut is_long = |micros| {
            habit.note(3, Duration::from_micros(micros));
            habit.is_long(3)
        };
        assert_eq!(
            [150, 100, 249, 250, 200, 101, 100, 240].map(&mut is_long),
            [true, false, false, true, true, true, false, false]
        );
        assert!(habit.is_long(2), "each kind has its own");
    }
}
