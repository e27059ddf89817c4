//! How the binary stops: politely on the first signal, at once on the second, with the data kept.
#![cfg(unix)]

use crate::client::{Client, ask, call};
use crate::process::{Server, now};
use std::time::Duration;
use tempfile::TempDir;

#[test]
fn signals_end_it_with_code_0() {
    for signal in ["TERM", "INT"] {
        for server in [Server::in_memory(), Server::on_disk()] {
            ask(server.port, call("ListTables", "", "{}")).check();
            server.signal(signal);
            let (code, errors) = server.end();
            assert_eq!(code, Some(0), "{errors}");
            assert!(!errors.contains("ERROR"), "{errors}");
        }
    }
}

#[test]
fn idle_connections_do_not_hold_it_up() {
    let server = Server::in_memory();
    let mut used = Client::connect(server.port);
    used.send(call("ListTables", "", "{}")).answer();
    let mut unused = Client::connect(server.port);
    std::thread::sleep(Duration::from_millis(50));
    let begun = now();
    server.signal("TERM");
    assert_eq!(server.end().0, Some(0));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert!(used.is_closed() && unused.is_closed());
}

#[test]
fn a_request_in_flight_is_finished() {
    // The second comes so late that its connection has changed hands meanwhile.
    for pause_ms in [200, 900] {
        let server = Server::in_memory();
        let mut client = Client::connect(server.port);
        let request = call("ListTables", "", "{\"Limit\":1}");
        let (first, rest) = request.split_at(request.len() - 4);
        client.send(first);
        std::thread::sleep(Duration::from_millis(100));
        server.signal("TERM");
        std::thread::sleep(Duration::from_millis(pause_ms));
        assert!(std::net::TcpStream::connect(("127.0.0.1", server.port)).is_err(), "nobody new is let in");
        let answer = client.send(rest).answer();
        assert_eq!(answer.check().status, 200);
        assert_eq!(server.end().0, Some(0));
    }
}

#[test]
fn a_request_that_has_come_with_the_signal_is_answered() {
    let server = Server::in_memory();
    let mut client = Client::connect(server.port);
    client.send(call("ListTables", "", "{}")).answer();
    // Both are there when it goes on.
    server.signal("STOP");
    client.send(call("ListTables", "", "{\"Limit\":1}"));
    server.signal("TERM");
    server.signal("CONT");
    assert_eq!(client.answer().check().status, 200);
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let server = Server::in_memory();
    let mut client = Client::connect(server.port);
    let request = call("ListTables", "", "{}");
    client.send(request.split_at(request.len() - 1).0);
    std::thread::sleep(Duration::from_millis(100));
    let begun = now();
    server.signal("TERM");
    std::thread::sleep(Duration::from_millis(200));
    server.signal("TERM");
    let (code, _) = server.end();
    assert_eq!(code, Some(130));
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[test]
fn what_was_acknowledged_is_there_after_a_restart() {
    let folder = TempDir::new().unwrap();
    let create = "{\"TableName\":\"kept\",\"BillingMode\":\"PAY_PER_REQUEST\",\
        \"AttributeDefinitions\":[{\"AttributeName\":\"pk\",\"AttributeType\":\"S\"}],\
        \"KeySchema\":[{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"}]}";
    let put = "{\"TableName\":\"kept\",\"Item\":{\"pk\":{\"S\":\"a\"},\"n\":{\"N\":\"1\"}}}";
    let get = "{\"TableName\":\"kept\",\"Key\":{\"pk\":{\"S\":\"a\"}},\"ConsistentRead\":true}";
    let server = Server::in_folder(folder.path());
    assert_eq!(ask(server.port, call("CreateTable", "", create)).check().status, 200);
    assert_eq!(ask(server.port, call("PutItem", "", put)).check().status, 200);
    server.signal("TERM");
    assert_eq!(server.end().0, Some(0));
    for _ in 0..2 {
        let server = Server::in_folder(folder.path());
        let answer = ask(server.port, call("GetItem", "", get));
        assert!(answer.check().text().contains("\"n\":{\"N\":\"1\"}"), "{}", answer.text());
        // Dropping kills it: the next start finds the data without a farewell.
    }
}
