//! Removes items whose time is over, through the one way items change, and gives items that were there before expiry
//! was switched on their entries.

use std::ops::{Bound, ControlFlow};

use bytes::Bytes;
use storage::{Batch, Direction, Error, Key, Range};

use crate::catalog::{Age, TableCell, Task};
use crate::commit::{self, Change};
use crate::{Engine, expiry, layout};

/// Items of one step.
const STEP_ITEMS_MAX: usize = 100;

/// Removes some of what has expired in any table. Answers whether there may be more.
pub(super) fn sweep(engine: &Engine, now_ms: u64) -> Result<bool, Error> {
    let mut more = false;
    for cell in engine.catalog.cells() {
        more |= sweep_table(engine, &cell, now_ms)?;
    }
    Ok(more)
}

/// Whether any table has items that expire.
pub(super) fn is_wanted(engine: &Engine) -> bool {
    engine.catalog.cells().iter().any(|cell| expiry::of(&cell.table()).is_some())
}

fn sweep_table(engine: &Engine, cell: &TableCell, now_ms: u64) -> Result<bool, Error> {
    let table = cell.read();
    let Some((expiry, attribute)) = expiry::of(&table) else { return Ok(false) };
    if crate::plan::usable(&table).is_err() {
        return Ok(false);
    }
    let mut expired = Vec::new();
    let items_max = engine.env.step_items(STEP_ITEMS_MAX);
    let mut last = None;
    let mut due = expiry::due(now_ms);
    if let Some(after) = engine.swept.lock().remove(&expiry.space) {
        due.from = Bound::Excluded(after);
    }
    engine.store.scan(expiry.space, &due, Direction::Forward, &mut |entry, _| {
        expired.extend(expiry::read_entry(entry));
        last = Some(Bytes::copy_from_slice(entry));
        if expired.len() < items_max { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    let more = expired.len() == items_max;
    // What was removed a moment ago is still in the store's way: the next step begins behind it. When no more is found,
    // the next sweep begins at the start again, for an item may have been given a time that is over already.
    if let Some(last) = last.filter(|_| more) {
        engine.swept.lock().insert(expiry.space, last);
    }
    // An item that a transaction is writing waits for the next sweep.
    let free = |key: &Bytes| !engine.marks.has(&Key { space: table.space, bytes: key.clone() });
    let changes: Vec<Change<'_>> = expired
        .into_iter()
        .filter(|(_, key)| free(key))
        .map(|(seconds, key)| Change::expire(&table, key, attribute, seconds))
        .collect();
    if changes.is_empty() {
        return Ok(false);
    }
    let (_, ticket) = commit::all(engine, &changes, None).map_err(|_| Error::Closed)?;
    drop(changes);
    drop(table);
    // The entries go when the commit is durable; looking earlier would find them again.
    engine.store.wait(ticket)?;
    Ok(more)
}

/// Gives the next items their entries.
pub(super) fn step(engine: &Engine, mut age: Age) -> Result<Option<Task>, Error> {
    if !age.ready {
        let changes = engine.catalog.changes(&engine.store);
        // What was written before expiry was switched on may not be durable yet, and a scan would not show it.
        changes.settle()?;
        age.ready = true;
    }
    let table = age.cell.read();
    let Some((expiry, attribute)) = expiry::of(&table).filter(|(expiry, _)| expiry.space == age.space) else {
        return Ok(None);
    };
    let mut keys = Vec::new();
    let items_max = engine.env.step_items(STEP_ITEMS_MAX);
    let from = age.after.clone().map_or(Bound::Unbounded, Bound::Excluded);
    let range = Range { from, to: Bound::Unbounded };
    engine.store.scan(table.space, &range, Direction::Forward, &mut |key, _| {
        keys.push(Key::new(table.space, Bytes::copy_from_slice(key)));
        if keys.len() < items_max { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    let Some(last) = keys.last().map(|key| key.bytes.clone()) else {
        drop(table);
        return finish(engine, &age);
    };
    engine.store.apply(&keys, &mut |values| {
        let mut batch = Batch::new();
        for (key, value) in keys.iter().zip(values) {
            let item = value.as_ref().and_then(layout::read_value).and_then(|(_, stored)| stored.decode());
            if let Some(seconds) = item.and_then(|item| expiry::seconds(&item, attribute)) {
                batch.put(expiry.space, expiry::entry(seconds, &key.bytes), Bytes::new());
            }
        }
        Some(batch)
    })?;
    drop(table);
    age.after = Some(last);
    Ok(Some(Task::Age(age)))
}

/// All items have their entries: a restart need not begin again.
fn finish(engine: &Engine, age: &Age) -> Result<Option<Task>, Error> {
    let mut changes = engine.catalog.changes(&engine.store);
    let mut table = age.cell.table().as_ref().clone();
    let Some(expiry) = table.ttl.expiry.as_mut().filter(|expiry| expiry.space == age.space) else {
        return Ok(None);
    };
    expiry.is_filled = true;
    changes.replace(&age.cell, table)?;
    Ok(None)
}
