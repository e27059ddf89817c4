//! Comma-separated values: fields of lines, quoted or not, and the items an import makes of them. Knows no files.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use item::{Item, Number, Type, Value};

use crate::import::Found;
use crate::lines::{Lines, RECORD_BYTES_MAX, Read, too_long};
use crate::record::{Record, number_reason};

/// What stands between fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delimiter {
    /// `,`
    #[default]
    Comma,
    /// A tab.
    Tab,
    /// `:`
    Colon,
    /// `|`
    Pipe,
    /// `;`
    Semicolon,
    /// A space.
    Space,
}

impl Delimiter {
    /// The delimiter a request names by writing it.
    pub fn parse(text: &str) -> Option<Delimiter> {
        Some(match text {
            "," => Delimiter::Comma,
            "\t" => Delimiter::Tab,
            ":" => Delimiter::Colon,
            "|" => Delimiter::Pipe,
            ";" => Delimiter::Semicolon,
            " " => Delimiter::Space,
            _ => return None,
        })
    }

    /// The byte it is.
    pub fn byte(self) -> u8 {
        match self {
            Delimiter::Comma => b',',
            Delimiter::Tab => b'\t',
            Delimiter::Colon => b':',
            Delimiter::Pipe => b'|',
            Delimiter::Semicolon => b';',
            Delimiter::Space => b' ',
        }
    }
}

/// How a file of values is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CsvOptions {
    /// What stands between fields.
    pub delimiter: Delimiter,
    /// The names of the columns; without them, the first line of each file names them.
    pub header: Option<Vec<String>>,
    /// The types of the attributes that are keys of the table or of its indexes. All others are strings.
    pub types: BTreeMap<String, Type>,
}

/// Items of a file of values.
pub(crate) struct CsvRecords<R> {
    fields: Fields<R>,
    options: CsvOptions,
    header: Option<Vec<String>>,
}

impl<R: BufRead> CsvRecords<R> {
    pub(crate) fn new(input: R, options: CsvOptions) -> CsvRecords<R> {
        let header = options.header.clone();
        CsvRecords { fields: Fields::new(input, options.delimiter), options, header }
    }

    pub(crate) fn line(&self) -> u64 {
        self.fields.line()
    }

    /// The next record, or what is wrong with it.
    pub(crate) fn advance(&mut self) -> io::Result<Option<Found>> {
        loop {
            let Some((line, fields)) = self.fields.advance()? else { return Ok(None) };
            let Some(header) = &self.header else {
                match fields.and_then(check_header) {
                    Ok(names) => self.header = Some(names),
                    // Without names for its columns nothing of the file can be read.
                    Err(reason) => return Err(io::Error::new(io::ErrorKind::InvalidData, reason)),
                }
                continue;
            };
            let record = fields.and_then(|fields| row(header, &fields, &self.options.types));
            return Ok(Some(Found { line, record: record.map(|item| Record { item, condition: None }) }));
        }
    }
}

fn check_header(names: Vec<String>) -> Result<Vec<String>, String> {
    if names.iter().any(String::is_empty) {
        return Err("a column of the header has no name".to_owned());
    }
    Ok(names)
}

/// The item of a row. A column that is empty is no attribute.
fn row(header: &[String], fields: &[String], types: &BTreeMap<String, Type>) -> Result<Item, String> {
    if header.len() != fields.len() {
        return Err(format!("there are {} fields for {} columns", fields.len(), header.len()));
    }
    let filled = header.iter().zip(fields).filter(|(_, text)| !text.is_empty());
    filled.map(|(name, text)| Ok((name.clone(), typed(text, types.get(name).copied())?))).collect()
}

fn typed(text: &str, kind: Option<Type>) -> Result<Value, String> {
    match kind {
        Some(Type::N) => Ok(Value::N(Number::parse(text).map_err(|error| number_reason(text, error))?)),
        Some(Type::B) => {
            let bytes = STANDARD.decode(text).map_err(|error| format!("not base64: {error}"))?;
            Ok(Value::B(bytes.into()))
        }
        _ => Ok(Value::S(text.to_owned())),
    }
}

/// The fields of lines.
pub(crate) struct Fields<R> {
    lines: Lines<R>,
    delimiter: u8,
}

impl<R: BufRead> Fields<R> {
    pub(crate) fn new(input: R, delimiter: Delimiter) -> Fields<R> {
        Fields { lines: Lines::new(input), delimiter: delimiter.byte() }
    }

    pub(crate) fn line(&self) -> u64 {
        self.lines.number()
    }

    /// The line of the next row and its fields, or what is wrong with them. Empty lines are passed over.
    #[expect(clippy::type_complexity, reason = "the three outcomes are what the callers tell apart")]
    pub(crate) fn advance(&mut self) -> io::Result<Option<(u64, Result<Vec<String>, String>)>> {
        loop {
            match self.lines.advance()? {
                Read::End => return Ok(None),
                Read::TooLong => return Ok(Some((self.lines.number(), Err(too_long())))),
                Read::Whole => {
                    let line = self.lines.number();
                    let row = self.lines.line().to_vec();
                    if !matches!(row.as_slice(), b"" | b"\r") {
                        return Ok(Some((line, self.row(row)?)));
                    }
                }
            }
        }
    }

    /// Splits a row, which goes on in the next line if that is in quotes.
    fn row(&mut self, mut row: Vec<u8>) -> io::Result<Result<Vec<String>, String>> {
        let mut fields = Vec::new();
        let mut at = 0;
        loop {
            let end = if row.get(at) == Some(&b'"') {
                let Some(end) = self.quoted(&mut row, at + 1)? else {
                    return Ok(Err("a quote is never closed".to_owned()));
                };
                let inside = row.get(at + 1..end).unwrap_or_default();
                fields.push(text(inside).map(|text| text.replace("\"\"", "\"")));
                end + 1
            } else {
                let rest = without_return(row.get(at..).unwrap_or_default());
                let end = rest.iter().position(|byte| *byte == self.delimiter).unwrap_or(rest.len());
                let field = rest.get(..end).unwrap_or_default();
                if field.contains(&b'"') {
                    return Ok(Err("a quote stands in a field that is not in quotes".to_owned()));
                }
                fields.push(text(field));
                at + end
            };
            match row.get(end) {
                None | Some(b'\r') if end + 1 >= row.len() => return Ok(fields.into_iter().collect()),
                Some(byte) if *byte == self.delimiter => at = end + 1,
                _ => return Ok(Err("a field goes on behind its quotes".to_owned())),
            }
        }
    }

    /// Where the quotes that were opened before `from` are closed; reads on while they are not.
    fn quoted(&mut self, row: &mut Vec<u8>, from: usize) -> io::Result<Option<usize>> {
        let mut at = from;
        loop {
            match row.get(at) {
                Some(b'"') if row.get(at + 1) == Some(&b'"') => at += 2,
                Some(b'"') => return Ok(Some(at)),
                Some(_) => at += 1,
                None => {
                    let more = self.lines.advance()? == Read::Whole;
                    if !more || row.len() + self.lines.line().len() > RECORD_BYTES_MAX {
                        return Ok(None);
                    }
                    row.push(b'\n');
                    row.extend_from_slice(self.lines.line());
                }
            }
        }
    }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn text(bytes: &[u8]) -> Result<String, String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| "a field is not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, delimiter: Delimiter) -> Vec<(u64, Result<Vec<String>, String>)> {
        let mut fields = Fields::new(text.as_bytes(), delimiter);
        std::iter::from_fn(|| fields.advance().unwrap()).collect()
    }

    fn good(line: u64, fields: &[&str]) -> (u64, Result<Vec<String>, String>) {
        (line, Ok(fields.iter().map(ToString::to_string).collect()))
    }

    #[test]
    fn fields_are_split() {
        assert_eq!(
            rows("a,b,,\r\n\n\"x,\"\"y\",\"1\r\n2\",c\n\"z\"\r\n\r\ny\r\n", Delimiter::Comma),
            [
                good(1, &["a", "b", "", ""]),
                good(3, &["x,\"y", "1\r\n2", "c"]),
                good(5, &["z"]),
                good(7, &["y"]),
            ]
        );
        assert_eq!(rows("a b", Delimiter::Space), [good(1, &["a", "b"])]);
        let wrong = rows("a\"b\n\"a\"b\nok\n\"never", Delimiter::Comma);
        assert!(wrong[0].1.is_err() && wrong[1].1.is_err() && wrong[3].1.is_err());
        assert_eq!(wrong[2], good(3, &["ok"]));
    }

    #[test]
    fn rows_become_items() {
        let types = BTreeMap::from([("id".to_owned(), Type::N), ("raw".to_owned(), Type::B)]);
        let options = CsvOptions { types, ..CsvOptions::default() };
        let mut records = CsvRecords::new("id,raw,n\n1,aGk=,5\n2,,\nx,,\n1,2\n".as_bytes(), options);
        let mut next = || records.advance().unwrap().unwrap();
        let first = next().record.unwrap().item;
        assert_eq!(first["id"], Value::N(Number::from(1)));
        assert_eq!(first["raw"], Value::B("hi".into()));
        assert_eq!(first["n"], Value::S("5".to_owned()));
        assert_eq!(next().record.unwrap().item.len(), 1);
        assert_eq!(next().record.unwrap_err(), "not a number: \"x\"");
        let last = next();
        assert_eq!((last.line, last.record.unwrap_err().as_str()), (5, "there are 2 fields for 3 columns"));
    }
}
