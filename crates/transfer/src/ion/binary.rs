//! Splits binary Ion into its top-level values and keeps the symbol tables they need. Knows the frame of a value, not
//! what is in it.

use std::io::{self, BufRead, Read};

use crate::import::Found;
use crate::ion::element;
use crate::ion::text::DEPTH_MAX;
use crate::lines::{RECORD_BYTES_MAX, too_long};

/// What binary Ion begins with.
pub(crate) const MARKER: [u8; 4] = [0xe0, 0x01, 0x00, 0xea];

/// Symbol 3 of every file, which marks a table of symbols.
const SYMBOL_TABLE: u64 = 3;

/// How many bytes a number may have before it is looked at: as many as a thousand digits take.
const NUMBER_BYTES_MAX: usize = 416;

/// The kinds of value whose frame matters here.
const POSITIVE: u8 = 2;
const NEGATIVE: u8 = 3;
const DECIMAL: u8 = 5;
const LIST: u8 = 11;
const EXPRESSION: u8 = 12;
const STRUCT: u8 = 13;
const ANNOTATED: u8 = 14;

/// Top-level values of binary Ion, read as records.
pub(crate) struct BinaryRecords<R> {
    input: R,
    /// The marker and the symbol tables that are in force: a value is read behind them.
    context: Vec<u8>,
    count: u64,
}

impl<R: BufRead> BinaryRecords<R> {
    pub(crate) fn new(input: R) -> BinaryRecords<R> {
        BinaryRecords { input, context: MARKER.to_vec(), count: 0 }
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The next record, or what is wrong with it.
    pub(crate) fn advance(&mut self) -> io::Result<Option<Found>> {
        loop {
            let Some(value) = self.value()? else { return Ok(None) };
            if value == MARKER {
                self.context = MARKER.to_vec();
                continue;
            }
            let refusal = refusal(&value);
            if refusal.is_none() && is_symbol_table(&value) {
                if self.context.len() + value.len() > RECORD_BYTES_MAX {
                    return Err(broken("the symbol tables are too long"));
                }
                self.context.extend_from_slice(&value);
                continue;
            }
            self.count += 1;
            let record = match refusal {
                Some(reason) => Some(Err(reason.to_owned())),
                None => {
                    let mut text = self.context.clone();
                    text.extend_from_slice(&value);
                    element::read_record(&text).transpose()
                }
            };
            if let Some(record) = record {
                // Binary files have no lines; the count of values stands for them.
                return Ok(Some(Found { line: self.count, record }));
            }
        }
    }

    /// The bytes of the next top-level value.
    fn value(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut head = Vec::with_capacity(16);
        if self.input.by_ref().take(1).read_to_end(&mut head)? == 0 {
            return Ok(None);
        }
        let first = head.first().copied().unwrap_or_default();
        if first == MARKER[0] {
            self.input.by_ref().take(3).read_to_end(&mut head)?;
            return if head == MARKER {
                Ok(Some(head))
            } else {
                Err(broken("there is no such version of Ion"))
            };
        }
        while frame(&head).is_none() {
            if head.len() > 12 || self.input.by_ref().take(1).read_to_end(&mut head)? == 0 {
                return Err(broken("a value is cut off"));
            }
        }
        let length = frame(&head).map_or(0, |(_, length)| length);
        if length > RECORD_BYTES_MAX {
            return Err(broken(&too_long()));
        }
        let whole = head.len() + length;
        self.input.by_ref().take(length as u64).read_to_end(&mut head)?;
        if head.len() < whole {
            return Err(broken("a value is cut off"));
        }
        Ok(Some(head))
    }
}

fn broken(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.to_owned())
}

/// How many bytes the head of a value has and how many come behind it; none if the head is not whole.
fn frame(bytes: &[u8]) -> Option<(usize, usize)> {
    let first = *bytes.first()?;
    let (kind, low) = (first >> 4, first & 0x0f);
    let varied = || {
        let (length, count) = variable(bytes.get(1..)?)?;
        Some((1 + count, usize::try_from(length).unwrap_or(usize::MAX)))
    };
    match (kind, low) {
        // A truth value is all in its head, as is a null of any type.
        (1, _) | (_, 15) => Some((1, 0)),
        (STRUCT, 1) | (_, 14) => varied(),
        (_, length) => Some((1, usize::from(length))),
    }
}

/// A number of variable length and how many bytes it has.
fn variable(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut number: u64 = 0;
    for (place, byte) in bytes.iter().enumerate().take(9) {
        number = (number << 7) | u64::from(byte & 0x7f);
        if byte & 0x80 != 0 {
            return Some((number, place + 1));
        }
    }
    None
}

fn is_symbol_table(value: &[u8]) -> bool {
    let annotation = || {
        let (head, _) = frame(value)?;
        let body = value.get(head..)?;
        let (_, count) = variable(body)?;
        Some(variable(body.get(count..)?)?.0 == SYMBOL_TABLE)
    };
    value.first().is_some_and(|first| first >> 4 == ANNOTATED) && annotation().unwrap_or(false)
}

/// Why a value cannot be trusted to a reader that follows it: values lie too deep in each other, or a number is too
/// long. Walks without recursion: the ends of all values that are open are on a list.
fn refusal(value: &[u8]) -> Option<&'static str> {
    let mut ends: Vec<(usize, u8)> = Vec::new();
    let mut at = 0;
    while at < value.len() {
        while ends.last().is_some_and(|(end, _)| *end <= at) {
            ends.pop();
        }
        if ends.last().is_some_and(|(_, kind)| *kind == STRUCT) {
            at += value.get(at..).and_then(variable)?.1;
        }
        let rest = value.get(at..)?;
        let (head, length) = frame(rest)?;
        let kind = rest.first().copied().unwrap_or_default() >> 4;
        let end = at.saturating_add(head).saturating_add(length);
        at += head;
        match kind {
            LIST | EXPRESSION | STRUCT => ends.push((end, kind)),
            ANNOTATED => {
                ends.push((end, kind));
                let (length, count) = value.get(at..).and_then(variable)?;
                at = at.saturating_add(count).saturating_add(usize::try_from(length).unwrap_or(usize::MAX));
            }
            POSITIVE | NEGATIVE | DECIMAL if length > NUMBER_BYTES_MAX => {
                return Some("a number has too many digits");
            }
            _ => at = end,
        }
        if ends.len() > DEPTH_MAX {
            return Some("attributes are nested too deep");
        }
    }
    None
}
