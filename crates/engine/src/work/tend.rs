//! Tends logs: closes shards whose time is over, lets streams go that ended long ago, and removes records that nobody may
//! read any more.

use std::ops::ControlFlow;

use bytes::Bytes;
use storage::{Batch, Direction, Error, Stamp};

use crate::catalog::TableCell;
use crate::log::{Position, between, stamp_of};
use crate::schema::{Log, Table};
use crate::{Engine, recovery, stream};

/// Records of one step.
const STEP_RECORDS_MAX: usize = 1000;
/// How much longer records lie in the log than they can be asked for: iterators that were made before know what they
/// missed, and a restore to the earliest time finds all of its history.
const GRACE_MS: u64 = 60 * 60 * 1000;

/// Looks at all logs. Answers whether there is more to be removed.
pub(super) fn all(engine: &Engine, now_ms: u64) -> Result<bool, Error> {
    let mut more = false;
    for cell in engine.catalog.cells() {
        if cell.table().log.is_some() {
            more |= table(engine, &cell, now_ms)?;
        }
    }
    for gone in engine.catalog.gone() {
        let Some(log) = &gone.log else { continue };
        if log.streams.iter().all(|stream| stream::is_over(stream, now_ms)) {
            engine.catalog.changes(&engine.store).forget(log.space)?;
            more = true;
        }
    }
    Ok(more)
}

/// When the next shard is to be closed.
pub(super) fn due_ms(engine: &Engine) -> Option<u64> {
    let due = |cell: &TableCell| {
        let table = cell.table();
        let open = table.log.as_ref()?.stream()?.shards.last()?.created_ms;
        Some(open.saturating_add(stream::SHARD_MS))
    };
    engine.catalog.cells().iter().filter_map(|cell| due(cell)).min()
}

fn table(engine: &Engine, cell: &TableCell, now_ms: u64) -> Result<bool, Error> {
    let before = cell.table();
    let Some(log) = &before.log else { return Ok(false) };
    let mut shed = log.clone();
    stream::shed(&mut shed, now_ms);
    let rolls = stream::wants_to_roll(log, now_ms);
    if rolls || shed.streams != log.streams {
        change(engine, cell, now_ms)?;
    }
    trim(engine, log, now_ms)
}

/// Closes the open shard if it is time, and lets go what is over.
fn change(engine: &Engine, cell: &TableCell, now_ms: u64) -> Result<(), Error> {
    let mut changes = engine.catalog.changes(&engine.store);
    let mut table = cell.table().as_ref().clone();
    let Some(log) = &mut table.log else { return Ok(()) };
    stream::shed(log, now_ms);
    let rolls = stream::wants_to_roll(log, now_ms);
    if !log.is_needed() {
        table.log = None;
    }
    if !rolls {
        return changes.replace(cell, table);
    }
    changes.replace_between(cell, table, now_ms, &mut |table: &mut Table, at| {
        stream::roll(table, &*engine.env, at);
    })
}

/// Removes the oldest records that are not needed any more.
fn trim(engine: &Engine, log: &Log, now_ms: u64) -> Result<bool, Error> {
    let end = needed_from(log, now_ms);
    let range = between(Position::at(log.trimmed()), Some(end));
    let mut keys: Vec<Bytes> = Vec::new();
    let records_max = engine.env.step_items(STEP_RECORDS_MAX);
    engine.store.scan(log.space, &range, Direction::Forward, &mut |key, _| {
        keys.push(Bytes::copy_from_slice(key));
        if keys.len() < records_max { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    let more = keys.len() == records_max;
    let last = keys.last().and_then(|key| Stamp::read(key)).map(|(stamp, _)| stamp);
    if !keys.is_empty() {
        let ticket = engine.store.apply(&[], &mut |_| {
            let mut batch = Batch::new();
            for key in &keys {
                batch.delete(log.space, key.clone());
            }
            Some(batch)
        })?;
        engine.store.wait(ticket)?;
    }
    log.note_trimmed(if more { last.unwrap_or(end) } else { end });
    Ok(more)
}

/// The stamp before which nobody needs a record.
fn needed_from(log: &Log, now_ms: u64) -> Stamp {
    let streams = (!log.streams.is_empty() || log.delivers()).then_some(stream::RETENTION_MS);
    let recovery = log.recovery.map(|recovery| recovery::DAY_MS.saturating_mul(recovery.days.into()));
    let kept_ms = streams.max(recovery).map_or(0, |kept_ms| kept_ms.saturating_add(GRACE_MS));
    let holds = log.holds.iter().map(|hold| hold.from);
    holds.chain([stamp_of(now_ms.saturating_sub(kept_ms))]).min().unwrap_or_default()
}
