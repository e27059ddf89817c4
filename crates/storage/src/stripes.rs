//! Key locks, and the values that are ordered but not yet visible. Knows neither engine nor disk.
//!
//! A key belongs to one of many stripes. The lock of a stripe also guards the newest values of its keys between order
//! and visibility (the overlay), so one lock answers both "may I decide about this key" and "what is its latest value".

use crate::batch::Write;
use crate::progress::Ticket;
use crate::space::Key;
use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

const STRIPES: usize = 1024;

/// All stripes of a store.
pub(crate) struct Stripes {
    stripes: Vec<Mutex<Overlay>>,
    hasher: RandomState,
}

type Overlay = HashMap<Key, Pending>;

/// The newest value of a key that is ordered but perhaps not yet visible; no value means deleted.
struct Pending {
    value: Option<Bytes>,
    ticket: Ticket,
}

/// The number of a stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stripe(usize);

/// What the overlay knows of a key.
pub(crate) enum Latest {
    /// This value, of this commit.
    Ordered(Option<Bytes>, Ticket),
    /// Nothing: the visible value is the latest one.
    Visible,
}

/// The held locks of some keys.
pub(crate) struct Locked<'a> {
    stripes: &'a Stripes,
    /// In ascending order of the stripes, each once.
    held: Vec<(Stripe, MutexGuard<'a, Overlay>)>,
}

impl Stripes {
    pub(crate) fn new() -> Stripes {
        Stripes { stripes: (0..STRIPES).map(|_| Mutex::default()).collect(), hasher: RandomState::new() }
    }

    /// Locks the stripes of these keys. All callers lock in the same order, so none waits in a circle.
    pub(crate) fn lock(&self, keys: &[Key]) -> Locked<'_> {
        let mut wanted: Vec<Stripe> = keys.iter().map(|key| self.stripe(key)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let held = wanted
            .into_iter()
            .filter_map(|stripe| Some((stripe, self.stripes.get(stripe.0)?.lock())))
            .collect();
        Locked { stripes: self, held }
    }

    /// Forgets the pending value of a key, if it is still the one of this commit.
    pub(crate) fn settle(&self, stripe: Stripe, key: &Key, ticket: Ticket) {
        let Some(overlay) = self.stripes.get(stripe.0) else { return };
        let mut overlay = overlay.lock();
        if overlay.get(key).is_some_and(|pending| pending.ticket == ticket) {
            overlay.remove(key);
            if overlay.is_empty() && overlay.capacity() > 64 {
                overlay.shrink_to_fit();
            }
        }
    }

    fn stripe(&self, key: &Key) -> Stripe {
        Stripe((self.hasher.hash_one(key) as usize) % STRIPES)
    }
}

impl Locked<'_> {
    /// The latest value of a locked key, as far as the overlay has one.
    pub(crate) fn latest(&self, key: &Key) -> Latest {
        let stripe = self.stripes.stripe(key);
        let pending = self.position(stripe).and_then(|at| self.held.get(at)?.1.get(key));
        match pending {
            Some(pending) => Latest::Ordered(pending.value.clone(), pending.ticket),
            None => Latest::Visible,
        }
    }

    /// The stripe of a written key, if it is among the held ones.
    pub(crate) fn held(&self, key: &Key) -> Option<Stripe> {
        let stripe = self.stripes.stripe(key);
        self.position(stripe).map(|_| stripe)
    }

    /// Notes what an ordered commit wrote to the locked keys.
    pub(crate) fn record(&mut self, stripe: Stripe, write: Write, ticket: Ticket) {
        let Some((_, overlay)) = self.position(stripe).and_then(|at| self.held.get_mut(at)) else { return };
        let pending = Pending { value: write.value, ticket };
        overlay.insert(write.key, pending);
    }

    fn position(&self, stripe: Stripe) -> Option<usize> {
        self.held.binary_search_by_key(&stripe, |(held, _)| *held).ok()
    }
}
