//! Items read from lines and written into a table, several batches at once.
//! Items of one key go one way, so that of several lines with the same key the last one wins.

use crate::definition::{self, Definition};
use crate::digest;
use crate::dump::Format;
use crate::error::Error;
use crate::make;
use crate::page;
use crate::rate::Rate;
use crate::watch::Watch;
use crate::write::{Batch, Writer, json_bytes};
use client::Endpoint;
use client::live::{self, text};
use item::Type;
use parking_lot::Mutex;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use transfer::json_lines::{self, Line};
use transfer::{Delimiter, table_csv};

/// Batches that wait for each of those who write.
const WAITING_MAX: usize = 2;

/// Where to write, and how.
#[derive(Clone, Copy)]
pub struct Load<'a> {
    /// Where the table is.
    pub endpoint: &'a dyn Endpoint,
    /// Its name.
    pub table: &'a str,
    /// What the lines look like.
    pub format: Format,
    /// How many requests are under way at once.
    pub parallel: usize,
    /// Write units a second; none for as many as go.
    pub units_per_second: Option<f64>,
}

/// Makes the table for the items to come; its settings follow with [`settle`].
pub fn create(endpoint: &dyn Endpoint, table: &str, definition: &Definition) -> Result<(), Error> {
    let there = live::look(endpoint, table)
        .map_err(|failure| Error::during(&format!("{table} cannot be described"), &failure))?;
    if there.is_some() {
        return Err(Error::Asked(format!(
            "{} has a table {table} already: load into it without --create",
            endpoint.name()
        )));
    }
    make::table(endpoint, table, definition)
}

/// Gives a table that was made its stream, expiry, recovery and protection.
pub fn settle(
    endpoint: &dyn Endpoint,
    table: &str,
    definition: &Definition,
    watch: &dyn Watch,
) -> Result<(), Error> {
    make::settings(endpoint, table, definition, watch)
}

/// Writes all items; the answer is how many.
pub fn run(load: Load<'_>, input: impl BufRead, watch: &dyn Watch) -> Result<u64, Error> {
    let live = live::look(load.endpoint, load.table)
        .map_err(|failure| Error::during(&format!("{} cannot be described", load.table), &failure))?;
    let live = live.ok_or_else(|| {
        Error::Asked(format!(
            "{} has no table {}: make it first, or with --create from the file that larder dump put beside the items",
            load.endpoint.name(),
            load.table
        ))
    })?;
    let keys = definition::key_names(&live.description);
    let definitions = live.list("AttributeDefinitions").iter();
    let types: BTreeMap<String, Type> = definitions
        .filter_map(|one| Some((text(one, "AttributeName"), Type::from_name(text(one, "AttributeType"))?)))
        .filter(|(name, _)| keys.iter().any(|key| key == name))
        .map(|(name, kind)| (name.to_owned(), kind))
        .collect();
    watch.begins(&format!("loading {}", load.table), None);
    let rate = Rate::new(load.units_per_second);
    let writer = Writer { endpoint: load.endpoint, table: load.table, rate: &rate };
    let failed = Mutex::new(None);
    let read = std::thread::scope(|scope| {
        let mut ways: Vec<Way> = Vec::new();
        for _ in 0..load.parallel.max(1) {
            let (sender, receiver) = sync_channel(WAITING_MAX);
            ways.push(Way { sender, batch: Batch::new(), inside: BTreeSet::new() });
            let (writer, failed) = (&writer, &failed);
            scope.spawn(move || write_all(writer, &receiver, failed, watch));
        }
        let mut sorter = Sorter { keys: &keys, ways, count: 0 };
        match load.format {
            Format::Json => sorter.sort(json_lines::Reader::new(input)),
            Format::Csv => table_csv::Reader::new(input, Delimiter::Comma, &types)
                .map_err(|error| Error::Failed(format!("the header cannot be read: {error}")))
                .and_then(|rows| sorter.sort(rows)),
        }
        .and_then(|()| sorter.end())
    });
    watch.ends();
    // A refusal of the endpoint is why nobody took the rest, so it is told first.
    if let Some(error) = failed.into_inner() {
        return Err(error);
    }
    read
}

fn write_all(
    writer: &Writer<'_>,
    receiver: &Receiver<Batch>,
    failed: &Mutex<Option<Error>>,
    watch: &dyn Watch,
) {
    while let Ok(batch) = receiver.recv() {
        let count = batch.items.len() as u64;
        if let Err(error) = writer.write(batch.items, batch.bytes) {
            failed.lock().get_or_insert(error);
            return;
        }
        watch.moved(count);
    }
}

/// One of those who write, and the batch that is gathered for it.
struct Way {
    sender: SyncSender<Batch>,
    batch: Batch,
    /// The keys in the batch, none of which it may have twice.
    inside: BTreeSet<u128>,
}

impl Way {
    fn send(&mut self) -> Result<(), Error> {
        self.inside.clear();
        let batch = std::mem::replace(&mut self.batch, Batch::new());
        if batch.items.is_empty() {
            return Ok(());
        }
        self.sender.send(batch).map_err(|_| Error::Failed("the items are not taken any more".to_owned()))
    }
}

/// Sends each item its way.
struct Sorter<'a> {
    keys: &'a [String],
    ways: Vec<Way>,
    count: u64,
}

impl Sorter<'_> {
    fn sort(&mut self, lines: impl Iterator<Item = io::Result<Line>>) -> Result<(), Error> {
        for line in lines {
            let Line { number, item } =
                line.map_err(|error| Error::Failed(format!("the items cannot be read: {error}")))?;
            let wrong = |message: String| Error::Failed(format!("line {number}: {message}"));
            let item = item.map_err(wrong)?;
            if let Some(key) = self.keys.iter().find(|key| !item.contains_key(*key)) {
                return Err(wrong(format!("the item has no {key}, which is part of the key")));
            }
            let json = serde_json::from_slice(&json_lines::to_json(&item));
            self.take(json.map_err(|error| wrong(error.to_string()))?)?;
        }
        Ok(())
    }

    fn take(&mut self, item: Json) -> Result<(), Error> {
        let mark = digest::digest(&page::key_of(&item, self.keys));
        let bytes = json_bytes(&item);
        let place = usize::try_from(mark % self.ways.len() as u128).unwrap_or_default();
        let Some(way) = self.ways.get_mut(place) else { return Ok(()) };
        if !way.batch.has_room(bytes) || way.inside.contains(&mark) {
            way.send()?;
        }
        way.inside.insert(mark);
        way.batch.push(item, bytes);
        self.count += 1;
        Ok(())
    }

    /// Sends what is left; dropping the ways lets the writers end.
    fn end(mut self) -> Result<u64, Error> {
        self.ways.iter_mut().try_for_each(Way::send)?;
        Ok(self.count)
    }
}
