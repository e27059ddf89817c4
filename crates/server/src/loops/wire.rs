//! A connection's socket as the threads of the crew use it. What the kernel tells of it is kept beside it, so that
//! nothing is tried in vain.

use super::crew::Crew;
use rustix::buffer::spare_capacity;
use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

/// What the kernel has told of a socket and nobody has made use of yet. The task that owns the socket is run after each
/// such word, so nothing here wakes anybody.
#[derive(Debug)]
pub(super) struct Source {
    readable: AtomicBool,
    writable: AtomicBool,
    /// The other side sends no more; then the end is there to be read, at any time.
    ended: AtomicBool,
}

/// A socket.
pub(crate) struct Wire {
    stream: TcpStream,
    source: Arc<Source>,
    crew: Arc<Crew>,
}

impl Source {
    /// One of which nothing has been told, so that everything is worth a try.
    pub(super) fn new() -> Source {
        Source {
            readable: AtomicBool::new(true),
            writable: AtomicBool::new(true),
            ended: AtomicBool::new(false),
        }
    }

    pub(super) fn note(&self, flags: EventFlags) {
        if flags.intersects(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR) {
            self.ended.store(true, Ordering::Release);
        }
        if flags.contains(EventFlags::IN) {
            self.readable.store(true, Ordering::Release);
        }
        if flags.intersects(EventFlags::OUT | EventFlags::HUP | EventFlags::ERR) {
            self.writable.store(true, Ordering::Release);
        }
    }
}

impl Wire {
    pub(super) fn new(stream: TcpStream, source: Arc<Source>, crew: Arc<Crew>) -> Wire {
        Wire { stream, source, crew }
    }

    /// Appends what has come to the buffer, up to its capacity; 0 bytes are the end.
    pub(crate) fn poll_read(
        &self,
        _context: &mut Context<'_>,
        buffer: &mut Vec<u8>,
    ) -> Poll<io::Result<usize>> {
        loop {
            let is_ended = self.source.ended.load(Ordering::Acquire);
            // Cleared before the look, so that what comes after the look is told anew.
            if !self.source.readable.swap(false, Ordering::AcqRel) && !is_ended {
                return Poll::Pending;
            }
            let room = buffer.capacity() - buffer.len();
            match rustix::io::read(&self.stream, spare_capacity(buffer)) {
                Ok(length) => {
                    // A read that did not fill the buffer took all there was.
                    if length == room {
                        self.source.readable.store(true, Ordering::Release);
                    }
                    return Poll::Ready(Ok(length));
                }
                Err(Errno::INTR) => self.source.readable.store(true, Ordering::Release),
                Err(Errno::AGAIN) => return Poll::Pending,
                Err(error) => return Poll::Ready(Err(error.into())),
            }
        }
    }

    /// Has the next read look for itself, whatever was told.
    pub(crate) fn look_again(&self) {
        self.source.readable.store(true, Ordering::Release);
    }

    /// Sends as much as there is room for.
    pub(crate) fn poll_write(&self, _context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            self.source.writable.store(false, Ordering::Release);
            match (&self.stream).write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if !self.source.writable.load(Ordering::Acquire) {
                        return Poll::Pending;
                    }
                }
                written => return Poll::Ready(written),
            }
        }
    }

    /// The socket itself, which the crew knows no longer.
    pub(crate) fn into_stream(self) -> io::Result<TcpStream> {
        self.crew.forget(&self.stream)?;
        Ok(self.stream)
    }
}
