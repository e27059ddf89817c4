//! Background work, done in bounded steps by whoever calls [`Engine::work`]: states of tables end, spaces of deleted
//! tables go, new indexes are filled, items are counted, what has expired is removed, shards of streams are closed,
//! items are copied for restores and backups. Starts no thread and knows no request.

mod clear;
mod copied;
pub(crate) mod copy;
mod count;
mod end;
mod expire;
mod fill;
mod tend;

use std::time::Duration;

use crate::catalog::Task;
use crate::write::transact_write_items::trim_tokens;
use crate::{Engine, LifeCycle, transfer};

/// How long nothing may be looked at.
const IDLE: Duration = Duration::from_secs(30);
/// How long what has expired may stay.
const SWEEP_PAUSE: Duration = Duration::from_millis(SWEEP_MS);
const SWEEP_MS: u64 = 1000;

/// How long a task that waits for room on the disk waits before it looks again.
const ROOM_PAUSE: Duration = Duration::from_secs(1);

/// Steps of a task that are done before the answer of the one who asked for it.
const STEPS_AT_ONCE: usize = 16;

/// When to ask for work again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// At once.
    Again,
    /// After this time, or when [`Engine::wait_for_work`] returns.
    Until(Duration),
}

impl Engine {
    /// Does one step of what is to be done.
    pub fn work(&self) -> Rest {
        let now_ms = self.env.now_ms();
        if let Err(error) = end::all_due(self, now_ms) {
            failed(&error);
        }
        let tasks = self.catalog.tasks();
        let has_room = self.has_room();
        let task = if has_room { tasks.take() } else { tasks.take_without_room() };
        let is_busy = task.is_some();
        let is_waiting = !has_room && !is_busy && !tasks.is_empty();
        if let Some(rest) = task.and_then(|task| self.step(task)) {
            tasks.push(rest);
        }
        // Long tasks do not keep what has expired.
        if is_busy && !tasks.is_sweep_due(now_ms) {
            return Rest::Again;
        }
        let swept = expire::sweep(self, now_ms)
            .and_then(|more| Ok(more | tend::all(self, now_ms)?))
            .and_then(|more| Ok(more | trim_tokens(self)?))
            .and_then(|more| transfer::trim(self, now_ms).map(|()| more));
        if !matches!(swept, Ok(true)) {
            tasks.swept(now_ms.saturating_add(SWEEP_MS));
        }
        match swept {
            Ok(more) if more || is_busy => Rest::Again,
            Ok(_) if is_waiting => Rest::Until(ROOM_PAUSE),
            Ok(_) => Rest::Until(self.idle(now_ms)),
            Err(error) => {
                failed(&error);
                if is_busy { Rest::Again } else { Rest::Until(IDLE) }
            }
        }
    }

    /// Blocks until there is work to do, but not longer than this.
    pub fn wait_for_work(&self, at_most: Duration) {
        self.catalog.tasks().wait(at_most);
    }

    /// Ends a wait for work.
    pub fn wake_work(&self) {
        self.catalog.tasks().wake();
    }

    /// Does one step of a task; what is left of it is answered.
    pub(crate) fn step(&self, task: Task) -> Option<Task> {
        let rest = match task {
            Task::Drop(space) => self.catalog.drop_unused(&self.store, space).map(|()| None),
            Task::Fill(fill) => fill::step(self, fill),
            Task::Count(count) => count::step(self, count),
            Task::Age(age) => expire::step(self, age),
            Task::Copy(copy) => copy::step(self, *copy),
            Task::Clear(clear) => clear::step(self, clear),
            Task::Spare if self.catalog.wants_spares() => {
                self.catalog.add_spare(&self.store).map(|more| more.then_some(Task::Spare))
            }
            Task::Spare => Ok(None),
        };
        // Whatever is given up here is taken up again when the database is opened next.
        rest.unwrap_or_else(|error| {
            failed(&error);
            None
        })
    }

    /// Does a task at once, as far as it is quickly done and nobody asked for the delays of the real service: what is small
    /// is ready when the caller has the answer. The rest is done in the background.
    pub(crate) fn do_at_once(&self, task: Task) {
        let mut rest = Some(task);
        if self.life_cycle == LifeCycle::Immediate && self.has_room() {
            for _ in 0..STEPS_AT_ONCE {
                rest = rest.and_then(|task| self.step(task));
            }
        }
        if let Some(task) = rest {
            self.catalog.tasks().push(task);
        }
    }

    fn idle(&self, now_ms: u64) -> Duration {
        let due = [self.catalog.tasks().due_ms(), tend::due_ms(self)].into_iter().flatten().min();
        let longest = if expire::is_wanted(self) { SWEEP_PAUSE } else { IDLE };
        due.map_or(longest, |at_ms| Duration::from_millis(at_ms.saturating_sub(now_ms)).min(longest))
    }
}

fn failed(error: &storage::Error) {
    match error {
        // The table or the whole database went away meanwhile, or there is no place for spaces that wait to be used.
        storage::Error::Closed | storage::Error::NoSpace { .. } | storage::Error::TooManySpaces { .. } => {}
        storage::Error::Locked { .. }
        | storage::Error::NewerFormat { .. }
        | storage::Error::OlderFormat { .. }
        | storage::Error::Unwritable { .. }
        | storage::Error::Corrupt { .. }
        | storage::Error::Io { .. }
        | storage::Error::Failed { .. } => tracing::error!(%error, "background work failed"),
    }
}
