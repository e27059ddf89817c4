//! One connection's work, run by whichever thread comes by, by one at a time.

use super::crew::Crew;
use super::wire::Source;
use parking_lot::Mutex;
use rustix::event::epoll::EventFlags;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Wake, Waker};

/// Nothing to do until it is woken.
const RESTING: u8 = 0;
/// In the queue, or about to be put there.
const QUEUED: u8 = 1;
/// A thread is at it.
const RUNNING: u8 = 2;
/// A thread is at it, and something has happened since it began.
const RUNNING_AGAIN: u8 = 3;

pub(super) type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

pub(super) struct Task {
    state: AtomicU8,
    pub(super) source: Arc<Source>,
    /// None before it begins and when it is over.
    work: Mutex<Option<Work>>,
    crew: Arc<Crew>,
    /// Its place on the crew's board.
    pub(super) place: usize,
}

/// What a run came to.
#[derive(PartialEq, Eq)]
pub(super) enum Ran {
    /// It waits to be woken.
    Rests,
    /// It has more to do, after others had their turn.
    Again,
    /// It is over.
    Over,
}

impl Task {
    /// One that waits for its work, and is in the queue as soon as the caller puts it there.
    pub(super) fn queued(crew: Arc<Crew>, place: usize) -> Task {
        Task {
            state: AtomicU8::new(QUEUED),
            source: Arc::new(Source::new()),
            work: Mutex::new(None),
            crew,
            place,
        }
    }

    pub(super) fn begin(&self, work: Work) {
        *self.work.lock() = Some(work);
    }

    /// Takes a word of the kernel down. True if it must be put in the queue for it.
    pub(super) fn note(&self, flags: EventFlags) -> bool {
        self.source.note(flags);
        self.has_to_queue()
    }

    /// True if it must be put in the queue: it rested.
    fn has_to_queue(&self) -> bool {
        // INVARIANT: the state is written here and in `run` by exchanges only, also where it stays the same. What a thread noted
        // before is then seen by the run after, and is not overtaken by a look at the state.
        let moved = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| match state {
            RESTING => Some(QUEUED),
            RUNNING => Some(RUNNING_AGAIN),
            queued => Some(queued),
        });
        moved == Ok(RESTING)
    }

    /// Goes on as far as it can.
    pub(super) fn run(self: &Arc<Task>) -> Ran {
        self.state.swap(RUNNING, Ordering::AcqRel);
        let waker = Waker::from(Arc::clone(self));
        let mut work = self.work.lock();
        let Some(going_on) = work.as_mut() else { return Ran::Over };
        let polled =
            catch_unwind(AssertUnwindSafe(|| going_on.as_mut().poll(&mut Context::from_waker(&waker))));
        // A panic outside an operation costs this connection and no other.
        if polled.map_or(true, |polled| polled.is_ready()) {
            let over = work.take();
            drop(work);
            drop_guarded(over);
            return Ran::Over;
        }
        drop(work);
        let rested =
            self.state.compare_exchange(RUNNING, RESTING, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if rested {
            return Ran::Rests;
        }
        self.state.swap(QUEUED, Ordering::AcqRel);
        Ran::Again
    }

    /// Ends it where it is, unless a thread is at it.
    pub(super) fn cut(&self) {
        drop_guarded(self.work.try_lock().and_then(|mut work| work.take()));
    }
}

/// What a connection kept goes with it; a panic there must not take the thread.
fn drop_guarded(work: Option<Work>) {
    if catch_unwind(AssertUnwindSafe(|| drop(work))).is_err() {
        tracing::error!("the end of a connection panicked");
    }
}

impl Wake for Task {
    fn wake(self: Arc<Task>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Task>) {
        if self.has_to_queue() {
            self.crew.queue(Arc::clone(self));
        }
    }
}
