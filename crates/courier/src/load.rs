//! Items read from lines and written into a table, several batches at once.
//! Items of one key go one way, so that of several lines with the same key the last one wins.

use crate::csv;
use crate::definition::{self, Definition};
use crate::digest;
use crate::dump::Format;
use crate::error::Error;
use crate::lines;
use crate::make;
use crate::page;
use crate::rate::Rate;
use crate::watch::Watch;
use crate::write::{Batch, Writer, json_bytes};
use client::Endpoint;
use client::live::{self, text};
use parking_lot::Mutex;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::io::BufRead;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

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
    let types: Vec<(String, String)> = definitions
        .map(|one| (text(one, "AttributeName").to_owned(), text(one, "AttributeType").to_owned()))
        .filter(|(name, _)| keys.contains(name))
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
            Format::Json => sorter.json(input),
            Format::Csv => sorter.csv(input, &types),
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
    fn json(&mut self, mut input: impl BufRead) -> Result<(), Error> {
        let mut line = String::new();
        let mut number = 0_u64;
        loop {
            line.clear();
            number += 1;
            let bytes = input
                .read_line(&mut line)
                .map_err(|error| Error::Failed(format!("line {number} cannot be read: {error}")))?;
            if bytes == 0 {
                return Ok(());
            }
            if !line.trim().is_empty() {
                let item = lines::read(&line, self.keys);
                self.take(item.map_err(|message| wrong(number, &message))?)?;
            }
        }
    }

    fn csv(&mut self, input: impl BufRead, types: &[(String, String)]) -> Result<(), Error> {
        let mut reader = csv::Reader::new(input, types).map_err(Error::Failed)?;
        while let Some((line, item)) = reader.next() {
            let item = item.and_then(|item| lines::check(&item, self.keys).map(|()| item));
            self.take(item.map_err(|message| wrong(line, &message))?)?;
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

fn wrong(line: u64, message: &str) -> Error {
    Error::Failed(format!("line {line}: {message}"))
}
