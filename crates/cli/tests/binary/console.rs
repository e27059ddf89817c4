//! The web console from outside: where it is, and what happens when its port is not free.

use crate::client::{Answer, ask};
use crate::process::{Server, larder, run};
use std::net::TcpListener;

/// The port of the console that a greeting names.
fn console_port(server: &Server) -> Option<u16> {
    let line = server.greeting.lines().find_map(|line| line.trim().strip_prefix("console"))?;
    line.rsplit(':').next()?.trim_end_matches("/_console/").parse().ok()
}

fn get(port: u16, path: &str) -> Answer {
    ask(port, format!("GET {path} HTTP/1.1\r\nhost: localhost:{port}\r\n\r\n"))
}

#[test]
fn it_has_a_port_of_its_own_and_a_path_of_the_apis() {
    let server = Server::in_memory();
    let port = console_port(&server).unwrap();
    assert_ne!(port, server.port);
    for (port, path) in [(port, "/"), (server.port, "/_console/")] {
        let page = get(port, path);
        assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
        assert!(page.header("content-security-policy").is_some_and(|policy| !policy.contains("unsafe")));
        assert!(page.text().contains("app.js"));
    }
    let moved = get(server.port, "/_console");
    assert_eq!((moved.status, moved.header("location")), (302, Some("/_console/")));
    let known = get(port, "/app.js").header("etag").unwrap().to_owned();
    let again =
        ask(port, format!("GET /app.js HTTP/1.1\r\nhost: localhost\r\nif-none-match: {known}\r\n\r\n"));
    assert_eq!(again.status, 304);
}

#[test]
fn its_api_is_for_its_own_page() {
    let server = Server::in_memory();
    let port = console_port(&server).unwrap();
    let page = get(port, "/");
    let token = page.text().split("larder-token\" content=\"").nth(1).unwrap().get(..32).unwrap();
    let call = |host: &str, token: &str| {
        let head =
            format!("host: {host}\r\nx-larder-token: {token}\r\nx-amz-target: DynamoDB_20120810.ListTables");
        ask(port, format!("POST /api/call HTTP/1.1\r\n{head}\r\ncontent-length: 2\r\n\r\n{{}}"))
    };
    assert_eq!(call("localhost", token).check().status, 200);
    assert_eq!(call("localhost", "guess").status, 403);
    assert_eq!(call("evil.example", token).status, 403);
}

#[test]
fn a_port_that_nobody_asked_for_may_be_taken_and_one_that_was_asked_for_may_not() {
    // Two ports that follow each other, the second of them held.
    let (first, holder) = (0..50)
        .find_map(|_| {
            let first = TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
            Some((first, TcpListener::bind(("127.0.0.1", first.checked_add(1)?)).ok()?))
        })
        .unwrap();
    let taken = holder.local_addr().unwrap().port().to_string();
    let output = run(&mut larder(&["--in-memory", "--port", "0", "--console-port", &taken]));
    assert_eq!(output.status.code(), Some(2));
    let server = Server::start(&mut larder(&["--in-memory", "--port", &first.to_string()]));
    assert!(server.greeting.contains(&format!("http://127.0.0.1:{first}/_console/")), "{}", server.greeting);
    assert_eq!(get(first, "/_console/").status, 200);
}

#[test]
fn it_can_be_left_out() {
    let server = Server::start(&mut larder(&["--in-memory", "--port", "0", "--no-console"]));
    assert_eq!(console_port(&server), None);
    assert_eq!(get(server.port, "/_console/").status, 404);
}
