//! One row: a server started several times, loaded, and led through all workloads.
//!
//! Whatever fails becomes a reason in the row. It does not know how figures are shown.

use crate::figures::{Cell, Failure, Keeping, Row};
use crate::fill::fill;
use crate::load::{Plan, measure, probe};
use crate::options::Options;
use crate::process::{Server, run_lines, tree_rss_mb};
use crate::progress::Progress;
use crate::random::Letters;
use crate::server::{Family, Installed};
use crate::store::{Message, Task};
use crate::table::Table;
use crate::workload::{Target, Workload};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

const STARTS: usize = 5;
/// The store alone is measured with gets and puts.
const STORE_WORKLOADS: [Workload; 2] = [Workload::GetItem, Workload::PutItem];
const SETTLE: Duration = Duration::from_millis(700);

/// What all rows of a run share.
pub(crate) struct Run<'a> {
    /// The options.
    pub(crate) options: &'a Options,
    /// Payloads.
    pub(crate) letters: &'a Letters,
    /// The folder for data.
    pub(crate) data: PathBuf,
}

/// The program of a row and where it keeps its data.
#[derive(Clone, Copy)]
pub(crate) struct Contender {
    /// The program.
    pub(crate) family: Family,
    /// Where it keeps its data.
    pub(crate) keeping: Keeping,
}

impl Contender {
    /// The row's name.
    pub(crate) fn name(self) -> String {
        self.family.row_name(self.keeping)
    }

    /// A row without figures.
    pub(crate) fn empty_row(self, version: &str) -> Row {
        Row {
            name: self.name(),
            version: version.to_owned(),
            role: self.family.role(),
            keeping: self.keeping,
            start_ms: None,
            rss_idle_mb: None,
            rss_loaded_mb: None,
            cells: Vec::new(),
            failures: Vec::new(),
        }
    }
}

impl Run<'_> {
    /// How many progress steps a row takes.
    pub(crate) fn steps(&self, family: Family) -> usize {
        self.workloads(family).count() * self.options.connections.len()
    }

    /// The workloads of a server.
    fn workloads(&self, family: Family) -> impl Iterator<Item = Workload> {
        let asked = self.options.workloads.iter().copied();
        asked.filter(move |workload| match family {
            Family::Larder => true,
            Family::Store => STORE_WORKLOADS.contains(workload),
            Family::Dynoxide | Family::Dynalite | Family::DynamodbLocal | Family::Floor => {
                workload.is_shared()
            }
        })
    }

    /// Measures one server from its start to its end.
    pub(crate) fn row(&self, contender: Contender, installed: &Installed, progress: &mut Progress) -> Row {
        self.row_and_more(contender, installed, progress, |_, _, _| ())
    }

    /// The same; `more` may measure the loaded server further before it is stopped.
    pub(crate) fn row_and_more(
        &self,
        contender: Contender,
        installed: &Installed,
        progress: &mut Progress,
        more: impl FnOnce(&Server, &mut Row, &mut Progress),
    ) -> Row {
        let mut row = contender.empty_row(&installed.version);
        let measured = if contender.family == Family::Store {
            self.store_row(installed, progress, &mut row)
        } else {
            self.server_row(contender, installed, progress, &mut row, more)
        };
        if let Err(reason) = measured {
            progress.step(self.steps(contender.family), &format!("{}: {reason}", row.name));
            row.failures.push(Failure { workload: None, reason });
        }
        // Left-over data are removed before the next start anyway.
        let _removed = fs::remove_dir_all(self.files());
        row
    }

    fn server_row(
        &self,
        contender: Contender,
        installed: &Installed,
        progress: &mut Progress,
        row: &mut Row,
        more: impl FnOnce(&Server, &mut Row, &mut Progress),
    ) -> Result<(), String> {
        progress.doing(&format!("{}: starting", row.name));
        let mut starts = Vec::new();
        for _ in 1..STARTS {
            starts.push(self.start(contender, installed)?.start_time);
        }
        let server = self.start(contender, installed)?;
        starts.push(server.start_time);
        starts.sort_unstable();
        row.start_ms = starts.get(STARTS / 2).map(|time| time.as_secs_f64() * 1e3);
        std::thread::sleep(SETTLE);
        row.rss_idle_mb = tree_rss_mb(server.pid);
        if contender.family != Family::Floor {
            progress.doing(&format!("{}: loading", row.name));
            fill(server.address, &self.tables(contender.family), self.options.items, self.letters)?;
            std::thread::sleep(SETTLE);
        }
        for workload in self.workloads(contender.family) {
            self.workload(&server, workload, progress, row);
        }
        row.rss_loaded_mb = tree_rss_mb(server.pid);
        more(&server, row, progress);
        Ok(())
    }

    /// The tables that the workloads of a server need.
    pub(crate) fn tables(&self, family: Family) -> Vec<Table> {
        let needed: Vec<Table> = self.workloads(family).map(Workload::table).collect();
        Table::ALL.into_iter().filter(|table| needed.contains(table)).collect()
    }

    /// Lets the store alone measure itself in a process of its own.
    fn store_row(&self, installed: &Installed, progress: &mut Progress, row: &mut Row) -> Result<(), String> {
        let task = Task {
            folder: self.empty_folder()?,
            items: self.options.items,
            workloads: self.workloads(Family::Store).collect(),
            threads: self.options.connections.clone(),
            warm_up_seconds: self.options.warm_up_seconds(),
            seconds: self.options.seconds,
            in_turns: false,
        };
        let mut command = installed.command();
        command.arg(serde_json::to_string(&task).map_err(|error| error.to_string())?);
        progress.doing(&row.name);
        run_lines(command, |line| match serde_json::from_str(line) {
            Ok(Message::Cell(cell)) => {
                let what = format!("{} {} over {}", row.name, cell.workload, cell.connections);
                progress.step(1, &format!("{what}: {}", brief(&cell)));
                row.cells.push(cell);
            }
            Ok(Message::Failed(reason)) => {
                progress.step(1, &format!("{}: {reason}", row.name));
                row.failures.push(Failure { workload: None, reason });
            }
            Ok(Message::Resources { open_ms, idle_mb, loaded_mb }) => {
                row.start_ms = Some(open_ms);
                row.rss_idle_mb = idle_mb;
                row.rss_loaded_mb = loaded_mb;
            }
            Err(error) => row.failures.push(Failure { workload: None, reason: error.to_string() }),
        })
    }

    /// Starts the server on an empty folder.
    pub(crate) fn start(&self, contender: Contender, installed: &Installed) -> Result<Server, String> {
        let files = self.empty_folder()?;
        let command = |port| contender.family.command(installed, contender.keeping, &files, port);
        Server::start(command, &self.data.join("server.log"))
    }

    /// The folder of the server that runs.
    pub(crate) fn files(&self) -> PathBuf {
        self.data.join("files")
    }

    fn empty_folder(&self) -> Result<PathBuf, String> {
        let files = self.files();
        // The folder need not be there yet.
        let _removed = fs::remove_dir_all(&files);
        fs::create_dir_all(&files).map_err(|error| format!("{}: {error}", files.display()))?;
        Ok(files)
    }

    /// A measurement of a server.
    pub(crate) fn plan(&self, server: &Server, workload: Workload, connections: usize) -> Plan<'_> {
        Plan {
            address: server.address,
            pid: server.pid,
            workload,
            target: Target::Apart,
            connections,
            threads: self.options.client_threads.min(connections),
            items: self.options.items,
            warm_up: Duration::from_secs_f64(self.options.warm_up_seconds()),
            duration: Duration::from_secs_f64(self.options.seconds),
            letters: self.letters,
        }
    }

    fn workload(&self, server: &Server, workload: Workload, progress: &mut Progress, row: &mut Row) {
        let plan = |connections: usize| self.plan(server, workload, connections);
        if let Err(reason) = probe(&plan(1)) {
            progress
                .step(self.options.connections.len(), &format!("{} {}: {reason}", row.name, workload.name()));
            row.failures.push(Failure { workload: Some(workload.name().to_owned()), reason });
            return;
        }
        for &connections in &self.options.connections {
            let what = format!("{} {} over {connections}", row.name, workload.name());
            progress.doing(&what);
            match measure(&plan(connections)) {
                Ok(cell) => {
                    progress.step(1, &format!("{what}: {}", brief(&cell)));
                    row.cells.push(cell);
                }
                Err(reason) => {
                    progress.step(1, &format!("{what}: {reason}"));
                    let reason = format!("{connections} connections: {reason}");
                    row.failures.push(Failure { workload: Some(workload.name().to_owned()), reason });
                }
            }
        }
    }
}

/// A cell in one line.
pub(crate) fn brief(cell: &Cell) -> String {
    let cpu = cell.server_cpu_us.map_or_else(|| "-".to_owned(), |cpu| format!("{cpu:.0}"));
    format!(
        "{:.0}/s, p50 {:.2} ms, p99 {:.2} ms, CPU {cpu} us",
        cell.requests_per_second, cell.p50_ms, cell.p99_ms
    )
}
