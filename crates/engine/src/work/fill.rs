//! Fills a new index with the entries of the items that are there, while writes go on.
//!
//! From the moment the index is in the definition, every write of an item maintains its entry. So each item needs to
//! be looked at once: its latest value is read under its lock, and its entry is written in the same moment.

use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use bytes::Bytes;
use storage::{Batch, Direction, Error, Key, Range, Space, Ticket};

use crate::catalog::{Count, Fill, Task, fills, note_fill};
use crate::index::{self, Image};
use crate::schema::{Index, Stats, Table};
use crate::{Engine, layout};

/// Items of one step.
const STEP_ITEMS_MAX: usize = 100;
/// Bytes of one step, if its items are large.
const STEP_BYTES_MAX: usize = 1024 * 1024;

/// Handles the next items.
pub(super) fn step(engine: &Engine, mut fill: Fill) -> Result<Option<Task>, Error> {
    if !fill.ready {
        let changes = engine.catalog.changes(&engine.store);
        let table = fill.cell.table();
        if wanted(&table, fill.index).is_none() {
            return Ok(None);
        }
        // What was written before the index was known may not be durable yet, and a scan would not show it.
        changes.settle()?;
        fill.ready = true;
    }
    let keys = next_keys(engine, &fill)?;
    let Some(last) = keys.last() else { return finish(engine, &fill) };
    let last = last.bytes.clone();
    if write_entries(engine, &fill, &keys, &last)?.is_none() {
        return Ok(None);
    }
    fill.after = Some(last);
    Ok(Some(Task::Fill(fill)))
}

fn next_keys(engine: &Engine, fill: &Fill) -> Result<Vec<Key>, Error> {
    let space = fill.cell.table().space;
    let from = fill.after.clone().map_or(Bound::Unbounded, Bound::Excluded);
    let (mut keys, mut bytes) = (Vec::new(), 0);
    let items_max = engine.env.step_items(STEP_ITEMS_MAX);
    let range = Range { from, to: Bound::Unbounded };
    engine.store.scan(space, &range, Direction::Forward, &mut |key, value| {
        keys.push(Key::new(space, Bytes::copy_from_slice(key)));
        bytes += value.len();
        if keys.len() < items_max && bytes < STEP_BYTES_MAX {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })?;
    Ok(keys)
}

/// Writes the entries of these items, and how far it came, in one commit. None if the index is not wanted any more.
fn write_entries(engine: &Engine, fill: &Fill, keys: &[Key], last: &Bytes) -> Result<Option<Ticket>, Error> {
    let table = fill.cell.read();
    let Some(index) = wanted(&table, fill.index) else { return Ok(None) };
    let ticket = engine.store.apply(keys, &mut |values| {
        let mut batch = Batch::new();
        for value in values.iter().flatten() {
            put_entry(&table, index, value, &mut batch);
        }
        note_fill(&mut batch, index.space, last);
        Some(batch)
    })?;
    Ok(Some(ticket))
}

fn put_entry(table: &Table, index: &Index, value: &Bytes, batch: &mut Batch) {
    let Some(item) = layout::read_value(value).and_then(|(_, stored)| stored.decode()) else {
        tracing::error!(table = table.name, index = index.name, "a damaged item is not in the new index");
        return;
    };
    if let Some(entry) = index::entry(table, index, Image { item: &item, value }) {
        batch.put(index.space, entry.key, entry.value);
    }
}

/// All items are handled: counts the entries, beginning at a moment at which nobody writes.
fn finish(engine: &Engine, fill: &Fill) -> Result<Option<Task>, Error> {
    let changes = engine.catalog.changes(&engine.store);
    let mut current = fill.cell.write();
    let mut table = current.as_ref().clone();
    let Some(index) = table.global_indexes.iter_mut().find(|index| index.space == fill.index) else {
        return Ok(None);
    };
    if wanted(&current, fill.index).is_none() {
        return Ok(None);
    }
    changes.settle()?;
    let snapshot = Arc::new(engine.store.snapshot());
    let stats = Arc::<Stats>::default();
    index.stats = Arc::clone(&stats);
    index.backfill = None;
    *current = Arc::new(table);
    drop(current);
    let activates = Some(Arc::clone(&fill.cell));
    Ok(Some(engine.catalog.count(Count { activates, ..Count::new(fill.index, stats, snapshot) })))
}

/// The index, if it is still to be filled.
fn wanted(table: &Table, space: Space) -> Option<&Index> {
    let index = table.global_indexes.iter().find(|index| index.space == space)?;
    (fills(table, index) && table.status != op::TableStatus::Deleting).then_some(index)
}
