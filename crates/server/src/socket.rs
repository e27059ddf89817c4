//! A connection's bytes: ends requests that stop arriving half way, and says in JSON what the HTTP library
//! says with an empty body. Knows where a connection stands (`Phase`), and nothing of what is asked.

use crate::answer::refusal_body;
use crate::request_id;
use bytes::BytesMut;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// How long a request's head may take, and how long a body may pause.
const ARRIVAL_TIME_MAX: Duration = Duration::from_secs(30);
/// How long a caller may refuse to take bytes of an answer.
const DEPARTURE_TIME_MAX: Duration = Duration::from_secs(60);

/// Where a connection stands. One task moves it, so no order between threads is needed.
#[derive(Debug)]
pub(crate) struct Phase(AtomicU8);

/// Between requests; it may last as long as the caller likes.
const IDLE: u8 = 0;
/// A request's head has begun to arrive.
const HEAD: u8 = 1;
/// The head is complete, the body is not.
const BODY: u8 = 2;
/// The request is being carried out.
const WORK: u8 = 3;
/// Its answer is being written.
const ANSWER: u8 = 4;
/// Many requests at once (HTTP/2), whose library keeps its own watch.
const MANY: u8 = 5;

impl Phase {
    /// One request after the other, none yet.
    pub(crate) fn single() -> Arc<Phase> {
        Arc::new(Phase(AtomicU8::new(IDLE)))
    }

    /// Many requests at once.
    pub(crate) fn multiplexed() -> Arc<Phase> {
        Arc::new(Phase(AtomicU8::new(MANY)))
    }

    /// The head is there and the body is wanted.
    pub(crate) fn body_begins(&self) {
        self.enter(BODY);
    }

    /// All of the request is there.
    pub(crate) fn work_begins(&self) {
        self.enter(WORK);
    }

    fn enter(&self, phase: u8) {
        if self.now() != MANY {
            self.0.store(phase, Ordering::Relaxed);
        }
    }

    fn now(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A socket that is watched.
pub(crate) struct Socket {
    stream: TcpStream,
    /// What had come before the socket was watched.
    begun: BytesMut,
    phase: Arc<Phase>,
    arrival: Option<Pin<Box<Sleep>>>,
    departure: Option<Pin<Box<Sleep>>>,
    /// What is sent in place of the library's own answer, and how much of it is gone.
    substitute: Option<(Vec<u8>, usize)>,
}

impl Socket {
    pub(crate) fn new(stream: TcpStream, begun: BytesMut, phase: Arc<Phase>) -> Socket {
        Socket { stream, begun, phase, arrival: None, departure: None, substitute: None }
    }

    /// Bytes have come in: a new request begins, or the one that is arriving moves on.
    fn arrived(&mut self) {
        match self.phase.now() {
            IDLE => {
                self.phase.enter(HEAD);
                self.arrival = None;
            }
            BODY => self.arrival = None,
            // A head has one deadline however its bytes trickle in.
            _ => {}
        }
    }

    /// No bytes are there: fatal if a request has been half way in for too long.
    fn starved(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !matches!(self.phase.now(), HEAD | BODY) {
            self.arrival = None;
            return Poll::Pending;
        }
        expire(&mut self.arrival, ARRIVAL_TIME_MAX, context).map(Err)
    }

    /// Counts bytes that left, or the time that none could leave.
    fn departed(
        &mut self,
        written: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.departure = None;
            if self.phase.now() == WORK {
                self.phase.enter(ANSWER);
            }
            return written;
        }
        expire(&mut self.departure, DEPARTURE_TIME_MAX, context).map(Err)
    }

    /// Whether these bytes are the library's own answer to a head it could not read, now to be replaced.
    fn replaces(&mut self, bytes: &[u8]) -> bool {
        if !matches!(self.phase.now(), IDLE | HEAD) || !bytes.starts_with(b"HTTP/1.1 4") {
            return false;
        }
        // Our own answers carry an id; whatever does not is not ours.
        let is_ours = bytes.windows(17).any(|window| window.eq_ignore_ascii_case(b"x-amzn-requestid:"));
        if !is_ours {
            self.substitute = Some((substitute(bytes), 0));
        }
        !is_ours
    }

    fn send_substitute(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some((bytes, sent)) = &mut self.substitute {
            let rest = bytes.get(*sent..).unwrap_or_default();
            if rest.is_empty() {
                self.substitute = None;
                break;
            }
            *sent += ready!(Pin::new(&mut self.stream).poll_write(context, rest))?;
        }
        Poll::Ready(Ok(()))
    }
}

/// The status the library chose, with a body that clients can read.
fn substitute(answer: &[u8]) -> Vec<u8> {
    let line = answer.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let message = match line.split(' ').nth(1) {
        Some("414") => "The request's address is too long.",
        Some("431") => "The request's headers are too large.",
        _ => "The request is not well-formed HTTP.",
    };
    let body = refusal_body("MalformedHttpRequestException", message);
    let checksum = crc32fast::hash(body.as_bytes());
    let id = request_id::next();
    let id = String::from_utf8_lossy(&id);
    let length = body.len();
    format!(
        "{line}\r\nserver: Server\r\ncontent-type: application/x-amz-json-1.0\r\nx-amzn-requestid: {id}\r\n\
         x-amz-crc32: {checksum}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .into_bytes()
}

/// Starts the timer if it does not run yet; ready with the error once it has run out.
fn expire(
    timer: &mut Option<Pin<Box<Sleep>>>,
    limit: Duration,
    context: &mut Context<'_>,
) -> Poll<io::Error> {
    let timer = timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
    ready!(timer.as_mut().poll(context));
    Poll::Ready(io::Error::from(io::ErrorKind::TimedOut))
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.begun.is_empty() {
            let length = self.begun.len().min(buffer.remaining());
            buffer.put_slice(&self.begun.split_to(length));
            if self.begun.is_empty() {
                self.begun = BytesMut::new();
            }
            self.arrived();
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Ready(Ok(())) => {
                if buffer.filled().len() > before {
                    self.arrived();
                }
                Poll::Ready(Ok(()))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => self.starved(context),
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.replaces(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.departed(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if slices.first().is_some_and(|first| self.replaces(first)) {
            return Poll::Ready(Ok(slices.iter().map(|slice| slice.len()).sum()));
        }
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.departed(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.send_substitute(context))?;
        // The library flushes the socket only when its own buffer is empty, so the answer is out.
        if self.phase.now() == ANSWER {
            self.phase.enter(IDLE);
        }
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.send_substitute(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
