//! The store alone: Larder's storage crate called by as many writers as there would be connections, each put awaited
//! until it is durable. No HTTP, no JSON, no items, so this is what a durable server could reach at best.
//!
//! Puts are measured twice, from threads that block and from tasks on two workers, and the faster
//! counts: a floor that loses its time by waking threads would flatter whoever stands on it.
//!
//! It runs as a process of its own and prints one line of JSON for each figure.

use crate::figures::Cell;
use crate::process::tree_rss_mb;
use crate::random::{Letters, Random};
use crate::tally::{Outcome, Tally, Usage, Window};
use crate::workload::Workload;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use storage::{Batch, Config, Durability, Key, Space, Store, Ticket};

const SPACE: Space = Space(1);
/// An item of the benchmark takes this much in its stored form.
const VALUE_BYTES: usize = 892;
/// Larder is served by as many.
const WORKERS: usize = 2;
const CACHE_BYTES: u64 = 64 << 20;
/// Items of the load that share one commit.
const LOAD_BATCH: u64 = 100;

/// What the process is asked to do.
#[derive(Serialize, Deserialize)]
pub(crate) struct Task {
    /// The folder for the store.
    pub(crate) folder: PathBuf,
    /// Items to load.
    pub(crate) items: u64,
    /// What to measure: gets, puts or both.
    pub(crate) workloads: Vec<Workload>,
    /// Numbers of writers or readers.
    pub(crate) threads: Vec<usize>,
    /// Unmeasured seconds before each measurement.
    pub(crate) warm_up_seconds: f64,
    /// Measured seconds.
    pub(crate) seconds: f64,
    /// Measure puts whenever a line names the writers, instead of everything once.
    pub(crate) in_turns: bool,
}

/// What the process tells.
#[derive(Serialize, Deserialize)]
pub(crate) enum Message {
    /// A measurement.
    Cell(Cell),
    /// Something could not be measured.
    Failed(String),
    /// How long opening took, and the memory before the first item and after the last measurement.
    Resources {
        /// Milliseconds to open an empty store.
        open_ms: f64,
        /// Resident megabytes before the first item.
        idle_mb: Option<f64>,
        /// Resident megabytes at the end.
        loaded_mb: Option<f64>,
    },
}

/// Does the task and prints the messages.
pub(crate) fn run(task: &Task) -> Result<(), String> {
    let begin = Instant::now();
    let config =
        Config::Disk { dir: task.folder.clone(), durability: Durability::Sync, cache_bytes: CACHE_BYTES };
    let store = Store::open(config).map_err(|error| error.to_string())?;
    store.create_space(SPACE).map_err(|error| error.to_string())?;
    let open_ms = begin.elapsed().as_secs_f64() * 1e3;
    let idle_mb = tree_rss_mb(std::process::id());
    let bench = Arc::new(Bench { store, letters: Letters::new(), items: task.items });
    bench.load()?;
    if task.in_turns {
        return take_turns(task, &bench);
    }
    for (workload, threads) in task
        .workloads
        .iter()
        .flat_map(|workload| task.threads.iter().map(move |threads| (*workload, *threads)))
    {
        let cell = if workload == Workload::GetItem {
            bench.measure(task, threads, |window| bench.read_by_threads(threads, window))
        } else {
            let [blocking, waiting] = Writers::ALL.map(|writers| writers.put(task, &bench, threads));
            faster(blocking, waiting)
        };
        let cell = cell.map(|cell| Cell { workload: workload.name().to_owned(), ..cell });
        print(&cell.map_or_else(Message::Failed, Message::Cell))?;
    }
    print(&Message::Resources { open_ms, idle_mb, loaded_mb: tree_rss_mb(std::process::id()) })
}

/// Who writes: a put awaits its turn in a thread that blocks, or in a task on one of two workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writers {
    /// A thread each.
    Threads,
    /// A task each.
    Tasks,
}

impl Writers {
    /// Both kinds.
    pub(crate) const ALL: [Self; 2] = [Self::Threads, Self::Tasks];

    /// The line that asks for them.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Tasks => "tasks",
        }
    }

    fn put(self, task: &Task, bench: &Arc<Bench>, count: usize) -> Result<Cell, String> {
        bench.measure(task, count, |window| match self {
            Self::Threads => bench.write_by_threads(count, window),
            Self::Tasks => write_by_tasks(bench, count, window),
        })
    }
}

/// Measures puts by the writers that each line names, until no more come.
fn take_turns(task: &Task, bench: &Arc<Bench>) -> Result<(), String> {
    let count = task.threads.first().copied().unwrap_or(1);
    for line in std::io::stdin().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let writers = Writers::ALL.into_iter().find(|writers| writers.name() == line);
        let measured = writers.ok_or_else(|| format!("nobody is called {line}"));
        let measured = measured.and_then(|writers| writers.put(task, bench, count));
        print(&measured.map_or_else(Message::Failed, Message::Cell))?;
    }
    Ok(())
}

struct Bench {
    store: Store,
    letters: Letters,
    items: u64,
}

impl Bench {
    fn load(&self) -> Result<(), String> {
        let mut random = Random::new(0);
        for first in (0..self.items).step_by(LOAD_BATCH as usize) {
            let numbers = first..self.items.min(first + LOAD_BATCH);
            let keys: Vec<Key> = numbers.map(key).collect();
            self.write(&keys, &mut random)?;
        }
        Ok(())
    }

    /// Runs readers or writers through one window of time and counts what they did.
    fn measure(
        &self,
        task: &Task,
        threads: usize,
        drive: impl FnOnce(Window) -> Result<Vec<Tally>, String> + Send,
    ) -> Result<Cell, String> {
        let begin = Instant::now() + Duration::from_secs_f64(task.warm_up_seconds);
        let window = Window { begin, end: begin + Duration::from_secs_f64(task.seconds) };
        let (before, after, tallies) = std::thread::scope(|scope| {
            let driver = scope.spawn(move || drive(window));
            std::thread::sleep(window.begin.saturating_duration_since(Instant::now()));
            let before = Usage::of_this_process();
            std::thread::sleep(window.end.saturating_duration_since(Instant::now()));
            let after = Usage::of_this_process();
            (before, after, driver.join().unwrap_or_else(|_| Err("a thread panicked".to_owned())))
        });
        let mut total = Tally::default();
        for tally in tallies? {
            total.add(tally);
        }
        Outcome { workload: Workload::PutItem, connections: threads, window, before, after }.cell(total)
    }

    fn read_by_threads(&self, threads: usize, window: Window) -> Result<Vec<Tally>, String> {
        on_threads(threads, || {
            let mut random = Random::fresh();
            let mut tally = Tally::default();
            let mut sent = Instant::now();
            while sent < window.end {
                let key = key(random.below(self.items));
                let value = self.store.get(SPACE, &key.bytes).map_err(|error| error.to_string())?;
                tally.wrong += u64::from(value.is_none_or(|value| value.len() != VALUE_BYTES));
                let answered = Instant::now();
                tally.count(window, sent, answered);
                sent = answered;
            }
            Ok(tally)
        })
    }

    fn write_by_threads(&self, threads: usize, window: Window) -> Result<Vec<Tally>, String> {
        on_threads(threads, || {
            let mut random = Random::fresh();
            let mut tally = Tally::default();
            let mut sent = Instant::now();
            while sent < window.end {
                self.write(&[key(random.below(self.items))], &mut random)?;
                let answered = Instant::now();
                tally.count(window, sent, answered);
                sent = answered;
            }
            Ok(tally)
        })
    }

    /// Puts a fresh value under each key in one commit and waits until it is durable.
    fn write(&self, keys: &[Key], random: &mut Random) -> Result<(), String> {
        let ticket = self.order(keys, random)?;
        self.store.wait(ticket).map_err(|error| error.to_string())
    }

    /// Puts a fresh value under each key in one commit, which is durable when the ticket is.
    fn order(&self, keys: &[Key], random: &mut Random) -> Result<Ticket, String> {
        let mut values: Vec<Vec<u8>> = Vec::with_capacity(keys.len());
        for _ in keys {
            let mut value = vec![0; VALUE_BYTES];
            self.letters.cut(random, &mut value);
            values.push(value);
        }
        let mut decide = |_: &[Option<bytes::Bytes>]| {
            let mut batch = Batch::new();
            for (key, value) in keys.iter().zip(&values) {
                batch.put(key.space, key.bytes.clone(), value.clone());
            }
            Some(batch)
        };
        self.store.apply(keys, &mut decide).map_err(|error| error.to_string())
    }
}

/// The writers as tasks, which wait without a thread of their own.
fn write_by_tasks(bench: &Arc<Bench>, tasks: usize, window: Window) -> Result<Vec<Tally>, String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).build();
    runtime.map_err(|error| error.to_string())?.block_on(async {
        let tasks: Vec<_> =
            (0..tasks).map(|_| tokio::spawn(write_by_task(Arc::clone(bench), window))).collect();
        let mut tallies = Vec::new();
        for task in tasks {
            tallies.push(task.await.map_err(|error| error.to_string())??);
        }
        Ok(tallies)
    })
}

async fn write_by_task(bench: Arc<Bench>, window: Window) -> Result<Tally, String> {
    let mut random = Random::fresh();
    let mut tally = Tally::default();
    let mut sent = Instant::now();
    while sent < window.end {
        let ticket = bench.order(&[key(random.below(bench.items))], &mut random)?;
        bench.store.durable(ticket).await.map_err(|error| error.to_string())?;
        let answered = Instant::now();
        tally.count(window, sent, answered);
        sent = answered;
    }
    Ok(tally)
}

/// Runs `work` on so many threads.
fn on_threads(threads: usize, work: impl Fn() -> Result<Tally, String> + Sync) -> Result<Vec<Tally>, String> {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(&work)).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, Result<Tally, String>>| {
            worker.join().unwrap_or_else(|_| Err("a thread panicked".to_owned()))
        };
        workers.into_iter().map(join).collect()
    })
}

fn faster(one: Result<Cell, String>, other: Result<Cell, String>) -> Result<Cell, String> {
    let (one, other) = (one?, other?);
    Ok(if one.requests_per_second >= other.requests_per_second { one } else { other })
}

/// A key as long and as scattered as Larder's, which begin with eight bytes of a hash.
fn key(number: u64) -> Key {
    let mut bytes = Random::new(number).next().to_be_bytes().to_vec();
    bytes.extend_from_slice(format!("item#{number:08}").as_bytes());
    Key::new(SPACE, bytes)
}

fn print(message: &Message) -> Result<(), String> {
    let line = serde_json::to_string(message).map_err(|error| error.to_string())?;
    println!("{line}");
    Ok(())
}
