//! What readers see: memory tables over files. Knows no commits on their way.

use super::memtable::Memtable;
use super::merge::{self, Source};
use super::sorted::Sorted;
use crate::error::Error;
use crate::range::{Direction, Range, Visit};
use bytes::Bytes;
use imbl::HashMap;
use parking_lot::RwLock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Everything that is there, the newest first. What was visible in it stays so, whatever is written or merged later.
#[derive(Clone)]
pub(super) struct Layers {
    /// Where commits go.
    active: Arc<Memtable>,
    /// The last commit of the active memory table that readers may see.
    visible: Arc<AtomicU64>,
    /// Memory tables that are being written out, the newest first.
    sealed: Vec<Arc<Memtable>>,
    /// The files of each room that has some.
    sorted: HashMap<u64, Arc<Sorted>>,
}

/// The layers as they are now.
pub(super) struct Current(RwLock<Arc<Layers>>);

/// The layers as they were, and how much of them was visible.
#[derive(Clone)]
pub(super) struct Seen {
    layers: Arc<Layers>,
    visible: u64,
}

impl Current {
    pub(super) fn new(
        active: Arc<Memtable>,
        visible: u64,
        sealed: Vec<Arc<Memtable>>,
        sorted: HashMap<u64, Arc<Sorted>>,
    ) -> Current {
        let visible = Arc::new(AtomicU64::new(visible));
        Current(RwLock::new(Arc::new(Layers { active, visible, sealed, sorted })))
    }

    /// What a reader that comes now may see.
    pub(super) fn look(&self) -> Seen {
        let layers = Arc::clone(&self.0.read());
        let visible = layers.visible.load(Ordering::Acquire);
        Seen { layers, visible }
    }

    /// The memory table that commits go to. Only the committer adds to it.
    pub(super) fn active(&self) -> Arc<Memtable> {
        Arc::clone(&self.0.read().active)
    }

    /// Shows everything up to this commit.
    pub(super) fn show(&self, commit: u64) {
        self.0.read().visible.store(commit, Ordering::Release);
    }

    pub(super) fn sealed(&self) -> usize {
        self.0.read().sealed.len()
    }

    /// Puts a new memory table on top; the old one takes no more commits.
    pub(super) fn seal(&self) -> Arc<Memtable> {
        let mut current = self.0.write();
        let mut layers = Layers::clone(&current);
        let old = std::mem::take(&mut layers.active);
        layers.sealed.insert(0, Arc::clone(&old));
        // Those who have looked before see the old one up to where it ended.
        layers.visible = Arc::new(AtomicU64::new(layers.visible.load(Ordering::Acquire)));
        *current = Arc::new(layers);
        old
    }

    /// The files of some rooms have changed, and hold a memory table that was written out, if one is given.
    ///
    /// INVARIANT: whoever calls this has looked at the files and calls it under one lock, or a newer look could be replaced
    /// by an older one.
    pub(super) fn replace(&self, changed: Vec<(u64, Option<Arc<Sorted>>)>, written: Option<&Arc<Memtable>>) {
        let mut current = self.0.write();
        let mut layers = Layers::clone(&current);
        for (room, sorted) in changed {
            match sorted {
                Some(sorted) => drop(layers.sorted.insert(room, sorted)),
                None => drop(layers.sorted.remove(&room)),
            }
        }
        layers.sealed.retain(|memtable| !written.is_some_and(|written| Arc::ptr_eq(memtable, written)));
        let before = std::mem::replace(&mut *current, Arc::new(layers));
        drop(current);
        // What goes with the old ones may be much, and nobody who reads should wait for that.
        drop(before);
    }

    /// Bytes in files of a room.
    pub(super) fn bytes(&self, room: u64) -> u64 {
        self.0.read().sorted.get(&room).map_or(0, |sorted| sorted.bytes())
    }
}

impl Seen {
    pub(super) fn get(&self, room: u64, key: &[u8]) -> Result<Option<Bytes>, Error> {
        let layers = &*self.layers;
        if let Some(value) = layers.active.get(room, key, self.visible) {
            return Ok(value);
        }
        for memtable in &layers.sealed {
            if let Some(value) = memtable.get(room, key, u64::MAX) {
                return Ok(value);
            }
        }
        layers.sorted.get(&room).map_or(Ok(None), |sorted| sorted.get(key))
    }

    pub(super) fn scan(
        &self,
        room: u64,
        range: &Range,
        direction: Direction,
        visit: &mut Visit<'_>,
    ) -> Result<(), Error> {
        let layers = &*self.layers;
        let mut sources: Vec<Source<'_>> = Vec::with_capacity(layers.sealed.len() + 2);
        sources.push(source(&layers.active, room, range, direction, self.visible));
        for memtable in &layers.sealed {
            sources.push(source(memtable, room, range, direction, u64::MAX));
        }
        if let Some(sorted) = layers.sorted.get(&room) {
            sources.push(Box::new(sorted.walk(range, direction)?));
        }
        merge::scan(sources, direction, visit)
    }
}

fn source<'a>(
    memtable: &'a Memtable,
    room: u64,
    range: &Range,
    direction: Direction,
    commit: u64,
) -> Source<'a> {
    let (from, to) = (range.from.as_ref(), range.to.as_ref());
    match direction {
        Direction::Forward => Box::new(memtable.ascending(room, from, to, commit).map(Ok)),
        Direction::Backward => Box::new(memtable.descending(room, from, to, commit).map(Ok)),
    }
}
