//! Lines of a file, none longer than memory allows. Knows no formats.

use std::io::{self, BufRead};

/// The longest record that is read. An item of 400 KB can take six times as much when every letter is escaped.
pub(crate) const RECORD_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Reads lines and counts them.
pub(crate) struct Lines<R> {
    input: R,
    line: Vec<u8>,
    number: u64,
}

/// How a line was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Read {
    /// [`Lines::line`] holds it.
    Whole,
    /// It is too long, and its end was passed over.
    TooLong,
    /// There are no more lines.
    End,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Lines<R> {
        Lines { input, line: Vec::new(), number: 0 }
    }

    /// The line that was read last, without its end.
    pub(crate) fn line(&self) -> &[u8] {
        &self.line
    }

    /// The number of the line that was read last, the first being 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Reads the next line.
    pub(crate) fn advance(&mut self) -> io::Result<Read> {
        self.line.clear();
        let mut too_long = false;
        let mut seen = false;
        loop {
            let bytes = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if bytes.is_empty() {
                break;
            }
            seen = true;
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
            too_long |= self.line.len() + taken.len() > RECORD_BYTES_MAX;
            if !too_long {
                self.line.extend_from_slice(taken);
            }
            let count = taken.len() + usize::from(end.is_some());
            self.input.consume(count);
            if end.is_some() {
                break;
            }
        }
        if !seen {
            return Ok(Read::End);
        }
        self.number += 1;
        if self.number == 1 && self.line.starts_with(b"\xef\xbb\xbf") {
            // Some editors mark a file as UTF-8 this way.
            self.line.drain(..3);
        }
        Ok(if too_long { Read::TooLong } else { Read::Whole })
    }
}

/// What is said of a record that is too long.
pub(crate) fn too_long() -> String {
    format!("a record is longer than {RECORD_BYTES_MAX} bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_anywhere_and_long_ones_are_passed_over() {
        let mut text = b"\xef\xbb\xbfone\n\ntwo\r\n".to_vec();
        text.extend(std::iter::repeat_n(b'x', RECORD_BYTES_MAX + 1));
        text.extend_from_slice(b"\nlast");
        let mut lines = Lines::new(io::BufReader::new(text.as_slice()));
        let mut seen = Vec::new();
        loop {
            match lines.advance().unwrap() {
                Read::End => break,
                Read::TooLong => seen.push((lines.number(), "too long".to_owned())),
                Read::Whole => seen.push((lines.number(), String::from_utf8(lines.line().to_vec()).unwrap())),
            }
        }
        let expected = [(1, "one"), (2, ""), (3, "two\r"), (4, "too long"), (5, "last")];
        assert_eq!(seen, expected.map(|(number, text)| (number, text.to_owned())));
    }
}
