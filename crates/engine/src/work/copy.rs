//! Makes copies of a table's items as they were at a moment, while writes go on.
//!
//! The items are copied as they are, a few at a time, each few at a moment of its own. Then the log is walked backwards
//! from its end to the stamp that is wanted, and what each record says was there before is put back. Whatever was
//! written meanwhile, the result is the state at that stamp: an item that was not touched since is the same at every
//! moment, and of one that was, the last record that is undone says what it was. No view of the store is held for long,
//! and every step is written down with its place, so a crash costs nothing but the step.

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};

use bytes::Bytes;
use storage::{Batch, Direction, Error, Range, Stamp, Ticket};

use super::copied;
use crate::catalog::{Copy, Figures, Purpose, Stage, Task};
use crate::index::{self, Image};
use crate::log::{self, Position, Record};
use crate::schema::Table;
use crate::{Engine, layout};

/// Items or records of one step.
const STEP_ITEMS_MAX: usize = 500;
/// Bytes of one step, if they are large.
const STEP_BYTES_MAX: usize = 1024 * 1024;

/// Does the next step of a copy.
pub(super) fn step(engine: &Engine, mut copy: Copy) -> Result<Option<Task>, Error> {
    let stage = copy.stage;
    let ticket = match stage {
        Stage::Gather => gather(engine, &mut copy)?,
        Stage::Copy if copy.since.is_some() => copy_changed(engine, &mut copy)?,
        Stage::Copy => copy_items(engine, &mut copy)?,
        Stage::Undo => undo(engine, &mut copy)?,
        Stage::Finish => finish(engine, &mut copy)?,
        Stage::Ready => return Ok(None),
    };
    // What a stage reads is durable before it begins. Gathering reads what it wrote in the step before.
    if copy.stage != stage || stage == Stage::Gather {
        engine.store.wait(ticket)?;
    }
    if copy.stage == Stage::Ready {
        copied::end(engine, copy)?;
        return Ok(None);
    }
    Ok(Some(Task::Copy(Box::new(copy))))
}

/// What a step may still take.
struct Room {
    items: usize,
    bytes: usize,
}

impl Room {
    fn new(engine: &Engine) -> Room {
        Room { items: engine.env.step_items(STEP_ITEMS_MAX), bytes: STEP_BYTES_MAX }
    }

    fn is_full(&self) -> bool {
        self.items == 0 || self.bytes == 0
    }

    fn take(&mut self, bytes: usize) -> ControlFlow<()> {
        self.items = self.items.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(bytes);
        if self.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Notes for each item that changed when it did so last, and how it was before the first time.
fn gather(engine: &Engine, copy: &mut Copy) -> Result<Ticket, Error> {
    let mut records: Vec<Record> = Vec::new();
    let from = copy
        .after
        .clone()
        .map_or_else(|| Bound::Included(Position::at(copy.since.unwrap_or(copy.at)).key()), Bound::Excluded);
    let range = Range { from, to: Bound::Excluded(Position::at(copy.at).key()) };
    scan_log(engine, copy, &range, Direction::Forward, &mut records)?;
    let changed = copy.changed();
    let mut noted: BTreeMap<Bytes, Note> = BTreeMap::new();
    for record in &records {
        let key = changed.key(&record.key);
        let known = match noted.remove(&key) {
            Some(note) => Some(note),
            None => engine.store.get(changed.space, &key)?.and_then(|bytes| Note::read(&bytes)),
        };
        let mut note =
            known.unwrap_or_else(|| Note { stamp: Stamp(0), existed: record.existed, image: None });
        note.stamp = record.position.stamp;
        note.image = note.image.or_else(|| record.old.clone());
        noted.insert(key, note);
    }
    advance(copy, records.last().map(|record| record.position.key()), Stage::Copy);
    write(engine, copy, |batch| {
        for (key, note) in &noted {
            batch.put(changed.space, key.clone(), note.bytes());
        }
    })
}

/// Copies the next items as they are.
fn copy_items(engine: &Engine, copy: &mut Copy) -> Result<Ticket, Error> {
    let (from, to) = (copy.from.clone(), copy.to.clone());
    let mut items: Vec<(Bytes, Bytes)> = Vec::new();
    let mut room = Room::new(engine);
    engine.store.scan(
        from.space,
        &from.after(copy.after.as_deref()),
        Direction::Forward,
        &mut |key, value| {
            items.push((Bytes::copy_from_slice(from.item_key(key)), Bytes::copy_from_slice(value)));
            room.take(key.len() + value.len())
        },
    )?;
    let last = items.last().filter(|_| room.is_full()).map(|(key, _)| key.clone());
    let next = if copy.log.is_some() { Stage::Undo } else { Stage::Finish };
    advance(copy, last, next);
    write(engine, copy, |batch| {
        for (key, value) in &items {
            batch.put(to.space, to.key(key), value.clone());
        }
    })
}

/// Copies the next of those items that changed, as they are.
fn copy_changed(engine: &Engine, copy: &mut Copy) -> Result<Ticket, Error> {
    let (changed, to) = (copy.changed(), copy.to.clone());
    let mut keys: Vec<Bytes> = Vec::new();
    let items_max = engine.env.step_items(STEP_ITEMS_MAX);
    let range = changed.after(copy.after.as_deref());
    engine.store.scan(changed.space, &range, Direction::Forward, &mut |key, _| {
        keys.push(Bytes::copy_from_slice(changed.item_key(key)));
        if keys.len() < items_max { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    let mut items = Vec::new();
    for key in &keys {
        items.push((to.key(key), engine.store.get(copy.from.space, &copy.from.key(key))?));
    }
    advance(copy, keys.last().filter(|_| keys.len() == items_max).cloned(), Stage::Undo);
    write(engine, copy, |batch| put_all(batch, to.space, &items))
}

/// Undoes the next changes, the last of them first.
fn undo(engine: &Engine, copy: &mut Copy) -> Result<Ticket, Error> {
    let to = copy.to.clone();
    let mut records: Vec<Record> = Vec::new();
    let end = copy.after.clone().map_or(Bound::Unbounded, Bound::Excluded);
    let range = Range { from: Bound::Included(Position::at(copy.at).key()), to: end };
    scan_log(engine, copy, &range, Direction::Backward, &mut records)?;
    let last = records.last().map(|record| record.position.key());
    let mut items = Vec::new();
    for record in records {
        // INVARIANT: the log holds the old image of every change that a copy undoes.
        if record.existed && record.old.is_none() {
            tracing::error!(copy = copy.number, "a change cannot be undone");
            continue;
        }
        let changed = copy.changed();
        if copy.since.is_none() || engine.store.get(changed.space, &changed.key(&record.key))?.is_some() {
            items.push((to.key(&record.key), record.old));
        }
    }
    advance(copy, last, Stage::Finish);
    write(engine, copy, |batch| put_all(batch, to.space, &items))
}

/// Counts the next items, and gives those of a table their index entries.
fn finish(engine: &Engine, copy: &mut Copy) -> Result<Ticket, Error> {
    let to = copy.to.clone();
    let table = match &copy.purpose {
        Purpose::Table(name) => engine.catalog.cell(name).map(|cell| cell.table()),
        Purpose::Backup(_) | Purpose::Export => None,
    };
    let indexes = table.as_ref().map_or(0, |table| table.indexes().count());
    copy.figures.resize(1 + indexes, Figures::default());
    let mut values: Vec<Bytes> = Vec::new();
    let mut last = None;
    let mut room = Room::new(engine);
    let range = to.after(copy.after.as_deref());
    let figures = &mut copy.figures;
    engine.store.scan(to.space, &range, Direction::Forward, &mut |key, value| {
        if let Some(figures) = figures.first_mut() {
            figures.add(layout::size_of_value(value).unwrap_or(0));
        }
        if indexes > 0 {
            values.push(Bytes::copy_from_slice(value));
        }
        last = Some(Bytes::copy_from_slice(to.item_key(key)));
        room.take(value.len())
    })?;
    let entries = match &table {
        Some(table) if indexes > 0 => entries(table, &values, figures),
        Some(_) | None => Vec::new(),
    };
    advance(copy, last.filter(|_| room.is_full()), Stage::Ready);
    // That it is ready is written down together with what it is ready for.
    let noted = Copy { stage: Stage::Finish, ..copy.clone() };
    if copy.stage == Stage::Ready {
        return write_batch(engine, |batch| put_all_of(batch, &entries));
    }
    write(engine, &noted, |batch| put_all_of(batch, &entries))
}

type Entries = Vec<(storage::Space, Bytes, Bytes)>;

/// The entries of items in all indexes of their table, which are counted.
fn entries(table: &Table, values: &[Bytes], figures: &mut [Figures]) -> Entries {
    let mut entries = Vec::new();
    for value in values {
        let Some(item) = layout::read_value(value).and_then(|(_, stored)| stored.decode()) else {
            tracing::error!(table = table.name, "a damaged item is in no index");
            continue;
        };
        for (index, figures) in table.indexes().zip(figures.iter_mut().skip(1)) {
            if let Some(entry) = index::entry(table, index, Image { item: &item, value }) {
                figures.add(entry.bytes);
                entries.push((index.space, entry.key, entry.value));
            }
        }
    }
    entries
}

/// Goes on after this key, or with the next stage.
fn advance(copy: &mut Copy, after: Option<Bytes>, next: Stage) {
    if after.is_none() {
        copy.stage = next;
    }
    copy.after = after;
}

/// Records of the log, not too many.
fn scan_log(
    engine: &Engine,
    copy: &Copy,
    range: &Range,
    direction: Direction,
    records: &mut Vec<Record>,
) -> Result<(), Error> {
    let Some(space) = copy.log else { return Ok(()) };
    let mut room = Room::new(engine);
    log::scan_space(&engine.store.snapshot(), space, range, direction, &mut |record| {
        let bytes = record.old.as_ref().map_or(0, Bytes::len);
        records.push(record);
        room.take(bytes)
    })
}

/// Writes what a step came to, together with how far the copy is.
fn write(engine: &Engine, copy: &Copy, fill: impl Fn(&mut Batch)) -> Result<Ticket, Error> {
    write_batch(engine, |batch| {
        fill(batch);
        copy.note(batch);
    })
}

fn write_batch(engine: &Engine, fill: impl Fn(&mut Batch)) -> Result<Ticket, Error> {
    engine.store.apply(&[], &mut |_| {
        let mut batch = Batch::new();
        fill(&mut batch);
        Some(batch)
    })
}

fn put_all(batch: &mut Batch, space: storage::Space, items: &[(Bytes, Option<Bytes>)]) {
    for (key, value) in items {
        match value {
            Some(value) => batch.put(space, key.clone(), value.clone()),
            None => batch.delete(space, key.clone()),
        }
    }
}

fn put_all_of(batch: &mut Batch, entries: &Entries) {
    for (space, key, value) in entries {
        batch.put(*space, key.clone(), value.clone());
    }
}

/// What is noted of an item that changed.
pub(crate) struct Note {
    /// When it changed last.
    pub(crate) stamp: Stamp,
    /// Whether it was there at first.
    pub(crate) existed: bool,
    /// How it was at first, or, if it was not there, how it was when it was there. Then it tells its key.
    pub(crate) image: Option<Bytes>,
}

impl Note {
    fn bytes(&self) -> Bytes {
        let image = self.image.as_deref().unwrap_or_default();
        [&self.stamp.0.to_be_bytes()[..], &[u8::from(self.existed)], image].concat().into()
    }

    /// Reads a note; none if it is damaged. No image is empty, so an empty one is none.
    pub(crate) fn read(bytes: &[u8]) -> Option<Note> {
        let (stamp, rest) = bytes.split_first_chunk()?;
        let (existed, image) = rest.split_first()?;
        let image = (!image.is_empty()).then(|| Bytes::copy_from_slice(image));
        Some(Note { stamp: Stamp(u64::from_be_bytes(*stamp)), existed: *existed == 1, image })
    }
}
