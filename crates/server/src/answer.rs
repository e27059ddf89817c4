//! Answers as HTTP: the headers every client looks at, compression for those who ask, errors of HTTP itself.
//! Knows no operations and no sockets.

use crate::date;
use crate::request_id;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body_util::Full;
use hyper::header::{
    ACCEPT_ENCODING, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CONTENT_ENCODING,
    CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, ORIGIN, SERVER, VARY,
};
use hyper::{Response, StatusCode};
use std::io::Write;

/// What is sent back.
pub(crate) type Answer = Response<Full<Bytes>>;

/// The content type of the API.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");

const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");
const SERVER_NAME: HeaderValue = HeaderValue::from_static("Server");
const ANY: HeaderValue = HeaderValue::from_static("*");
const EXPOSED: HeaderValue =
    HeaderValue::from_static("x-amzn-requestid, x-amz-crc32, x-amzn-errortype, date");
const GZIP: HeaderValue = HeaderValue::from_static("gzip");
const VARY_ENCODING: HeaderValue = HeaderValue::from_static("accept-encoding");

/// Below this, compressing costs more than it saves.
const COMPRESSED_BYTES_MIN: usize = 4096;
/// The head of a plain answer takes about this much.
pub(crate) const HEAD_BYTES: usize = 320;
/// Headers of an answer with all extras, so that the map is allocated once.
const HEADERS: usize = 10;

/// What the caller asked about the form of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    coding: Coding,
    caller: Caller,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Plain,
    Gzip,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caller {
    Program,
    /// A script on a page of some origin, which may read the answer only if it says so.
    Page,
}

impl Form {
    /// What these request headers ask for.
    pub(crate) fn asked(headers: &HeaderMap) -> Form {
        let gzip = headers.get_all(ACCEPT_ENCODING).iter().any(accepts_gzip);
        Form {
            coding: if gzip { Coding::Gzip } else { Coding::Plain },
            caller: if headers.contains_key(ORIGIN) { Caller::Page } else { Caller::Program },
        }
    }

    /// The same for a place that pages of other origins have no business at.
    pub(crate) fn private(self) -> Form {
        Form { caller: Caller::Program, ..self }
    }
}

/// An answer with the headers that all answers have.
pub(crate) fn send(status: StatusCode, content_type: HeaderValue, body: Bytes, form: Form) -> Answer {
    let packed = if form.coding == Coding::Gzip { compressed(&body) } else { None };
    let is_packed = packed.is_some();
    let body = packed.unwrap_or(body);
    // The checksum is of the bytes as they are sent: clients check it before they unpack.
    let checksum = crc32fast::hash(&body);
    let mut headers = HeaderMap::with_capacity(HEADERS);
    headers.insert(SERVER, SERVER_NAME);
    headers.insert(CONTENT_TYPE, content_type);
    if let Ok(id) = HeaderValue::from_bytes(&request_id::next()) {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(CRC32, HeaderValue::from(checksum));
    if is_packed {
        headers.insert(CONTENT_ENCODING, GZIP);
        headers.insert(VARY, VARY_ENCODING);
    }
    if form.caller == Caller::Page {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    }
    let mut answer = Response::new(Full::new(body));
    *answer.status_mut() = status;
    *answer.headers_mut() = headers;
    answer
}

/// Writes the head of an answer of the API in plain, with the same headers as above; `is_last` says that the connection
/// ends after it.
pub(crate) fn write_head(out: &mut Vec<u8>, status: StatusCode, body: &[u8], is_last: bool) {
    out.clear();
    let reason = status.canonical_reason().unwrap_or_default();
    // Writing to memory cannot fail.
    let _written = write!(out, "HTTP/1.1 {} {reason}\r\n", status.as_str());
    out.extend_from_slice(
        b"server: Server\r\ncontent-type: application/x-amz-json-1.0\r\nx-amzn-requestid: ",
    );
    out.extend_from_slice(&request_id::next());
    out.extend_from_slice(b"\r\nx-amz-crc32: ");
    write_number(out, u64::from(crc32fast::hash(body)));
    out.extend_from_slice(b"\r\ncontent-length: ");
    write_number(out, body.len() as u64);
    out.extend_from_slice(b"\r\ndate: ");
    date::write(out);
    out.extend_from_slice(if is_last { b"\r\nconnection: close\r\n\r\n" } else { b"\r\n\r\n" });
}

fn write_number(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut length = 0;
    for place in digits.iter_mut().rev() {
        *place = b'0' + (number % 10) as u8;
        length += 1;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(digits.len() - length..).unwrap_or_default());
}

/// An answer of the API.
pub(crate) fn json(status: StatusCode, body: Vec<u8>, form: Form) -> Answer {
    send(status, JSON, Bytes::from(body), form)
}

/// An error that no operation knows of, because none was reached.
pub(crate) fn refuse(status: StatusCode, exception: &str, message: &str, form: Form) -> Answer {
    json(status, refusal_body(exception, message).into_bytes(), form)
}

/// The body of such an error. Both texts are ours and need no escapes.
pub(crate) fn refusal_body(exception: &str, message: &str) -> String {
    format!("{{\"__type\":\"com.amazon.coral.service#{exception}\",\"message\":\"{message}\"}}")
}

fn compressed(body: &Bytes) -> Option<Bytes> {
    if body.len() < COMPRESSED_BYTES_MIN {
        return None;
    }
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
    encoder.write_all(body).ok()?;
    Some(Bytes::from(encoder.finish().ok()?))
}

/// Whether `gzip` is in the list and not refused by a weight of zero.
fn accepts_gzip(value: &HeaderValue) -> bool {
    let Ok(list) = value.to_str() else { return false };
    list.split(',').any(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        let named = parts.next().is_some_and(|coding| coding.eq_ignore_ascii_case("gzip"));
        named && !parts.any(is_zero_weight)
    })
}

fn is_zero_weight(parameter: &str) -> bool {
    let weight = parameter.strip_prefix("q=").or_else(|| parameter.strip_prefix("Q="));
    weight.and_then(|number| number.trim().parse::<f32>().ok()) == Some(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(encoding: &'static str) -> Coding {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(encoding));
        Form::asked(&headers).coding
    }

    #[test]
    fn only_those_who_ask_for_gzip_get_it() {
        for encoding in ["gzip", "br, gzip", "gzip;q=0.5", "GZIP, deflate"] {
            assert_eq!(asked(encoding), Coding::Gzip, "{encoding}");
        }
        for encoding in ["", "identity", "gzip;q=0", "br, gzip; q=0.0", "x-gzipped", "*"] {
            assert_eq!(asked(encoding), Coding::Plain, "{encoding}");
        }
    }

    #[test]
    fn numbers_are_written_in_digits() {
        for number in [0, 7, 10, 4_294_967_295, u64::MAX] {
            let mut out = Vec::new();
            write_number(&mut out, number);
            assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
        }
    }

    #[test]
    fn small_bodies_stay_as_they_are() {
        assert!(compressed(&Bytes::from(vec![b'a'; COMPRESSED_BYTES_MIN - 1])).is_none());
        assert!(compressed(&Bytes::from(vec![b'a'; COMPRESSED_BYTES_MIN])).is_some());
    }
}
