//! Removes the items of a copy that nobody wants any more, a few at a time.

use std::ops::ControlFlow;

use bytes::Bytes;
use storage::{Batch, Direction, Error};

use crate::Engine;
use crate::catalog::{Clear, Task, note_cleared, own_place};

/// Items of one step.
const STEP_ITEMS_MAX: usize = 1000;

/// Removes the next ones; when there are none left, it is not to be done again.
pub(super) fn step(engine: &Engine, clear: Clear) -> Result<Option<Task>, Error> {
    let place = own_place(clear.number);
    let mut keys: Vec<Bytes> = Vec::new();
    let items_max = engine.env.step_items(STEP_ITEMS_MAX);
    engine.store.scan(place.space, &place.after(None), Direction::Forward, &mut |key, _| {
        keys.push(Bytes::copy_from_slice(key));
        if keys.len() < items_max { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    let ticket = engine.store.apply(&[], &mut |_| {
        let mut batch = Batch::new();
        for key in &keys {
            batch.delete(place.space, key.clone());
        }
        if keys.is_empty() {
            note_cleared(&mut batch, clear.number);
        }
        Some(batch)
    })?;
    // A scan shows only what is durable: without the wait the next step would find the same keys again.
    engine.store.wait(ticket)?;
    Ok((!keys.is_empty()).then_some(Task::Clear(clear)))
}
