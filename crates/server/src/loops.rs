//! The threads that serve: one for each core, each with connections of its own that stay there to their end.
//! Knows no HTTP.
//!
//! Threads that take work from each other wake each other for every handful of requests, and on a machine whose cores are
//! busy the one that was woken waits behind somebody else (docs/decisions/0008). A call that takes long moves aside instead (`Habit`), and the thread's other connections go on.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle, Runtime};

/// Threads that stand in for one whose call takes long or waits for the disk. They go when they are idle.
const BLOCKING_THREADS_MAX: usize = 16;
/// A call above this holds up everybody else on its thread for longer than it costs to move aside.
const LONG: Duration = Duration::from_micros(500);
/// Below this the caller has other habits now.
const SHORT: Duration = Duration::from_micros(100);

/// All threads that serve.
pub(crate) struct Loops {
    first: Loop,
    others: Vec<Loop>,
}

struct Loop {
    runtime: Runtime,
    connections: Arc<AtomicUsize>,
}

/// Where a new connection goes.
#[derive(Clone)]
pub(crate) struct Seats(Arc<[Seat]>);

struct Seat {
    handle: Handle,
    connections: Arc<AtomicUsize>,
}

/// Counts a connection as long as it is there.
struct Taken(Arc<AtomicUsize>);

impl Loops {
    /// One thread for each core.
    pub(crate) fn new() -> io::Result<Loops> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let others = (1..cores).map(|_| Loop::new()).collect::<io::Result<_>>()?;
        Ok(Loops { first: Loop::new()?, others })
    }

    /// The one on which everything runs that is no connection.
    pub(crate) fn first(&self) -> &Runtime {
        &self.first.runtime
    }

    /// Where connections go.
    pub(crate) fn seats(&self) -> Seats {
        let all = std::iter::once(&self.first).chain(&self.others);
        Seats(all.map(Loop::seat).collect())
    }

    /// Ends them without waiting for those who are left.
    pub(crate) fn end(self) {
        for one in std::iter::once(self.first).chain(self.others) {
            one.runtime.shutdown_background();
        }
    }
}

impl Loop {
    /// Many threads may work for a runtime, but only one at a time serves connections.
    fn new() -> io::Result<Loop> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(BLOCKING_THREADS_MAX)
            .thread_name("larder-http")
            .enable_all()
            .build()?;
        Ok(Loop { runtime, connections: Arc::default() })
    }

    fn seat(&self) -> Seat {
        Seat { handle: self.runtime.handle().clone(), connections: Arc::clone(&self.connections) }
    }
}

impl Seats {
    /// Gives a connection to the thread that has the fewest, to be served there.
    pub(crate) fn give<S>(
        &self,
        stream: TcpStream,
        serve: impl FnOnce(TcpStream) -> S + Send + 'static,
    ) -> io::Result<()>
    where
        S: Future<Output = ()> + Send,
    {
        let count = |seat: &&Seat| seat.connections.load(Ordering::Relaxed);
        let Some(seat) = self.0.iter().min_by_key(count) else { return Ok(()) };
        let stream = stream.into_std()?;
        let taken = Taken::new(&seat.connections);
        seat.handle.spawn(async move {
            match TcpStream::from_std(stream) {
                Ok(stream) => serve(stream).await,
                Err(error) => tracing::warn!(%error, "a connection could not be watched"),
            }
            drop(taken);
        });
        Ok(())
    }
}

impl Taken {
    fn new(connections: &Arc<AtomicUsize>) -> Taken {
        connections.fetch_add(1, Ordering::Relaxed);
        Taken(Arc::clone(connections))
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether the calls of a connection take long, judged by the last one: who reads a table page by page goes on with it.
#[derive(Debug, Default)]
pub(crate) struct Habit(AtomicBool);

impl Habit {
    pub(crate) fn is_long(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// A call took so long.
    pub(crate) fn note(&self, took: Duration) {
        if took >= LONG {
            self.0.store(true, Ordering::Relaxed);
        } else if took <= SHORT && self.is_long() {
            self.0.store(false, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    #[test]
    fn connections_are_spread_and_places_are_given_back() {
        let loops =
            Loops { first: Loop::new().unwrap(), others: vec![Loop::new().unwrap(), Loop::new().unwrap()] };
        let seats = loops.seats();
        let counts =
            || seats.0.iter().map(|seat| seat.connections.load(Ordering::Relaxed)).collect::<Vec<_>>();
        loops.first().block_on(async {
            let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
            let address = listener.local_addr().unwrap();
            let stay = Arc::new(tokio::sync::Semaphore::new(0));
            let (gone, mut all_gone) = tokio::sync::mpsc::channel::<()>(1);
            for _ in 0..7 {
                let _caller = TcpStream::connect(address).await.unwrap();
                let (stream, _) = listener.accept().await.unwrap();
                let (stay, gone) = (Arc::clone(&stay), gone.clone());
                let serve = move |_: TcpStream| async move {
                    let _told = stay.acquire().await.map(tokio::sync::SemaphorePermit::forget);
                    drop(gone);
                };
                seats.give(stream, serve).unwrap();
            }
            assert_eq!(counts(), [3, 2, 2]);
            stay.add_permits(7);
            drop(gone);
            assert!(all_gone.recv().await.is_none());
        });
        // The count goes down just after the connection is over.
        while counts().iter().any(|count| *count > 0) {
            std::thread::yield_now();
        }
        loops.end();
    }

    #[test]
    fn a_habit_is_that_of_the_last_call_that_says_anything() {
        let habit = Habit::default();
        let mut is_long = |micros| {
            habit.note(Duration::from_micros(micros));
            habit.is_long()
        };
        assert_eq!(
            [20, 499, 500, 300, 101, 100, 400].map(&mut is_long),
            [false, false, true, true, true, false, false]
        );
    }
}
