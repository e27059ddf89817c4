//! The HTTP that clients of all kinds speak: headers, limits, methods, odd framings, broken bytes.

use crate::client::{Answer, Client, ask, call};
use crate::process::Server;
use std::io::Read;
use std::time::Duration;

const BODY_BYTES_MAX: usize = 16 * 1024 * 1024;

#[test]
fn every_answer_has_its_headers() {
    let server = Server::in_memory();
    let mut client = Client::connect(server.port);
    let first = client.send(call("ListTables", "", "{}")).answer();
    assert_eq!(first.check().text(), "{\"TableNames\":[]}");
    let second =
        client.send(call("ListTables", "Authorization: AWS4-HMAC-SHA256 nonsense\r\n", "{}")).answer();
    assert_eq!(second.check().status, 200);
    assert_ne!(first.header("x-amzn-requestid"), second.header("x-amzn-requestid"));
    for content_type in ["application/x-amz-json-1.1", "application/json", "text/plain"] {
        let request = call("ListTables", "", "{}").replace("application/x-amz-json-1.0", content_type);
        assert_eq!(client.send(request).answer().check().status, 200, "{content_type}");
    }
}

#[test]
fn unknown_operations_and_bodies_that_are_no_json() {
    let server = Server::in_memory();
    let mut client = Client::connect(server.port);
    client.send(call("EatItem", "", "{}")).answer().check_error(400, "UnknownOperationException");
    client.send(call("ListStreams", "", "{}")).answer().check_error(400, "UnknownOperationException");
    client
        .send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
        .answer()
        .check_error(400, "UnknownOperationException");
    client.send(call("ListTables", "", "nonsense")).answer().check_error(400, "SerializationException");
    client.send(call("ListTables", "", "")).answer().check_error(400, "SerializationException");
    assert_eq!(client.send(call("ListTables", "", "{}")).answer().check().status, 200);
}

#[test]
fn health_for_tools_and_a_page_for_people() {
    let server = Server::in_memory();
    let mut client = Client::connect(server.port);
    let health = client.send("GET / HTTP/1.1\r\nHost: here:1\r\n\r\n").answer();
    assert_eq!((health.status, health.text()), (200, "healthy: here:1\n"));
    assert!(health.header("content-type").unwrap().starts_with("text/plain"));

    let health = client.send("GET / HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n").answer();
    assert!(health.text().starts_with("{\"status\":\"healthy\""), "{}", health.text());

    let browser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\nAccept-Encoding: identity\r\n";
    let page = client.send(format!("GET / HTTP/1.1\r\nHost: <b>:1\r\n{browser}\r\n")).answer();
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    for expected in ["<!doctype html>", "&lt;b&gt;:1", "boto3", "AWS_ENDPOINT_URL", "DynamoDBClient"] {
        assert!(page.text().contains(expected), "{expected}");
    }
    assert!(page.text().contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_head_request_has_no_body() {
    let server = Server::in_memory();
    let mut client = Client::connect(server.port);
    client.send("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_eq!(client.line(), "HTTP/1.1 200 OK");
    while !client.line().is_empty() {}
    assert!(client.is_closed());
}

#[test]
fn other_methods_and_paths_are_refused_in_json() {
    let server = Server::in_memory();
    for method in ["PUT", "DELETE", "PATCH", "TRACE", "BREW"] {
        let answer = ask(server.port, format!("{method} / HTTP/1.1\r\nHost: x\r\n\r\n"));
        answer.check_error(405, "UnknownOperationException");
        assert!(answer.header("allow").unwrap().contains("POST"));
    }
    for method in ["GET", "POST", "PUT"] {
        ask(server.port, format!("{method} /elsewhere HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"))
            .check_error(404, "UnknownOperationException");
    }
    let query = call("ListTables", "", "{}").replace("POST / ", "POST /?a=b ");
    assert_eq!(ask(server.port, query).check().status, 200);
}

#[test]
fn pages_of_any_origin_may_call() {
    let server = Server::in_memory();
    let preflight = ask(
        server.port,
        "OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://page\r\nAccess-Control-Request-Method: POST\r\n\
         Access-Control-Request-Headers: authorization,x-amz-target\r\n\r\n",
    );
    assert_eq!(preflight.status, 200);
    assert_eq!(preflight.header("access-control-allow-origin"), Some("*"));
    assert_eq!(preflight.header("access-control-allow-headers"), Some("authorization,x-amz-target"));
    assert!(preflight.header("access-control-allow-methods").unwrap().contains("POST"));
    let answer = ask(server.port, call("ListTables", "Origin: http://page\r\n", "{}"));
    assert_eq!(answer.check().header("access-control-allow-origin"), Some("*"));
    let answer = ask(server.port, call("ListTables", "", "{}"));
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

#[test]
fn a_body_over_the_limit_is_refused_in_json() {
    let server = Server::in_memory();
    let large = " ".repeat(BODY_BYTES_MAX + 1);
    ask(server.port, call("ListTables", "", &large)).check_error(413, "RequestEntityTooLargeException");

    let chunked =
        call("ListTables", "Transfer-Encoding: chunked\r\n", "").replace("Content-Length: 0\r\n", "");
    let mut client = Client::connect(server.port);
    client.send(chunked).send(format!("{:x}\r\n", large.len())).send(&large).send("\r\n0\r\n\r\n");
    client.answer().check_error(413, "RequestEntityTooLargeException");

    // Whoever asks first is told before it sends anything.
    let announced =
        call("ListTables", "Expect: 100-continue\r\n", "").replace("Length: 0", "Length: 99999999");
    ask(server.port, announced).check_error(413, "RequestEntityTooLargeException");
}

#[test]
fn a_body_at_the_limit_is_read() {
    let server = Server::in_memory();
    let body = format!("{{}}{}", " ".repeat(BODY_BYTES_MAX - 2));
    assert_eq!(ask(server.port, call("ListTables", "", &body)).check().status, 200);
}

#[test]
fn chunked_bodies_in_pieces() {
    let server = Server::in_memory();
    let mut client = Client::connect(server.port);
    let head = call("ListTables", "Transfer-Encoding: chunked\r\n", "").replace("Content-Length: 0\r\n", "");
    client.send(head);
    for piece in ["1\r\n{\r\n", "a;name=value\r\n\"Limit\": 9\r\n", "1\r\n}\r\n", "0\r\nTrailer: x\r\n\r\n"] {
        client.send(piece);
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(client.answer().check().status, 200);
    assert_eq!(client.send(call("ListTables", "", "{}")).answer().check().status, 200);
}

#[test]
fn leave_to_continue_is_given() {
    let server = Server::in_memory();
    let mut client = Client::connect(server.port);
    let request = call("ListTables", "Expect: 100-continue\r\n", "{}");
    let (head, body) = request.split_at(request.len() - 2);
    client.send(head);
    assert_eq!(client.line(), "HTTP/1.1 100 Continue");
    assert_eq!(client.line(), "");
    assert_eq!(client.send(body).answer().check().status, 200);
    // An error after the leave is still ours, with its own text.
    let request = call("EatItem", "Expect: 100-continue\r\n", "{}");
    client.send(request);
    assert_eq!(client.line(), "HTTP/1.1 100 Continue");
    assert_eq!(client.line(), "");
    client.answer().check_error(400, "UnknownOperationException");
}

#[test]
fn both_ways_in_answer_alike() {
    let server = Server::in_memory();
    for (operation, body) in [("ListTables", "{}"), ("EatItem", "{}"), ("GetItem", "{"), ("GetItem", "{}")] {
        // The second is not what SDKs send, and goes another way.
        let answers =
            ["", "Accept-Encoding: br\r\n"].map(|header| ask(server.port, call(operation, header, body)));
        let [plain, other] = answers.map(|answer| answer.check().clone());
        assert_eq!((plain.status, plain.text()), (other.status, other.text()));
        assert_eq!(plain.names(), other.names());
        let year = |answer: &Answer| answer.header("date").map(|date| date[..16].to_owned());
        assert_eq!(year(&plain), year(&other));
    }
}

#[test]
fn a_plain_call_in_two_pieces() {
    let server = Server::in_memory();
    let mut client = Client::connect(server.port);
    for pause_ms in [0, 20, 700] {
        let request = call("ListTables", "", "{}");
        let (head, body) = request.split_at(request.len() - 2);
        client.send(head);
        std::thread::sleep(Duration::from_millis(pause_ms));
        client.send(body);
        assert_eq!(client.answer().check().status, 200, "{pause_ms}");
    }
}

#[test]
fn requests_in_a_row_are_answered_in_order() {
    let server = Server::in_memory();
    let mut client = Client::connect(server.port);
    let bad = call("EatItem", "", "{}");
    let good = call("ListTables", "", "{}");
    client.send(format!("{good}{bad}{good}{bad}"));
    for _ in 0..2 {
        assert_eq!(client.answer().check().status, 200);
        client.answer().check_error(400, "UnknownOperationException");
    }
}

#[test]
fn a_caller_that_sends_no_more_still_gets_its_answers() {
    let server = Server::on_disk();
    let table = r#"{"TableName":"last","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]}"#;
    let mut client = Client::connect(server.port);
    client
        .send(call("CreateTable", "", table))
        .send(call("DescribeTable", "", r#"{"TableName":"last"}"#))
        .finish();
    assert_eq!(client.answer().check().status, 200);
    assert_eq!(client.answer().check().status, 200);
    assert!(client.is_closed());
}

#[test]
fn broken_http_is_answered_in_json() {
    let server = Server::in_memory();
    let many_headers = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(500));
    let table: &[(&str, u16)] = &[
        ("nonsense\r\n\r\n", 400),
        ("GET / HTTP/9.9\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nBad Header: x\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n", 400),
        ("\x16\x03\x01\x02\x00\x01\x00\x01\u{fc}\x03\x03\r\n\r\n", 400),
        (&many_headers, 431),
    ];
    for (request, status) in table {
        let mut client = Client::connect(server.port);
        let answer = client.send(request).answer();
        answer.check_error(*status, "MalformedHttpRequestException");
        assert!(client.is_closed());
    }
    // Also behind a good request on the same connection.
    let mut client = Client::connect(server.port);
    client.send(call("ListTables", "", "{}") + "nonsense\r\n\r\n");
    assert_eq!(client.answer().check().status, 200);
    client.answer().check_error(400, "MalformedHttpRequestException");
}

#[test]
fn a_broken_body_is_answered_in_json_or_cut_off() {
    let server = Server::in_memory();
    let head = call("ListTables", "Transfer-Encoding: chunked\r\n", "").replace("Content-Length: 0\r\n", "");
    let mut client = Client::connect(server.port);
    client.send(head).try_send("zz\r\nnot a chunk\r\n");
    client.answer().check_error(400, "SerializationException");
    // A caller that leaves in the middle harms nobody.
    Client::connect(server.port).send(call("ListTables", "", "{}").replace("Length: 2", "Length: 20"));
    assert_eq!(ask(server.port, call("ListTables", "", "{}")).check().status, 200);
}

#[test]
fn heads_that_arrive_byte_by_byte() {
    let server = Server::in_memory();
    let mut client = Client::connect(server.port);
    for byte in call("ListTables", "", "{}").bytes() {
        client.send([byte]);
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(client.answer().check().status, 200);
}

#[test]
fn large_answers_are_packed_only_for_those_who_ask() {
    let server = Server::in_memory();
    for number in 0..100 {
        let create = format!(
            "{{\"TableName\":\"a-table-with-a-long-name-so-that-the-list-grows-{number}\",\
             \"BillingMode\":\"PAY_PER_REQUEST\",\
             \"AttributeDefinitions\":[{{\"AttributeName\":\"pk\",\"AttributeType\":\"S\"}}],\
             \"KeySchema\":[{{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"}}]}}"
        );
        assert_eq!(ask(server.port, call("CreateTable", "", &create)).check().status, 200);
    }
    let plain = ask(server.port, call("ListTables", "Accept-Encoding: identity\r\n", "{}"));
    assert_eq!(plain.check().header("content-encoding"), None);
    assert!(plain.body.len() > 4096, "{}", plain.body.len());
    assert_eq!(ask(server.port, call("ListTables", "", "{}")).check().header("content-encoding"), None);
    let packed = ask(server.port, call("ListTables", "Accept-Encoding: deflate, gzip\r\n", "{}"));
    assert_eq!(packed.check().header("content-encoding"), Some("gzip"));
    assert!(packed.body.len() < plain.body.len());
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(packed.body.as_slice()).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain.body);
}

#[test]
fn many_connections_at_once() {
    let server = Server::in_memory();
    let mut clients: Vec<Client> = (0..300).map(|_| Client::connect(server.port)).collect();
    for client in &mut clients {
        client.send(call("ListTables", "", "{}"));
    }
    for client in &mut clients {
        assert_eq!(client.answer().check().status, 200);
    }
}

#[test]
fn http2_without_tls_is_spoken() {
    let server = Server::in_memory();
    let mut client = Client::connect(server.port);
    let frame = |kind: u8, flags: u8, stream: u8, payload: &[u8]| {
        let mut bytes = vec![0, 0, u8::try_from(payload.len()).unwrap(), kind, flags, 0, 0, 0, stream];
        bytes.extend_from_slice(payload);
        bytes
    };
    // The preface in two pieces, settings, then GET / by the indexes of the static table.
    client.send("PR");
    std::thread::sleep(Duration::from_millis(30));
    client.send("I * HTTP/2.0\r\n\r\nSM\r\n\r\n").send(frame(4, 0, 0, &[])).send(frame(
        1,
        5,
        1,
        &[0x82, 0x86, 0x84],
    ));
    let mut text = Vec::new();
    let mut head = Vec::new();
    loop {
        let start = client.bytes(9);
        let length = usize::from(start[1]) << 8 | usize::from(start[2]);
        let payload = client.bytes(length);
        match (start[3], start[8]) {
            (0, 1) => text.extend_from_slice(&payload),
            (1, 1) => head = payload,
            _ => continue,
        }
        // The flag of the stream's last frame.
        if start[4] & 1 == 1 {
            break;
        }
    }
    assert_eq!(head.first(), Some(&0x88), "the index of status 200");
    assert!(text.starts_with(b"healthy"), "{}", String::from_utf8_lossy(&text));
}
