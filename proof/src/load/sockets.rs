//! As many connections as the server may open and more, callers who are slow or stop half way through a head or a body,
//! callers who do not read their answers, and bodies that never end. Those who stop are hung up on, others are served all the
//! while and soon, what is written is acknowledged, and the memory that it takes is bounded.

use std::io::{BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{get, megabytes, put, shows, table};
use crate::report::Row;
use crate::server::{Folder, Server};
use crate::wire::{Wire, read_answer};

/// Files the server may have open, its own included. Half of them are for connections.
const FILES_MAX: usize = 512;
const PLACES: usize = FILES_MAX / 2;
const CONNECTIONS: usize = 700;
const HALF_OPEN: usize = 120;
const SLOW: u64 = 20;
const DEAF: usize = 20;
/// Answers that each of the deaf asks for, of a megabyte: more than the system keeps for it.
const DEAF_ANSWERS: usize = 24;
const ENDLESS: usize = 24;
/// The server's patience with callers who stop sending is half a minute, and with those who do not read a whole one.
const PATIENCE: Duration = Duration::from_secs(50);
const DEAF_PATIENCE: Duration = Duration::from_secs(70);
/// No answer to others takes longer.
const OTHERS_TIME_MAX: Duration = Duration::from_secs(2);
/// What is read of a body that does not end: the 16 MB that one may have, 128 MB that are thrown away so that the caller
/// comes to read its answer, and what the system keeps.
const ENDLESS_BYTES_MAX: u64 = (16 + 128 + 64) << 20;
/// What is thrown away is read for ten seconds at most.
const ENDLESS_TIME_MAX: Duration = Duration::from_secs(20);
const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);
/// Of a crowd, nobody tries for long: beyond what the server takes and the system keeps waiting, no connection comes about.
const CROWD_TIME_MAX: Duration = Duration::from_millis(40);
const LARGE_BYTES: usize = 200_000;
const LARGE_WRITES: u64 = 250;
const MEMORY_BYTES_MAX: u64 = 700 << 20;
/// The same while nobody sends a large body.
const QUIET_BYTES_MAX: u64 = 300 << 20;

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
    let deaf = deaf(&server)?;
    let mut others = Others::new(&server);
    let gone = half_open(&server, &mut others, &mut problems)?;
    let quiet = others.highest;
    if quiet > QUIET_BYTES_MAX {
        problems.push(format!("{} MB were resident among half-open and deaf callers", megabytes(quiet)));
    }
    let ends = endless(&server, &mut others, &mut problems)?;
    if others.highest > MEMORY_BYTES_MAX {
        problems.push(format!("{} MB were resident", megabytes(others.highest)));
    }
    let unheard = hung_up(deaf, &mut others, &mut problems)?;
    if others.slowest > OTHERS_TIME_MAX {
        problems.push(format!("another caller had to wait for {} ms", others.slowest.as_millis()));
    }
    let (slowest, highest) = (others.slowest.as_millis(), megabytes(others.highest));
    problems.extend(server.problems());
    Ok(Row {
        name: "sockets",
        did: format!(
            "{CONNECTIONS} connections with {FILES_MAX} files allowed: {} served at once, {} more when those had gone, \
             {} turned away by the system, {LARGE_WRITES} writes of 200 KB meanwhile; {HALF_OPEN} half-open callers: \
             {gone} hung up on in time, {SLOW} slow ones served; {DEAF} who read nothing: {unheard} hung up on in time, {} \
             MB resident; {ENDLESS} bodies without an end: {} refused with 413, {} cut off after at most {} MB, {highest} \
             MB resident; slowest answer to others {slowest} ms",
            crowd.served,
            crowd.later,
            CONNECTIONS - crowd.served - crowd.later,
            megabytes(quiet),
            ends.refused,
            ends.cut,
            megabytes(ends.sent_max),
        ),
        seconds: began.elapsed().as_secs(),
        problems,
    })
}

/// A caller beside those who behave badly, and the memory that these take.
struct Others<'a> {
    server: &'a Server,
    wire: Wire,
    slowest: Duration,
    /// Resident bytes.
    highest: u64,
}

impl Others<'_> {
    fn new(server: &Server) -> Others<'_> {
        Others { server, wire: server.wire(), slowest: Duration::ZERO, highest: 0 }
    }

    /// Asks once and looks at the memory.
    fn look(&mut self, problems: &mut Vec<String>) -> Result<(), String> {
        let asked = Instant::now();
        let answer = self.wire.must("GetItem", &get("load", 1))?;
        self.slowest = self.slowest.max(asked.elapsed());
        if !shows(&answer, 1) {
            problems.push(format!("another caller was told {answer}"));
        }
        self.highest = self.highest.max(self.server.resident_bytes());
        Ok(())
    }
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

/// Callers who ask for much and read nothing of it, and when the last of them had asked.
struct Deaf {
    streams: Vec<TcpStream>,
    since: Instant,
}

fn deaf(server: &Server) -> Result<Deaf, String> {
    let requests = post("Scan", &json!({"TableName": "load"}).to_string()).repeat(DEAF_ANSWERS);
    let mut streams = Vec::new();
    for _ in 0..DEAF {
        let mut stream = connect(server)?;
        stream.write_all(requests.as_bytes()).map_err(|error| error.to_string())?;
        streams.push(stream);
    }
    Ok(Deaf { streams, since: Instant::now() })
}

/// How many of the deaf were hung up on: who begins to read now finds what the system kept, and not the rest.
fn hung_up(deaf: Deaf, others: &mut Others<'_>, problems: &mut Vec<String>) -> Result<usize, String> {
    while deaf.since.elapsed() < DEAF_PATIENCE {
        others.look(problems)?;
        thread::sleep(Duration::from_millis(50));
    }
    let mut gone = 0;
    for stream in deaf.streams {
        let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
        let mut stream = BufReader::new(stream);
        let answers = (0..DEAF_ANSWERS).take_while(|_| read_answer(&mut stream).is_ok()).count();
        let is_over = match stream.read(&mut [0; 64]) {
            Ok(count) => count == 0,
            Err(error) => error.kind() == ErrorKind::ConnectionReset,
        };
        if answers < DEAF_ANSWERS && is_over {
            gone += 1;
        } else {
            problems.push(format!("one who read nothing is still connected, with {answers} answers"));
        }
    }
    Ok(gone)
}

/// Callers who stop half way are hung up on, all within the server's patience, and slow ones are served; meanwhile others
/// get their answers. How many were hung up on.
fn half_open(server: &Server, others: &mut Others<'_>, problems: &mut Vec<String>) -> Result<usize, String> {
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
    thread::scope(|scope| {
        let slow: Vec<_> = (0..SLOW).map(|number| scope.spawn(move || slow(server, 1000 + number))).collect();
        let half = wait_for_ends(callers, others, problems);
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
    mut callers: Vec<TcpStream>,
    others: &mut Others<'_>,
    problems: &mut Vec<String>,
) -> Result<usize, String> {
    let (began, all) = (Instant::now(), callers.len());
    while began.elapsed() < PATIENCE && !callers.is_empty() {
        others.look(problems)?;
        callers.retain_mut(|stream| !has_ended(stream));
        thread::sleep(Duration::from_millis(50));
    }
    if !callers.is_empty() {
        problems.push(format!("{} half-open callers are still connected", callers.len()));
    }
    Ok(all - callers.len())
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

/// How bodies without an end came to one.
#[derive(Default)]
struct Ends {
    /// With an answer.
    refused: usize,
    /// Without one: who goes on sending may never see it.
    cut: usize,
    sent_max: u64,
}

/// Bodies that go on and on, and such that stop when they are too large already: each is refused or cut off soon, others
/// are served, and the memory they take is bounded.
fn endless(server: &Server, others: &mut Others<'_>, problems: &mut Vec<String>) -> Result<Ends, String> {
    let mut ends = Ends::default();
    thread::scope(|scope| {
        let senders: Vec<_> =
            (0..ENDLESS).map(|number| scope.spawn(move || endless_one(server, number))).collect();
        let mut looked = Ok(());
        while looked.is_ok() && senders.iter().any(|sender| !sender.is_finished()) {
            looked = others.look(problems);
            thread::sleep(Duration::from_millis(20));
        }
        for sender in senders {
            match sender.join().unwrap_or_else(|_| Err("a sender panicked".to_string())) {
                Ok((sent, is_answered)) => {
                    ends.refused += usize::from(is_answered);
                    ends.cut += usize::from(!is_answered);
                    ends.sent_max = ends.sent_max.max(sent);
                }
                Err(problem) => problems.push(format!("a body without an end: {problem}")),
            }
        }
        looked
    })?;
    others.look(problems)?;
    Ok(ends)
}

/// Sends one, by either framing. Who stops after 20 MB and listens must be told why; who goes on must be cut off before
/// too much was read. How much was sent, and whether there was an answer.
fn endless_one(server: &Server, number: usize) -> Result<(u64, bool), String> {
    let listens = number.is_multiple_of(4);
    let bytes_max = if listens { 20 << 20 } else { ENDLESS_BYTES_MAX };
    let mut stream = connect(server)?;
    let _ = stream.set_write_timeout(Some(Duration::from_secs(5)));
    let is_chunked = number % 8 > 3;
    let framing = if is_chunked { "transfer-encoding: chunked" } else { "content-length: 99999999999" };
    let head =
        format!("POST / HTTP/1.1\r\nhost: x\r\nx-amz-target: DynamoDB_20120810.PutItem\r\n{framing}\r\n\r\n");
    stream.write_all(head.as_bytes()).map_err(|error| error.to_string())?;
    let mut chunk = b"10000\r\n".to_vec();
    chunk.extend(std::iter::repeat_n(b'{', 65_536));
    chunk.extend(b"\r\n");
    let (began, mut sent) = (Instant::now(), 0);
    let cut = loop {
        if sent >= bytes_max {
            break None;
        }
        match stream.write_all(&chunk) {
            Ok(()) => sent += chunk.len() as u64,
            Err(error) => break Some(error),
        }
    };
    let _ = stream.set_read_timeout(Some(ENDLESS_TIME_MAX));
    let answer = read_answer(&mut BufReader::new(stream));
    let took = began.elapsed();
    let is_hang_up = |error: &std::io::Error| {
        matches!(
            error.kind(),
            ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted
        )
    };
    match (cut, answer) {
        (_, Ok((answer, _))) if answer.status != 413 => {
            Err(format!("it was answered {} {}", answer.status, answer.body))
        }
        (_, Ok((answer, _))) if answer.class() != "RequestEntityTooLargeException" => {
            Err(format!("it was refused in other words: {}", answer.body))
        }
        (None, _) if !listens => Err(format!("{} MB of it were read", megabytes(sent))),
        (Some(error), _) if listens || !is_hang_up(&error) => Err(format!("it could not be sent: {error}")),
        (None, Err(error)) => Err(format!("who listened heard nothing: {error}")),
        _ if took > ENDLESS_TIME_MAX => Err(format!("its end came after {} s", took.as_secs())),
        (_, answer) => Ok((sent, answer.is_ok())),
    }
}
