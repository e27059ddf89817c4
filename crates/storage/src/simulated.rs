//! The engine of the simulation: a disk that is only played, and that delays, fails, tears and dies on command. A commit
//! is ordered as on a disk, and is neither visible nor durable before it is told so. Knows no thread and no clock.

mod opened;
mod platter;

use crate::batch::Batch;
use crate::error::Error;
use crate::memory;
use crate::progress::{Durable, Ticket};
use crate::range::{Direction, Range, Visit};
use crate::space::Space;
use crate::stamp::Stamp;
use crate::store::Shortage;
use crate::stripes::{Stripe, Stripes};
use bytes::Bytes;
use opened::Opened;
use parking_lot::Mutex;
use platter::Platter;
use std::fmt;
use std::sync::Arc;

/// A fault that is built in, so that one can see whether a simulation finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Flaw {
    /// There is none.
    #[default]
    None,
    /// A commit is told to be durable before it is.
    AcknowledgesEarly,
    /// One commit that was durable is not there after a crash, though later ones are.
    ForgetsSynced,
    /// Of a commit that was torn by a crash, the writes that are whole are taken.
    ReplaysTorn,
    /// What is ordered can be read before it is durable.
    ShowsEarly,
}

/// What a crash leaves of the commits that were ordered and not durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Tail {
    /// So many of them are whole.
    pub commits: usize,
    /// The next one is cut off after so many thousandths of it.
    pub cut: Option<usize>,
    /// The next one has a wrong byte after so many thousandths of it, and all later ones are whole.
    pub garbled: Option<usize>,
}

/// What a store found when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Found {
    /// Commits that were not yet durable when the store was left, and are there.
    pub kept: u64,
    /// Commits that were durable, and are not there.
    pub lost: u64,
}

/// The handle of a played disk. It outlives the stores that are opened on it, one at a time.
#[derive(Clone, Default)]
pub struct Simulation {
    platter: Arc<Mutex<Platter>>,
    current: Arc<Mutex<Option<Arc<Opened>>>>,
}

/// An open store on a played disk.
pub(crate) struct Simulated {
    opened: Arc<Opened>,
}

/// A view of all spaces at one moment.
pub(crate) struct View {
    view: memory::View,
    opened: Arc<Opened>,
}

impl Simulation {
    /// An empty disk.
    pub fn new(flaw: Flaw) -> Simulation {
        let simulation = Simulation::default();
        simulation.platter.lock().flaw = flaw;
        simulation
    }

    /// Makes the next commits durable and visible, so many at most. Answers how many it were.
    pub fn deliver(&self, commits: usize) -> usize {
        let Some(opened) = self.opened() else { return 0 };
        (0..commits).take_while(|_| matches!(opened.deliver(), Ok(true))).count()
    }

    /// The number of the last commit that was ordered since the store was opened.
    pub fn ordered(&self) -> u64 {
        self.opened().map_or(0, |opened| opened.last().0)
    }

    /// The number of the last commit that is durable.
    pub fn durable(&self) -> u64 {
        self.opened().map_or(0, |opened| opened.durable())
    }

    /// Lets so many more commits, new spaces and drops succeed. The next one fails, and with it all later ones; whether it
    /// is done all the same is said by `leaves`.
    pub fn fail_after(&self, actions: usize, leaves: bool) {
        if let Some(opened) = self.opened() {
            opened.fail_after(actions, leaves);
        }
    }

    /// The next new space or drop of one fails, and nothing else.
    pub fn refuse_space(&self) {
        if let Some(opened) = self.opened() {
            opened.refuse_space();
        }
    }

    /// Says whether there is too little room to add something.
    pub fn set_full(&self, is_full: bool) {
        if let Some(opened) = self.opened() {
            opened.set_full(is_full);
        }
    }

    /// Whether there is too little room to add something.
    pub fn is_full(&self) -> bool {
        self.opened().is_some_and(|opened| opened.is_full())
    }

    /// Whether the store takes no more commits.
    pub fn has_failed(&self) -> bool {
        self.opened().is_some_and(|opened| opened.failure().is_some())
    }

    /// The machine loses its power. The store that is open is of no use any more.
    pub fn crash(&self, tail: Tail) {
        if let Some(opened) = self.current.lock().take() {
            opened.crash(tail);
        }
    }

    /// What the last store found when it was opened.
    pub fn found(&self) -> Found {
        self.platter.lock().found
    }

    fn opened(&self) -> Option<Arc<Opened>> {
        self.current.lock().clone()
    }
}

impl fmt::Debug for Simulation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Simulation").finish_non_exhaustive()
    }
}

impl Simulated {
    /// Reads what is on the disk.
    pub(crate) fn open(simulation: &Simulation, stripes: Arc<Stripes>) -> Simulated {
        let read = simulation.platter.lock().read();
        let opened = Arc::new(Opened::new(Arc::clone(&simulation.platter), read, stripes));
        *simulation.current.lock() = Some(Arc::clone(&opened));
        Simulated { opened }
    }

    pub(crate) fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error> {
        self.view().get(space, key)
    }

    pub(crate) fn view(&self) -> View {
        View { view: self.opened.view(), opened: Arc::clone(&self.opened) }
    }

    pub(crate) fn make_room(&self) -> Result<(), Error> {
        self.opened.check()
    }

    pub(crate) fn order(&self, batch: Batch, stripes: Vec<Option<Stripe>>) -> Result<Ticket, Error> {
        self.opened.order(batch, stripes)
    }

    pub(crate) fn shortage(&self) -> Option<Shortage> {
        self.opened.is_full().then_some(Shortage { free_bytes: 0, enough_bytes: 1 })
    }

    pub(crate) fn last_stamp(&self) -> Stamp {
        self.opened.last_stamp()
    }

    pub(crate) fn raise_stamp(&self, stamp: Stamp) {
        self.opened.raise_stamp(stamp);
    }

    pub(crate) fn durable(&self, ticket: Ticket) -> Durable {
        self.opened.wait_for(ticket)
    }

    /// Delivers what is waited for, as far as that does not fail.
    pub(crate) fn wait(&self, ticket: Ticket) -> Result<(), Error> {
        while self.opened.durable() < ticket.0 {
            self.opened.deliver()?;
        }
        Ok(())
    }

    pub(crate) fn create_space(&self, space: Space) -> Result<(), Error> {
        self.opened.create_space(space)
    }

    pub(crate) fn drop_space(&self, space: Space) -> Result<(), Error> {
        self.opened.drop_space(space)
    }

    pub(crate) fn spaces(&self) -> Vec<Space> {
        self.opened.spaces()
    }

    pub(crate) fn bytes(&self, space: Space) -> u64 {
        self.opened.bytes(space)
    }

    pub(crate) fn close(&self) -> Result<(), Error> {
        self.opened.close()
    }
}

impl View {
    pub(crate) fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error> {
        self.opened.check_space(space)?;
        self.view.get(space, key)
    }

    pub(crate) fn scan(
        &self,
        space: Space,
        range: &Range,
        direction: Direction,
        visit: &mut Visit<'_>,
    ) -> Result<(), Error> {
        self.opened.check_space(space)?;
        self.view.scan(space, range, direction, visit)
    }
}
