//! What is left to be done in the background, and how the one who does it is woken. Knows not how it is done.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::{Condvar, Mutex};
use storage::{Snapshot, Space};

use super::{Copy, TableCell};
use crate::schema::Stats;

/// Something to be done in bounded steps.
pub(crate) enum Task {
    /// A space that belongs to nobody any more goes.
    Drop(Space),
    /// A new index gets its entries.
    Fill(Fill),
    /// The items of a space are counted.
    Count(Count),
    /// Empty spaces are made ready for tables to come.
    Spare,
    /// Items get the entries by which they expire.
    Age(Age),
    /// Items are copied as they were at a moment.
    Copy(Box<Copy>),
    /// A copy that nobody wants any more goes.
    Clear(Clear),
}

/// A place under a number that is being emptied.
pub(crate) struct Clear {
    pub(crate) number: u64,
}

/// A table on which expiry was switched on.
pub(crate) struct Age {
    pub(crate) cell: Arc<TableCell>,
    /// Where the entries go.
    pub(crate) space: Space,
    /// The last table key that was handled.
    pub(crate) after: Option<Bytes>,
    /// Whether all that was written before is durable, so that a scan shows it.
    pub(crate) ready: bool,
}

/// An index that is being filled.
pub(crate) struct Fill {
    pub(crate) cell: Arc<TableCell>,
    pub(crate) index: Space,
    /// The last table key that was handled.
    pub(crate) after: Option<Bytes>,
    /// Whether all that was written before the index was known is durable, so that a scan shows it.
    pub(crate) ready: bool,
}

/// A space that is being counted.
pub(crate) struct Count {
    pub(crate) space: Space,
    /// Where the figures go when they are complete. Meanwhile it counts what is written after the snapshot.
    pub(crate) stats: Arc<Stats>,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) after: Option<Bytes>,
    pub(crate) items: i64,
    pub(crate) bytes: i64,
    /// The table of an index that becomes active when it is counted.
    pub(crate) activates: Option<Arc<TableCell>>,
}

/// The work to do, in the order in which it came.
pub(crate) struct Tasks {
    state: Mutex<State>,
    wanted: Condvar,
    /// When the next state of a table ends by itself.
    due_ms: AtomicU64,
    /// When what has expired is to be looked for even if there are tasks.
    sweep_ms: AtomicU64,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Task>,
    woken: bool,
}

impl Task {
    /// Whether it adds something to the disk.
    pub(crate) fn needs_room(&self) -> bool {
        match self {
            Task::Fill(_) | Task::Copy(_) | Task::Age(_) => true,
            Task::Drop(_) | Task::Count(_) | Task::Clear(_) | Task::Spare => false,
        }
    }
}

impl Fill {
    /// An index that has just been added.
    pub(crate) fn new(cell: Arc<TableCell>, index: Space) -> Fill {
        Fill { cell, index, after: None, ready: false }
    }

    /// An index that was being filled when the database was last open.
    pub(crate) fn resume(cell: Arc<TableCell>, index: Space, position: &[u8]) -> Fill {
        let after = (!position.is_empty()).then(|| Bytes::copy_from_slice(position));
        Fill { cell, index, after, ready: true }
    }
}

impl Count {
    /// A count that has not begun.
    pub(crate) fn new(space: Space, stats: Arc<Stats>, snapshot: Arc<Snapshot>) -> Count {
        Count { space, stats, snapshot, after: None, items: 0, bytes: 0, activates: None }
    }
}

impl Default for Tasks {
    fn default() -> Tasks {
        Tasks {
            state: Mutex::default(),
            wanted: Condvar::new(),
            due_ms: AtomicU64::new(u64::MAX),
            sweep_ms: AtomicU64::default(),
        }
    }
}

impl Tasks {
    /// Adds a task and wakes the one who waits for work.
    pub(crate) fn push(&self, task: Task) {
        self.state.lock().queue.push_back(task);
        self.wake();
    }

    /// Takes the task whose turn it is.
    pub(crate) fn take(&self) -> Option<Task> {
        self.state.lock().queue.pop_front()
    }

    /// Takes the first task that needs no room. Those before it stay where they are.
    pub(crate) fn take_without_room(&self) -> Option<Task> {
        let queue = &mut self.state.lock().queue;
        let place = queue.iter().position(|task| !task.needs_room())?;
        queue.remove(place)
    }

    /// Takes the first space that waits to be dropped, before its turn.
    pub(crate) fn take_drop(&self) -> Option<Space> {
        let queue = &mut self.state.lock().queue;
        let waiting = |(place, task): (usize, &Task)| match task {
            Task::Drop(space) => Some((place, *space)),
            Task::Fill(_) | Task::Count(_) | Task::Spare | Task::Age(_) | Task::Copy(_) | Task::Clear(_) => {
                None
            }
        };
        let (place, space) = queue.iter().enumerate().find_map(waiting)?;
        queue.remove(place);
        Some(space)
    }

    /// Whether a task is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.state.lock().queue.is_empty()
    }

    /// Something ends at this time.
    pub(crate) fn due(&self, at_ms: Option<u64>) {
        if let Some(at_ms) = at_ms {
            self.due_ms.fetch_min(at_ms, Ordering::SeqCst);
            self.wake();
        }
    }

    /// When the next thing ends.
    pub(crate) fn due_ms(&self) -> Option<u64> {
        Some(self.due_ms.load(Ordering::SeqCst)).filter(|at_ms| *at_ms != u64::MAX)
    }

    /// Whether something has ended by now. The caller must look at all tables then, and tell what is due next.
    pub(crate) fn take_due(&self, now_ms: u64) -> bool {
        let is_due = self.due_ms().is_some_and(|at_ms| at_ms <= now_ms);
        if is_due {
            self.due_ms.store(u64::MAX, Ordering::SeqCst);
        }
        is_due
    }

    /// Whether it is time to look for what has expired.
    pub(crate) fn is_sweep_due(&self, now_ms: u64) -> bool {
        self.sweep_ms.load(Ordering::Relaxed) <= now_ms
    }

    /// It was looked for. The next time is then.
    pub(crate) fn swept(&self, next_ms: u64) {
        self.sweep_ms.store(next_ms, Ordering::Relaxed);
    }

    /// Ends a wait.
    pub(crate) fn wake(&self) {
        self.state.lock().woken = true;
        self.wanted.notify_all();
    }

    /// Waits for a task, a new time at which something ends, or the end of the given time.
    pub(crate) fn wait(&self, at_most: Duration) {
        let mut state = self.state.lock();
        if !state.woken && state.queue.is_empty() {
            self.wanted.wait_for(&mut state, at_most);
        }
        state.woken = false;
    }
}
