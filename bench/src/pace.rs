//! The open loop: requests are due at a fixed rate whether or not earlier ones are answered, and latency counts from
//! the moment a request was due. A server that stalls is therefore charged with everybody who had to wait.
//!
//! The generator shares the machine with the server, so it never spins: every connection has a thread of its own that
//! sleeps until its next request is due. How late it wakes is its own fault and is kept apart from the server's.

use crate::connection::Blocking;
use crate::figures::Paced;
use crate::load::{PATIENCE, describe};
use crate::random::{Letters, Random};
use crate::tally::WRONG_ONE_IN;
use crate::workload::{Place, Target, Workload};
use std::fs;
use std::net::SocketAddr;
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
}

/// What one connection saw.
#[derive(Default)]
struct Seen {
    latencies_ns: Vec<u64>,
    late_ns: Vec<u64>,
    wrong: u64,
    first_wrong: Option<String>,
}

/// When a connection's requests are due.
#[derive(Clone, Copy)]
struct Schedule {
    first: Instant,
    every: Duration,
    counted_from: Instant,
    end: Instant,
}

/// Makes the measurement against the server called `server`.
pub(crate) fn measure(pace: &Pace<'_>, server: &str) -> Result<Paced, String> {
    // Sleeps are usually rounded up by 50 us. Threads inherit what this one asks for; refused, the lateness tells.
    let _asked = fs::write("/proc/self/timerslack_ns", "1");
    let begin = Instant::now() + Duration::from_millis(50);
    let counted_from = begin + pace.warm_up;
    let end = counted_from + pace.duration;
    let seen = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..pace.connections)
            .map(|index| {
                let first = begin + Duration::from_secs_f64(index as f64 / pace.rate);
                let every = Duration::from_secs_f64(pace.connections as f64 / pace.rate);
                let schedule = Schedule { first, every, counted_from, end };
                scope.spawn(move || drive(pace, index, schedule))
            })
            .collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Result<Seen, String>>| {
            thread.join().unwrap_or_else(|_| Err("the load generator panicked".to_owned()))
        };
        threads.into_iter().map(join).collect::<Result<Vec<Seen>, String>>()
    })?;
    let mut total = Seen::default();
    for one in seen {
        total.latencies_ns.extend(one.latencies_ns);
        total.late_ns.extend(one.late_ns);
        total.wrong += one.wrong;
        total.first_wrong = total.first_wrong.or(one.first_wrong);
    }
    total.figures(pace, server)
}

fn drive(pace: &Pace<'_>, index: usize, schedule: Schedule) -> Result<Seen, String> {
    let mut connection = Blocking::open(pace.address, PATIENCE).map_err(|error| error.to_string())?;
    let place = Place { index, connections: pace.connections };
    let mut request = pace.workload.request(Target::Apart, pace.items, place, pace.letters);
    let expected = pace.workload.answer_bytes();
    let mut random = Random::new(index as u64 + 1);
    let mut seen = Seen::default();
    let mut due = schedule.first;
    let mut now = Instant::now();
    while due < schedule.end {
        let counts = due >= schedule.counted_from;
        if now < due {
            std::thread::sleep(due - now);
            if counts {
                seen.late_ns.push(nanoseconds(Instant::now() - due));
            }
        } else if now > schedule.end + PATIENCE {
            return Err(format!("it cannot keep up with {:.0} requests each second", pace.rate));
        }
        let answer = connection.exchange(request.next(&mut random)).map_err(|error| error.to_string())?;
        now = Instant::now();
        if answer.status != 200 || !expected.contains(&answer.body.len()) {
            seen.wrong += 1;
            seen.first_wrong.get_or_insert_with(|| describe(answer.status, answer.body));
        } else if counts {
            seen.latencies_ns.push(nanoseconds(now.saturating_duration_since(due)));
        }
        due += schedule.every;
    }
    Ok(seen)
}

impl Seen {
    fn figures(mut self, pace: &Pace<'_>, server: &str) -> Result<Paced, String> {
        let requests = self.latencies_ns.len() as u64;
        if requests == 0 || self.wrong * WRONG_ONE_IN > requests {
            let example = self.first_wrong.unwrap_or_default();
            return Err(format!("{} wrong answers beside {requests} right ones: {example}", self.wrong));
        }
        self.latencies_ns.sort_unstable();
        self.late_ns.sort_unstable();
        Ok(Paced {
            server: server.to_owned(),
            workload: pace.workload.name().to_owned(),
            connections: pace.connections,
            rate: pace.rate,
            requests,
            percentiles_ms: PERMILLES
                .map(|part| (part as f64 / 10.0, permille(&self.latencies_ns, part)))
                .to_vec(),
            late_p50_ms: permille(&self.late_ns, 500),
            late_p99_ms: permille(&self.late_ns, 990),
            free_share: self.late_ns.len() as f64 / (requests + self.wrong) as f64,
        })
    }
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
        };
        let paced = measure(&pace, "stalling").unwrap();
        assert_eq!(paced.requests, 80);
        // One stall of 100 ms holds up the twenty requests that fall due in it, so one in ten waits for tens of ms.
        let p90 = paced.percentiles_ms[1].1;
        assert!(p90 > 40.0, "{p90}");
    }
}
