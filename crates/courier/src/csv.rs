//! Items as CSV without loss: a column is an attribute with its type, `price:N`; an empty cell is an absent attribute.
//! Knows cells and headers; knows no endpoint.
//!
//! Text stands as it is, but what is empty or begins with a quotation mark is written as a JSON string. Numbers and
//! base64 stand as they are, BOOL is `true` or `false`, NULL is `null`, sets, lists and maps are JSON. An attribute
//! that has several types has several columns. A header without a type is of the key's type, or text.

use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::io::{self, Read, Write};

/// The types a column can have.
const TYPES: &[&str] = &["S", "N", "B", "SS", "NS", "BS", "BOOL", "NULL", "L", "M"];

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: String,
}

/// Adds the columns that an item needs.
pub(crate) fn gather(item: &Json, columns: &mut BTreeSet<Column>) {
    for (name, typed) in item.as_object().into_iter().flatten() {
        if let Some((kind, _)) = typed.as_object().and_then(|members| members.iter().next()) {
            let column = Column { name: name.clone(), kind: kind.clone() };
            if !columns.contains(&column) {
                columns.insert(column);
            }
        }
    }
}

/// The columns in the order of the file: the key's first.
pub(crate) fn ordered(columns: BTreeSet<Column>, keys: &[String]) -> Vec<Column> {
    let mut columns: Vec<Column> = columns.into_iter().collect();
    let place = |column: &Column| keys.iter().position(|key| *key == column.name).unwrap_or(keys.len());
    columns.sort_by_key(place);
    columns
}

/// Writes rows.
pub(crate) struct Writer<W: Write> {
    out: csv::Writer<W>,
    columns: Vec<Column>,
}

impl<W: Write> Writer<W> {
    /// Begins with the header.
    pub(crate) fn new(out: W, columns: Vec<Column>) -> io::Result<Writer<W>> {
        let mut out = csv::Writer::from_writer(out);
        if !columns.is_empty() {
            out.write_record(columns.iter().map(|column| format!("{}:{}", column.name, column.kind)))?;
        }
        Ok(Writer { out, columns })
    }

    /// Writes an item.
    pub(crate) fn write(&mut self, item: &Json) -> io::Result<()> {
        let row = self.columns.iter().map(|column| {
            let inside = item.get(&column.name).and_then(|typed| typed.get(&column.kind));
            inside.map(|inside| cell(&column.kind, inside)).unwrap_or_default()
        });
        Ok(self.out.write_record(row)?)
    }

    /// Ends.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn cell(kind: &str, inside: &Json) -> String {
    match (kind, inside) {
        ("NULL", _) => "null".to_owned(),
        ("S" | "B", Json::String(text)) if text.is_empty() || text.starts_with('"') => inside.to_string(),
        (_, Json::String(text)) => text.clone(),
        (_, other) => other.to_string(),
    }
}

/// Reads rows.
pub(crate) struct Reader<R> {
    rows: csv::StringRecordsIntoIter<R>,
    columns: Vec<Column>,
}

impl<R: Read> Reader<R> {
    /// Reads the header; `types` are those of the key's attributes.
    pub(crate) fn new(input: R, types: &[(String, String)]) -> Result<Reader<R>, String> {
        let mut rows = csv::ReaderBuilder::new().from_reader(input);
        let header = rows.headers().map_err(|error| format!("the header cannot be read: {error}"))?;
        let columns: Vec<Column> = header.iter().map(|name| column(name, types)).collect();
        let unique: BTreeSet<&Column> = columns.iter().collect();
        if unique.len() < columns.len() {
            return Err("the header names a column twice".to_owned());
        }
        Ok(Reader { rows: rows.into_records(), columns })
    }

    /// The next item and its line; none at the end.
    pub(crate) fn next(&mut self) -> Option<(u64, Result<Json, String>)> {
        let row = self.rows.next()?;
        let row = match row {
            Ok(row) => row,
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                return Some((line, Err(format!("the row cannot be read: {error}"))));
            }
        };
        let line = row.position().map_or(0, csv::Position::line);
        let mut item = serde_json::Map::new();
        for (column, cell) in self.columns.iter().zip(row.iter()).filter(|(_, cell)| !cell.is_empty()) {
            let Some(value) = value(&column.kind, cell) else {
                let said = format!("{}: {cell:?} is not of type {}", column.name, column.kind);
                return Some((line, Err(said)));
            };
            if item.insert(column.name.clone(), value).is_some() {
                return Some((line, Err(format!("{} has several values", column.name))));
            }
        }
        Some((line, Ok(Json::Object(item))))
    }
}

fn column(header: &str, types: &[(String, String)]) -> Column {
    if let Some((name, kind)) = header.rsplit_once(':')
        && TYPES.contains(&kind)
    {
        return Column { name: name.to_owned(), kind: kind.to_owned() };
    }
    let kind = types.iter().find(|(name, _)| name == header).map_or("S", |(_, kind)| kind);
    Column { name: header.to_owned(), kind: kind.to_owned() }
}

fn value(kind: &str, cell: &str) -> Option<Json> {
    let parsed = || serde_json::from_str::<Json>(cell).ok();
    let inside = match kind {
        "S" | "B" if cell.starts_with('"') => parsed().filter(Json::is_string)?,
        "S" | "B" | "N" => json!(cell),
        "NULL" => (cell == "null").then_some(json!(true))?,
        _ => parsed()?,
    };
    Some(Json::Object(serde_json::Map::from_iter([(kind.to_owned(), inside)])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(items: &[Json]) -> (String, Vec<Json>) {
        let mut columns = BTreeSet::new();
        items.iter().for_each(|item| gather(item, &mut columns));
        let mut out = Vec::new();
        let mut writer = Writer::new(&mut out, ordered(columns, &["pk".to_owned()])).unwrap();
        items.iter().for_each(|item| writer.write(item).unwrap());
        writer.finish().unwrap();
        let text = String::from_utf8(out).unwrap();
        let mut reader = Reader::new(text.as_bytes(), &[]).unwrap();
        let mut read = Vec::new();
        while let Some((_, item)) = reader.next() {
            read.push(item.unwrap());
        }
        (text, read)
    }

    #[test]
    fn every_type_goes_there_and_back() {
        let items = [
            json!({ "pk": { "S": "a" }, "n": { "N": "0.1234567890123456789012345678901234567" }, "a:N": { "S": "x" } }),
            json!({ "pk": { "S": "b,\"c\"\r\nd" }, "n": { "S": "" }, "b": { "B": "AP8=" }, "e": { "B": "" } }),
            json!({ "pk": { "S": "\"quoted\"" }, "n": { "NULL": true }, "t": { "BOOL": false } }),
            json!({ "pk": { "S": " c " }, "ss": { "SS": ["x", "y\n"] }, "ns": { "NS": ["1", "2.5"] }, "bs": { "BS": ["AA=="] } }),
            json!({ "pk": { "S": "d" }, "l": { "L": [{ "N": "1" }, { "M": { "k": { "S": "" } } }] }, "m": { "M": {} } }),
        ];
        let (text, read) = there_and_back(&items);
        let sorted = |item: &Json| crate::digest::digest(item);
        assert_eq!(read.iter().map(sorted).collect::<Vec<_>>(), items.iter().map(sorted).collect::<Vec<_>>());
        assert!(text.starts_with("pk:S,a:N:S,b:B,bs:BS,e:B,l:L,m:M,n:N,n:NULL,n:S,"), "{text}");
    }

    #[test]
    fn files_of_others_have_no_types() {
        let types = [("id".to_owned(), "N".to_owned())];
        let mut reader = Reader::new("id,name,note\n5,Ann,\n6,,x\n".as_bytes(), &types).unwrap();
        let expected = json!({ "id": { "N": "5" }, "name": { "S": "Ann" } });
        assert_eq!(reader.next(), Some((2, Ok(expected))));
        assert_eq!(reader.next(), Some((3, Ok(json!({ "id": { "N": "6" }, "note": { "S": "x" } })))));
        assert_eq!(reader.next(), None);
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_line() {
        let read = |text: &str| {
            let mut reader = Reader::new(text.as_bytes(), &[])?;
            while let Some((line, item)) = reader.next() {
                item.map_err(|message| format!("{line}: {message}"))?;
            }
            Ok::<(), String>(())
        };
        for (text, expected) in [
            ("a:S,b:BOOL\nx,true\ny,perhaps\n", "3: b: \"perhaps\" is not of type BOOL"),
            ("a:S,a:N\nx,1\n", "2: a has several values"),
            ("a:S,a:S\n", "twice"),
            ("a:S,b:S\nx\n", "row cannot be read"),
            ("a:L\n[\n", "not of type L"),
        ] {
            let refused = read(text).unwrap_err();
            assert!(refused.contains(expected), "{text}: {refused}");
        }
    }
}
