//! The server as a whole: the address it holds, the runtime, the accepting, the stop.
//! Knows no HTTP; each connection is served by `connection`.

use crate::connection;
use crate::delivery::Deliveries;
use crate::habit;
use crate::jobs::Jobs;
use crate::pipeline::{Door, House, Peer};
use crate::stop::{Stop, on_signals};
use crate::work::Work;
use client::Http;
use console::Console;
use engine::{Clock, Engine};
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, mpsc};
use traffic::Traffic;
use transfer::Buckets;

/// How long requests in flight may take after the wish to stop.
const FINISH_TIME_MAX: Duration = Duration::from_secs(10);
/// The pause after the system refused a connection, most often for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Threads that serve, however few cores there are.
const THREADS_MIN: usize = 2;
/// Threads that stand in for those whose calls take long or wait for others. They are made when they are needed and go when
/// they are idle. When there are no more, nobody is served until one is free.
const BLOCKING_THREADS_MAX: usize = 512;
/// Definitions that are changed at a time; each blocks a thread until it is on the disk, and they wait for each other.
const CHANGES_MAX: usize = 8;
/// As many file descriptors as a server of this kind can use; some systems refuse "as many as you have".
#[cfg(unix)]
const OPEN_FILES_WANTED: u64 = 65_536;

/// File descriptors that connections leave to the store and to jobs: a table file that cannot be opened ends all writes.
const OPEN_FILES_KEPT: u64 = 1024;
/// Connections where the system does not say how many files may be open.
const CONNECTIONS_MAX: u64 = 65_536;

/// An address that is held and not served yet. Callers that come early wait.
#[derive(Debug)]
pub struct Listener {
    listener: std::net::TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Takes the address; port 0 takes any free one.
    pub fn bind(host: &str, port: u16) -> io::Result<Listener> {
        let addresses: Vec<SocketAddr> = (host, port).to_socket_addrs()?.collect();
        let listener = std::net::TcpListener::bind(addresses.as_slice())?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Listener { listener, address })
    }

    /// The address, with the port that was found.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// How the server is to behave beside serving the API.
#[derive(Debug, Default)]
pub struct Settings {
    /// How the console is to behave; none for no console.
    pub console: Option<console::Settings>,
    /// The console's own address, if it has one beside its path below the API's.
    pub console_listener: Option<Listener>,
    /// Where imports and exports find their buckets; none carries no jobs out.
    pub buckets: Option<Buckets>,
}

/// A server that is ready to run.
pub struct Server {
    runtime: Runtime,
    listener: Listener,
    settings: Settings,
    engine: Arc<Engine>,
    clock: Option<Arc<Clock>>,
    kinesis: Option<Http>,
    stop: Arc<Stop>,
    /// One for each connection that may be open.
    places: Arc<Semaphore>,
}

impl Server {
    /// Prepares everything that can fail. From here on signals end the server gracefully.
    pub fn new(listener: Listener, engine: Engine, settings: Settings) -> io::Result<Server> {
        let places = Arc::new(Semaphore::new(places(raise_open_files())));
        let runtime = runtime()?;
        let stop = Arc::new(Stop::default());
        {
            let _inside = runtime.enter();
            on_signals(Arc::clone(&stop))?;
        }
        let engine = Arc::new(engine);
        Ok(Server { runtime, listener, settings, engine, clock: None, kinesis: None, stop, places })
    }

    /// Lets callers turn this clock, which must be the engine's.
    pub fn with_clock(mut self, clock: Option<Arc<Clock>>) -> Server {
        self.clock = clock;
        self
    }

    /// Delivers changes of tables to data streams at this endpoint.
    pub fn with_kinesis(mut self, endpoint: Option<Http>) -> Server {
        self.kinesis = endpoint;
        self
    }

    /// Serves until told to stop, finishes what is in flight, and closes the engine.
    pub fn run(self) -> io::Result<()> {
        let work = Work::start(Arc::clone(&self.engine))?;
        let buckets = self.settings.buckets.as_ref();
        let jobs = buckets.map(|buckets| Jobs::start(&self.engine, buckets)).transpose()?;
        let traffic = Arc::new(Traffic::new());
        let console = self
            .settings
            .console
            .map(|settings| Arc::new(Console::new(Arc::clone(&self.engine), Arc::clone(&traffic), settings)));
        let deliveries =
            self.kinesis.map(|kinesis| Deliveries::start(Arc::clone(&self.engine), kinesis)).transpose()?;
        let house = Arc::new(House {
            engine: Arc::clone(&self.engine),
            host: self.listener.address.to_string(),
            clock: self.clock,
            traffic,
            console,
            stop: Arc::clone(&self.stop),
            changes: Semaphore::new(CHANGES_MAX),
        });
        engine::wait_by(habit::wait_aside);
        let doors = [(Some(self.listener), Door::Api), (self.settings.console_listener, Door::Console)];
        let served = self.runtime.block_on(serve_all(doors, house, self.stop, self.places));
        if let Some(deliveries) = deliveries {
            deliveries.stop();
        }
        if let Some(jobs) = jobs {
            jobs.stop();
        }
        work.stop();
        // The threads live on until the engine is closed, so that a second signal is heard.
        let closed = self.engine.close();
        self.runtime.shutdown_background();
        served?;
        closed.map_err(io::Error::other)
    }
}

/// Serves every door until the wish to stop, then waits for the connections that are left.
async fn serve_all(
    doors: [(Option<Listener>, Door); 2],
    house: Arc<House>,
    stop: Arc<Stop>,
    places: Arc<Semaphore>,
) -> io::Result<()> {
    let (alive, mut all_gone) = mpsc::channel::<Infallible>(1);
    let mut accepting = Vec::new();
    for (listener, door) in doors {
        let Some(listener) = listener else { continue };
        let listener = tokio::net::TcpListener::from_std(listener.listener)?;
        accepting.push(tokio::spawn(accept(
            listener,
            door,
            Arc::clone(&house),
            Arc::clone(&stop),
            (Arc::clone(&places), alive.clone()),
        )));
    }
    drop(alive);
    for door in accepting {
        door.await.map_err(io::Error::other)?;
    }
    if tokio::time::timeout(FINISH_TIME_MAX, all_gone.recv()).await.is_err() {
        tracing::warn!("some requests did not finish in time and were cut off");
    }
    Ok(())
}

/// Accepts connections until the wish to stop.
async fn accept(
    listener: tokio::net::TcpListener,
    door: Door,
    house: Arc<House>,
    stop: Arc<Stop>,
    (places, alive): (Arc<Semaphore>, mpsc::Sender<Infallible>),
) {
    let mut refusing = false;
    loop {
        if places.available_permits() == 0 {
            tracing::warn!("as many connections are open as the limit of open files allows: others wait");
        }
        let arrival = async {
            // Never closed, so a place always comes.
            let place = Arc::clone(&places).acquire_owned().await.map_err(io::Error::other)?;
            listener.accept().await.map(|accepted| (place, accepted))
        };
        let accepted = tokio::select! {
            accepted = arrival => accepted,
            () = stop.wanted() => break,
        };
        match accepted {
            Ok((place, (stream, address))) => {
                refusing = false;
                let (house, stop) = (Arc::clone(&house), Arc::clone(&stop));
                let peer = Peer { address, door };
                if let Err(error) = seat(stream, peer, house, stop, (place, alive.clone())) {
                    tracing::debug!(%error, "a connection was gone before it was served");
                }
            }
            Err(error) => {
                if !refusing {
                    tracing::warn!(%error, "new connections are refused by the system");
                }
                refusing = true;
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Has a connection served. It keeps `stay` as long as it lasts.
fn seat(
    stream: tokio::net::TcpStream,
    peer: Peer,
    house: Arc<House>,
    stop: Arc<Stop>,
    stay: impl Send + 'static,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    tokio::spawn(async move {
        connection::serve(stream, peer, house, stop).await;
        drop(stay);
    });
    Ok(())
}

/// The threads that serve, one for each core, and two at least, so that one goes on when the other is held up
/// (docs/decisions/0012).
fn runtime() -> io::Result<Runtime> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Builder::new_multi_thread()
        .worker_threads(cores.max(THREADS_MIN))
        .max_blocking_threads(BLOCKING_THREADS_MAX)
        .thread_name("larder-http")
        .enable_all()
        .build()
}

/// Connections and table files are bounded only by what the system allows, so ask for all of it.
/// Answers how many it may be.
#[cfg(unix)]
fn raise_open_files() -> Option<u64> {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(OPEN_FILES_WANTED, |maximum| maximum.min(OPEN_FILES_WANTED));
    if limit.current.is_some_and(|current| current < wanted) {
        limit.current = Some(wanted);
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::debug!(%error, "the limit of open files stays as it is");
        }
    }
    getrlimit(Resource::Nofile).current
}

#[cfg(not(unix))]
fn raise_open_files() -> Option<u64> {
    None
}

/// How many connections may be open where so many files may: the store has its share before them.
fn places(open_files: Option<u64>) -> usize {
    let places = open_files.map_or(CONNECTIONS_MAX, |files| files - OPEN_FILES_KEPT.min(files / 2));
    usize::try_from(places).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_to_the_store() {
        assert_eq!(places(Some(512)), 256);
        assert_eq!(places(Some(20_000)), 18_976);
        assert_eq!(places(Some(u64::MAX)), Semaphore::MAX_PERMITS);
        assert_eq!(places(None), 65_536);
    }

    #[test]
    fn calls_that_moved_aside_hold_nobody_up() {
        let runtime = runtime().unwrap();
        let (begin, begun) = std::sync::mpsc::channel();
        let hold = Arc::new(std::sync::RwLock::new(()));
        let held = hold.write().unwrap();
        for _ in 0..10 {
            let (begin, hold) = (begin.clone(), Arc::clone(&hold));
            runtime.spawn(async move {
                tokio::task::block_in_place(|| {
                    begin.send(()).unwrap();
                    let _over = hold.read();
                });
            });
        }
        for _ in 0..10 {
            begun.recv_timeout(Duration::from_secs(60)).unwrap();
        }
        let (answer, answered) = std::sync::mpsc::channel();
        runtime.spawn(async move { answer.send("another").unwrap() });
        assert_eq!(answered.recv_timeout(Duration::from_secs(60)), Ok("another"));
        drop(held);
        runtime.shutdown_background();
    }
}
