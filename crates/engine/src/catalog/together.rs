//! Changes of several records that become true together: a copy with the tables and backups that it is made of and for.

use std::sync::Arc;

use bytes::Bytes;
use storage::{Batch, Error, Space, Stamp};

use super::copies::{CLEAR, COPY, key};
use super::{
    Backup, CATALOG, COPIES, Catalog, Changes, Clear, Copy, NEXT_SPACE, Stage, TableCell, Task, record,
    spaces_of, table_key, write,
};
use crate::log::boundary;
use crate::schema::{Hold, Table};

/// What begins with a copy.
pub(crate) struct Begin<'a> {
    /// The table that is copied, with a log in its definition; none if a backup is copied, which does not change.
    pub(crate) source: Option<(&'a TableCell, Table)>,
    /// The table that is made.
    pub(crate) table: Option<Table>,
    /// The backup that is made.
    pub(crate) backup: Option<Backup>,
    pub(crate) copy: Copy,
}

/// What a copy came to.
#[derive(Default)]
pub(crate) struct Ended {
    /// The table that is complete.
    pub(crate) table: Option<(Arc<TableCell>, Table)>,
    /// The backup that is complete.
    pub(crate) backup: Option<Backup>,
    /// The copy itself, if it is to be read.
    pub(crate) copy: Option<Copy>,
}

impl Changes<'_> {
    /// Begins a copy between all writes of items that were made before and all that come later. `at` learns the stamp that
    /// lies between them and answers as of which stamp the items are copied. From here on the log of the source tells
    /// how they were. All that was written before is durable on return, so a scan shows it.
    pub(crate) fn begin(
        &mut self,
        begin: Begin<'_>,
        now_ms: u64,
        at: impl Fn(Stamp) -> Stamp,
    ) -> Result<Copy, Error> {
        self.begin_with(begin, now_ms, at, &|_| {})
    }

    /// The same together with something else.
    pub(crate) fn begin_with(
        &mut self,
        begin: Begin<'_>,
        now_ms: u64,
        at: impl Fn(Stamp) -> Stamp,
        more: &dyn Fn(&mut Batch),
    ) -> Result<Copy, Error> {
        let Begin { source, table, backup, mut copy } = begin;
        if copy.to.space == COPIES {
            self.store.create_space(COPIES)?;
        }
        let known = source.as_ref().map(|(cell, _)| spaces_of(&cell.table()).collect::<Vec<Space>>());
        let wanted = source.iter().map(|(_, table)| table).chain(&table).flat_map(spaces_of);
        let known = known.unwrap_or_default();
        self.make_spaces(wanted.filter(|space| !known.contains(space)).collect::<Vec<_>>().into_iter())?;
        let mut held = source.map(|(cell, table)| (cell.write(), table));
        let between = boundary(self.store, now_ms);
        copy.at = at(between);
        if let Some((_, source)) = &mut held
            && let Some(log) = &mut source.log
        {
            copy.log = Some(log.space);
            log.holds.push(Hold { copy: copy.number, from: copy.since.unwrap_or(copy.at) });
        }
        let next_space = *self.next_space;
        write(self.store, |batch| {
            batch.put(CATALOG, NEXT_SPACE, next_space.to_be_bytes().to_vec());
            for table in held.iter().map(|(_, table)| table).chain(&table) {
                batch.put(CATALOG, table_key(&table.name), record::encode(table));
            }
            if let Some(backup) = &backup {
                backup.note(batch);
            }
            copy.note(batch);
            more(batch);
        })?;
        self.taken.clear();
        self.catalog.tasks.push(Task::Spare);
        self.catalog.copies.write().insert(copy.number, copy.clone());
        if let Some((mut guard, source)) = held {
            *guard = Arc::new(source);
        }
        if let Some(backup) = backup {
            self.catalog.keep_backup(backup);
        }
        if let Some(table) = table {
            self.catalog.tables.write().insert(table.name.clone(), TableCell::new(table));
        }
        Ok(copy)
    }

    /// Ends a copy: what it was made for is complete, and its source is let go.
    pub(crate) fn end(&mut self, copy: &Copy, ended: Ended) -> Result<(), Error> {
        let source = self.catalog.holder(copy.number).map(|cell| {
            let table = without_hold(cell.table().as_ref().clone(), copy.number);
            (cell, table)
        });
        let tables: Vec<(Arc<TableCell>, Table)> = source.into_iter().chain(ended.table).collect();
        write(self.store, |batch| {
            for (_, table) in &tables {
                batch.put(CATALOG, table_key(&table.name), record::encode(table));
            }
            if let Some(backup) = &ended.backup {
                backup.note(batch);
            }
            match &ended.copy {
                Some(ready) => ready.note(batch),
                None => batch.delete(CATALOG, key(COPY, copy.number)),
            }
        })?;
        for (cell, table) in tables {
            self.catalog.tasks.due(table.status_until_ms);
            *cell.write() = Arc::new(table);
        }
        if let Some(backup) = ended.backup {
            self.catalog.keep_backup(backup);
        }
        let mut copies = self.catalog.copies.write();
        copies.remove(&copy.number);
        copies.extend(ended.copy.map(|ready| (ready.number, ready)));
        drop(copies);
        for space in copy.reads() {
            self.catalog.tasks.push(Task::Drop(space));
        }
        Ok(())
    }

    /// Takes away a copy that was made to be read, together with something else. Its items go in the background. One that
    /// is not complete is left: it may be taken away later.
    pub(crate) fn discard(&mut self, number: u64, more: &dyn Fn(&mut Batch)) -> Result<(), Error> {
        let is_ready = self.catalog.copy(number).is_some_and(|copy| copy.stage == Stage::Ready);
        write(self.store, |batch| {
            if is_ready {
                batch.delete(CATALOG, key(COPY, number));
                batch.put(CATALOG, key(CLEAR, number), Bytes::new());
            }
            more(batch);
        })?;
        if is_ready {
            self.catalog.copies.write().remove(&number);
            self.catalog.tasks.push(Task::Clear(Clear { number }));
        }
        Ok(())
    }

    /// A number that nothing has had.
    pub(crate) fn number(&mut self) -> u64 {
        self.new_space().0
    }
}

impl Catalog {
    /// The table whose log is held for a copy, if it is still there.
    fn holder(&self, copy: u64) -> Option<Arc<TableCell>> {
        let holds = |cell: &Arc<TableCell>| {
            let table = cell.table();
            table.log.as_ref().is_some_and(|log| log.holds.iter().any(|hold| hold.copy == copy))
        };
        self.cells().into_iter().find(holds)
    }
}

fn without_hold(mut table: Table, copy: u64) -> Table {
    if let Some(log) = &mut table.log {
        log.holds.retain(|hold| hold.copy != copy);
        if !log.is_needed() {
            table.log = None;
        }
    }
    table
}
