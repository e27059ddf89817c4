//! A request as bytes ready to send, with slots for what changes from one to the next.
//!
//! A body is written as ordinary JSON in which runs of control characters stand for keys, payloads,
//! statuses and lines. All slots keep their width, so the length header never changes and sending the next request
//! costs a few copied bytes. This file does not know which operations there are.

use crate::random::{Letters, Random};
use crate::table::LINES_PER_ORDER;

/// Stands for the eight digits of a key.
pub(crate) const KEY_SLOT: &str = "\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}";
/// Stands for the two digits of a status.
pub(crate) const STATUS_SLOT: &str = "\u{3}\u{3}";
/// Stands for the two digits of a line of an order.
pub(crate) const LINE_SLOT: &str = "\u{4}\u{4}";
const KEY_MARK: u8 = 1;
const TEXT_MARK: u8 = 2;
const STATUS_MARK: u8 = 3;
const LINE_MARK: u8 = 4;
const STATUS_COUNT: u64 = 100;

/// A slot for `bytes` letters.
pub(crate) fn text_slot(bytes: usize) -> String {
    "\u{2}".repeat(bytes)
}

/// The keys that one connection may draw from.
#[derive(Clone, Copy)]
pub(crate) struct KeyRange {
    /// The first key.
    pub(crate) start: u64,
    /// How many keys follow, the first included.
    pub(crate) count: u64,
}

impl KeyRange {
    /// Part number `index` of `parts` equal parts; never empty.
    pub(crate) fn part(self, index: u64, parts: u64) -> Self {
        let count = (self.count / parts.max(1)).max(1);
        Self { start: self.start + index * count, count }
    }
}

enum Fill {
    /// Each key slot of a request draws from a range of its own: no request names a key twice.
    Key(KeyRange),
    Text,
    Status,
    Line,
}

struct Slot {
    start: usize,
    end: usize,
    fill: Fill,
}

/// One request that one connection sends again and again with fresh slots.
pub(crate) struct Request {
    bytes: Vec<u8>,
    slots: Vec<Slot>,
    letters: Letters,
}

impl Request {
    /// Makes the request for an operation, its keys drawn from `keys`.
    pub(crate) fn new(operation: &str, body: &str, keys: KeyRange, letters: &Letters) -> Self {
        let head = head(operation, body.len());
        let slots = find_slots(body.as_bytes(), head.len(), keys);
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(body.as_bytes());
        Self { bytes, slots, letters: letters.clone() }
    }

    /// A request without slots.
    pub(crate) fn fixed(operation: &str, body: &str, letters: &Letters) -> Self {
        Self::new(operation, body, KeyRange { start: 0, count: 1 }, letters)
    }

    /// Fills all slots anew and hands out the bytes to send.
    pub(crate) fn next(&mut self, random: &mut Random) -> &[u8] {
        for slot in &self.slots {
            let Some(target) = self.bytes.get_mut(slot.start..slot.end) else { continue };
            match &slot.fill {
                Fill::Key(range) => write_digits(range.start + random.below(range.count), target),
                Fill::Text => self.letters.cut(random, target),
                Fill::Status => write_digits(random.below(STATUS_COUNT), target),
                Fill::Line => write_digits(random.below(LINES_PER_ORDER), target),
            }
        }
        &self.bytes
    }
}

/// The request line and headers as an SDK sends them. Nobody here checks signatures; a server may read them.
fn head(operation: &str, body_bytes: usize) -> String {
    let signature = "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7";
    format!(
        "POST / HTTP/1.1\r\n\
         Host: 127.0.0.1\r\n\
         Content-Type: application/x-amz-json-1.0\r\n\
         X-Amz-Target: DynamoDB_20120810.{operation}\r\n\
         X-Amz-Date: 20260101T000000Z\r\n\
         User-Agent: aws-sdk-rust/1.3.9 os/linux lang/rust/1.90.0\r\n\
         X-Amz-User-Agent: aws-sdk-rust/1.3.9 api/dynamodb/1.94.0 os/linux lang/rust/1.90.0\r\n\
         Amz-Sdk-Invocation-Id: 0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0ff\r\n\
         Amz-Sdk-Request: attempt=1; max=3\r\n\
         Authorization: AWS4-HMAC-SHA256 Credential=benchmark/20260101/us-east-1/dynamodb/aws4_request, \
         SignedHeaders=content-length;content-type;host;x-amz-date;x-amz-target;x-amz-user-agent, \
         Signature={signature}\r\n\
         Content-Length: {body_bytes}\r\n\
         \r\n"
    )
}

fn find_slots(body: &[u8], offset: usize, keys: KeyRange) -> Vec<Slot> {
    let mut runs: Vec<(u8, usize, usize)> = Vec::new();
    for (index, &mark) in body.iter().enumerate().filter(|(_, mark)| (KEY_MARK..=LINE_MARK).contains(*mark)) {
        match runs.last_mut() {
            Some((last, _, end)) if *last == mark && *end == index => *end += 1,
            _ => runs.push((mark, index, index + 1)),
        }
    }
    let parts = runs.iter().filter(|(mark, ..)| *mark == KEY_MARK).count() as u64;
    let mut part = 0..parts;
    let slot = |(mark, start, end): (u8, usize, usize)| {
        let fill = match mark {
            KEY_MARK => Fill::Key(keys.part(part.next().unwrap_or(0), parts)),
            TEXT_MARK => Fill::Text,
            STATUS_MARK => Fill::Status,
            _ => Fill::Line,
        };
        Slot { start: offset + start, end: offset + end, fill }
    };
    runs.into_iter().map(slot).collect()
}

fn write_digits(mut number: u64, into: &mut [u8]) {
    for digit in into.iter_mut().rev() {
        *digit = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_keep_their_width_and_keys_stay_in_their_part() {
        let body = format!("[{KEY_SLOT},{KEY_SLOT},{STATUS_SLOT},{}]", text_slot(5));
        let keys = KeyRange { start: 0, count: 100 };
        let mut request = Request::new("PutItem", &body, keys, &Letters::new());
        let mut random = Random::new(1);
        for _ in 0..200 {
            let text = String::from_utf8(request.next(&mut random).to_vec()).unwrap();
            let (head, sent) = text.split_once("\r\n\r\n").unwrap();
            assert!(head.ends_with(&format!("Content-Length: {}", body.len())));
            assert_eq!(sent.len(), body.len());
            let fields: Vec<&str> = sent.trim_matches(['[', ']']).splitn(4, ',').collect();
            assert!(fields[0].parse::<u64>().unwrap() < 50);
            assert!((50..100).contains(&fields[1].parse::<u64>().unwrap()));
            assert!(fields[2].parse::<u64>().unwrap() < 100);
        }
    }
}
