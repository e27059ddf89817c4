//! `GET /`: a line for health checks, a page for people.
//! Knows no operations.

use crate::answer::{self, Answer, Form};
use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::{ACCEPT, HeaderMap, HeaderValue};

const PAGE: &str = include_str!("welcome.html");
const VERSION: &str = env!("CARGO_PKG_VERSION");

const HTML_TYPE: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const TEXT_TYPE: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const JSON_TYPE: HeaderValue = HeaderValue::from_static("application/json");

/// The way to the console, where there is one.
const CONSOLE: &str = "<p><a href=\"/_console/\">Open the console</a></p>\n";

/// What a visitor is shown; `host` is the address by which it came.
pub(crate) fn welcome(headers: &HeaderMap, host: &str, has_console: bool, form: Form) -> Answer {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (content_type, body) = if accept.contains("text/html") {
        (HTML_TYPE, page(host, has_console))
    } else if accept.contains("application/json") {
        (JSON_TYPE, format!("{{\"status\":\"healthy\",\"server\":\"larder\",\"version\":\"{VERSION}\"}}\n"))
    } else {
        (TEXT_TYPE, format!("healthy: {host}\n"))
    };
    answer::send(StatusCode::OK, content_type, Bytes::from(body), form)
}

fn page(host: &str, has_console: bool) -> String {
    let console = if has_console { CONSOLE } else { "" };
    PAGE.replace("{{version}}", VERSION).replace("{{console}}", console).replace("{{host}}", &escaped(host))
}

/// The address comes from the caller, so it may hold anything.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_the_address_and_cannot_be_written_to() {
        assert!(page("127.0.0.1:8000", true).contains("http://127.0.0.1:8000"));
        assert!(!page("<script>", true).contains("<script>"));
        assert!(!page("x", true).contains("{{") && page("x", true).contains("/_console/"));
        assert!(!page("x", false).contains("{{") && !page("x", false).contains("/_console/"));
    }
}
