//! A played disk while it is open: what is visible, what is queued, and what is to go wrong. Knows no bytes of the disk.

use super::platter::{self, Platter, Read};
use super::{Flaw, Tail};
use crate::batch::{Batch, Write};
use crate::error::Error;
use crate::memory::View;
use crate::progress::{Durable, Progress, Ticket};
use crate::space::Space;
use crate::stamp::Stamp;
use crate::stripes::{Stripe, Stripes};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::sync::Arc;

/// A store from its opening to its end.
pub(super) struct Opened {
    platter: Arc<Mutex<Platter>>,
    progress: Arc<Progress>,
    stripes: Arc<Stripes>,
    /// Held by the one who delivers, so that commits become durable in their order.
    delivering: Mutex<()>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    view: View,
    written: BTreeMap<Space, u64>,
    /// Spaces that can be used; one that is being dropped is in the view only.
    spaces: BTreeSet<Space>,
    queue: VecDeque<Commit>,
    last: u64,
    durable: u64,
    last_stamp: Stamp,
    closed: bool,
    failure: Option<Error>,
    fails: Option<Fails>,
    refuses_space: bool,
    is_full: bool,
}

/// What is to fail.
#[derive(Clone, Copy)]
struct Fails {
    after: usize,
    leaves: bool,
}

/// An ordered commit.
struct Commit {
    ticket: Ticket,
    writes: Vec<(Write, Option<Stripe>)>,
    frame: Vec<u8>,
}

impl Opened {
    pub(super) fn new(platter: Arc<Mutex<Platter>>, read: Read, stripes: Arc<Stripes>) -> Opened {
        let spaces = read.view.spaces().into_iter().collect();
        let state = State { view: read.view, written: read.written, spaces, ..State::default() };
        Opened {
            platter,
            progress: Arc::default(),
            stripes,
            delivering: Mutex::default(),
            state: Mutex::new(state),
        }
    }

    pub(super) fn view(&self) -> View {
        self.state.lock().view.clone()
    }

    pub(super) fn check_space(&self, space: Space) -> Result<(), Error> {
        self.state.lock().check_space(space)
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        self.state.lock().check()
    }

    pub(super) fn failure(&self) -> Option<Error> {
        self.state.lock().failure.clone()
    }

    /// Gives a batch the next ticket, and the next stamp to what it appends.
    pub(super) fn order(&self, batch: Batch, stripes: Vec<Option<Stripe>>) -> Result<Ticket, Error> {
        let mut state = self.state.lock();
        state.check()?;
        for write in batch.writes() {
            state.check_space(write.key.space)?;
        }
        let (appended, mut writes) = batch.into_parts();
        appended.stamp(writes.iter_mut(), &mut state.last_stamp);
        state.last += 1;
        let ticket = Ticket(state.last);
        let frame = platter::frame(&writes);
        if self.platter.lock().flaw == Flaw::ShowsEarly {
            writes.iter().for_each(|write| state.view.set(write.share()));
        }
        let writes = writes.into_iter().zip(stripes).collect();
        state.queue.push_back(Commit { ticket, writes, frame });
        Ok(ticket)
    }

    /// Makes the next commit durable and visible. Answers whether there was one.
    pub(super) fn deliver(&self) -> Result<bool, Error> {
        let _alone = self.delivering.lock();
        self.deliver_next()
    }

    /// The caller holds `delivering`.
    fn deliver_next(&self) -> Result<bool, Error> {
        let mut state = self.state.lock();
        if let Some(error) = &state.failure {
            return Err(error.clone());
        }
        if state.queue.is_empty() {
            return Ok(false);
        }
        if state.is_to_fail().is_some() {
            return Err(self.fail(&mut state));
        }
        let Some(commit) = state.queue.pop_front() else { return Ok(false) };
        self.platter.lock().commit(&commit.frame);
        for (write, _) in &commit.writes {
            *state.written.entry(write.key.space).or_default() += platter::size(write);
            state.view.set(write.share());
        }
        state.durable = commit.ticket.0;
        drop(state);
        // Stripes are locked before the state by those who order, so never the other way round.
        for (write, stripe) in &commit.writes {
            if let Some(stripe) = stripe {
                self.stripes.settle(*stripe, &write.key, commit.ticket);
            }
        }
        self.progress.advance(commit.ticket);
        Ok(true)
    }

    fn fail(&self, state: &mut State) -> Error {
        let failure = Error::Failed { detail: "the simulation wants it so".into() };
        state.failure = Some(failure.clone());
        self.progress.fail(failure.clone());
        failure
    }

    pub(super) fn create_space(&self, space: Space) -> Result<(), Error> {
        let mut state = self.state.lock();
        state.check()?;
        if state.spaces.contains(&space) {
            return Ok(());
        }
        self.change_spaces(&mut state, space, true)?;
        state.view.create(space);
        state.spaces.insert(space);
        Ok(())
    }

    pub(super) fn drop_space(&self, space: Space) -> Result<(), Error> {
        self.check()?;
        let _alone = self.delivering.lock();
        if !self.state.lock().spaces.remove(&space) {
            return Err(Error::NoSpace { space: space.0 });
        }
        let drained = loop {
            match self.deliver_next() {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        let mut state = self.state.lock();
        let dropped = drained.and_then(|()| self.change_spaces(&mut state, space, false));
        if dropped.is_err() {
            state.spaces.insert(space);
            return dropped;
        }
        state.view.remove(space);
        state.written.remove(&space);
        Ok(())
    }

    /// Writes down that a space is made or dropped, if that is not to fail.
    fn change_spaces(&self, state: &mut State, space: Space, is_made: bool) -> Result<(), Error> {
        if std::mem::take(&mut state.refuses_space) {
            let refused = io::Error::from(io::ErrorKind::StorageFull);
            return Err(Error::io("change the spaces", refused));
        }
        let fails = state.is_to_fail();
        if fails.is_none_or(|fails| fails.leaves) {
            self.platter.lock().note_space(space, is_made);
        }
        if fails.is_some() { Err(self.fail(state)) } else { Ok(()) }
    }

    pub(super) fn spaces(&self) -> Vec<Space> {
        self.state.lock().spaces.iter().copied().collect()
    }

    pub(super) fn bytes(&self, space: Space) -> u64 {
        self.state.lock().written.get(&space).copied().unwrap_or(0)
    }

    pub(super) fn last(&self) -> Ticket {
        Ticket(self.state.lock().last)
    }

    pub(super) fn durable(&self) -> u64 {
        self.state.lock().durable
    }

    pub(super) fn wait_for(&self, ticket: Ticket) -> Durable {
        Durable::new(&self.progress, ticket)
    }

    pub(super) fn last_stamp(&self) -> Stamp {
        self.state.lock().last_stamp
    }

    pub(super) fn raise_stamp(&self, stamp: Stamp) {
        let mut state = self.state.lock();
        state.last_stamp = state.last_stamp.max(stamp);
    }

    pub(super) fn fail_after(&self, after: usize, leaves: bool) {
        self.state.lock().fails = Some(Fails { after, leaves });
    }

    pub(super) fn set_full(&self, is_full: bool) {
        self.state.lock().is_full = is_full;
    }

    pub(super) fn is_full(&self) -> bool {
        self.state.lock().is_full
    }

    pub(super) fn refuse_space(&self) {
        self.state.lock().refuses_space = true;
    }

    pub(super) fn close(&self) -> Result<(), Error> {
        self.state.lock().closed = true;
        while self.deliver()? {}
        self.platter.lock().flush();
        Ok(())
    }

    /// The power goes: some of what is queued may be on the disk.
    pub(super) fn crash(&self, tail: Tail) {
        let _alone = self.delivering.lock();
        let mut state = self.state.lock();
        let queue = std::mem::take(&mut state.queue);
        self.platter.lock().crash(queue.iter().map(|commit| commit.frame.as_slice()), tail);
        state.failure = Some(Error::Closed);
        self.progress.fail(Error::Closed);
    }
}

impl State {
    fn check(&self) -> Result<(), Error> {
        match &self.failure {
            Some(error) => Err(error.clone()),
            None if self.closed => Err(Error::Closed),
            None => Ok(()),
        }
    }

    fn check_space(&self, space: Space) -> Result<(), Error> {
        if self.spaces.contains(&space) { Ok(()) } else { Err(Error::NoSpace { space: space.0 }) }
    }

    /// How the action that is due now is to fail, if it is.
    fn is_to_fail(&mut self) -> Option<Fails> {
        let fails = self.fails.as_mut()?;
        if fails.after == 0 {
            return self.fails;
        }
        fails.after -= 1;
        None
    }
}
