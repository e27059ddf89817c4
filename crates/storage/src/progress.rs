//! How far commits are durable, and who waits for it. Knows neither what a commit holds nor how it is synced.

use crate::error::Error;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// The place of a commit in the order of all commits. Later commits have greater tickets, and a ticket is durable only
/// when all lesser ones are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub(crate) u64);

impl Ticket {
    /// The ticket of a call that neither wrote nor read anything a crash could undo.
    pub const NONE: Ticket = Ticket(0);
}

/// Resolves when its ticket is durable, or with the error that keeps it from becoming so.
#[derive(Debug)]
pub struct Durable {
    ticket: Ticket,
    progress: Option<Arc<Progress>>,
    /// The number of this waiter's entry in the waiting list, once it has one.
    waiter: Option<u64>,
}

/// The highest durable ticket and the wakers of those who wait for more.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    durable: AtomicU64,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    wakers: BTreeMap<(Ticket, u64), Waker>,
    waiters_seen: u64,
    failure: Option<Error>,
}

impl Progress {
    /// Everything up to `ticket` is durable: wakes those who wait for it.
    pub(crate) fn advance(&self, ticket: Ticket) {
        let due = {
            let mut waiting = self.waiting.lock();
            self.durable.store(ticket.0, Ordering::Release);
            let later = waiting.wakers.split_off(&(Ticket(ticket.0.saturating_add(1)), 0));
            std::mem::replace(&mut waiting.wakers, later)
        };
        for waker in due.into_values() {
            waker.wake();
        }
    }

    /// Nothing beyond the durable tickets will ever become durable: tells everybody who waits.
    pub(crate) fn fail(&self, error: Error) {
        let due = {
            let mut waiting = self.waiting.lock();
            waiting.failure.get_or_insert(error);
            std::mem::take(&mut waiting.wakers)
        };
        for waker in due.into_values() {
            waker.wake();
        }
    }

    fn is_durable(&self, ticket: Ticket) -> bool {
        self.durable.load(Ordering::Acquire) >= ticket.0
    }
}

impl Durable {
    /// A wait that is over already.
    pub(crate) fn ready() -> Durable {
        Durable { ticket: Ticket::NONE, progress: None, waiter: None }
    }

    pub(crate) fn new(progress: &Arc<Progress>, ticket: Ticket) -> Durable {
        if progress.is_durable(ticket) {
            return Durable::ready();
        }
        Durable { ticket, progress: Some(Arc::clone(progress)), waiter: None }
    }

    /// Blocks the thread until the ticket is durable.
    pub(crate) fn block(mut self) -> Result<(), Error> {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            match Pin::new(&mut self).poll(&mut context) {
                Poll::Ready(outcome) => return outcome,
                Poll::Pending => thread::park(),
            }
        }
    }
}

impl Future for Durable {
    type Output = Result<(), Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let Some(progress) = &this.progress else { return Poll::Ready(Ok(())) };
        if progress.is_durable(this.ticket) {
            return Poll::Ready(Ok(()));
        }
        let mut waiting = progress.waiting.lock();
        // INVARIANT: `durable` changes only under this lock, so a waker stored here cannot be missed.
        if progress.is_durable(this.ticket) {
            return Poll::Ready(Ok(()));
        }
        if let Some(error) = &waiting.failure {
            return Poll::Ready(Err(error.clone()));
        }
        let waiter = *this.waiter.get_or_insert_with(|| {
            waiting.waiters_seen += 1;
            waiting.waiters_seen
        });
        waiting.wakers.insert((this.ticket, waiter), context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Durable {
    fn drop(&mut self) {
        if let (Some(progress), Some(waiter)) = (&self.progress, self.waiter)
            && !progress.is_durable(self.ticket)
        {
            progress.waiting.lock().wakers.remove(&(self.ticket, waiter));
        }
    }
}

/// Wakes a thread that is parked in `Durable::block`.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
