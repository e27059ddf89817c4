//! Changes of definitions, one at a time: written and durable before anybody sees them.

use std::sync::Arc;

use parking_lot::MutexGuard;
use storage::{Batch, Error, Space, Stamp, Store};

use super::{
    CATALOG, Catalog, FILL, NEXT_SPACE, TableCell, Task, gone, key_of, record, spaces_of, table_key, write,
};
use crate::env::Env;
use crate::log::boundary;
use crate::schema::Table;
use crate::{backup, stream};

/// What is done to a definition between two writes of items. It learns the stamp that lies between them.
pub(crate) type Cut<'a> = &'a mut dyn FnMut(&mut Table, Stamp);

/// The right to change definitions, which one thread at a time has.
pub(crate) struct Changes<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) store: &'a Store,
    pub(super) next_space: MutexGuard<'a, u64>,
    /// Ready spaces that were taken and are in no table yet.
    pub(super) taken: Vec<Space>,
}

impl Changes<'_> {
    /// A space that is ready, or a number that no space has had.
    pub(crate) fn space(&mut self) -> Space {
        if let Some(spare) = self.catalog.spares.lock().pop() {
            self.taken.push(spare);
            return spare;
        }
        self.new_space()
    }

    pub(super) fn new_space(&mut self) -> Space {
        let space = Space(*self.next_space);
        *self.next_space += 1;
        space
    }

    /// Makes a table: its spaces first, so that a crash leaves nothing but spaces that belong to nobody.
    pub(crate) fn insert(&mut self, table: Table) -> Result<(), Error> {
        self.insert_with(table, |_| {})
    }

    /// The same, together with something else that is to be written.
    pub(crate) fn insert_with(&mut self, table: Table, more: impl Fn(&mut Batch)) -> Result<(), Error> {
        self.store.create_space(CATALOG)?;
        self.make_spaces(spaces_of(&table))?;
        self.save_with(&table, more)?;
        self.taken.clear();
        self.catalog.tasks.push(Task::Spare);
        let until_ms = table.status_until_ms;
        self.catalog.tables.write().insert(table.name.clone(), TableCell::new(table));
        // Told when the table can be seen: whoever looks at all tables for what is due must not miss it.
        self.catalog.tasks.due(until_ms);
        Ok(())
    }

    /// Gives a table a new definition, making the space of an index that is new. A table that was deleted meanwhile stays
    /// so: background work may still hold its cell.
    pub(crate) fn replace(&mut self, cell: &TableCell, table: Table) -> Result<(), Error> {
        self.replace_with(cell, table, None)
    }

    /// The same between all writes of items that were made before and all that come later. `cut` learns the stamp that lies
    /// between them. Writes of items wait meanwhile.
    pub(crate) fn replace_between(
        &mut self,
        cell: &TableCell,
        table: Table,
        now_ms: u64,
        cut: Cut<'_>,
    ) -> Result<(), Error> {
        self.replace_with(cell, table, Some((now_ms, cut)))
    }

    fn replace_with(
        &mut self,
        cell: &TableCell,
        mut table: Table,
        between: Option<(u64, Cut<'_>)>,
    ) -> Result<(), Error> {
        let current = self.catalog.cell(&table.name);
        if current.is_none_or(|current| !std::ptr::eq(Arc::as_ptr(&current), cell)) {
            return Err(Error::NoSpace { space: table.space.0 });
        }
        let before: Vec<Space> = spaces_of(&cell.table()).collect();
        let after: Vec<Space> = spaces_of(&table).collect();
        self.make_spaces(after.iter().copied().filter(|space| !before.contains(space)))?;
        let mut held = None;
        if let Some((now_ms, cut)) = between {
            held = Some(cell.write());
            cut(&mut table, boundary(self.store, now_ms));
        }
        self.save_with(&table, |batch| {
            // A ready space may have been an index before, which was given up while it was being filled.
            for space in after.iter().filter(|space| !before.contains(space)) {
                batch.delete(CATALOG, key_of(FILL, *space));
            }
        })?;
        self.taken.clear();
        // Only a change that was made leaves work behind: one that fails is tried again by background work, and would give
        // it something to do for ever.
        self.catalog.tasks.push(Task::Spare);
        let until_ms = table.status_until_ms;
        *held.unwrap_or_else(|| cell.write()) = Arc::new(table);
        self.catalog.tasks.due(until_ms);
        for space in before.into_iter().filter(|space| !after.contains(space)) {
            self.catalog.tasks.push(Task::Drop(space));
        }
        Ok(())
    }

    /// Takes a table away. `last` is its definition from here on, for those who still hold the cell. Its log stays, if it
    /// has one with streams, and its items do, if it has recovery.
    pub(crate) fn remove(
        &mut self,
        cell: &TableCell,
        mut last: Table,
        env: &dyn Env,
        now_ms: u64,
    ) -> Result<(), Error> {
        let mut held = cell.write();
        let backup = backup::of_deleted(&held, env, now_ms);
        stream::end(&mut last, now_ms, boundary(self.store, now_ms));
        last.log = last.log.filter(|log| !log.streams.is_empty());
        let before = std::mem::replace(&mut *held, Arc::new(last.clone()));
        drop(held);
        let written = write(self.store, |batch| {
            batch.delete(CATALOG, table_key(&before.name));
            gone::note(batch, &last);
            if let Some(backup) = &backup {
                backup.note(batch);
            }
            for space in spaces_of(&before) {
                batch.delete(CATALOG, key_of(FILL, space));
            }
        });
        if let Err(error) = written {
            *cell.write() = before;
            return Err(error);
        }
        self.catalog.tables.write().remove(&before.name);
        let log = last.log.as_ref().map(|log| log.space);
        self.catalog.keep(last);
        if let Some(backup) = backup {
            self.catalog.keep_backup(backup);
        }
        for space in spaces_of(&before).filter(|space| Some(*space) != log) {
            self.catalog.tasks.push(Task::Drop(space));
        }
        Ok(())
    }

    /// Returns when everything that was ordered before is durable: a record that is written now tells it.
    pub(crate) fn settle(&self) -> Result<(), Error> {
        let next_space = *self.next_space;
        write(self.store, |batch| batch.put(CATALOG, NEXT_SPACE, next_space.to_be_bytes().to_vec()))
    }

    /// Makes all of these spaces; if one cannot be made, those made before are left to others.
    pub(super) fn make_spaces(&mut self, spaces: impl Iterator<Item = Space>) -> Result<(), Error> {
        for space in spaces {
            self.make_space(space)?;
            if !self.taken.contains(&space) {
                self.taken.push(space);
            }
        }
        Ok(())
    }

    /// Makes a space. Spaces of what was deleted wait to be dropped and count meanwhile: when there is no place for more,
    /// the one who makes another does that work first.
    fn make_space(&self, space: Space) -> Result<(), Error> {
        loop {
            let full = match self.store.create_space(space) {
                Err(full @ Error::TooManySpaces { .. }) => full,
                made => return made,
            };
            let Some(waiting) = self.catalog.tasks.take_drop() else { return Err(full) };
            self.catalog.drop_unused(self.store, waiting)?;
        }
    }

    fn save_with(&self, table: &Table, more: impl Fn(&mut Batch)) -> Result<(), Error> {
        let next_space = *self.next_space;
        let record = record::encode(table);
        write(self.store, |batch| {
            batch.put(CATALOG, NEXT_SPACE, next_space.to_be_bytes().to_vec());
            batch.put(CATALOG, table_key(&table.name), record.clone());
            for index in table.global_indexes.iter().filter(|index| !record::fills(table, index)) {
                batch.delete(CATALOG, key_of(FILL, index.space));
            }
            more(batch);
        })
    }
}

impl Drop for Changes<'_> {
    /// A change that came to nothing gives back what it took.
    fn drop(&mut self) {
        if !self.taken.is_empty() {
            self.catalog.spares.lock().append(&mut self.taken);
        }
    }
}
