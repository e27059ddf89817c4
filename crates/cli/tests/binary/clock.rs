//! The clock from outside: turned by the binary, felt by the engine's background work.

use crate::client::{ask, call};
use crate::process::{Server, larder, now, run};
use std::time::Duration;

const CREATE: &str = "{\"TableName\":\"things\",\"BillingMode\":\"PAY_PER_REQUEST\",\
    \"AttributeDefinitions\":[{\"AttributeName\":\"pk\",\"AttributeType\":\"S\"}],\
    \"KeySchema\":[{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"}]}";
const EXPIRE: &str =
    "{\"TableName\":\"things\",\"TimeToLiveSpecification\":{\"Enabled\":true,\"AttributeName\":\"over\"}}";
const SCAN: &str = "{\"TableName\":\"things\",\"ConsistentRead\":true}";

fn turnable() -> Server {
    Server::start(&mut larder(&["serve", "--port", "0", "--in-memory", "--time-control"]))
}

/// Runs `larder clock`: the exit code, what it says and what it complains of.
fn clock(port: u16, words: &[&str]) -> (Option<i32>, String, String) {
    let endpoint = format!("http://127.0.0.1:{port}");
    let mut command = larder(&["clock", "--endpoint", &endpoint]);
    let output = run(command.args(words));
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// What the clock shows, in milliseconds.
fn shown(port: u16) -> u64 {
    let (code, said, errors) = clock(port, &["--json"]);
    assert_eq!(code, Some(0), "{errors}");
    let number = said.split("\"epochMilliseconds\":").nth(1).unwrap();
    number.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

fn put(port: u16, key: &str, over: u64) {
    let body = format!(
        "{{\"TableName\":\"things\",\"Item\":{{\"pk\":{{\"S\":\"{key}\"}},\"over\":{{\"N\":\"{over}\"}}}}}}"
    );
    assert_eq!(ask(port, call("PutItem", "", &body)).status, 200);
}

#[test]
fn what_expires_is_gone_when_its_time_is_made_to_come() {
    let server = turnable();
    let port = server.port;
    assert!(server.greeting.contains("larder clock"), "{}", server.greeting);
    for (operation, body) in [("CreateTable", CREATE), ("UpdateTimeToLive", EXPIRE)] {
        assert_eq!(ask(port, call(operation, "", body)).status, 200);
    }
    let seconds = shown(port) / 1000;
    put(port, "in-an-hour", seconds + 3_600);
    put(port, "in-a-month", seconds + 30 * 86_400);
    assert!(ask(port, call("Scan", "", SCAN)).text().contains("\"Count\":2"));

    let (code, said, errors) = clock(port, &["advance", "25h"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    assert!(said.contains("running, 1d 1h ahead"), "{said}");
    let begun = now();
    loop {
        let scanned = ask(port, call("Scan", "", SCAN));
        if !scanned.text().contains("in-an-hour") {
            assert!(scanned.text().contains("in-a-month"), "{}", scanned.text());
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(5), "still there: {}", scanned.text());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn frozen_it_stands_and_only_reset_takes_it_back() {
    let server = turnable();
    let port = server.port;
    assert_eq!(clock(port, &["freeze", "2040-01-01T00:00:00Z"]).0, Some(0));
    std::thread::sleep(Duration::from_millis(30));
    assert_eq!(shown(port), 2_208_988_800_000);
    let (code, _, errors) = clock(port, &["set", "2039-12-31T23:59:59Z"]);
    assert_eq!(code, Some(1));
    assert!(errors.contains("only moves forward") && errors.contains("reset"), "{errors}");
    assert_eq!(clock(port, &["set", "2208988801"]).0, Some(0));
    assert_eq!(shown(port), 2_208_988_801_000);
    let (_, said, _) = clock(port, &["resume"]);
    assert!(said.contains("running"), "{said}");
    std::thread::sleep(Duration::from_millis(30));
    assert!(shown(port) > 2_208_988_801_000);
    assert!(clock(port, &["reset"]).1.contains("with the system's time"));
    assert!(shown(port) < 2_208_988_800_000);
}

#[test]
fn a_server_that_was_not_asked_to_keeps_its_clock() {
    let server = Server::in_memory();
    let (code, said, errors) = clock(server.port, &["advance", "1d"]);
    assert_eq!((code, said.as_str()), (Some(1), ""));
    assert!(errors.contains("--time-control") && errors.lines().count() == 1, "{errors}");
    let answer = ask(server.port, "GET /_larder/clock HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(answer.status, 403);
    assert!(answer.text().contains("LARDER_TIME_CONTROL"), "{}", answer.text());
}

#[test]
fn the_variable_switches_it_on_and_bad_turns_are_refused() {
    let mut command = larder(&["serve", "--port", "0", "--in-memory"]);
    let server = Server::start(command.env("LARDER_TIME_CONTROL", "true"));
    for (words, code) in
        [(&["advance", "soon"][..], 1), (&["advance"], 2), (&["dance"], 2), (&["--speed", "2"], 2)]
    {
        let (ended, said, errors) = clock(server.port, words);
        assert_eq!((ended, said.as_str()), (Some(code), ""), "{words:?}");
        assert!(errors.starts_with("larder: ") && errors.lines().count() == 1, "{errors}");
    }
    let post = |body: &str| {
        format!("POST /_larder/clock HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    };
    assert_eq!(ask(server.port, post("nonsense")).status, 400);
    assert_eq!(ask(server.port, post("{\"action\":\"advance\",\"seconds\":1e300}")).status, 400);
    assert_eq!(ask(server.port, post("{\"action\":\"advance\",\"seconds\":5}")).status, 200);
    assert_eq!(ask(server.port, "DELETE /_larder/clock HTTP/1.1\r\nHost: x\r\n\r\n").status, 405);
}
