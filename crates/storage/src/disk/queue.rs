//! The queue between those who order commits and the one who writes them. Knows no engine.

use super::room::Room;
use crate::batch::{Appended, Write};
use crate::error::Error;
use crate::progress::Ticket;
use crate::space::Space;
use crate::stamp::Stamp;
use crate::stripes::Stripe;
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// More than this is not taken into one group: a waiter should not wait for the whole of a long queue.
const GROUP_BYTES_MAX: usize = 16 * 1024 * 1024;
/// New transactions wait while more than this is queued.
const QUEUE_BYTES_MAX: usize = 32 * 1024 * 1024;

/// One write with the room it goes to and the stripe that holds its pending value, if any.
pub(super) struct Ordered {
    pub(super) room: Arc<Room>,
    pub(super) write: Write,
    pub(super) stripe: Option<Stripe>,
}

/// What a commit does to the spaces.
pub(super) enum SpaceChange {
    /// A space has this room from now on.
    Create(Space, Arc<Room>),
    /// The space has its room no more.
    Drop(Space, Arc<Room>),
}

/// A batch with its place in the order.
pub(super) struct Commit {
    pub(super) ticket: Ticket,
    pub(super) writes: Vec<Ordered>,
    pub(super) space_change: Option<SpaceChange>,
    pub(super) bytes: usize,
}

/// What the committer is to do next.
pub(super) enum Work {
    /// Write these.
    Group(Vec<Commit>),
    /// Nothing came in the given time.
    Idle,
    /// The queue is closed and empty.
    Done,
}

#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    filled: Condvar,
    drained: Condvar,
    /// Whether so much is queued that new transactions wait. Written under the lock of the state.
    is_long: AtomicBool,
}

#[derive(Default)]
struct State {
    commits: VecDeque<Commit>,
    bytes: usize,
    last: u64,
    last_stamp: Stamp,
    closed: bool,
    failure: Option<Error>,
}

impl Queue {
    /// Gives the writes the next ticket, and the next stamp to those that are appended.
    pub(super) fn push(&self, mut writes: Vec<Ordered>, appended: Appended) -> Result<Ticket, Error> {
        let bytes = writes.iter().map(|ordered| ordered.write.bytes()).sum();
        let mut state = self.state.lock();
        state.check()?;
        appended.stamp(writes.iter_mut().map(|ordered| &mut ordered.write), &mut state.last_stamp);
        let ticket = state.push(|ticket| Commit { ticket, writes, space_change: None, bytes });
        self.note_length(&state);
        drop(state);
        self.filled.notify_one();
        Ok(ticket)
    }

    /// Gives a change of the spaces the next ticket.
    pub(super) fn push_space_change(&self, change: SpaceChange) -> Result<Ticket, Error> {
        let mut state = self.state.lock();
        state.check()?;
        let ticket =
            state.push(|ticket| Commit { ticket, writes: Vec::new(), space_change: Some(change), bytes: 0 });
        drop(state);
        self.filled.notify_one();
        Ok(ticket)
    }

    /// Waits until the queue is short enough for more.
    pub(super) fn make_room(&self) -> Result<(), Error> {
        let mut state = self.state.lock();
        while state.is_long() {
            state.check()?;
            self.drained.wait(&mut state);
        }
        state.check()
    }

    /// The commit to wait for while the queue is too long for more.
    pub(super) fn backlog(&self) -> Option<Ticket> {
        // Asked before every write, and hardly ever so.
        if !self.is_long.load(Ordering::Relaxed) {
            return None;
        }
        let state = self.state.lock();
        state.commits.front().filter(|_| state.is_long()).map(|commit| commit.ticket)
    }

    fn note_length(&self, state: &State) {
        self.is_long.store(state.is_long(), Ordering::Relaxed);
    }

    /// The next group, or `Idle` when none comes in time.
    pub(super) fn take(&self, patience: Option<Duration>) -> Work {
        let mut state = self.state.lock();
        while state.commits.is_empty() {
            if state.closed {
                return Work::Done;
            }
            match patience {
                None => self.filled.wait(&mut state),
                Some(patience) => {
                    if self.filled.wait_for(&mut state, patience).timed_out() {
                        return Work::Idle;
                    }
                }
            }
        }
        let mut group = Vec::with_capacity(state.commits.len());
        let mut group_bytes = 0;
        while let Some(commit) = state.commits.pop_front() {
            group_bytes += commit.bytes;
            group.push(commit);
            if group_bytes >= GROUP_BYTES_MAX {
                break;
            }
        }
        state.bytes -= group_bytes;
        self.note_length(&state);
        drop(state);
        self.drained.notify_all();
        Work::Group(group)
    }

    /// The stamp of the newest commit that has one.
    pub(super) fn last_stamp(&self) -> Stamp {
        self.state.lock().last_stamp
    }

    /// Later stamps are greater than this one.
    pub(super) fn raise_stamp(&self, stamp: Stamp) {
        let mut state = self.state.lock();
        state.last_stamp = state.last_stamp.max(stamp);
    }

    /// Whether commits are taken.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.state.lock().check()
    }

    /// No more commits are taken; what is queued will still be written.
    pub(super) fn close(&self) {
        self.state.lock().closed = true;
        self.filled.notify_all();
        self.drained.notify_all();
    }

    /// Nothing more can be written: what is queued is given up.
    pub(super) fn fail(&self, error: Error) {
        let mut state = self.state.lock();
        state.failure.get_or_insert(error);
        state.bytes = 0;
        self.note_length(&state);
        let abandoned = std::mem::take(&mut state.commits);
        drop(state);
        drop(abandoned);
        self.drained.notify_all();
    }

    pub(super) fn failure(&self) -> Option<Error> {
        self.state.lock().failure.clone()
    }
}

impl State {
    fn push(&mut self, commit: impl FnOnce(Ticket) -> Commit) -> Ticket {
        self.last += 1;
        let ticket = Ticket(self.last);
        let commit = commit(ticket);
        self.bytes += commit.bytes;
        self.commits.push_back(commit);
        ticket
    }

    fn is_long(&self) -> bool {
        self.bytes > QUEUE_BYTES_MAX
    }

    fn check(&self) -> Result<(), Error> {
        match &self.failure {
            Some(error) => Err(error.clone()),
            None if self.closed => Err(Error::Closed),
            None => Ok(()),
        }
    }
}
