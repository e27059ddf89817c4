//! A table as lines of DynamoDB JSON, for `dump` and `load`. Each line is `{"Item":{…}}`, so that what was dumped can
//! also be imported. Knows no table.

use std::io::{self, BufRead, Write};

use item::Item;

use crate::json;
use crate::lines::{Lines, Read, too_long};

/// An item as one line, with its end.
pub fn write_item(out: &mut impl Write, item: &Item) -> io::Result<()> {
    let mut line = b"{\"Item\":".to_vec();
    json::write_item(&mut line, item);
    line.extend_from_slice(b"}\n");
    out.write_all(&line)
}

/// An item's attributes with their types, `{"Id":{"N":"1"}}`.
pub fn to_json(item: &Item) -> Vec<u8> {
    let mut text = Vec::new();
    json::write_item(&mut text, item);
    text
}

/// Reads an item's attributes with their types.
pub fn from_json(text: &[u8]) -> Result<Item, String> {
    json::read_item(text)
}

/// A line that was read: its number, and its item or what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The line's number, the first being 1.
    pub number: u64,
    /// The item, or what is wrong with the line.
    pub item: Result<Item, String>,
}

/// Reads items line by line. A line may also be an item without `Item` around it, as other programs dump them.
pub struct Reader<R>(Lines<R>);

impl<R: BufRead> Reader<R> {
    /// A reader of these lines.
    pub fn new(input: R) -> Reader<R> {
        Reader(Lines::new(input))
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<io::Result<Line>> {
        loop {
            let item = match self.0.advance() {
                Err(error) => return Some(Err(error)),
                Ok(Read::End) => return None,
                Ok(Read::TooLong) => Err(too_long()),
                Ok(Read::Whole) if self.0.line().trim_ascii().is_empty() => continue,
                Ok(Read::Whole) => read(self.0.line()),
            };
            return Some(Ok(Line { number: self.0.number(), item }));
        }
    }
}

fn read(line: &[u8]) -> Result<Item, String> {
    match json::read_record(line) {
        Ok(record) => Ok(record.item),
        // What is wrong is told of the form that the line has.
        Err(reason) => json::read_item(line).map_err(|other| if is_wrapped(line) { reason } else { other }),
    }
}

/// Whether a line begins as one with `Item` around its item.
fn is_wrapped(line: &[u8]) -> bool {
    let inside = line.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    inside.is_some_and(|inside| inside.starts_with(b"\"Item\""))
}
