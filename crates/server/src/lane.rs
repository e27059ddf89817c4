//! The fast lane: calls of the API as SDKs send them, whole and plain, read and answered without the HTTP library.
//! Whatever looks different in the least is left to the library, with all the bytes that have come.
//!
//! The library makes a map of the headers, a channel for the body and a task's worth of states for every request, which
//! costs more than half as much as a GetItem itself (docs/decisions/0007).

use crate::answer;
use crate::habit::Habit;
use crate::pipeline::{self, Asked, House, Peer};
use crate::stop::Stop;
use httparse::{Header, Status};
use hyper::StatusCode;
use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

/// More headers than any SDK sends.
const HEADERS_MAX: usize = 32;
/// Longer requests spend their time elsewhere.
const REQUEST_BYTES_MAX: usize = 256 * 1024;
/// What is kept for the next request; more was for one that was long.
const BUFFER_BYTES: usize = 8 * 1024;
/// How long a request may take to come; the library has more patience, and better words at its end.
const ARRIVAL_TIME_MAX: Duration = Duration::from_millis(500);
/// How long a caller may refuse to take bytes of an answer.
const DEPARTURE_TIME_MAX: Duration = Duration::from_secs(60);
/// An answer up to this size leaves in one piece with its head.
const COPIED_BYTES_MAX: usize = 16 * 1024;

/// Why the lane was left.
pub(crate) enum Left {
    /// The connection is over.
    Over,
    /// These bytes have come, and are for somebody with more patience.
    Foreign(Vec<u8>),
}

/// Serves whole and plain calls until one is not, or there are no more.
pub(crate) async fn serve(
    stream: &mut TcpStream,
    peer: Peer,
    house: &House,
    stop: &Stop,
) -> io::Result<Left> {
    let mut told = pin!(stop.told());
    // The task is told once; at each step after that, one read of memory is enough.
    poll_fn(|context| {
        let _ready = told.as_mut().poll(context).is_ready();
        Poll::Ready(())
    })
    .await;
    let mut buffer = Vec::with_capacity(BUFFER_BYTES);
    let mut out = Vec::with_capacity(answer::HEAD_BYTES + 1024);
    let habit = Habit::default();
    let mut patience = None;
    loop {
        let bytes = match Call::read(&buffer) {
            Seen::Whole(call) => {
                let asked = Asked {
                    target: call.target,
                    host: call.host.unwrap_or(&house.host),
                    agent: call.agent.unwrap_or_default(),
                    peer,
                    watch: house.traffic.begin(),
                    habit: Some(&habit),
                };
                let done = pipeline::perform(house, &asked, call.body, &|_| Ok(())).await;
                let status = StatusCode::from_u16(done.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                let is_last = stop.is_wanted();
                answer::write_head(&mut out, status, &done.bytes, is_last);
                send(stream, &mut out, &done.bytes).await?;
                if is_last {
                    return Ok(Left::Over);
                }
                call.bytes
            }
            Seen::Nothing => {
                if !begun(stream, &mut buffer, stop).await? {
                    return Ok(Left::Over);
                }
                continue;
            }
            Seen::Part { missing } => {
                let until = *patience.get_or_insert_with(|| Instant::now() + ARRIVAL_TIME_MAX);
                // A length that was only announced buys little memory.
                buffer.reserve(missing.min(BUFFER_BYTES));
                // One that is slow, or has gone in the middle, is left to the library.
                match tokio::time::timeout_at(until, stream.read_buf(&mut buffer)).await.unwrap_or(Ok(0))? {
                    0 => return Ok(Left::Foreign(buffer)),
                    _ => continue,
                }
            }
            Seen::Foreign => return Ok(Left::Foreign(buffer)),
        };
        patience = None;
        // Some callers end a body with an empty line that nothing announced.
        let mut used = bytes;
        while buffer.get(used..).is_some_and(|rest| rest.starts_with(b"\r\n")) {
            used += 2;
        }
        buffer.drain(..used);
        if buffer.is_empty() && buffer.capacity() > BUFFER_BYTES {
            buffer = Vec::with_capacity(BUFFER_BYTES);
        }
        // A caller that sends many calls at once lets others have their turn.
        if !buffer.is_empty() {
            tokio::task::yield_now().await;
        }
    }
}

/// A call that has come whole.
struct Call<'a> {
    target: Option<&'a str>,
    host: Option<&'a str>,
    agent: Option<&'a str>,
    body: &'a [u8],
    /// Its length, head and body.
    bytes: usize,
}

/// What the bytes that have come are.
enum Seen<'a> {
    /// Nothing has come yet.
    Nothing,
    /// The beginning of what may be a plain call; at least so many bytes are missing.
    Part {
        missing: usize,
    },
    Whole(Call<'a>),
    /// Something for the library.
    Foreign,
}

impl<'a> Call<'a> {
    fn read(bytes: &'a [u8]) -> Seen<'a> {
        if bytes.is_empty() {
            return Seen::Nothing;
        }
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut request = httparse::Request::new(&mut headers);
        let head_bytes = match request.parse(bytes) {
            Ok(Status::Complete(length)) => length,
            Ok(Status::Partial) if bytes.len() < BUFFER_BYTES => return Seen::Part { missing: 1 },
            Ok(Status::Partial) | Err(_) => return Seen::Foreign,
        };
        if request.method != Some("POST") || request.path != Some("/") || request.version != Some(1) {
            return Seen::Foreign;
        }
        let Some(plain) = Plain::of(request.headers) else { return Seen::Foreign };
        let all_bytes = head_bytes.saturating_add(plain.length);
        if all_bytes > REQUEST_BYTES_MAX {
            return Seen::Foreign;
        }
        let Some(body) = bytes.get(head_bytes..all_bytes) else {
            return Seen::Part { missing: all_bytes - bytes.len() };
        };
        let Plain { target, host, agent, .. } = plain;
        Seen::Whole(Call { target, host, agent, body, bytes: all_bytes })
    }
}

/// What headers say that ask for nothing special.
#[derive(Default)]
struct Plain<'a> {
    length: usize,
    target: Option<&'a str>,
    host: Option<&'a str>,
    agent: Option<&'a str>,
}

impl<'a> Plain<'a> {
    /// None if there is anything among them that the library should look at.
    fn of(headers: &[Header<'a>]) -> Option<Plain<'a>> {
        let mut plain = Plain::default();
        let mut length = None;
        for header in headers {
            let is = |name: &str| header.name.eq_ignore_ascii_case(name);
            // Of each length there are few names that matter, so most headers are passed over after one comparison.
            let place = match header.name.len() {
                4 if is("host") => &mut plain.host,
                10 if is("user-agent") => &mut plain.agent,
                12 if is("x-amz-target") => &mut plain.target,
                14 if is("content-length") => {
                    if length.replace(digits(header.value)?).is_some() {
                        return None;
                    }
                    continue;
                }
                10 if is("connection") => {
                    if !header.value.eq_ignore_ascii_case(b"keep-alive") {
                        return None;
                    }
                    continue;
                }
                15 if is("accept-encoding") => {
                    if !header.value.eq_ignore_ascii_case(b"identity") {
                        return None;
                    }
                    continue;
                }
                6 if is("expect") || is("origin") => return None,
                7 if is("upgrade") => return None,
                17 if is("transfer-encoding") => return None,
                _ => continue,
            };
            // Which of two the library takes is its own affair.
            if place.replace(text(header.value)?).is_some() {
                return None;
            }
        }
        plain.length = length?;
        Some(plain)
    }
}

/// The text of a header that has nothing but visible characters, blanks and tabs in it.
fn text(value: &[u8]) -> Option<&str> {
    let is_plain = value.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\t'));
    if is_plain { std::str::from_utf8(value).ok() } else { None }
}

/// A number of at most seven digits, and nothing else.
fn digits(value: &[u8]) -> Option<usize> {
    if value.is_empty() || value.len() > 7 {
        return None;
    }
    value.iter().try_fold(0, |number: usize, byte| {
        byte.is_ascii_digit().then(|| number * 10 + usize::from(byte - b'0'))
    })
}

/// Waits as long as the caller likes for a new request. False if there is none, because the caller has gone or the server
/// stops.
async fn begun(stream: &mut TcpStream, buffer: &mut Vec<u8>, stop: &Stop) -> io::Result<bool> {
    buffer.reserve(BUFFER_BYTES / 2);
    let read = {
        let mut reading = pin!(stream.read_buf(buffer));
        poll_fn(|context| {
            let read = reading.as_mut().poll(context);
            if read.is_pending() && stop.is_wanted() { Poll::Ready(None) } else { read.map(Some) }
        })
        .await
    };
    // A request that is there already is answered.
    Ok(read.unwrap_or_else(|| read_at_once(stream, buffer))? > 0)
}

/// Reads what is there, also if the runtime has not been told of it yet.
#[cfg(unix)]
fn read_at_once(stream: &TcpStream, buffer: &mut Vec<u8>) -> io::Result<usize> {
    use rustix::buffer::spare_capacity;
    use rustix::io::Errno;
    match rustix::io::read(stream, spare_capacity(buffer)) {
        Err(Errno::AGAIN | Errno::INTR) => Ok(0),
        read => Ok(read?),
    }
}

#[cfg(not(unix))]
fn read_at_once(stream: &TcpStream, buffer: &mut Vec<u8>) -> io::Result<usize> {
    match stream.try_read_buf(buffer) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
        read => read,
    }
}

/// Sends an answer. The head is in `out` and leaves with the body if that is small; `out` is empty after it.
async fn send(stream: &mut TcpStream, out: &mut Vec<u8>, body: &[u8]) -> io::Result<()> {
    if body.len() <= COPIED_BYTES_MAX {
        out.extend_from_slice(body);
        write_all(stream, out).await?;
    } else {
        write_all(stream, out).await?;
        write_all(stream, body).await?;
    }
    out.clear();
    Ok(())
}

async fn write_all(stream: &mut TcpStream, mut rest: &[u8]) -> io::Result<()> {
    while !rest.is_empty() {
        let mut writing = pin!(stream.write(rest));
        // Most answers leave at once, without a timer.
        let at_once = poll_fn(|context| Poll::Ready(writing.as_mut().poll(context))).await;
        let written = match at_once {
            Poll::Ready(written) => written?,
            Poll::Pending => tokio::time::timeout(DEPARTURE_TIME_MAX, writing).await??,
        };
        rest = rest.get(written..).unwrap_or_default();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "POST / HTTP/1.1\r\nHost: localhost:8000\r\nUser-Agent: sdk\r\nX-Amz-Target: T.Op\r\n\
                         Connection: Keep-Alive\r\nAccept-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}";

    #[test]
    fn a_plain_call_is_read_whole_and_no_sooner() {
        let Seen::Whole(call) = Call::read(PLAIN.as_bytes()) else { panic!("a plain call") };
        assert_eq!((call.target, call.host, call.agent), (Some("T.Op"), Some("localhost:8000"), Some("sdk")));
        assert_eq!((call.body, call.bytes), (&b"{}"[..], PLAIN.len()));
        assert!(matches!(Call::read(b""), Seen::Nothing));
        for length in 1..PLAIN.len() {
            let Seen::Part { missing } = Call::read(&PLAIN.as_bytes()[..length]) else { panic!("{length}") };
            assert!(missing > 0 && length + missing <= PLAIN.len(), "{length}");
        }
    }

    #[test]
    fn what_follows_a_call_is_left_for_later() {
        let twice = format!("{PLAIN}{PLAIN}");
        let Seen::Whole(call) = Call::read(twice.as_bytes()) else { panic!("a plain call") };
        assert_eq!((call.body, call.bytes), (&b"{}"[..], PLAIN.len()));
    }

    #[test]
    fn everything_else_is_for_the_library() {
        let with = |header: &str| PLAIN.replace("\r\nHost", &format!("\r\n{header}\r\nHost"));
        let long = format!("X: {}", "x".repeat(BUFFER_BYTES));
        let table = [
            PLAIN.replace("POST", "GET"),
            PLAIN.replace("POST / ", "POST /x "),
            PLAIN.replace("POST / ", "POST http://localhost/ "),
            PLAIN.replace("HTTP/1.1", "HTTP/1.0"),
            PLAIN.replace("Content-Length: 2\r\n", ""),
            PLAIN.replace("Length: 2", "Length: +2"),
            PLAIN.replace("Length: 2", "Length: 262144"),
            PLAIN.replace("Length: 2", "Length: 99999999999999999999"),
            PLAIN.replace("Keep-Alive", "close"),
            PLAIN.replace("identity", "gzip"),
            PLAIN.replace("sdk", "sdk\u{e9}"),
            with("Content-Length: 2"),
            with("X-Amz-Target: T.Op"),
            with("Transfer-Encoding: chunked"),
            with("Expect: 100-continue"),
            with("Origin: http://localhost"),
            with("Upgrade: h2c"),
            with("no colon"),
            with(&"X: y\r\n".repeat(HEADERS_MAX)).replace("\r\n\r\nHost", "\r\nHost"),
            long.replace("X:", "POST / HTTP/1.1\r\nX:"),
        ];
        for request in table {
            assert!(matches!(Call::read(request.as_bytes()), Seen::Foreign), "{request}");
        }
    }

    /// Requests spoilt in a few places, read in pieces: none is a panic, and what is taken for a whole call says the same to
    /// a reader that knows lines and nothing else.
    #[test]
    fn spoilt_requests_are_read_as_they_are_or_left_to_the_library() {
        const PIECES: [&str; 12] = [
            "\r\n",
            "\n",
            "\r",
            ":",
            " ",
            "\t",
            "\0",
            "Content-Length: 3\r\n",
            "Host: a\r\n",
            "\u{e9}",
            "GET",
            "99999999",
        ];
        let mut state = 1_u64;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound.max(1)
        };
        let (mut whole, mut foreign) = (0, 0);
        for _ in 0..60_000 {
            let mut request = PLAIN.as_bytes().to_vec();
            for _ in 0..below(3) {
                let place = below(request.len());
                match below(4) {
                    0 => request[place] = below(256) as u8,
                    1 => drop(request.remove(place)),
                    2 => request.truncate(place.max(2)),
                    _ => drop(request.splice(place..place, PIECES[below(PIECES.len())].bytes())),
                }
            }
            let seen_before = Call::read(&request[..below(request.len())]);
            match Call::read(&request) {
                Seen::Whole(call) => {
                    whole += 1;
                    assert!(!matches!(seen_before, Seen::Foreign), "it was not for the lane before");
                    let head = &request[..call.bytes - call.body.len()];
                    let head = String::from_utf8_lossy(head);
                    // Empty lines before a request are passed over.
                    let lines: Vec<&str> =
                        head.split('\n').map(str::trim_end).skip_while(|line| line.is_empty()).collect();
                    assert_eq!(lines.first(), Some(&"POST / HTTP/1.1"), "{head}");
                    let values = |name: &str| -> Vec<&str> {
                        let pairs = lines.iter().skip(1).filter_map(|line| line.split_once(':'));
                        pairs
                            .filter(|(key, _)| key.eq_ignore_ascii_case(name))
                            .map(|(_, value)| value.trim())
                            .collect()
                    };
                    let lengths: Vec<_> =
                        values("content-length").iter().map(|value| value.parse()).collect();
                    assert_eq!(lengths, [Ok(call.body.len())], "{head}");
                    assert_eq!(values("x-amz-target").first().copied(), call.target, "{head}");
                    assert!(values("transfer-encoding").is_empty() && values("expect").is_empty(), "{head}");
                }
                Seen::Foreign => foreign += 1,
                Seen::Part { missing } => assert!(missing > 0),
                Seen::Nothing => assert!(request.is_empty()),
            }
        }
        assert!(whole > 5_000 && foreign > 5_000, "{whole} {foreign}");
    }
}
