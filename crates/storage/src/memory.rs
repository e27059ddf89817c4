//! The engine without a disk: persistent ordered maps. Knows no locks of keys and no waiting, its commits are visible
//! (and as durable as they ever get) at once.

use crate::batch::{Batch, Write};
use crate::error::Error;
use crate::range::{Direction, Range, Visit};
use crate::space::Space;
use crate::stamp::Stamp;
use bytes::Bytes;
use imbl::OrdMap;
use parking_lot::RwLock;
use std::ops::Bound;

/// All spaces, and whether commits are still taken.
#[derive(Default)]
pub(crate) struct Memory {
    state: RwLock<State>,
}

#[derive(Default)]
struct State {
    spaces: View,
    closed: bool,
    last_stamp: Stamp,
}

/// A consistent state of all spaces. A copy shares all its nodes with the original until one of them is written.
#[derive(Clone, Default)]
pub(crate) struct View(OrdMap<Space, Ordered>);

#[derive(Clone, Default)]
struct Ordered {
    entries: OrdMap<Bytes, Bytes>,
    bytes: u64,
}

impl Memory {
    pub(crate) fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error> {
        self.state.read().spaces.get(space, key)
    }

    pub(crate) fn scan(
        &self,
        space: Space,
        range: &Range,
        direction: Direction,
        visit: &mut Visit<'_>,
    ) -> Result<(), Error> {
        // The copy of one map is cheap, and the visitor then runs without a lock.
        let entries = self.state.read().spaces.ordered(space)?.entries.clone();
        walk(&entries, range, direction, visit);
        Ok(())
    }

    pub(crate) fn view(&self) -> View {
        self.state.read().spaces.clone()
    }

    /// Makes a batch visible, all of it or nothing.
    pub(crate) fn write(&self, batch: Batch) -> Result<(), Error> {
        let mut state = self.state.write();
        if state.closed {
            return Err(Error::Closed);
        }
        for write in batch.writes() {
            state.spaces.ordered(write.key.space)?;
        }
        let (appended, mut writes) = batch.into_parts();
        appended.stamp(writes.iter_mut(), &mut state.last_stamp);
        for write in writes {
            state.spaces.set(write);
        }
        Ok(())
    }

    pub(crate) fn last_stamp(&self) -> Stamp {
        self.state.read().last_stamp
    }

    pub(crate) fn raise_stamp(&self, stamp: Stamp) {
        let mut state = self.state.write();
        state.last_stamp = state.last_stamp.max(stamp);
    }

    pub(crate) fn create_space(&self, space: Space) -> Result<(), Error> {
        let mut state = self.state.write();
        if state.closed {
            return Err(Error::Closed);
        }
        state.spaces.create(space);
        Ok(())
    }

    pub(crate) fn drop_space(&self, space: Space) -> Result<(), Error> {
        let mut state = self.state.write();
        if state.closed {
            return Err(Error::Closed);
        }
        if state.spaces.remove(space) { Ok(()) } else { Err(Error::NoSpace { space: space.0 }) }
    }

    pub(crate) fn spaces(&self) -> Vec<Space> {
        self.state.read().spaces.spaces()
    }

    pub(crate) fn bytes(&self, space: Space) -> u64 {
        self.state.read().spaces.0.get(&space).map_or(0, |ordered| ordered.bytes)
    }

    pub(crate) fn close(&self) {
        self.state.write().closed = true;
    }
}

impl View {
    pub(crate) fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error> {
        Ok(self.ordered(space)?.entries.get(key).cloned())
    }

    pub(crate) fn scan(
        &self,
        space: Space,
        range: &Range,
        direction: Direction,
        visit: &mut Visit<'_>,
    ) -> Result<(), Error> {
        walk(&self.ordered(space)?.entries, range, direction, visit);
        Ok(())
    }

    /// Writes one value; one of a space that is not there goes nowhere.
    pub(crate) fn set(&mut self, write: Write) {
        if let Some(ordered) = self.0.get_mut(&write.key.space) {
            ordered.set(write.key.bytes, write.value);
        }
    }

    /// Adds a space; one that is there stays as it is.
    pub(crate) fn create(&mut self, space: Space) {
        self.0.entry(space).or_default();
    }

    /// Takes a space away with all its values. Answers whether it was there.
    pub(crate) fn remove(&mut self, space: Space) -> bool {
        self.0.remove(&space).is_some()
    }

    /// All spaces, in order.
    pub(crate) fn spaces(&self) -> Vec<Space> {
        self.0.keys().copied().collect()
    }

    fn ordered(&self, space: Space) -> Result<&Ordered, Error> {
        self.0.get(&space).ok_or(Error::NoSpace { space: space.0 })
    }
}

impl Ordered {
    fn set(&mut self, key: Bytes, value: Option<Bytes>) {
        let key_bytes = key.len();
        let added = value.as_ref().map_or(0, |value| key_bytes + value.len());
        let before = match value {
            Some(value) => self.entries.insert(key, value),
            None => self.entries.remove(&key),
        };
        let removed = before.map_or(0, |before| key_bytes + before.len());
        self.bytes = (self.bytes + added as u64).saturating_sub(removed as u64);
    }
}

fn walk(entries: &OrdMap<Bytes, Bytes>, range: &Range, direction: Direction, visit: &mut Visit<'_>) {
    if range.is_empty() {
        return;
    }
    let bounds = (as_slice(&range.from), as_slice(&range.to));
    let mut entries = entries.range::<_, [u8]>(bounds);
    loop {
        let entry = match direction {
            Direction::Forward => entries.next(),
            Direction::Backward => entries.next_back(),
        };
        let Some((key, value)) = entry else { return };
        if visit(key, value).is_break() {
            return;
        }
    }
}

fn as_slice(bound: &Bound<Bytes>) -> Bound<&[u8]> {
    match bound {
        Bound::Included(bytes) => Bound::Included(bytes.as_ref()),
        Bound::Excluded(bytes) => Bound::Excluded(bytes.as_ref()),
        Bound::Unbounded => Bound::Unbounded,
    }
}
