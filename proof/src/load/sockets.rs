//! More connections than the server may open, callers who stop half way through a head or a body, and bodies that never
//! end. Others are served all the while, and the memory that it takes is bounded.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::{get, megabytes, put, shows, table};
use crate::report::Row;
use crate::server::{Folder, Server};

/// Files the server may have open, its own included.
const FILES_MAX: usize = 512;
const CONNECTIONS: usize = 900;
const HALF_OPEN: usize = 150;
const ENDLESS: usize = 24;
/// The server's patience is half a minute.
const PATIENCE: Duration = Duration::from_secs(45);
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
    let served = crowd(&server, &mut problems)?;
    let (gone, slowest) = half_open(&server, &mut problems)?;
    let memory = endless(&server, &mut problems)?;
    if server.ended().is_some() {
        problems.push(format!("the server ended:\n{}", server.last_words()));
    }
    Ok(Row {
        name: "sockets",
        did: format!(
            "{CONNECTIONS} connections with {FILES_MAX} files allowed: {served} open at once, all answered afterwards; \
             {HALF_OPEN} half-open callers: {gone} hung up on within {} s, slowest answer to others {} ms; \
             {ENDLESS} bodies without an end: at most {} MB resident",
            PATIENCE.as_secs(),
            slowest.as_millis(),
            megabytes(memory)
        ),
        seconds: began.elapsed().as_secs(),
        problems,
    })
}

/// Opens more connections than there are files, asks on those that answer, closes them, and asks anew.
fn crowd(server: &Server, problems: &mut Vec<String>) -> Result<usize, String> {
    let mut open = Vec::new();
    let address = SocketAddr::from(([127, 0, 0, 1], server.port));
    for _ in 0..CONNECTIONS {
        // Beyond what the server takes and the system keeps waiting, no connection comes about.
        let Ok(mut stream) = TcpStream::connect_timeout(&address, Duration::from_millis(20)) else {
            continue;
        };
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n");
        open.push(stream);
    }
    thread::sleep(Duration::from_secs(1));
    let mut served = 0;
    for stream in &mut open {
        let _ = stream.set_nonblocking(true);
        let mut byte = [0; 1];
        served += usize::from(matches!(stream.read(&mut byte), Ok(1)));
    }
    if served < FILES_MAX / 2 {
        problems.push(format!("only {served} of {CONNECTIONS} connections were answered"));
    }
    drop(open);
    let began = Instant::now();
    loop {
        if server.wire().ask("GetItem", &get("load", 1)).is_ok_and(|answer| shows(&answer.body, 1)) {
            return Ok(served);
        }
        if began.elapsed() > Duration::from_secs(20) {
            problems.push("no answer after the crowd had gone".to_string());
            return Ok(served);
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// Callers who stop half way are hung up on; meanwhile others get their answers.
fn half_open(server: &Server, problems: &mut Vec<String>) -> Result<(usize, Duration), String> {
    let beginnings: [&[u8]; 3] = [
        b"POST / HTTP/1.1\r\nhost: x\r\nx-amz-tar",
        b"POST / HTTP/1.1\r\nhost: x\r\nx-amz-target: DynamoDB_20120810.PutItem\r\ncontent-length: 500\r\n\r\n{\"Table",
        b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\nx-amz-target: DynamoDB_20120810.PutItem\r\n\r\n5\r\n{\"Ta",
    ];
    let mut callers = Vec::new();
    for beginning in beginnings.iter().cycle().take(HALF_OPEN) {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).map_err(|error| error.to_string())?;
        stream.write_all(beginning).map_err(|error| error.to_string())?;
        let _ = stream.set_nonblocking(true);
        callers.push(stream);
    }
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
    Ok((gone, slowest))
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
                    let address = ("127.0.0.1", server.port);
                    let mut stream = TcpStream::connect(address).map_err(|error| error.to_string())?;
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
