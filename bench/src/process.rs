//! Server processes: starting one, waiting for its first answer, reading what it used, stopping it.
//!
//! All that runs is kept where a signal can reach it, so that nothing outlives the benchmark.
//! What a process used is read from /proc; where there is none, the figures are absent, never guessed.

use crate::connection::Connection;
use crate::random::{Letters, Random};
use crate::request::Request;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

const START_LIMIT: Duration = Duration::from_secs(30);
/// A server that uses less than this part of a core, looked at so many times in a row, is idle.
const IDLE_SHARE: f64 = 0.05;
const IDLE_LOOKS: usize = 3;
const IDLE_LOOK: Duration = Duration::from_millis(300);
/// File sizes on the disk are counted in these, whatever the disk's own blocks are.
const BLOCK_BYTES: u64 = 512;
const POLL: Duration = Duration::from_micros(500);
/// Linux counts process time in hundredths of a second on every architecture it shows to programs.
const TICKS_PER_SECOND: f64 = 100.0;

static RUNNING: Mutex<Vec<Child>> = Mutex::new(Vec::new());

/// A server that answers; it is killed when this is dropped.
pub(crate) struct Server {
    /// The process, the root of its tree.
    pub(crate) pid: u32,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// From the spawn to the first answer to ListTables.
    pub(crate) start_time: Duration,
}

impl Server {
    /// Starts a server and waits until it answers; `command` gets the port to listen on.
    pub(crate) fn start(command: impl FnOnce(u16) -> Command, log: &Path) -> Result<Self, String> {
        let port = free_port().map_err(|error| format!("no free port: {error}"))?;
        let output = File::create(log).map_err(|error| format!("cannot write {}: {error}", log.display()))?;
        let errors = output.try_clone().map_err(|error| error.to_string())?;
        let mut command = command(port);
        command.stdin(Stdio::null()).stdout(output).stderr(errors);
        let spawned = Instant::now();
        let child = spawn(&mut command)?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let mut server = Self { pid: child.id(), address, start_time: Duration::ZERO };
        running().push(child);
        while !answers(address) {
            if exited(server.pid) {
                return Err(format!("it stopped while starting: {}", last_line(log)));
            }
            if spawned.elapsed() > START_LIMIT {
                return Err(format!("no answer to ListTables within {START_LIMIT:?}: {}", last_line(log)));
            }
            std::thread::sleep(POLL);
        }
        server.start_time = spawned.elapsed();
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        stop(self.pid);
    }
}

/// A program that answers each line with a line; it is killed when this is dropped.
pub(crate) struct Partner {
    /// The process.
    pub(crate) pid: u32,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Partner {
    /// Starts a program.
    pub(crate) fn start(mut command: Command) -> Result<Self, String> {
        let mut child = spawn(command.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let pid = child.id();
        running().push(child);
        let (questions, answers) = pipes.ok_or("a pipe is missing")?;
        Ok(Self { pid, questions, answers: BufReader::new(answers) })
    }

    /// Says a line and waits for the one that answers it.
    pub(crate) fn ask(&mut self, question: &str) -> Result<String, String> {
        writeln!(self.questions, "{question}").map_err(|error| error.to_string())?;
        let mut answer = String::new();
        match self.answers.read_line(&mut answer) {
            Ok(0) => Err("it ended".to_owned()),
            Ok(_) => Ok(answer),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Drop for Partner {
    fn drop(&mut self) {
        stop(self.pid);
    }
}

fn spawn(command: &mut Command) -> Result<Child, String> {
    let failure = |error, command: &Command| {
        format!("cannot start {}: {error}", command.get_program().to_string_lossy())
    };
    command.spawn().map_err(|error| failure(error, command))
}

/// Runs a program to its end and hands out every line that it prints.
pub(crate) fn run_lines(mut command: Command, mut line: impl FnMut(&str)) -> Result<(), String> {
    let mut child = spawn(command.stdin(Stdio::null()).stdout(Stdio::piped()))?;
    let output = child.stdout.take();
    let pid = child.id();
    running().push(child);
    for text in output.into_iter().flat_map(|output| BufReader::new(output).lines()).map_while(Result::ok) {
        line(&text);
    }
    match take(pid).map(|mut child| child.wait()) {
        Some(Ok(status)) if status.success() => Ok(()),
        Some(Ok(status)) => Err(format!("it ended with {status}")),
        Some(Err(error)) => Err(error.to_string()),
        None => Err("it was stopped".to_owned()),
    }
}

/// Kills all that runs.
pub(crate) fn stop_running() {
    for child in std::mem::take(&mut *running()) {
        kill(child);
    }
}

fn stop(pid: u32) {
    if let Some(child) = take(pid) {
        kill(child);
    }
}

fn kill(mut child: Child) {
    // A child that is gone already is what we want.
    let _gone = child.kill();
    let _status = child.wait();
}

fn take(pid: u32) -> Option<Child> {
    let mut running = running();
    let place = running.iter().position(|child| child.id() == pid)?;
    Some(running.swap_remove(place))
}

/// Processor time in seconds of a process and all its descendants.
pub(crate) fn tree_cpu_seconds(pid: u32) -> Option<f64> {
    let mut total = None;
    for (_, stat) in tree(pid) {
        *total.get_or_insert(0.0) += stat.cpu_seconds;
    }
    total
}

/// Resident memory in megabytes of a process and all its descendants.
pub(crate) fn tree_rss_mb(pid: u32) -> Option<f64> {
    let mut total = None;
    for (pid, _) in tree(pid) {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let kilobytes = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .and_then(|value| value.trim().trim_end_matches(" kB").parse::<f64>().ok());
        *total.get_or_insert(0.0) += kilobytes.unwrap_or(0.0) / 1024.0;
    }
    total
}

/// Processor time in seconds that the whole machine has spent on anything but waiting.
pub(crate) fn machine_cpu_seconds() -> Option<f64> {
    // user, nice, system, (idle, iowait,) irq, softirq, steal
    machine_seconds(&[0, 1, 2, 5, 6, 7])
}

/// Processor time in seconds in which the machine wanted to run and its host let somebody else.
pub(crate) fn stolen_cpu_seconds() -> Option<f64> {
    machine_seconds(&[7])
}

fn machine_seconds(kinds: &[usize]) -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let fields = stat.lines().next()?.split_whitespace().skip(1);
    let ticks: Vec<f64> = fields.filter_map(|field| field.parse().ok()).collect();
    let sum: f64 = kinds.iter().filter_map(|kind| ticks.get(*kind)).sum();
    Some(sum / TICKS_PER_SECOND)
}

/// Waits until a server does next to nothing, for `limit` at most; how long that took.
pub(crate) fn wait_idle(pid: u32, limit: Duration) -> Duration {
    let begin = Instant::now();
    let mut quiet = 0;
    let mut last = tree_cpu_seconds(pid);
    while quiet < IDLE_LOOKS && begin.elapsed() < limit {
        std::thread::sleep(IDLE_LOOK);
        let now = tree_cpu_seconds(pid);
        let busy = now.zip(last).map_or(0.0, |(now, last)| now - last) / IDLE_LOOK.as_secs_f64();
        quiet = if busy < IDLE_SHARE { quiet + 1 } else { 0 };
        last = now;
    }
    begin.elapsed()
}

/// Bytes of the files in a folder, as far as they take room on the disk.
pub(crate) fn folder_bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => folder_bytes(&entry.path()),
        // A file with two names counts once.
        Ok(metadata) => metadata.blocks() * BLOCK_BYTES / metadata.nlink().max(1),
        Err(_) => 0,
    };
    entries.map(bytes).sum()
}

/// Bytes that are free on the disk of a folder, as far as `df` can tell.
pub(crate) fn free_bytes(folder: &Path) -> Option<u64> {
    let output = Command::new("df").arg("-Pk").arg(folder).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let kilobytes = text.lines().last()?.split_whitespace().nth(3)?.parse::<u64>().ok()?;
    Some(kilobytes * 1024)
}

struct Stat {
    parent: u32,
    cpu_seconds: f64,
}

fn tree(root: u32) -> BTreeMap<u32, Stat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut others: BTreeMap<u32, Stat> = pids.filter_map(|pid| Some((pid, read_stat(pid)?))).collect();
    let mut found: BTreeMap<u32, Stat> = others.remove_entry(&root).into_iter().collect();
    loop {
        let is_child = |(_, stat): &(u32, Stat)| found.contains_key(&stat.parent);
        let (children, rest): (BTreeMap<_, _>, BTreeMap<_, _>) = others.into_iter().partition(is_child);
        if children.is_empty() {
            return found;
        }
        found.extend(children);
        others = rest;
    }
}

fn read_stat(pid: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may hold anything, so count from its end.
    let (_, after_name) = text.rsplit_once(") ")?;
    let fields: Vec<&str> = after_name.split(' ').collect();
    let number = |index: usize| fields.get(index)?.parse::<f64>().ok();
    let parent = fields.get(1)?.parse().ok()?;
    Some(Stat { parent, cpu_seconds: (number(11)? + number(12)?) / TICKS_PER_SECOND })
}

fn running() -> std::sync::MutexGuard<'static, Vec<Child>> {
    RUNNING.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn exited(pid: u32) -> bool {
    let mut running = running();
    let child = running.iter_mut().find(|child| child.id() == pid);
    child.is_none_or(|child| !matches!(child.try_wait(), Ok(None)))
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Whether the server answers ListTables with 200.
fn answers(address: SocketAddr) -> bool {
    if TcpStream::connect(address).is_err() {
        return false;
    }
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return false;
    };
    runtime.block_on(async {
        let Ok(mut connection) = Connection::open(address).await else { return false };
        let mut request = Request::fixed("ListTables", "{}", &Letters::none());
        let exchange = connection.exchange(request.next(&mut Random::new(0)));
        let answer = tokio::time::timeout(START_LIMIT, exchange).await;
        matches!(answer, Ok(Ok(answer)) if answer.status == 200)
    })
}

/// The last line a server wrote, which is usually its complaint.
fn last_line(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    line.unwrap_or("it wrote nothing").trim().to_owned()
}
