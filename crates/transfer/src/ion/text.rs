//! Splits Ion text into its top-level values, so that one broken value spoils no other and memory stays bounded.
//! Knows only as much of the language as is needed to see where a value ends.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use crate::import::Found;
use crate::ion::element;
use crate::lines::{Lines, RECORD_BYTES_MAX, Read, too_long};

/// How deep brackets may lie in each other: an item's levels and those around it.
pub(super) const DEPTH_MAX: usize = 64;
/// How many digits a number may have before it is looked at. None is good that has more than 38, but zeros do not count.
const DIGITS_MAX: usize = 1000;

/// Top-level values of Ion text, read as records.
pub(crate) struct TextRecords<R> {
    lines: Lines<R>,
    state: State,
    /// Brackets that are open.
    depth: usize,
    /// Digits one behind the other.
    digits: usize,
    /// Whether the values are the members of a list around them all.
    in_list: bool,
    value: Vec<u8>,
    /// Where the value began.
    line: u64,
    /// Why the value is refused before it is read.
    refusal: Option<String>,
    ready: VecDeque<Found>,
    ended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Plain,
    Text,
    Symbol,
    LongText,
    BlockComment,
    Lob,
    LobText,
}

impl<R: BufRead> TextRecords<R> {
    pub(crate) fn new(input: R) -> TextRecords<R> {
        TextRecords {
            lines: Lines::new(input),
            state: State::Plain,
            depth: 0,
            digits: 0,
            in_list: false,
            value: Vec::new(),
            line: 0,
            refusal: None,
            ready: VecDeque::new(),
            ended: false,
        }
    }

    pub(crate) fn line(&self) -> u64 {
        self.lines.number()
    }

    /// The next record, or what is wrong with it.
    pub(crate) fn advance(&mut self) -> io::Result<Option<Found>> {
        loop {
            if let Some(found) = self.ready.pop_front() {
                return Ok(Some(found));
            }
            if self.ended {
                return Ok(None);
            }
            match self.lines.advance()? {
                Read::Whole => self.take_line(),
                Read::TooLong => {
                    self.refusal = Some(too_long());
                    self.end_value();
                }
                Read::End => {
                    self.ended = true;
                    self.end_value();
                }
            }
        }
    }

    fn take_line(&mut self) {
        let line = self.lines.line().to_vec();
        if line.starts_with(b"$ion_1_0") {
            // The service begins every item so: whatever is still open will never be closed.
            self.end_value();
        }
        if matches!(self.state, State::Text | State::Symbol) {
            // Such a text cannot go on in the next line; the reader of the value will say so.
            self.state = State::Plain;
        }
        let mut at = 0;
        while at < line.len() {
            let rest = line.get(at..).unwrap_or_default();
            at += self.take(rest);
        }
        self.push(b"\n");
        let marked = self.value.trim_ascii().ends_with(b"::");
        if self.depth == 0 && self.state == State::Plain && !marked {
            self.end_value();
        }
    }

    /// Takes the next token of a line in and says how many bytes it has.
    fn take(&mut self, rest: &[u8]) -> usize {
        let Some(byte) = rest.first() else { return 0 };
        match self.state {
            State::Plain => return self.take_plain(rest),
            State::Text | State::Symbol | State::LobText if *byte == b'\\' => return self.copy(rest, 2),
            State::LongText if *byte == b'\\' => return self.copy(rest, 2),
            State::Text if *byte == b'"' => self.state = State::Plain,
            State::Symbol if *byte == b'\'' => self.state = State::Plain,
            State::LobText if *byte == b'"' => self.state = State::Lob,
            State::LongText if rest.starts_with(b"'''") => {
                self.state = State::Plain;
                return self.copy(rest, 3);
            }
            State::BlockComment => {
                let ended = rest.starts_with(b"*/");
                if ended {
                    self.state = State::Plain;
                }
                return if ended { 2 } else { 1 };
            }
            State::Lob if rest.starts_with(b"}}") => {
                self.state = State::Plain;
                let count = self.copy(rest, 2);
                self.close(0);
                return count;
            }
            State::Lob if *byte == b'"' => self.state = State::LobText,
            State::Text | State::Symbol | State::LongText | State::Lob | State::LobText => {}
        }
        self.copy(rest, 1)
    }

    fn take_plain(&mut self, rest: &[u8]) -> usize {
        let Some(byte) = rest.first() else { return 0 };
        self.digits = if matches!(byte, b'0'..=b'9' | b'_' | b'.') { self.digits + 1 } else { 0 };
        if self.digits > DIGITS_MAX {
            // To read it would take the square of its length.
            self.refusal = Some("a number has too many digits".to_owned());
        }
        match byte {
            b'"' => self.state = State::Text,
            b'\'' if rest.starts_with(b"'''") => {
                self.state = State::LongText;
                return self.copy(rest, 3);
            }
            b'\'' => self.state = State::Symbol,
            b'/' if rest.starts_with(b"//") => {
                self.push(b" ");
                return rest.len();
            }
            b'/' if rest.starts_with(b"/*") => {
                self.state = State::BlockComment;
                self.push(b" ");
                return 2;
            }
            b'{' if rest.starts_with(b"{{") => {
                self.state = State::Lob;
                return self.copy(rest, 2);
            }
            b'[' if self.depth == 0 && !self.in_list && self.only_marker() => {
                self.in_list = true;
                self.value.clear();
                return 1;
            }
            b',' if self.depth == 0 && self.in_list => {
                self.end_value();
                return 1;
            }
            b']' if self.depth == 0 && self.in_list => {
                self.end_value();
                self.in_list = false;
                return 1;
            }
            b'{' | b'[' | b'(' => {
                self.depth += 1;
                if self.depth > DEPTH_MAX {
                    self.refusal = Some("attributes are nested too deep".to_owned());
                }
            }
            b'}' | b']' | b')' => {
                let count = self.copy(rest, 1);
                self.close(1);
                return count;
            }
            _ => {}
        }
        self.copy(rest, 1)
    }

    fn close(&mut self, brackets: usize) {
        self.depth = self.depth.saturating_sub(brackets);
        if self.depth == 0 {
            self.end_value();
        }
    }

    fn copy(&mut self, rest: &[u8], count: usize) -> usize {
        let taken = rest.get(..count).unwrap_or(rest);
        self.push(taken);
        taken.len()
    }

    fn push(&mut self, bytes: &[u8]) {
        if self.value.is_empty() {
            if bytes.iter().all(u8::is_ascii_whitespace) {
                return;
            }
            self.line = self.lines.number();
        }
        if self.value.len() + bytes.len() > RECORD_BYTES_MAX {
            self.refusal = Some(too_long());
        } else {
            self.value.extend_from_slice(bytes);
        }
    }

    fn only_marker(&self) -> bool {
        matches!(self.value.trim_ascii(), b"" | b"$ion_1_0")
    }

    /// Reads what has been collected and begins anew.
    fn end_value(&mut self) {
        let refusal = self.refusal.take();
        if !self.only_marker() || refusal.is_some() {
            let record = match refusal {
                Some(reason) => Some(Err(reason)),
                None => element::read_record(&self.value).transpose(),
            };
            self.ready.extend(record.map(|record| Found { line: self.line.max(1), record }));
        }
        self.value.clear();
        self.depth = 0;
        self.digits = 0;
        self.state = State::Plain;
    }
}
