//! A client of a few lines: raw bytes out, one answer in. Checks what must be true of every answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// A connection.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
}

/// An answer.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// A header by its lower-case name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    /// The names of its headers, sorted.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// What every answer of the API has.
    pub(crate) fn check(&self) -> &Answer {
        let id = self.header("x-amzn-requestid").expect("a request id");
        assert_eq!(id.len(), 52, "{id}");
        assert!(id.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()), "{id}");
        assert_eq!(self.header("x-amz-crc32").unwrap(), crc32fast::hash(&self.body).to_string());
        assert_eq!(self.header("content-type"), Some("application/x-amz-json-1.0"));
        assert_eq!(self.header("content-length").unwrap(), self.body.len().to_string());
        assert_eq!(self.header("server"), Some("Server"));
        self
    }

    /// An error: the status and what its `__type` ends with, in a JSON body.
    pub(crate) fn check_error(&self, status: u16, exception: &str) {
        let text = self.check().text();
        assert_eq!(self.status, status, "{text}");
        assert!(text.starts_with("{\"__type\":\"com.amazon") && text.ends_with('}'), "{text}");
        assert!(text.contains(&format!("#{exception}\"")), "{text}");
    }
}

impl Client {
    pub(crate) fn connect(port: u16) -> Client {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_nodelay(true).unwrap();
        Client { stream: BufReader::new(stream) }
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Client {
        self.stream.get_mut().write_all(bytes.as_ref()).unwrap();
        self
    }

    /// Sends what the other end may no longer want to read.
    pub(crate) fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Client {
        let _cut_off = self.stream.get_mut().write_all(bytes.as_ref());
        self
    }

    /// Says that nothing more will be sent, as `nc -N` does.
    pub(crate) fn finish(&mut self) -> &mut Client {
        self.stream.get_mut().shutdown(Shutdown::Write).unwrap();
        self
    }

    /// The next answer.
    pub(crate) fn answer(&mut self) -> Answer {
        let status = self.line();
        let status = status
            .split(' ')
            .nth(1)
            .and_then(|code| code.parse().ok())
            .unwrap_or_else(|| panic!("{status:?}"));
        let mut headers = Vec::new();
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut answer = Answer { status, headers, body: Vec::new() };
        let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
        answer.body = self.bytes(length);
        answer
    }

    /// One line without its end.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// So many bytes.
    pub(crate) fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).unwrap();
        bytes
    }

    /// Whether the other end has closed.
    pub(crate) fn is_closed(&mut self) -> bool {
        matches!(self.stream.read(&mut [0]), Ok(0) | Err(_))
    }
}

/// A request of the API with more headers, each with its line end.
pub(crate) fn call(operation: &str, headers: &str, body: &str) -> String {
    format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\n\
         X-Amz-Target: DynamoDB_20120810.{operation}\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// One request on a connection of its own.
pub(crate) fn ask(port: u16, request: impl AsRef<[u8]>) -> Answer {
    Client::connect(port).send(request).answer()
}
