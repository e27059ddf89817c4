//! The open loop: requests are due at a fixed rate whether or not earlier ones are answered, and latency counts from
//! the moment a request was due. A server that stalls is therefore charged with everybody who had to wait.
//!
//! The generator shares the machine with the server, so it is one thread that sleeps until a request is due or an answer
//! is there. Many threads would compete with the server for the cores, and what they wait for each other would look like
//! its latency. How late it wakes is its own fault and is kept apart from the server's.

use crate::connection::Ready;
use crate::figures::Paced;
use crate::load::{PATIENCE, describe};
use crate::process::stolen_cpu_seconds;
use crate::random::{Letters, Random};
use crate::request::Request;
use crate::stalls::Stalls;
use crate::tally::WRONG_ONE_IN;
use crate::workload::{Place, Target, Workload};
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use std::fs;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

/// The parts of all answers whose slowest is told, in thousandths.
const PERMILLES: [u64; 5] = [500, 900, 990, 999, 1000];

/// One measurement to make.
pub(crate) struct Pace<'a> {
    /// The server's address.
    pub(crate) address: SocketAddr,
    /// What to send.
    pub(crate) workload: Workload,
    /// Over how many connections.
    pub(crate) connections: usize,
    /// Requests that fall due in each second, over all connections.
    pub(crate) rate: f64,
    /// Items in each table.
    pub(crate) items: u64,
    /// Unmeasured time first.
    pub(crate) warm_up: Duration,
    /// Measured time.
    pub(crate) duration: Duration,
    /// Payloads.
    pub(crate) letters: &'a Letters,
    /// How long the machine alone is watched before that.
    pub(crate) watched: Duration,
    /// A folder on the disk that every answer waits for, if it does.
    pub(crate) disk: Option<&'a Path>,
}

/// What was seen.
#[derive(Default)]
struct Seen {
    latencies_ns: Vec<u64>,
    sent_latencies_ns: Vec<u64>,
    late_ns: Vec<u64>,
    wrong: u64,
    first_wrong: Option<String>,
}

/// A connection, and when its next request is due or its last one was.
struct Lane {
    connection: Ready,
    request: Request,
    random: Random,
    due: Instant,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Free since this moment.
    Free(Instant),
    /// Waiting for an answer since this moment.
    Asked(Instant),
}

/// When to count, and when to end.
#[derive(Clone, Copy)]
struct Window {
    every: Duration,
    counted_from: Instant,
    end: Instant,
}

/// Makes the measurement against the server called `server`.
pub(crate) fn measure(pace: &Pace<'_>, server: &str) -> Result<Paced, String> {
    // Sleeps are usually rounded up by 50 us; refused, the lateness tells.
    let _asked = fs::write("/proc/self/timerslack_ns", "1");
    // What others have left in memory for the disk would be written in the middle of the measurement.
    rustix::fs::sync();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut stall_p99_ms = Stalls::watch(cores, pace.watched).wait_ms(0.01);
    if let Some(folder) = pace.disk {
        let disk = Stalls::watch_disk(folder, pace.watched).map_err(|error| error.to_string())?;
        stall_p99_ms = stall_p99_ms.max(disk.wait_ms(0.01));
    }
    let text = |error: std::io::Error| error.to_string();
    let mut lanes: Vec<Lane> = Vec::with_capacity(pace.connections);
    for index in 0..pace.connections {
        let place = Place { index, connections: pace.connections };
        let now = Instant::now();
        lanes.push(Lane {
            connection: Ready::open(pace.address).map_err(text)?,
            request: pace.workload.request(Target::Apart, pace.items, place, pace.letters),
            random: Random::fresh(),
            due: now,
            state: State::Free(now),
        });
    }
    let begin = Instant::now() + Duration::from_millis(10);
    for (index, lane) in lanes.iter_mut().enumerate() {
        lane.due = begin + Duration::from_secs_f64(index as f64 / pace.rate);
    }
    let counted_from = begin + pace.warm_up;
    let every = Duration::from_secs_f64(pace.connections as f64 / pace.rate);
    let window = Window { every, counted_from, end: counted_from + pace.duration };
    let (from, stolen) = (Instant::now(), stolen_cpu_seconds());
    let seen = drive(&mut lanes, window, pace)?;
    let available = from.elapsed().as_secs_f64() * cores as f64;
    let stolen_share = stolen_cpu_seconds().zip(stolen).map(|(after, before)| (after - before) / available);
    Ok(Paced { stall_p99_ms: Some(stall_p99_ms), stolen_share, ..seen.figures(pace, server)? })
}

/// Sends what is due and takes what has come, until everything that was due is answered.
fn drive(lanes: &mut [Lane], window: Window, pace: &Pace<'_>) -> Result<Seen, String> {
    let text = |error: std::io::Error| error.to_string();
    let sockets = Sockets::of(lanes).map_err(text)?;
    let mut come = Vec::with_capacity(lanes.len());
    let mut seen = Seen::default();
    loop {
        let now = Instant::now();
        if now > window.end + PATIENCE {
            return Err(format!("it cannot keep up with {:.0} requests each second", pace.rate));
        }
        let mut next: Option<Instant> = None;
        let mut is_over = true;
        for lane in &mut *lanes {
            lane.ask(now, window, &mut seen).map_err(text)?;
            let due = lane.next(window);
            is_over &= due.is_none() && matches!(lane.state, State::Free(_));
            next = [next, due].into_iter().flatten().min();
        }
        if is_over {
            return Ok(seen);
        }
        let wait = next.map_or(PATIENCE, |due| due.saturating_duration_since(Instant::now()));
        sockets.wait(&mut come, wait).map_err(text)?;
        for event in come.drain(..) {
            let place = usize::try_from(event.data.u64()).unwrap_or(usize::MAX);
            if let Some(lane) = lanes.get_mut(place) {
                lane.take(window, pace, &mut seen).map_err(text)?;
            }
        }
    }
}

/// The sockets of all lanes. The kernel keeps the list, so that a wait costs what has come and not what could.
struct Sockets(OwnedFd);

impl Sockets {
    fn of(lanes: &[Lane]) -> std::io::Result<Self> {
        let sockets = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        for (place, lane) in lanes.iter().enumerate() {
            let place = epoll::EventData::new_u64(place as u64);
            epoll::add(&sockets, lane.connection.stream(), place, epoll::EventFlags::IN)?;
        }
        Ok(Self(sockets))
    }

    /// Waits until some have something to read, or for so long.
    fn wait(&self, come: &mut Vec<epoll::Event>, wait: Duration) -> std::io::Result<()> {
        let wait = Timespec::try_from(wait).map_err(std::io::Error::other)?;
        match epoll::wait(&self.0, spare_capacity(come), Some(&wait)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl Lane {
    /// When its next request is due, if it is free and there is one.
    fn next(&self, window: Window) -> Option<Instant> {
        (matches!(self.state, State::Free(_)) && self.due < window.end).then_some(self.due)
    }

    /// Sends its request if it is due.
    fn ask(&mut self, now: Instant, window: Window, seen: &mut Seen) -> std::io::Result<()> {
        let State::Free(since) = self.state else { return Ok(()) };
        if self.due > now || self.due >= window.end {
            return Ok(());
        }
        // One that was due while the last one was still under way is not late by the generator's fault.
        if since <= self.due && self.due >= window.counted_from {
            seen.late_ns.push(nanoseconds(now - self.due));
        }
        self.state = State::Asked(now);
        self.connection.send(self.request.next(&mut self.random))
    }

    /// Takes the answer if it is whole.
    fn take(&mut self, window: Window, pace: &Pace<'_>, seen: &mut Seen) -> std::io::Result<()> {
        let Some(answer) = self.connection.receive()? else { return Ok(()) };
        let now = Instant::now();
        if answer.status != 200 || !pace.workload.answer_bytes().contains(&answer.body.len()) {
            seen.wrong += 1;
            seen.first_wrong.get_or_insert_with(|| describe(answer.status, answer.body));
        } else if self.due >= window.counted_from {
            seen.latencies_ns.push(nanoseconds(now.saturating_duration_since(self.due)));
            if let State::Asked(sent) = self.state {
                seen.sent_latencies_ns.push(nanoseconds(now - sent));
            }
        }
        self.due += window.every;
        self.state = State::Free(now);
        Ok(())
    }
}

impl Seen {
    fn figures(mut self, pace: &Pace<'_>, server: &str) -> Result<Paced, String> {
        let requests = self.latencies_ns.len() as u64;
        if requests == 0 || self.wrong * WRONG_ONE_IN > requests {
            let example = self.first_wrong.unwrap_or_default();
            return Err(format!("{} wrong answers beside {requests} right ones: {example}", self.wrong));
        }
        self.latencies_ns.sort_unstable();
        self.sent_latencies_ns.sort_unstable();
        self.late_ns.sort_unstable();
        Ok(Paced {
            server: server.to_owned(),
            workload: pace.workload.name().to_owned(),
            connections: pace.connections,
            rate: pace.rate,
            requests,
            percentiles_ms: percentiles(&self.latencies_ns),
            sent_percentiles_ms: percentiles(&self.sent_latencies_ns),
            stall_p99_ms: None,
            stolen_share: None,
            late_p99_ms: permille(&self.late_ns, 990),
            free_share: self.late_ns.len() as f64 / (requests + self.wrong) as f64,
        })
    }
}

fn percentiles(sorted: &[u64]) -> Vec<(f64, f64)> {
    PERMILLES.map(|part| (part as f64 / 10.0, permille(sorted, part))).to_vec()
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The value, in milliseconds, that so many thousandths of the sorted values do not exceed.
fn permille(sorted: &[u64], part: u64) -> f64 {
    let last = sorted.len().saturating_sub(1) as u64;
    let index = usize::try_from(last * part / 1000).unwrap_or(0);
    sorted.get(index).map_or(0.0, |nanoseconds| *nanoseconds as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    #[test]
    fn permilles_of_a_hundred_values() {
        let values: Vec<u64> = (1..=101).map(|value| value * 1_000_000).collect();
        assert_eq!([500, 990, 1000].map(|part| permille(&values, part)), [51.0, 100.0, 101.0]);
        assert_eq!(permille(&[], 500), 0.0);
    }

    #[test]
    fn a_stall_is_charged_to_every_request_that_was_due_meanwhile() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut buffer = [0; 16 * 1024];
            for number in 0.. {
                if number == 40 {
                    std::thread::sleep(Duration::from_millis(100));
                }
                let Ok(1..) = stream.read(&mut buffer) else { break };
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").unwrap();
            }
        });
        let pace = Pace {
            address,
            workload: Workload::PutItem,
            connections: 1,
            rate: 200.0,
            items: 1000,
            warm_up: Duration::ZERO,
            duration: Duration::from_millis(400),
            letters: &Letters::new(),
            watched: Duration::from_millis(10),
            disk: None,
        };
        let paced = measure(&pace, "stalling").unwrap();
        assert_eq!(paced.requests, 80);
        // One stall of 100 ms holds up the twenty requests that fall due in it, so one in ten waits for tens of ms.
        let p90 = paced.percentiles_ms[1].1;
        assert!(p90 > 40.0, "{p90}");
    }
}
