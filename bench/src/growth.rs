//! Larder as it grows: one server, one table, sizes one after the other, and at one size more and more connections.
//!
//! Every size is reached by adding items to the last one, and measured only when the server has nothing left to do
//! from the load. It measures; plots and text are made elsewhere.

use crate::figures::{Cell, Failure, Growth, Keeping, Settings, Size};
use crate::fill::{create_alone, grow};
use crate::load::{Plan, measure, probe};
use crate::measure::{Contender, Run, brief};
use crate::process::{Server, folder_bytes, free_bytes, tree_rss_mb, wait_idle};
use crate::progress::Progress;
use crate::server::Family;
use crate::table::Table;
use crate::workload::{Target, Workload};
use std::fs;
use std::time::{Duration, Instant};

/// The table whose connections vary has this many items, or the largest size below.
const CONNECTIONS_SIZE: u64 = 1_000_000;
/// Over how many connections sizes are measured.
pub(crate) const CONNECTIONS: usize = 16;
/// Room that an item may need on the disk while files are merged.
const BYTES_PER_ITEM_MAX: u64 = 1_800;
/// Loads are told in so many parts of the largest size.
const LOAD_PARTS: u64 = 20;
const LOAD_SETTLE_MAX: Duration = Duration::from_secs(300);
const SETTLE_MAX: Duration = Duration::from_secs(30);
/// A table is read at about this rate, and that for so long at most, before it is measured.
const WARM_UP_READS_PER_SECOND: u64 = 20_000;
const WARM_UP_MAX: Duration = Duration::from_secs(40);

/// Measures everything and removes the data.
pub(crate) fn run(run: &Run<'_>) -> Result<Growth, String> {
    let options = run.options;
    let largest = options.sizes.last().copied().unwrap_or(0);
    let needed = largest * BYTES_PER_ITEM_MAX;
    if let Some(free) = free_bytes(&run.data).filter(|free| *free < needed) {
        let gigabytes = |bytes: u64| bytes as f64 / 1e9;
        return Err(format!(
            "{:.1} GB are free in {}, and {largest} items may need {:.1} GB; --sizes takes smaller ones",
            gigabytes(free),
            run.data.display(),
            gigabytes(needed)
        ));
    }
    let below = options.sizes.iter().copied().filter(|size| *size <= CONNECTIONS_SIZE);
    let items = below.max().or_else(|| options.sizes.first().copied()).unwrap_or(0);
    let machine = crate::machine::describe(&run.data);
    let installed = Family::Larder.install(options)?;
    let cells = options.sizes.len() * options.rounds + options.connections.len();
    let mut growing = Growing {
        run,
        server: run.start(Contender { family: Family::Larder, keeping: Keeping::Synced }, &installed)?,
        progress: Progress::new(cells * Workload::GROWN.len() + LOAD_PARTS as usize),
        growth: Growth {
            date: options.date.clone(),
            version: installed.version.clone(),
            machine,
            settings: Settings {
                items,
                seconds: options.seconds,
                warm_up_seconds: options.warm_up_seconds(),
                client_threads: options.client_threads,
                connections: options.connections.clone(),
            },
            rounds: options.rounds,
            sizes: Vec::new(),
            connections: Vec::new(),
            failures: Vec::new(),
        },
    };
    let measured = growing.all(largest);
    let Growing { growth, server, progress, .. } = growing;
    drop(server);
    // What cannot be removed now is removed before the next start.
    let _removed = fs::remove_dir_all(run.files());
    progress.note("done");
    measured.map(|()| growth)
}

struct Growing<'a> {
    run: &'a Run<'a>,
    server: Server,
    progress: Progress,
    growth: Growth,
}

impl Growing<'_> {
    fn all(&mut self, largest: u64) -> Result<(), String> {
        create_alone(self.server.address, Table::Orders, self.run.letters)?;
        let mut items = 0;
        for &size in &self.run.options.sizes {
            let loaded_per_second = match self.load(items, size, largest) {
                Ok(rate) => rate,
                // The sizes measured so far are worth keeping.
                Err(reason) => {
                    let workload = Some(format!("loading {size} items"));
                    self.growth.failures.push(Failure { workload, reason });
                    return Ok(());
                }
            };
            items = size;
            self.progress.doing(&format!("{size} items: waiting until the server is idle"));
            let settled_seconds = wait_idle(self.server.pid, LOAD_SETTLE_MAX).as_secs_f64();
            let rss_mb = tree_rss_mb(self.server.pid);
            let disk_bytes = folder_bytes(&self.run.files());
            self.warm_up(size)?;
            let cells = self.size(size);
            let rss_after_mb = tree_rss_mb(self.server.pid);
            self.growth.sizes.push(Size {
                items: size,
                loaded_per_second,
                settled_seconds,
                rss_mb,
                rss_after_mb,
                disk_bytes,
                cells,
            });
            if size == self.growth.settings.items {
                self.connections(size);
            }
        }
        Ok(())
    }

    /// Adds items; how many in a second.
    fn load(&mut self, from: u64, to: u64, largest: u64) -> Result<f64, String> {
        let begin = Instant::now();
        let part = (largest / LOAD_PARTS).max(1);
        let mut told = from / part;
        let progress = &mut self.progress;
        let mut tell = |loaded: u64| {
            let items = from + loaded;
            let what = format!("loading: {items} of {to} items");
            progress.doing(&what);
            if items / part > told {
                progress.step((items / part - told) as usize, &what);
                told = items / part;
            }
        };
        grow(self.server.address, Table::Orders, from..to, self.run.letters, &mut tell)?;
        tell(to - from);
        Ok((to - from) as f64 / begin.elapsed().as_secs_f64())
    }

    /// Reads items at random for a while, so that the cache holds what it holds in the long run: the first time that memory is
    /// used costs more than a read.
    fn warm_up(&mut self, items: u64) -> Result<(), String> {
        let time = Duration::from_secs(items / WARM_UP_READS_PER_SECOND).min(WARM_UP_MAX);
        if time.is_zero() {
            return Ok(());
        }
        self.progress.doing(&format!("{items} items: reading until the cache is full"));
        let plan = Plan {
            warm_up: Duration::ZERO,
            duration: time,
            ..self.plan(Workload::GetItem, items, CONNECTIONS)
        };
        measure(&plan).map(drop)
    }

    fn plan(&self, workload: Workload, items: u64, connections: usize) -> Plan<'_> {
        let options = self.run.options;
        Plan {
            address: self.server.address,
            pid: self.server.pid,
            workload,
            target: Target::Grown,
            connections,
            threads: options.client_threads.min(connections),
            items,
            warm_up: Duration::from_secs_f64(options.warm_up_seconds()),
            duration: Duration::from_secs_f64(options.seconds),
            letters: self.run.letters,
        }
    }

    /// All workloads at one size, each several times, of which the middle one by CPU counts.
    fn size(&mut self, size: u64) -> Vec<Cell> {
        let mut middles = Vec::new();
        for workload in Workload::GROWN {
            let mut cells: Vec<Cell> =
                (0..self.run.options.rounds).filter_map(|_| self.cell(workload, size, CONNECTIONS)).collect();
            let cpu = |cell: &Cell| cell.server_cpu_us.unwrap_or(0.0);
            cells.sort_by(|one, other| cpu(one).total_cmp(&cpu(other)));
            middles.extend(cells.into_iter().nth(self.run.options.rounds / 2));
        }
        middles
    }

    fn connections(&mut self, size: u64) {
        for workload in Workload::GROWN {
            for &connections in &self.run.options.connections {
                let cell = self.cell(workload, size, connections);
                self.growth.connections.extend(cell);
            }
        }
    }

    fn cell(&mut self, workload: Workload, items: u64, connections: usize) -> Option<Cell> {
        let what = format!("{items} items, {} over {connections}", workload.name());
        self.progress.doing(&what);
        wait_idle(self.server.pid, SETTLE_MAX);
        let plan = self.plan(workload, items, connections);
        match probe(&plan).and_then(|()| measure(&plan)) {
            Ok(cell) => {
                self.progress.step(1, &format!("{what}: {}", brief(&cell)));
                Some(cell)
            }
            Err(reason) => {
                self.progress.step(1, &format!("{what}: {reason}"));
                self.growth.failures.push(Failure { workload: Some(what), reason });
                None
            }
        }
    }
}
