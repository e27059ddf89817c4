//! Counts the items of a space as they are in a snapshot, beside the writes that go on.

use std::ops::{Bound, ControlFlow};

use bytes::Bytes;
use op::IndexStatus;
use storage::{Direction, Error, Range, Space};

use crate::catalog::{Count, TableCell, Task};
use crate::table::life;
use crate::{Engine, layout};

/// Items of one step.
const STEP_ITEMS_MAX: usize = 2000;
/// Bytes of one step, if the items are large.
const STEP_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Counts the next items; the figures are added when all are counted.
pub(super) fn step(engine: &Engine, mut count: Count) -> Result<Option<Task>, Error> {
    let from = count.after.take().map_or(Bound::Unbounded, Bound::Excluded);
    let (mut items, mut bytes) = (0, 0);
    let items_max = engine.env.step_items(STEP_ITEMS_MAX);
    let range = Range { from, to: Bound::Unbounded };
    let scanned = count.snapshot.scan(count.space, &range, Direction::Forward, &mut |key, value| {
        count.items += 1;
        count.bytes += layout::size_of_value(value).unwrap_or(0) as i64;
        items += 1;
        bytes += value.len();
        if items < items_max && bytes < STEP_BYTES_MAX {
            return ControlFlow::Continue(());
        }
        count.after = Some(Bytes::copy_from_slice(key));
        ControlFlow::Break(())
    });
    if let Err(Error::NoSpace { .. }) = scanned {
        engine.catalog.counted(count.space);
    }
    scanned?;
    if count.after.is_some() {
        return Ok(Some(Task::Count(count)));
    }
    count.stats.change(count.items, count.bytes);
    engine.catalog.counted(count.space);
    if let Some(cell) = &count.activates {
        activate(engine, cell, count.space)?;
    }
    Ok(None)
}

/// An index has all its entries and is counted: it is active from here on.
fn activate(engine: &Engine, cell: &TableCell, space: Space) -> Result<(), Error> {
    let mut changes = engine.catalog.changes(&engine.store);
    let mut table = cell.table().as_ref().clone();
    let index = table.global_indexes.iter_mut().find(|index| index.space == space);
    let Some(index) = index.filter(|index| index.status == IndexStatus::Creating) else { return Ok(()) };
    index.status = IndexStatus::Active;
    if table.status_until_ms.is_none() {
        life::end(&mut table);
    }
    changes.replace(cell, table)
}
