//! All tables: their definitions in memory and in the store, and the background work they leave behind.
//! Knows no requests and no items.
//!
//! Definitions lie in a space of their own. A change is written and durable before anybody sees it, so what is
//! described once is not undone by a crash.

mod backups;
mod changes;
mod copies;
mod fields;
mod gone;
pub(crate) mod jobs;
mod log;
mod record;
mod saved;
mod tasks;
mod together;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use storage::{Batch, Error, Space, Store};

use self::saved::Saved;
use crate::aside;
use crate::schema::{Stats, Table};

pub(crate) use backups::Backup;
pub(crate) use changes::Changes;
pub(crate) use copies::{COPIES, Copy, Figures, Purpose, Stage, note_cleared, own_place};
pub(crate) use record::{fills, no_ttl};
pub(crate) use tasks::{Age, Clear, Count, Fill, Task, Tasks};
pub(crate) use together::{Begin, Ended};

/// Where definitions lie, and the tokens of transactions. It is made with the first table: an empty database starts
/// without waiting for the disk.
pub(crate) const CATALOG: Space = Space(0);
/// How many empty spaces are kept ready: making one takes many syncs, for which nobody should wait who makes a table.
const SPARES: usize = 8;
/// Tables and indexes have the numbers from here on.
const SPACE_FIRST: u64 = 16;

const NEXT_SPACE: &[u8] = b"next_space";
const TABLE: &[u8] = b"table/";
const STATS: &[u8] = b"stats/";
const FILL: &[u8] = b"fill/";

/// All tables by name.
pub(crate) struct Catalog {
    tables: RwLock<BTreeMap<String, Arc<TableCell>>>,
    /// Deleted tables whose logs are still there, by the space of the log.
    gone: RwLock<BTreeMap<Space, Arc<Table>>>,
    /// Backups by ARN.
    backups: RwLock<BTreeMap<String, Arc<Backup>>>,
    /// Copies that are being made or are ready to be read, as they began, by number.
    copies: RwLock<BTreeMap<u64, Copy>>,
    /// The next number for a space. Held by the one who changes definitions.
    next_space: Mutex<u64>,
    /// Empty spaces that belong to nobody.
    spares: Mutex<Vec<Space>>,
    /// Spaces whose items are not counted yet; their figures may not be written down.
    uncounted: Mutex<BTreeSet<Space>>,
    tasks: Tasks,
}

/// A table's definition, which changes while the table is in use.
///
/// INVARIANT: who writes items holds the read guard from reading the definition until the write is ordered. Then
/// whoever holds the write guard knows that every later write follows the new definition.
/// INVARIANT: nobody takes a second guard of a cell they hold, and guards of several cells are taken in the order of
/// the names; else two of them could wait for each other's waiting changes.
#[derive(Debug)]
pub(crate) struct TableCell(RwLock<Arc<Table>>);

impl TableCell {
    fn new(table: Table) -> Arc<TableCell> {
        Arc::new(TableCell(RwLock::new(Arc::new(table))))
    }

    /// The definition, which stays as long as the guard is held. It is there at once unless somebody changes it.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Arc<Table>> {
        self.0.try_read().unwrap_or_else(|| aside::wait(|| self.0.read()))
    }

    /// Keeps all writes of items away.
    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, Arc<Table>> {
        self.0.write()
    }

    /// The definition at this moment.
    pub(crate) fn table(&self) -> Arc<Table> {
        Arc::clone(&self.read())
    }
}

impl Catalog {
    /// Reads all definitions, drops spaces that belong to none of them, and takes up the work that was left.
    pub(crate) fn open(store: &Store) -> Result<Catalog, Error> {
        let spaces = store.spaces();
        let saved = if spaces.contains(&CATALOG) { Saved::read(store)? } else { Saved::default() };
        let logs = saved.gone.iter().filter_map(|table| Some(table.log.as_ref()?.space));
        let backups = saved.backups.iter().map(|backup| backup.place.space);
        let copies = saved.copies.iter().flat_map(|copy| copy.reads().chain([copy.to.space]));
        let tables = saved.tables.iter().flat_map(spaces_of);
        let used: BTreeSet<Space> = tables.chain(logs).chain(backups).chain(copies).collect();
        // INVARIANT: a table is written down after its spaces are made and taken away before they are dropped.
        if let Some(lost) = used.iter().find(|space| !spaces.contains(space)) {
            let detail = format!("the space {} of a table or an index is missing", lost.0);
            return Err(Error::Corrupt { file: "catalog".into(), detail });
        }
        let highest = spaces.last().map_or(0, |space| space.0);
        let catalog = Catalog {
            tables: RwLock::default(),
            gone: RwLock::default(),
            backups: RwLock::default(),
            copies: RwLock::default(),
            next_space: Mutex::new(saved.next_space.max(highest + 1).max(SPACE_FIRST)),
            spares: Mutex::default(),
            uncounted: Mutex::default(),
            tasks: Tasks::default(),
        };
        for space in spaces.into_iter().filter(|space| space.0 >= SPACE_FIRST && !used.contains(space)) {
            // What was never written takes no bytes. A space whose items were all deleted does, and is not looked through.
            if catalog.wants_spares() && store.bytes_on_disk(space) == 0 {
                catalog.spares.lock().push(space);
            } else {
                catalog.tasks.push(Task::Drop(space));
            }
        }
        catalog.take_up(store, saved)?;
        Ok(catalog)
    }

    /// Writes down how many items there are, where it is known.
    pub(crate) fn close(&self, store: &Store) -> Result<(), Error> {
        let uncounted = self.uncounted.lock().clone();
        let mut figures: Vec<(Space, (u64, u64))> = Vec::new();
        for cell in self.cells() {
            let table = cell.table();
            figures.push((table.space, table.stats.figures()));
            let filled = table.indexes().filter(|index| !record::fills(&table, index));
            figures.extend(filled.map(|index| (index.space, index.stats.figures())));
        }
        figures.retain(|(space, _)| !uncounted.contains(space));
        self.tasks.wake();
        if figures.is_empty() {
            return Ok(());
        }
        write(store, |batch| {
            for (space, (items, bytes)) in &figures {
                batch.put(
                    CATALOG,
                    key_of(STATS, *space),
                    [items.to_be_bytes(), bytes.to_be_bytes()].concat(),
                );
            }
        })
    }

    /// The table of this name.
    pub(crate) fn cell(&self, name: &str) -> Option<Arc<TableCell>> {
        self.tables.read().get(name).cloned()
    }

    /// All tables in the order of their names.
    pub(crate) fn cells(&self) -> Vec<Arc<TableCell>> {
        self.tables.read().values().cloned().collect()
    }

    /// All names, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        self.tables.read().keys().cloned().collect()
    }

    /// At most so many names after this one, in order, and whether there are more.
    pub(crate) fn names_after(&self, after: Option<&str>, limit: usize) -> (Vec<String>, bool) {
        let tables = self.tables.read();
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut rest = tables.range::<str, _>((from, Bound::Unbounded));
        let names = rest.by_ref().take(limit).map(|(name, _)| name.clone()).collect();
        (names, rest.next().is_some())
    }

    /// Waits until nobody else changes definitions.
    pub(crate) fn changes<'a>(&'a self, store: &'a Store) -> Changes<'a> {
        Changes { catalog: self, store, next_space: self.next_space.lock(), taken: Vec::new() }
    }

    /// Whether there are fewer empty spaces than should be kept ready.
    pub(crate) fn wants_spares(&self) -> bool {
        self.spares.lock().len() < SPARES
    }

    /// Makes one more space that is ready for later. Answers whether there should be more.
    pub(crate) fn add_spare(&self, store: &Store) -> Result<bool, Error> {
        // Making it takes many syncs. Nobody who changes definitions waits for them.
        let space = self.changes(store).new_space();
        store.create_space(space)?;
        self.spares.lock().push(space);
        Ok(self.wants_spares())
    }

    /// Drops a space that belonged to something that is gone. Whoever still needs it drops it when they are done.
    pub(crate) fn drop_unused(&self, store: &Store, space: Space) -> Result<(), Error> {
        if self.is_used(space) {
            return Ok(());
        }
        match store.drop_space(space) {
            Err(Error::NoSpace { .. }) => Ok(()),
            dropped => dropped,
        }
    }

    /// The background work to do.
    pub(crate) fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Starts to count the items of a space as they are in a snapshot.
    pub(crate) fn count(&self, count: Count) -> Task {
        self.uncounted.lock().insert(count.space);
        Task::Count(count)
    }

    /// The items of a space are counted, or it is gone.
    pub(crate) fn counted(&self, space: Space) {
        self.uncounted.lock().remove(&space);
    }

    /// Puts the tables that were found in their places. Figures that were written down are good for one start only.
    fn take_up(&self, store: &Store, saved: Saved) -> Result<(), Error> {
        let snapshot = Arc::new(store.snapshot());
        let mut counts = Vec::new();
        for table in saved.gone {
            self.keep(table);
        }
        for backup in saved.backups {
            self.keep_backup(backup);
        }
        for number in saved.clears {
            self.tasks.push(Task::Clear(Clear { number }));
        }
        for copy in saved.copies {
            self.copies.write().insert(copy.number, copy.clone());
            self.tasks.push(Task::Copy(Box::new(copy)));
        }
        for mut table in saved.tables {
            // A table that is being restored is counted by the one who fills it.
            let fills = table.restore.as_ref().is_some_and(|restore| restore.in_progress);
            let mut figures = |space: Space, stats: &mut Arc<Stats>| match saved.stats.get(&space) {
                _ if fills => {}
                Some((items, bytes)) => *stats = Arc::new(Stats::new(*items, *bytes)),
                None => counts.push(Count::new(space, Arc::clone(stats), Arc::clone(&snapshot))),
            };
            figures(table.space, &mut table.stats);
            for index in table.local_indexes.iter_mut().chain(&mut table.global_indexes) {
                match &mut index.backfill {
                    Some(position) => *position = saved.fills.get(&index.space).cloned().unwrap_or_default(),
                    None => figures(index.space, &mut index.stats),
                }
            }
            let cell = TableCell::new(table);
            let table = cell.table();
            self.tasks.due(table.status_until_ms);
            for index in table.indexes() {
                if let Some(position) = &index.backfill {
                    self.tasks.push(Task::Fill(Fill::resume(Arc::clone(&cell), index.space, position)));
                }
            }
            if let Some(expiry) = table.ttl.expiry.as_ref().filter(|expiry| !expiry.is_filled) {
                let (cell, space) = (Arc::clone(&cell), expiry.space);
                self.tasks.push(Task::Age(Age { cell, space, after: None, ready: true }));
            }
            self.tables.write().insert(table.name.clone(), cell);
        }
        for count in counts {
            self.tasks.push(self.count(count));
        }
        let filling = |space: &Space| {
            let tables = self.tables.read();
            tables.values().any(|cell| {
                cell.table().indexes().any(|index| index.space == *space && index.backfill.is_some())
            })
        };
        let given_up: Vec<Space> = saved.fills.into_keys().filter(|space| !filling(space)).collect();
        if saved.stats.is_empty() && given_up.is_empty() {
            return Ok(());
        }
        write(store, |batch| {
            for space in saved.stats.keys() {
                batch.delete(CATALOG, key_of(STATS, *space));
            }
            for space in &given_up {
                batch.delete(CATALOG, key_of(FILL, *space));
            }
        })
    }
}

impl Catalog {
    /// Whether anything that is described lies in a space, or is being copied from it.
    pub(crate) fn is_used(&self, space: Space) -> bool {
        let of_table = |table: &Table| spaces_of(table).any(|used| used == space);
        space.0 < SPACE_FIRST
            || self.cells().iter().any(|cell| of_table(&cell.table()))
            || self.gone.read().contains_key(&space)
            || self.backups.read().values().any(|backup| backup.place.space == space)
            || self.copies.read().values().any(|copy| copy.reads().any(|used| used == space))
    }
}

/// Notes in a batch how far an index is filled.
pub(crate) fn note_fill(batch: &mut Batch, index: Space, position: &Bytes) {
    batch.put(CATALOG, key_of(FILL, index), position.clone());
}

/// The space of a table, those of its indexes, that of its expiry and that of its log.
fn spaces_of(table: &Table) -> impl Iterator<Item = Space> {
    let expiry = table.ttl.expiry.as_ref().map(|expiry| expiry.space);
    let log = table.log.as_ref().map(|log| log.space);
    [table.space].into_iter().chain(table.indexes().map(|index| index.space)).chain(expiry).chain(log)
}

/// Writes to the store and returns when it is durable.
fn write(store: &Store, fill: impl Fn(&mut Batch)) -> Result<(), Error> {
    let ticket = store.apply(&[], &mut |_| {
        let mut batch = Batch::new();
        fill(&mut batch);
        Some(batch)
    })?;
    store.wait(ticket)
}

fn table_key(name: &str) -> Vec<u8> {
    [TABLE, name.as_bytes()].concat()
}

fn key_of(kind: &[u8], space: Space) -> Vec<u8> {
    [kind, &space.0.to_be_bytes()].concat()
}
