//! As many connections as the server may open and more, callers who are slow or stop half way through a head or a body,
//! callers who do not read their answers, and bodies that never end. Others are served all the while, what is written is
//! acknowledged, and the memory that it takes is bounded.

use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{get, megabytes, put, shows, table};
use crate::report::Row;
use crate::server::{Folder, Server};
use crate::wire::read_answer;

/// Files the server may have open, its own included. Half of them are for connections.
const FILES_MAX: usize = 512;
const PLACES: usize = FILES_MAX / 2;
const CONNECTIONS: usize = 700;
const HALF_OPEN: usize = 120;
const SLOW: u64 = 20;
const DEAF: usize = 20;
const ENDLESS: usize = 24;
/// The server's patience is half a minute.
const PATIENCE: Duration = Duration::from_secs(50);
const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);
/// Of a crowd, nobody tries for long: beyond what the server takes and the system keeps waiting, no connection comes about.
const CROWD_TIME_MAX: Duration = Duration::from_millis(40);
const LARGE_BYTES: usize = 200_000;
const LARGE_WRITES: u64 = 250;
const MEMORY_BYTES_MAX: u64 = 700 << 20;

/// Plays all of it on one server.
pub(crate) fn run(larder: &Path) -> Result<Row, String> {
    let began = Instant::now();
    let folder = Folder::new("sockets")?;
    let data = folder.path().join("data");
    let port = crate::server::free_port()?;
    let command = format!(
        "ulimit -n {FILES_MAX}; exec {} serve --port {port} --data-dir {}",
        larder.display(),
        data.display()
    );
    let mut server = Server::new(Path::new("sh"), &["-c", &command], folder.path().join("log"), port);
    server.start()?;
    let mut wire = server.wire();
    wire.must("CreateTable", &table("load"))?;
    wire.must("PutItem", &put("load", 1, 10))?;
    let mut problems = Vec::new();
    let crowd = crowd(&server, &mut problems)?;
    let half = half_open(&server, &mut problems)?;
    let memory = endless(&server, &mut problems)?;
    if server.ended().is_some() {
        problems.push(format!("the server ended:\n{}", server.last_words()));
    }
    Ok(Row {
        name: "sockets",
        did: format!(
            "{CONNECTIONS} connections with {FILES_MAX} files allowed: {} served at once, {} more when those had gone, \
             {} turned away by the system, {LARGE_WRITES} writes of 200 KB meanwhile; {HALF_OPEN} half-open callers: {} hung up on in time, {SLOW} slow ones served, {DEAF} \
             who read nothing, slowest answer to others {} ms; {ENDLESS} bodies without an end: at most {} MB resident",
            crowd.served,
            crowd.later,
            CONNECTIONS - crowd.served - crowd.later,
            half.gone,
            half.slowest.as_millis(),
            megabytes(memory)
        ),
        seconds: began.elapsed().as_secs(),
        problems,
    })
}

fn connect(server: &Server) -> Result<TcpStream, String> {
    connect_within(server, CONNECT_TIME_MAX).map_err(|error| format!("a connection: {error}"))
}

fn connect_within(server: &Server, time: Duration) -> std::io::Result<TcpStream> {
    TcpStream::connect_timeout(&SocketAddr::from(([127, 0, 0, 1], server.port)), time)
}

/// What a crowd saw.
struct Crowd {
    /// While all of it was there.
    served: usize,
    /// Who had to wait.
    later: usize,
}

/// Opens more connections than there are files. While they are all there, one caller who was there before writes so much
/// that files must be opened for it. Those who wait are served when the others have gone.
fn crowd(server: &Server, problems: &mut Vec<String>) -> Result<Crowd, String> {
    let mut writer = server.wire();
    writer.must("PutItem", &put("load", 2, 10))?;
    let mut open = Vec::new();
    for _ in 0..CONNECTIONS {
        let Ok(mut stream) = connect_within(server, CROWD_TIME_MAX) else { continue };
        let asked = stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n");
        asked.map_err(|error| format!("a connection among many: {error}"))?;
        open.push(stream);
    }
    thread::sleep(Duration::from_secs(2));
    for number in 0..LARGE_WRITES {
        if let Err(problem) = writer.must("PutItem", &put("load", 2 + number, LARGE_BYTES)) {
            problems.push(format!("write {number} while a crowd was there: {problem}"));
            break;
        }
    }
    let (served, later) = leave(open, problems);
    if !server.wire().must("GetItem", &get("load", 1)).is_ok_and(|answer| shows(&answer, 1)) {
        problems.push("no answer after the crowd had gone".to_string());
    }
    writer.must("PutItem", &put("load", 2, 10))?;
    Ok(Crowd { served, later })
}

/// How many of the crowd were answered while all of it was there, and how many when the others had gone.
fn leave(open: Vec<TcpStream>, problems: &mut Vec<String>) -> (usize, usize) {
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for mut stream in open {
        let _ = stream.set_nonblocking(true);
        let mut bytes = [0; 4096];
        match stream.read(&mut bytes) {
            Ok(count) if count > 0 => first.push(stream),
            _ => rest.push(stream),
        }
    }
    let served = first.len();
    if !(PLACES / 2..=PLACES).contains(&served) {
        problems.push(format!("{served} of {CONNECTIONS} connections were served at once, {PLACES} can be"));
    }
    drop(first);
    // Each of those who wait goes when it has been answered, so that the next has its place.
    let waited = rest.len();
    let mut answered = 0;
    for stream in rest {
        let _ = stream.set_nonblocking(false);
        let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
        if read_answer(&mut BufReader::new(stream)).is_err() {
            break;
        }
        answered += 1;
    }
    if answered < waited {
        problems.push(format!("{answered} of {waited} who waited were answered when others had gone"));
    }
    (served, answered)
}

/// What half-open callers met.
struct Half {
    gone: usize,
    slowest: Duration,
}

/// Callers who stop half way are hung up on, and slow ones are served; meanwhile others get their answers.
fn half_open(server: &Server, problems: &mut Vec<String>) -> Result<Half, String> {
    let beginnings: [&[u8]; 3] = [
        b"POST / HTTP/1.1\r\nhost: x\r\nx-amz-tar",
        b"POST / HTTP/1.1\r\nhost: x\r\nx-amz-target: DynamoDB_20120810.PutItem\r\ncontent-length: 500\r\n\r\n{\"Table",
        b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\nx-amz-target: DynamoDB_20120810.PutItem\r\n\r\n5\r\n{\"Ta",
    ];
    let mut callers = Vec::new();
    for beginning in beginnings.iter().cycle().take(HALF_OPEN) {
        let mut stream = connect(server)?;
        stream.write_all(beginning).map_err(|error| error.to_string())?;
        let _ = stream.set_nonblocking(true);
        callers.push(stream);
    }
    let mut deaf = Vec::new();
    for _ in 0..DEAF {
        let mut stream = connect(server)?;
        let request = post("Scan", &json!({"TableName": "load"}).to_string());
        stream.write_all(request.as_bytes()).map_err(|error| error.to_string())?;
        deaf.push(stream);
    }
    thread::scope(|scope| {
        let slow: Vec<_> = (0..SLOW).map(|number| scope.spawn(move || slow(server, 1000 + number))).collect();
        let half = wait_for_ends(server, callers, problems);
        for caller in slow {
            if let Err(problem) = caller.join().unwrap_or_else(|_| Err("a slow caller panicked".into())) {
                problems.push(format!("a slow caller: {problem}"));
            }
        }
        half
    })
}

fn post(operation: &str, body: &str) -> String {
    format!(
        "POST / HTTP/1.1\r\nhost: x\r\nx-amz-target: DynamoDB_20120810.{operation}\r\nauthorization: AWS4-HMAC-SHA256 \
         Credential=proof/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=00\r\nx-amz-date: \
         20260101T000000Z\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Sends a request in pieces over ten seconds, and expects its answer.
fn slow(server: &Server, key: u64) -> Result<(), String> {
    let mut stream = connect(server)?;
    let _ = stream.set_nodelay(true);
    let request = post("PutItem", &put("load", key, 300).to_string()).into_bytes();
    for piece in request.chunks(request.len().div_ceil(40)) {
        stream.write_all(piece).map_err(|error| error.to_string())?;
        thread::sleep(Duration::from_millis(250));
    }
    let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
    let (answer, _) = read_answer(&mut BufReader::new(stream)).map_err(|error| error.to_string())?;
    answer.accepted()?;
    let answer = server.wire().must("GetItem", &get("load", key))?;
    if shows(&answer, key) { Ok(()) } else { Err(format!("its item is not there: {answer}")) }
}

/// Asks as others do until all of these callers were hung up on.
fn wait_for_ends(
    server: &Server,
    mut callers: Vec<TcpStream>,
    problems: &mut Vec<String>,
) -> Result<Half, String> {
    let (began, mut slowest, mut gone) = (Instant::now(), Duration::ZERO, 0);
    let mut wire = server.wire();
    while began.elapsed() < PATIENCE && !callers.is_empty() {
        let asked = Instant::now();
        let answer = wire.must("GetItem", &get("load", 1))?;
        slowest = slowest.max(asked.elapsed());
        if !shows(&answer, 1) {
            problems.push(format!("a caller among half-open ones was told {answer}"));
        }
        let before = callers.len();
        callers.retain_mut(|stream| !has_ended(stream));
        gone += before - callers.len();
        thread::sleep(Duration::from_millis(50));
    }
    if !callers.is_empty() {
        problems.push(format!("{} half-open callers are still connected", callers.len()));
    }
    Ok(Half { gone, slowest })
}

fn has_ended(stream: &mut TcpStream) -> bool {
    let mut bytes = [0; 1024];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != std::io::ErrorKind::WouldBlock,
        }
    }
}

/// Bodies that go on and on: each is refused or cut off, and the memory they take is bounded.
fn endless(server: &Server, problems: &mut Vec<String>) -> Result<u64, String> {
    let mut highest = 0;
    thread::scope(|scope| {
        let senders: Vec<_> = (0..ENDLESS)
            .map(|number| {
                scope.spawn(move || -> Result<(), String> {
                    let mut stream = connect(server)?;
                    let _ = stream.set_write_timeout(Some(Duration::from_secs(5)));
                    let framing = if number % 2 == 0 { "content-length: 99999999999" } else { "transfer-encoding: chunked" };
                    let head = format!(
                        "POST / HTTP/1.1\r\nhost: x\r\nx-amz-target: DynamoDB_20120810.PutItem\r\n{framing}\r\n\r\n"
                    );
                    stream.write_all(head.as_bytes()).map_err(|error| error.to_string())?;
                    let mut chunk = b"10000\r\n".to_vec();
                    chunk.extend(std::iter::repeat_n(b'{', 65_536));
                    chunk.extend(b"\r\n");
                    let until = Instant::now() + Duration::from_secs(20);
                    while Instant::now() < until {
                        if stream.write_all(&chunk).is_err() {
                            return Ok(());
                        }
                    }
                    Err("a body without an end was read for 20 s".to_string())
                })
            })
            .collect();
        while senders.iter().any(|sender| !sender.is_finished()) {
            highest = highest.max(server.resident_bytes());
            thread::sleep(Duration::from_millis(20));
        }
        for sender in senders {
            if let Ok(Err(problem)) = sender.join() {
                problems.push(problem);
            }
        }
    });
    if highest > MEMORY_BYTES_MAX {
        problems.push(format!("{} MB were resident", megabytes(highest)));
    }
    let answer = server.wire().must("GetItem", &get("load", 1))?;
    if !shows(&answer, 1) {
        problems.push(format!("after bodies without an end a caller was told {answer}"));
    }
    Ok(highest)
}
