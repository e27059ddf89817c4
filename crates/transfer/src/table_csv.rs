//! A table as comma-separated values, for `dump` and `load`, without loss. Knows no table.
//!
//! The header names each column and the type of its plain cells, `Id:N`; a name without a type is of strings. A cell
//! is one of three:
//! - empty: the item has no such attribute;
//! - plain: a string, a number, base64 for `B`, `true` or `false` for `BOOL`, as the column's type says;
//! - a value in DynamoDB JSON, which begins with `{`: `{"SS":["a"]}`. All other types are written so, and also an empty
//!   string and a string that itself begins with `{`.
//!
//! The last column, `*`, holds the attributes that have no column, as an object of DynamoDB JSON.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use item::{Item, Number, Type, Value};

use crate::import::{Delimiter, Fields};
use crate::json;
use crate::json_lines::Line;
use crate::record::number_reason;

/// The name of the column that holds what has no column.
const REST: &str = "*";

/// A column: an attribute, and the type its plain cells have, which is S, N, B or BOOL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The attribute's name.
    pub name: String,
    /// The type.
    pub kind: Type,
}

impl Column {
    fn title(&self) -> String {
        format!("{}:{}", self.name, self.kind.name())
    }

    fn from_title(title: &str) -> Column {
        let typed =
            title.rsplit_once(':').and_then(|(name, kind)| Some((name, plain(Type::from_name(kind)?)?)));
        match typed {
            Some((name, kind)) => Column { name: name.to_owned(), kind },
            None => Column { name: title.to_owned(), kind: Type::S },
        }
    }
}

/// The type, if it has plain cells.
fn plain(kind: Type) -> Option<Type> {
    matches!(kind, Type::S | Type::N | Type::B | Type::Bool).then_some(kind)
}

/// Finds the columns of a table by looking at some or all of its items.
#[derive(Debug, Default)]
pub struct Columns(BTreeMap<String, BTreeMap<Type, u64>>);

impl Columns {
    /// Looks at an item.
    pub fn observe(&mut self, item: &Item) {
        for (name, value) in item {
            *self.0.entry(name.clone()).or_default().entry(value.type_of()).or_default() += 1;
        }
    }

    /// The columns: the keys first, then the attributes that most items have, up to `most` in all. Each is of the type
    /// that its attribute has most often.
    pub fn finish(mut self, keys: &[&str], most: usize) -> Vec<Column> {
        let column = |name: String, types: BTreeMap<Type, u64>| {
            let kind = types.into_iter().filter_map(|(kind, count)| Some((count, plain(kind)?))).max();
            Column { name, kind: kind.map_or(Type::S, |(_, kind)| kind) }
        };
        let mut columns: Vec<Column> =
            keys.iter().filter_map(|key| Some(column((*key).to_owned(), self.0.remove(*key)?))).collect();
        let mut others: Vec<_> = self.0.into_iter().collect();
        others.sort_by_key(|(_, types)| std::cmp::Reverse(types.values().sum::<u64>()));
        others.truncate(most.saturating_sub(columns.len()));
        columns.extend(others.into_iter().map(|(name, types)| column(name, types)));
        columns
    }
}

/// Writes items.
pub struct Writer<W> {
    out: W,
    columns: Vec<Column>,
    delimiter: Delimiter,
}

impl<W: Write> Writer<W> {
    /// A writer of these columns; writes the header.
    pub fn new(out: W, columns: Vec<Column>, delimiter: Delimiter) -> io::Result<Writer<W>> {
        let mut titles: Vec<String> = columns.iter().map(Column::title).collect();
        titles.push(REST.to_owned());
        let mut writer = Writer { out, columns, delimiter };
        writer.row(&titles)?;
        Ok(writer)
    }

    /// Writes an item.
    pub fn write(&mut self, item: &Item) -> io::Result<()> {
        let mut rest = item.clone();
        let mut cells: Vec<String> = self
            .columns
            .iter()
            .map(|column| {
                rest.remove(&column.name).map(|value| cell(column.kind, &value)).unwrap_or_default()
            })
            .collect();
        cells.push(if rest.is_empty() { String::new() } else { shown(|out| json::write_item(out, &rest)) });
        self.row(&cells)
    }

    /// The writer below.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn row(&mut self, cells: &[String]) -> io::Result<()> {
        let mut row = String::new();
        for (place, cell) in cells.iter().enumerate() {
            if place > 0 {
                row.push(char::from(self.delimiter.byte()));
            }
            let special = |letter: char| {
                matches!(letter, '"' | '\n' | '\r') || letter == char::from(self.delimiter.byte())
            };
            // A mark at the beginning of a file would be taken off.
            if cell.contains(special) || cell.starts_with('\u{feff}') {
                row.push('"');
                row.push_str(&cell.replace('"', "\"\""));
                row.push('"');
            } else {
                row.push_str(cell);
            }
        }
        row.push('\n');
        self.out.write_all(row.as_bytes())
    }
}

fn cell(kind: Type, value: &Value) -> String {
    match (kind, value) {
        (Type::S, Value::S(text)) if !text.is_empty() && !text.starts_with('{') => text.clone(),
        (Type::N, Value::N(number)) => number.to_string(),
        (Type::B, Value::B(bytes)) if !bytes.is_empty() => STANDARD.encode(bytes),
        (Type::Bool, Value::Bool(flag)) => flag.to_string(),
        _ => shown(|out| json::write_value(out, value)),
    }
}

fn shown(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Reads items.
pub struct Reader<R> {
    fields: Fields<R>,
    columns: Vec<Column>,
    /// Where the column of the rest stands. An attribute that is called like it has a type in its title.
    rest: Option<usize>,
}

impl<R: BufRead> Reader<R> {
    /// A reader; reads the header. `types` are the types of columns that the header says nothing of.
    pub fn new(input: R, delimiter: Delimiter, types: &BTreeMap<String, Type>) -> io::Result<Reader<R>> {
        let mut fields = Fields::new(input, delimiter);
        let titles = match fields.advance()? {
            Some((_, titles)) => {
                titles.map_err(|reason| io::Error::new(io::ErrorKind::InvalidData, reason))?
            }
            None => Vec::new(),
        };
        let rest = titles.iter().position(|title| title == REST);
        let columns: Vec<Column> = titles
            .iter()
            .map(|title| match types.get(title) {
                Some(kind) => Column { name: title.clone(), kind: *kind },
                None => Column::from_title(title),
            })
            .collect();
        if columns.iter().any(|column| column.name.is_empty()) {
            let reason = "a column of the header has no name";
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        Ok(Reader { fields, columns, rest })
    }

    fn item(&self, cells: &[String]) -> Result<Item, String> {
        if cells.len() != self.columns.len() {
            return Err(format!("there are {} fields for {} columns", cells.len(), self.columns.len()));
        }
        let mut item = Item::new();
        let filled = self.columns.iter().zip(cells).enumerate().filter(|(_, (_, cell))| !cell.is_empty());
        for (place, (column, cell)) in filled {
            if self.rest == Some(place) && cell.starts_with('{') {
                item.extend(json::read_item(cell.as_bytes())?);
            } else {
                item.insert(column.name.clone(), value(column.kind, cell)?);
            }
        }
        Ok(item)
    }
}

fn value(kind: Type, cell: &str) -> Result<Value, String> {
    if cell.starts_with('{') {
        return json::read_value(cell.as_bytes());
    }
    match (kind, cell) {
        (Type::N, _) => Number::parse(cell).map(Value::N).map_err(|error| number_reason(cell, error)),
        (Type::B, _) => {
            let bytes = STANDARD.decode(cell).map_err(|error| format!("not base64: {error}"))?;
            Ok(Value::B(bytes.into()))
        }
        (Type::Bool, "true") => Ok(Value::Bool(true)),
        (Type::Bool, "false") => Ok(Value::Bool(false)),
        (Type::Bool, _) => Err(format!("neither true nor false: {cell:?}")),
        _ => Ok(Value::S(cell.to_owned())),
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<io::Result<Line>> {
        match self.fields.advance() {
            Err(error) => Some(Err(error)),
            Ok(None) => None,
            Ok(Some((number, cells))) => {
                Some(Ok(Line { number, item: cells.and_then(|cells| self.item(&cells)) }))
            }
        }
    }
}
