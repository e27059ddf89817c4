//! A table written out: lines of DynamoDB JSON, or CSV.
//! Knows how to read the table and what the lines look like; whoever calls says where they go.

use crate::definition::{self, Definition};
use crate::error::Error;
use crate::page::{Side, each_page};
use crate::watch::Watch;
use client::Endpoint;
use client::live;
use parking_lot::Mutex;
use serde_json::Value as Json;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use transfer::table_csv::{Column, Columns};
use transfer::{Delimiter, json_lines, table_csv};

/// Columns a file of CSV has at most; attributes beyond them share the last one.
const COLUMNS_MAX: usize = 500;

/// What the lines look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// DynamoDB JSON.
    Json,
    /// CSV with a type in each header.
    Csv,
}

/// Which table to write out, and how.
#[derive(Clone, Copy)]
pub struct Dump<'a> {
    /// Where it is.
    pub endpoint: &'a dyn Endpoint,
    /// Its name.
    pub table: &'a str,
    /// What the lines look like.
    pub format: Format,
    /// How many requests are under way at once.
    pub parallel: usize,
}

/// What was written.
pub struct Dumped {
    /// How many items.
    pub items: u64,
    /// What the table is, apart from its items.
    pub definition: Definition,
    /// What of that cannot be told or taken along.
    pub notes: Vec<String>,
}

/// Writes every item, in no particular order.
pub fn run(dump: Dump<'_>, out: impl Write + Send, watch: &dyn Watch) -> Result<Dumped, Error> {
    let Dump { endpoint, table, format, parallel } = dump;
    let live = live::look(endpoint, table)
        .map_err(|failure| Error::during(&format!("{table} cannot be described"), &failure))?
        .ok_or_else(|| Error::Asked(format!("{} has no table {table}", endpoint.name())))?;
    let keys = definition::key_names(&live.description);
    let (definition, notes) = Definition::of(&live);
    watch.begins(&format!("dumping {table}"), Some(live.item_count()));
    let side = Side { endpoint, table };
    let items = match format {
        Format::Json => json(side, parallel, out, watch),
        Format::Csv => spooled(side, parallel, &keys, out, watch),
    };
    watch.ends();
    Ok(Dumped { items: items?, definition, notes })
}

fn json(side: Side<'_>, parallel: usize, out: impl Write + Send, watch: &dyn Watch) -> Result<u64, Error> {
    let out = Mutex::new((BufWriter::new(out), 0_u64));
    each_page(side, parallel, |items| {
        let mut out = out.lock();
        let (out, count) = &mut *out;
        items.iter().try_for_each(|item| write_line(out, item)).map_err(|error| unwritten(&error))?;
        *count += items.len() as u64;
        watch.moved(items.len() as u64);
        Ok(())
    })?;
    let (mut out, count) = out.into_inner();
    out.flush().map_err(|error| unwritten(&error))?;
    Ok(count)
}

/// The columns are known only when all items are, so the items wait in a file that nobody sees.
fn spooled(
    side: Side<'_>,
    parallel: usize,
    keys: &[String],
    out: impl Write,
    watch: &dyn Watch,
) -> Result<u64, Error> {
    let spool = tempfile::tempfile().map_err(|error| unwritten(&error))?;
    let gathering = Gathering { spool: BufWriter::new(spool), columns: Columns::default(), count: 0 };
    let gathering = Mutex::new(gathering);
    each_page(side, parallel, |items| {
        gathering.lock().take(&items).map_err(|error| unwritten(&error))?;
        watch.moved(items.len() as u64);
        Ok(())
    })?;
    let Gathering { spool, columns, count } = gathering.into_inner();
    let names: Vec<&str> = keys.iter().map(String::as_str).collect();
    let written = spool.into_inner().map_err(io::IntoInnerError::into_error);
    written
        .and_then(|spool| rows(spool, columns.finish(&names, COLUMNS_MAX), out))
        .map_err(|error| unwritten(&error))?;
    Ok(count)
}

/// Items on their way into the hidden file, and the columns they need.
struct Gathering {
    spool: BufWriter<File>,
    columns: Columns,
    count: u64,
}

impl Gathering {
    fn take(&mut self, items: &[Json]) -> io::Result<()> {
        for item in items {
            let text = item.to_string();
            self.columns.observe(&json_lines::from_json(text.as_bytes()).map_err(io::Error::other)?);
            self.spool.write_all(text.as_bytes())?;
            self.spool.write_all(b"\n")?;
        }
        self.count += items.len() as u64;
        Ok(())
    }
}

fn rows(mut spool: File, columns: Vec<Column>, out: impl Write) -> io::Result<()> {
    spool.rewind()?;
    let mut writer = table_csv::Writer::new(BufWriter::new(out), columns, Delimiter::Comma)?;
    for line in BufReader::new(spool).lines() {
        writer.write(&json_lines::from_json(line?.as_bytes()).map_err(io::Error::other)?)?;
    }
    writer.into_inner().flush()
}

/// An item as the endpoint wrote it, in a line as [`json_lines`] reads it.
fn write_line(out: &mut impl Write, item: &Json) -> io::Result<()> {
    out.write_all(b"{\"Item\":")?;
    serde_json::to_writer(&mut *out, item)?;
    out.write_all(b"}\n")
}

fn unwritten(error: &io::Error) -> Error {
    Error::Failed(format!("the items cannot be written: {error}"))
}
