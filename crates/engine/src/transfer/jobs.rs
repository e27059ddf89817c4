//! All jobs by ARN, as the latest commit that concerns them left them. Knows not what they do.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};
use storage::{Error, Store, Ticket};

use super::{Job, KEPT_MS};
use crate::catalog::{CATALOG, jobs};

/// All jobs.
#[derive(Default)]
pub(crate) struct Jobs {
    state: Mutex<State>,
    wanted: Condvar,
    /// Held by the one who starts a job, so that a token starts one job only.
    starting: Mutex<()>,
    /// Held by the one who changes a job, from looking at it until its record has its place among the commits.
    changing: Mutex<()>,
}

#[derive(Default)]
struct State {
    jobs: BTreeMap<String, Kept>,
    /// The ARNs of those that somebody is carrying out.
    carried: BTreeSet<String>,
    woken: bool,
}

/// A job, and what must be durable before it may be told of.
#[derive(Clone)]
struct Kept {
    job: Arc<Job>,
    ticket: Ticket,
}

impl Jobs {
    /// Reads all jobs.
    pub(crate) fn open(store: &Store) -> Result<Jobs, Error> {
        let jobs = Jobs::default();
        if store.spaces().contains(&CATALOG) {
            for job in jobs::read_all(store)? {
                jobs.keep(job, Ticket::NONE);
            }
        }
        Ok(jobs)
    }

    /// Keeps others from starting a job.
    pub(super) fn start(&self) -> MutexGuard<'_, ()> {
        self.starting.lock()
    }

    /// Keeps others from changing a job.
    pub(super) fn change(&self) -> MutexGuard<'_, ()> {
        self.changing.lock()
    }

    /// Takes in how a job stands. The one who changes it holds [`Jobs::change`].
    pub(super) fn keep(&self, job: Job, ticket: Ticket) {
        let mut state = self.state.lock();
        let known = state.jobs.insert(job.arn().to_owned(), Kept { job: Arc::new(job), ticket });
        if known.is_none() {
            state.woken = true;
            self.wanted.notify_all();
        }
    }

    /// A job, and the ticket that must be durable before it is told of.
    pub(super) fn get(&self, arn: &str) -> Option<(Arc<Job>, Ticket)> {
        let state = self.state.lock();
        let kept = state.jobs.get(arn)?;
        Some((Arc::clone(&kept.job), kept.ticket))
    }

    /// All jobs that are still told of, in the order of their ARNs, and a ticket for all of them.
    pub(super) fn all(&self, now_ms: u64) -> (Vec<Arc<Job>>, Ticket) {
        let state = self.state.lock();
        let told = state.jobs.values().filter(|kept| !is_over(&kept.job, now_ms));
        let (mut jobs, mut ticket) = (Vec::new(), Ticket::NONE);
        for kept in told {
            jobs.push(Arc::clone(&kept.job));
            ticket = ticket.max(kept.ticket);
        }
        (jobs, ticket)
    }

    /// Those that nobody needs to be told of any more.
    pub(super) fn over(&self, now_ms: u64) -> Vec<Job> {
        let state = self.state.lock();
        let over = state.jobs.values().filter(|kept| is_over(&kept.job, now_ms));
        over.map(|kept| kept.job.as_ref().clone()).collect()
    }

    /// Forgets some.
    pub(super) fn forget(&self, jobs: &[Job]) {
        let mut state = self.state.lock();
        for job in jobs {
            state.jobs.remove(job.arn());
        }
    }

    /// The oldest job that is open and that nobody carries out. From here on the caller does.
    pub(super) fn take(&self) -> Option<Arc<Job>> {
        let mut state = self.state.lock();
        let free =
            state.jobs.values().filter(|kept| kept.job.is_open() && !state.carried.contains(kept.job.arn()));
        let job = Arc::clone(&free.min_by_key(|kept| kept.job.start_ms())?.job);
        state.carried.insert(job.arn().to_owned());
        Some(job)
    }

    /// Nobody is to carry this job out.
    pub(super) fn leave(&self, arn: &str) {
        self.state.lock().carried.insert(arn.to_owned());
    }

    /// The caller does not carry the job out any more.
    pub(super) fn let_go(&self, arn: &str) {
        let mut state = self.state.lock();
        state.carried.remove(arn);
        state.woken = true;
        self.wanted.notify_all();
    }

    /// Waits until something changed, but not longer than this.
    pub(super) fn wait(&self, at_most: Duration) {
        let mut state = self.state.lock();
        if !state.woken {
            self.wanted.wait_for(&mut state, at_most);
        }
        state.woken = false;
    }

    /// Ends a wait.
    pub(super) fn wake(&self) {
        self.state.lock().woken = true;
        self.wanted.notify_all();
    }
}

fn is_over(job: &Job, now_ms: u64) -> bool {
    job.end_ms().is_some_and(|end_ms| end_ms.saturating_add(KEPT_MS) <= now_ms)
}
