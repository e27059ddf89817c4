//! The command line of a run.
//!
//! It checks names and numbers; it starts and installs nothing.

use crate::server::Family;
use crate::workload::Workload;
use std::path::PathBuf;

/// What `--help` prints.
pub(crate) const HELP: &str = "\
Measures Larder beside its peers, beside the floor they all stand on, and as it grows.

Usage: bench/run [options]          all servers and workloads side by side
       bench/run bars [options]     the bar: what it asks for, in several rounds, and latency at half load
       bench/run growth [options]   Larder as its table grows and as connections are added
       bench/run duel --against PATH [options]
                                    this build and another in turns, for decisions
       bench/run page               write docs/performance again from the figures in bench/results

  --only NAMES           servers, with commas: larder, dynoxide, dynalite, dynamodb-local, floor, store
  --workloads NAMES      GetItem, Query, PutItem, PutItemFollowed, UpdateItem, TransactWriteItems, BatchWriteItem
  --connections NUMBERS  connections, with commas (1,16,128; growth: 1,2,4 and so on to 256)
  --seconds N            length of one measurement (5; bars and growth: 3)
  --items N              items in each table (20000)
  --sizes NUMBERS        growth: items in its table, with commas (10000,100000,1000000,10000000)
  --rounds N             how many times each figure is measured; the middle one counts (3; duel: 12)
  --client-threads N     threads of the load generator (a quarter of the cores, at least 1)
  --quick                measurements of one second
  --disk-only            leave out the rows that keep their data in memory
  --larder PATH          measure this binary instead of building one
  --against PATH         duel: the other binary
  --rate N               duel: so many requests fall due each second, and latency counts from then
  --with dynamodb-local PATH
                         also measure DynamoDB Local from a folder of yours that holds DynamoDBLocal.jar
  --publish              write into docs/performance even when parts were left out
  --help                 this text

A full run writes its figures into bench/results and its part of docs/performance; any other prints its report and
writes bench/results/partial*.json. Peers are installed into bench/.peers on the first run.";

/// What is to be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// All servers and workloads side by side.
    Servers,
    /// What the bar asks for.
    Bars,
    /// Larder as it grows.
    Growth,
    /// Two builds of Larder.
    Duel,
}

/// The options of a run.
pub(crate) struct Options {
    /// The folder of the benchmark.
    pub(crate) home: PathBuf,
    /// The date to print.
    pub(crate) date: String,
    /// The servers asked for.
    pub(crate) families: Vec<Family>,
    /// The workloads asked for.
    pub(crate) workloads: Vec<Workload>,
    /// Numbers of connections.
    pub(crate) connections: Vec<usize>,
    /// Seconds for each measurement.
    pub(crate) seconds: f64,
    /// Items in each table.
    pub(crate) items: u64,
    /// Items in the table that grows, one size after the other.
    pub(crate) sizes: Vec<u64>,
    /// How many times a figure is measured when the middle one counts.
    pub(crate) rounds: usize,
    /// Threads of the load generator.
    pub(crate) client_threads: usize,
    /// Leave out what keeps its data in memory.
    pub(crate) disk_only: bool,
    /// A Larder that is built already.
    pub(crate) larder: Option<PathBuf>,
    /// The one it is compared with in a duel.
    pub(crate) against: Option<PathBuf>,
    /// Requests that fall due in each second of a duel; none when all connections are to be busy.
    pub(crate) rate: Option<f64>,
    /// The folder of DynamoDB Local.
    pub(crate) dynamodb_local: Option<PathBuf>,
    /// Whether the figures may go into docs.
    pub(crate) publish: bool,
}

impl Options {
    /// Unmeasured seconds before each measurement: enough for compilers that work while the program runs.
    pub(crate) fn warm_up_seconds(&self) -> f64 {
        (self.seconds / 5.0).min(2.0)
    }

    /// Reads the arguments; none when help was asked for.
    pub(crate) fn parse(
        task: Task,
        arguments: impl IntoIterator<Item = String>,
    ) -> Result<Option<Self>, String> {
        let mut options = Self::defaults(task);
        let mut whole = true;
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            whole &= matches!(argument.as_str(), "--home" | "--date" | "--with" | "--publish" | "--larder");
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--home" => options.home = PathBuf::from(value()?),
                "--date" => options.date = value()?,
                "--only" => options.families = list(&value()?, &Family::ALL, Family::name)?,
                "--workloads" => options.workloads = list(&value()?, &Workload::ALL, Workload::name)?,
                "--connections" => options.connections = numbers(&value()?)?,
                "--seconds" => options.seconds = positive(&value()?)?,
                "--sizes" => options.sizes = numbers(&value()?)?,
                "--rounds" => options.rounds = whole_number(&value()?)?,
                "--items" => options.items = whole_number(&value()?)?,
                "--client-threads" => options.client_threads = whole_number(&value()?)?,
                "--quick" => options.seconds = 1.0,
                "--disk-only" => options.disk_only = true,
                "--larder" => options.larder = Some(PathBuf::from(value()?)),
                "--against" => options.against = Some(PathBuf::from(value()?)),
                "--rate" => options.rate = Some(positive(&value()?)?),
                "--with" => {
                    let what = value()?;
                    if what != Family::DynamodbLocal.name() {
                        return Err(format!("--with knows dynamodb-local only, not {what}"));
                    }
                    options.dynamodb_local = Some(PathBuf::from(value()?));
                }
                "--publish" => options.publish = true,
                other => return Err(format!("unknown option {other}; --help lists all")),
            }
        }
        options.publish |= whole;
        options.settle()?;
        Ok(Some(options))
    }

    fn defaults(task: Task) -> Self {
        let (workloads, connections, seconds) = match task {
            Task::Servers => (Workload::ALL.to_vec(), vec![1, 16, 128], 5.0),
            Task::Bars => {
                (vec![Workload::GetItem, Workload::PutItem, Workload::PutItemFollowed], vec![16], 3.0)
            }
            Task::Growth => (Workload::GROWN.to_vec(), (0..=8).map(|power| 1 << power).collect(), 3.0),
            Task::Duel => (vec![Workload::GetItem, Workload::PutItem], vec![16], 1.0),
        };
        Self {
            home: PathBuf::from("."),
            date: "undated".to_owned(),
            families: Family::ALL.to_vec(),
            workloads,
            connections,
            seconds,
            items: 20_000,
            sizes: vec![10_000, 100_000, 1_000_000, 10_000_000],
            rounds: if task == Task::Duel { 12 } else { 3 },
            client_threads: (crate::machine::cores() / 4).max(1),
            disk_only: false,
            larder: None,
            against: None,
            rate: None,
            dynamodb_local: None,
            publish: false,
        }
    }

    /// Brings the options into agreement with each other.
    fn settle(&mut self) -> Result<(), String> {
        // Every connection needs four keys of its own for transactions, and batches need 25 different ones.
        let most = self.connections.iter().max().copied().unwrap_or(1) as u64;
        let least = (most * 4).max(250);
        if self.items < least || self.items > 99_999_999 {
            return Err(format!("--items must lie between {least} and 99999999"));
        }
        if self.sizes.iter().any(|size| *size < least || *size > 99_999_999) || !self.sizes.is_sorted() {
            return Err(format!("--sizes must rise, and lie between {least} and 99999999"));
        }
        if self.dynamodb_local.is_none() {
            self.families.retain(|family| *family != Family::DynamodbLocal);
        }
        if self.families.is_empty() {
            return Err(
                "no server is left to measure; dynamodb-local needs --with dynamodb-local PATH".to_owned()
            );
        }
        Ok(())
    }
}

fn list<T: Copy>(text: &str, all: &[T], name: fn(T) -> &'static str) -> Result<Vec<T>, String> {
    let find = |wanted: &str| {
        let found = all.iter().copied().find(|one| name(*one).eq_ignore_ascii_case(wanted.trim()));
        let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
        found.ok_or_else(|| format!("{wanted} is none of {}", names.join(", ")))
    };
    text.split(',').map(find).collect()
}

fn numbers<T: std::str::FromStr + PartialOrd + From<u8>>(text: &str) -> Result<Vec<T>, String> {
    text.split(',').map(whole_number).collect()
}

fn whole_number<T: std::str::FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    let number = text.trim().parse::<T>().ok().filter(|number| *number >= T::from(1));
    number.ok_or_else(|| format!("{text} is not a whole number above zero"))
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| format!("{text} is not a number above zero"))
}
