//! DynamoDB requests without an SDK: one keep-alive connection, one JSON body, one answer. Signs nothing.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value as Json;

const HEADERS: &str = "host: 127.0.0.1\r\ncontent-type: application/x-amz-json-1.0\r\nx-amz-date: 20260101T000000Z\r\n\
    authorization: AWS4-HMAC-SHA256 Credential=proof/20260101/us-east-1/dynamodb/aws4_request, \
    SignedHeaders=host;x-amz-date;x-amz-target, Signature=00\r\n";

/// How long an answer may take before it counts as a hang.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(60);

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Json,
}

/// Why nothing came back.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The request never left: it has not happened.
    Unsent(io::Error),
    /// The connection broke before the answer was complete: it may have happened.
    Unanswered(io::Error),
}

/// A connection to a server, opened when it is needed.
pub(crate) struct Wire {
    port: u16,
    stream: Option<BufReader<TcpStream>>,
}

impl Answer {
    /// The class of an error, without its namespace; empty for a success.
    pub(crate) fn class(&self) -> &str {
        let class = self.body.get("__type").and_then(Json::as_str).unwrap_or_default();
        class.rsplit('#').next().unwrap_or_default()
    }

    /// The text of an error.
    pub(crate) fn text(&self) -> &str {
        let message = self.body.get("message").or_else(|| self.body.get("Message"));
        message.and_then(Json::as_str).unwrap_or_default()
    }

    /// The body of a success; anything else is told as a problem.
    pub(crate) fn accepted(self) -> Result<Json, String> {
        if self.status == 200 { Ok(self.body) } else { Err(format!("{}: {}", self.status, self.body)) }
    }
}

impl std::fmt::Display for Broken {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Broken::Unsent(error) => write!(out, "the request could not be sent: {error}"),
            Broken::Unanswered(error) => write!(out, "no answer came: {error}"),
        }
    }
}

impl Wire {
    pub(crate) fn new(port: u16) -> Wire {
        Wire { port, stream: None }
    }

    /// Asks once.
    pub(crate) fn ask(&mut self, operation: &str, request: &Json) -> Result<Answer, Broken> {
        let service = match operation {
            "ListStreams" | "DescribeStream" | "GetShardIterator" | "GetRecords" => {
                "DynamoDBStreams_20120810"
            }
            _ => "DynamoDB_20120810",
        };
        self.send(&format!("{service}.{operation}"), request.to_string().as_bytes())
    }

    /// Asks for something that must succeed.
    pub(crate) fn must(&mut self, operation: &str, request: &Json) -> Result<Json, String> {
        let answer = self.ask(operation, request).map_err(|broken| format!("{operation}: {broken}"))?;
        answer.accepted().map_err(|problem| format!("{operation}: {problem}"))
    }

    /// Sends any bytes as a body.
    pub(crate) fn send(&mut self, target: &str, body: &[u8]) -> Result<Answer, Broken> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => connect(self.port).map_err(Broken::Unsent)?,
        };
        let head = format!(
            "POST / HTTP/1.1\r\n{HEADERS}x-amz-target: {target}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let mut request = head.into_bytes();
        request.extend_from_slice(body);
        let exchanged = stream.get_mut().write_all(&request).and_then(|()| read_answer(&mut stream));
        let (answer, goes_on) = exchanged.map_err(Broken::Unanswered)?;
        self.stream = goes_on.then_some(stream);
        Ok(answer)
    }
}

fn connect(port: u16) -> io::Result<BufReader<TcpStream>> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(ANSWER_TIME_MAX))?;
    stream.set_write_timeout(Some(ANSWER_TIME_MAX))?;
    Ok(BufReader::new(stream))
}

/// Reads one answer, and whether the connection may be used again.
pub(crate) fn read_answer(stream: &mut BufReader<TcpStream>) -> io::Result<(Answer, bool)> {
    let bad = |text: &str| io::Error::new(io::ErrorKind::InvalidData, text.to_string());
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let status = line.split(' ').nth(1).and_then(|text| text.parse().ok()).ok_or_else(|| bad("no status"))?;
    let (mut length, mut goes_on) = (0usize, true);
    loop {
        line.clear();
        if stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let header = line.trim().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(text) = header.strip_prefix("content-length:") {
            length = text.trim().parse().map_err(|_| bad("no length"))?;
        }
        goes_on = goes_on && header != "connection: close";
    }
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    let body = serde_json::from_slice(&bytes).unwrap_or(Json::Null);
    Ok((Answer { status, body }, goes_on))
}
