//! What exports read: the items of a table as they were at a time, or those that changed in a time, copied so that nobody
//! who writes waits for them. Knows no files and no buckets.

use std::ops::ControlFlow;

use bytes::Bytes;
use item::{Item, Stored};
use op::{Error, ExportScope, Kind, TableStatus};
use storage::{Batch, Direction, Stamp};

use crate::catalog::{Begin, Copy, Purpose, Stage, Task, own_place};
use crate::log::{ms_of, stamp_of};
use crate::place::Place;
use crate::recovery::{self, not_found, reaches, stamp_at};
use crate::work::copy::Note;
use crate::{Engine, internal, layout};

/// Items that are being copied for an export.
#[derive(Debug, Clone, PartialEq)]
pub struct Begun {
    /// By this the copy is known.
    pub copy: u64,
    /// The table's ARN.
    pub table_arn: String,
    /// The table's id.
    pub table_id: String,
    /// What is copied, with its times.
    pub scope: ExportScope,
}

/// How far a copy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// There is none.
    Gone,
    /// It is being made.
    Making,
    /// It can be read.
    Ready {
        /// How many items there are at its end; of a time, how many of those that changed.
        items: u64,
        /// Their size.
        bytes: u64,
    },
}

/// An item of a copy.
#[derive(Debug, Clone)]
pub struct Exported {
    /// Where it lies: the next page begins after it.
    pub place: Bytes,
    /// The item at the end, none if it is not there.
    pub new: Option<Stored>,
    /// What is told of the time before, where changes are copied.
    pub change: Option<Changed>,
}

/// How an item was before it changed.
#[derive(Debug, Clone)]
pub struct Changed {
    /// Its key.
    pub key: Item,
    /// The item at the beginning, none if it was not there.
    pub old: Option<Stored>,
    /// When it changed last, milliseconds since 1970.
    pub written_ms: u64,
}

impl Engine {
    /// Begins to copy what an export writes. `note` adds what is to be written down in the same moment.
    pub fn export_begin(
        &self,
        table: &str,
        asked: ExportScope,
        note: &dyn Fn(&Begun, &mut Batch),
    ) -> Result<Begun, Error> {
        let mut changes = self.catalog.changes(&self.store);
        let cell = self.catalog.cell(table).ok_or_else(|| not_found(table))?;
        let source = cell.table().as_ref().clone();
        if source.status == TableStatus::Deleting {
            return Err(not_found(table));
        }
        let recovery = recovery::of(&source)?;
        let now_ms = self.env.now_ms();
        let scope = with_times(asked, now_ms);
        if times(scope).any(|time_ms| !reaches(recovery, time_ms, now_ms)) {
            return Err(Error::new(Kind::InvalidExportTime, "Export Time is invalid"));
        }
        if times(asked).next().is_some() {
            recovery::in_step(self, now_ms, Kind::InvalidExportTime)?;
        }
        let number = changes.number();
        let begun = Begun { copy: number, table_arn: source.arn.clone(), table_id: source.id.clone(), scope };
        let from = Place::whole(source.space);
        let mut copy = Copy::new(number, from, own_place(number), Purpose::Export);
        copy.keys = source.key.parts().map(|part| part.name.clone()).collect();
        if let ExportScope::Incremental { from_ms, .. } = scope {
            copy.since = Some(stamp_of(from_ms).max(recovery.since));
            copy.to = own_place(number).part(&[1]);
            copy.stage = Stage::Gather;
        }
        let since = copy.since.unwrap_or(recovery.since);
        let at = |end: Stamp| match asked {
            ExportScope::Full(None) | ExportScope::Incremental { to_ms: None, .. } => end,
            ExportScope::Full(Some(time_ms)) => stamp_at(recovery, time_ms, end),
            ExportScope::Incremental { to_ms: Some(to_ms), .. } => stamp_of(to_ms).min(end).max(since),
        };
        let begin = Begin { source: Some((&cell, source)), table: None, backup: None, copy };
        let copy = changes.begin_with(begin, now_ms, at, &|batch| note(&begun, batch)).map_err(internal)?;
        drop(changes);
        self.do_at_once(Task::Copy(Box::new(copy)));
        Ok(begun)
    }

    /// How far the copy of an export is.
    pub fn export_progress(&self, copy: u64) -> Progress {
        match self.catalog.copy(copy) {
            None => Progress::Gone,
            Some(copy) if copy.stage != Stage::Ready => Progress::Making,
            Some(copy) => {
                let figures = copy.figures.first().copied().unwrap_or_default();
                Progress::Ready { items: figures.items, bytes: figures.bytes }
            }
        }
    }

    /// Some items of a copy that is ready, in the order of their places, after one of them. There are no more where fewer
    /// come back than were asked for.
    pub fn export_page(&self, copy: u64, after: Option<&[u8]>, limit: usize) -> Result<Vec<Exported>, Error> {
        let copy = self.catalog.copy(copy).filter(|copy| copy.stage == Stage::Ready);
        let copy = copy.ok_or_else(Error::internal)?;
        let place = if copy.since.is_some() { copy.changed() } else { copy.to.clone() };
        let mut rows: Vec<(Bytes, Bytes)> = Vec::new();
        if limit > 0 {
            self.store
                .scan(place.space, &place.after(after), Direction::Forward, &mut |key, value| {
                    rows.push((Bytes::copy_from_slice(place.item_key(key)), Bytes::copy_from_slice(value)));
                    if rows.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                })
                .map_err(internal)?;
        }
        rows.into_iter().map(|(key, value)| self.exported(&copy, key, &value)).collect()
    }

    /// The copy of an export is not needed any more. `note` adds what is to be written down in the same moment.
    pub fn export_end(&self, copy: u64, note: &dyn Fn(&mut Batch)) -> Result<(), Error> {
        self.catalog.changes(&self.store).discard(copy, note).map_err(internal)
    }

    fn exported(&self, copy: &Copy, place: Bytes, value: &Bytes) -> Result<Exported, Error> {
        if copy.since.is_none() {
            let new = layout::read_value(value).map(|(_, stored)| stored);
            return Ok(Exported { place, new, change: None });
        }
        let stored = |value: Bytes| layout::read_value(&value).map(|(_, stored)| stored);
        let new = self.store.get(copy.to.space, &copy.to.key(&place)).map_err(internal)?.and_then(stored);
        let note = Note::read(value).ok_or_else(Error::internal)?;
        let image = note.image.and_then(stored);
        let item = new.as_ref().or(image.as_ref()).and_then(Stored::decode).unwrap_or_default();
        let key = item.into_iter().filter(|(name, _)| copy.keys.contains(name)).collect();
        let old = image.filter(|_| note.existed);
        Ok(Exported { place, new, change: Some(Changed { key, old, written_ms: ms_of(note.stamp) }) })
    }
}

/// The scope with the times that it has if none are asked for.
fn with_times(asked: ExportScope, now_ms: u64) -> ExportScope {
    match asked {
        ExportScope::Full(time_ms) => ExportScope::Full(Some(time_ms.unwrap_or(now_ms))),
        ExportScope::Incremental { from_ms, to_ms, view } => {
            ExportScope::Incremental { from_ms, to_ms: Some(to_ms.unwrap_or(now_ms)), view }
        }
    }
}

fn times(scope: ExportScope) -> impl Iterator<Item = u64> {
    let (first, last) = match scope {
        ExportScope::Full(time_ms) => (time_ms, None),
        ExportScope::Incremental { from_ms, to_ms, .. } => (Some(from_ms), to_ms),
    };
    [first, last].into_iter().flatten()
}
