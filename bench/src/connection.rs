//! The client's half of HTTP/1.1, as little of it as a closed loop needs: send bytes, read one whole answer.
//!
//! One connection, kept alive, one request at a time. It knows neither operations nor measurements.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An open connection and the last answer read from it.
pub(crate) struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
    unchunked: Vec<u8>,
}

/// What one exchange brought.
pub(crate) struct Answer<'a> {
    /// The status code.
    pub(crate) status: u16,
    /// The whole body.
    pub(crate) body: &'a [u8],
}

enum Length {
    Bytes(usize),
    Chunked,
}

struct Head {
    status: u16,
    bytes: usize,
    length: Length,
}

impl Connection {
    /// Connects without delaying small packets.
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, received: Vec::with_capacity(32 * 1024), unchunked: Vec::new() })
    }

    /// Sends one request and waits for all of its answer.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> io::Result<Answer<'_>> {
        self.received.clear();
        self.stream.write_all(request).await?;
        let head = loop {
            self.read_more().await?;
            if let Some(head) = parse_head(&self.received)? {
                break head;
            }
        };
        match head.length {
            Length::Bytes(length) => {
                while self.received.len() < head.bytes + length {
                    self.read_more().await?;
                }
                let body = self.received.get(head.bytes..head.bytes + length).unwrap_or_default();
                Ok(Answer { status: head.status, body })
            }
            Length::Chunked => {
                loop {
                    self.unchunked.clear();
                    let chunks = self.received.get(head.bytes..).unwrap_or_default();
                    if unchunk(chunks, &mut self.unchunked)? {
                        break;
                    }
                    self.read_more().await?;
                }
                Ok(Answer { status: head.status, body: &self.unchunked })
            }
        }
    }

    async fn read_more(&mut self) -> io::Result<()> {
        match self.stream.read_buf(&mut self.received).await? {
            0 => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection")),
            _ => Ok(()),
        }
    }
}

/// A connection that never waits. It reads answers that say their length, as Larder and the floor write them.
pub(crate) struct Ready {
    stream: std::net::TcpStream,
    received: Vec<u8>,
    filled: usize,
}

impl Ready {
    /// Connects.
    pub(crate) fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = std::net::TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Ok(Self { stream, received: vec![0; 32 * 1024], filled: 0 })
    }

    /// What to wait for an answer with.
    pub(crate) fn stream(&self) -> &std::net::TcpStream {
        &self.stream
    }

    /// Sends one request, which is small enough for the system to take at once.
    pub(crate) fn send(&mut self, request: &[u8]) -> io::Result<()> {
        self.filled = 0;
        self.stream.write_all(request)
    }

    /// Takes what has arrived; the answer once it is whole.
    pub(crate) fn receive(&mut self) -> io::Result<Option<Answer<'_>>> {
        let room = self.received.get_mut(self.filled..).unwrap_or_default();
        match self.stream.read(room) {
            Ok(0) => return Err(malformed("it ended early or does not fit")),
            Ok(bytes) => self.filled += bytes,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            Err(error) => return Err(error),
        }
        let received = self.received.get(..self.filled).unwrap_or_default();
        let Some(head) = parse_head(received)? else { return Ok(None) };
        let Length::Bytes(length) = head.length else { return Err(malformed("no length")) };
        let body = received.get(head.bytes..head.bytes + length);
        Ok(body.map(|body| Answer { status: head.status, body }))
    }
}

/// Reads the head when it has arrived whole.
fn parse_head(received: &[u8]) -> io::Result<Option<Head>> {
    let Some(end) = memchr::memmem::find(received, b"\r\n\r\n") else { return Ok(None) };
    let text = received.get(..end).unwrap_or_default();
    let status = text
        .get(9..12)
        .and_then(|digits| std::str::from_utf8(digits).ok())
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| malformed("no status"))?;
    let mut length = Length::Bytes(0);
    for line in text.split(|byte| *byte == b'\n').skip(1) {
        if let Some(value) = header(line, b"content-length:") {
            length = Length::Bytes(value.parse().map_err(|_| malformed("bad length"))?);
        } else if header(line, b"transfer-encoding:").is_some_and(|value| value.contains("chunked")) {
            length = Length::Chunked;
        }
    }
    Ok(Some(Head { status, bytes: end + 4, length }))
}

/// The value of a header line when the line starts with `name`, which is lower case and ends in a colon.
fn header<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a str> {
    let (front, value) = line.split_at_checked(name.len())?;
    if !front.eq_ignore_ascii_case(name) {
        return None;
    }
    std::str::from_utf8(value).ok().map(str::trim)
}

/// Puts the chunks' contents into `body`; true when the last chunk was among them.
fn unchunk(mut rest: &[u8], body: &mut Vec<u8>) -> io::Result<bool> {
    loop {
        let Some(line_end) = memchr::memmem::find(rest, b"\r\n") else { return Ok(false) };
        let digits = rest.get(..line_end).unwrap_or_default();
        let digits = digits.split(|byte| *byte == b';').next().unwrap_or_default();
        let bytes = std::str::from_utf8(digits)
            .ok()
            .and_then(|digits| usize::from_str_radix(digits.trim(), 16).ok())
            .ok_or_else(|| malformed("bad chunk"))?;
        let start = line_end + 2;
        let Some(chunk) = rest.get(start..start + bytes) else { return Ok(false) };
        let Some(next) = rest.get(start + bytes + 2..) else { return Ok(false) };
        if bytes == 0 {
            return Ok(true);
        }
        body.extend_from_slice(chunk);
        rest = next;
    }
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("malformed answer: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_once_it_is_whole() {
        let answer = b"HTTP/1.1 200 OK\r\ncontent-LENGTH: 12\r\nx: y\r\n\r\nbody";
        assert!(parse_head(&answer[..30]).unwrap().is_none());
        let head = parse_head(answer).unwrap().unwrap();
        assert_eq!((head.status, head.bytes), (200, answer.len() - 4));
        assert!(matches!(head.length, Length::Bytes(12)));
    }

    #[test]
    fn chunks_are_joined_and_half_chunks_awaited() {
        let whole = b"4\r\nfour\r\n3;x=y\r\nend\r\n0\r\n\r\n";
        let mut body = Vec::new();
        assert!(unchunk(whole, &mut body).unwrap());
        assert_eq!(body, b"fourend");
        for cut in 0..whole.len() {
            assert!(!unchunk(&whole[..cut], &mut Vec::new()).unwrap(), "{cut}");
        }
    }
}
