//! The one way items change. A change is computed from the item that is there and touches nothing, so the store may
//! ask for it again; the item and all that is derived from it are written together or not at all.

use bytes::Bytes;
use expr::{Condition, Path, Update};
use item::{Item, Stored};
use op::{Error, OnFailure};
use storage::{Batch, Key, Space, Stamp, Ticket};

use crate::index::{self, Image, IndexUse};
use crate::log::{self, Cause, Changed};
use crate::schema::Table;
use crate::{Engine, expiry, internal, layout, plan};

/// One change of one item of a table.
pub(crate) struct Change<'a> {
    table: &'a Table,
    key: Bytes,
    act: Act,
    condition: Option<Condition>,
    on_failure: OnFailure,
    old: Old,
}

/// What becomes of the item.
enum Act {
    /// It becomes this item, of this size, in this form.
    Put { item: Item, bytes: usize, value: Bytes },
    /// It is changed; it begins as its key if it is not there.
    Update { key: Item, update: Option<Update> },
    /// It goes.
    Delete,
    /// It stays.
    Check,
    /// It goes if its time is this, which was over.
    Expire { attribute: String, seconds: u64 },
}

/// Whether the caller wants to see the item as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Old {
    Unwanted,
    Wanted,
}

/// What a change came to.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// The item as it was, if it was there and was looked at.
    pub(crate) before: Option<Item>,
    /// The item as it is now; only after an update.
    pub(crate) after: Option<Item>,
    /// Whether there is an item now.
    pub(crate) exists: bool,
    /// What an update touched.
    pub(crate) touched: Vec<Path>,
    pub(crate) before_bytes: usize,
    pub(crate) after_bytes: usize,
    pub(crate) indexes: Vec<IndexUse>,
}

/// Why a change is not made.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The condition does not hold of this item, which is told if it was asked for.
    Condition(Option<Item>),
    /// What would come of it is not valid.
    Invalid(Error),
}

impl<'a> Change<'a> {
    /// The item is written whole.
    pub(crate) fn put(
        table: &'a Table,
        item: Item,
        condition: Option<Condition>,
    ) -> Result<Change<'a>, Error> {
        let (key, bytes) = plan::item(table, &item)?;
        let value = layout::value(&item, bytes);
        Ok(Change::new(table, key, Act::Put { item, bytes, value }, condition))
    }

    /// The item is changed.
    pub(crate) fn update(
        table: &'a Table,
        key: Item,
        update: Option<Update>,
        condition: Option<Condition>,
    ) -> Result<Change<'a>, Error> {
        let place = plan::key(table, &key)?;
        if let Some(update) = &update {
            plan::update_targets(table, update.paths().map(|path| path.root.as_str()))?;
            plan::flat_keys(table, update.paths().chain(update.sources()))?;
        }
        Ok(Change::new(table, place, Act::Update { key, update }, condition))
    }

    /// The item is removed.
    pub(crate) fn delete(
        table: &'a Table,
        key: &Item,
        condition: Option<Condition>,
    ) -> Result<Change<'a>, Error> {
        Ok(Change::new(table, plan::key(table, key)?, Act::Delete, condition))
    }

    /// Nothing is written.
    pub(crate) fn check(table: &'a Table, key: &Item, condition: Condition) -> Result<Change<'a>, Error> {
        Ok(Change::new(table, plan::key(table, key)?, Act::Check, Some(condition)))
    }

    /// The item is removed if it still expires at this time.
    pub(crate) fn expire(table: &'a Table, key: Bytes, attribute: &str, seconds: u64) -> Change<'a> {
        Change::new(table, key, Act::Expire { attribute: attribute.to_string(), seconds }, None)
    }

    fn new(table: &'a Table, key: Bytes, act: Act, condition: Option<Condition>) -> Change<'a> {
        Change { table, key, act, condition, on_failure: OnFailure::None, old: Old::Unwanted }
    }

    /// What the caller wants to see, besides that it is done.
    pub(crate) fn showing(mut self, old: Old, on_failure: OnFailure) -> Change<'a> {
        self.old = old;
        self.on_failure = on_failure;
        self
    }

    /// Where the item lies.
    pub(crate) fn key(&self) -> Key {
        Key { space: self.table.space, bytes: self.key.clone() }
    }

    /// The size of the item it writes whole.
    pub(crate) fn put_bytes(&self) -> usize {
        match &self.act {
            Act::Put { bytes, .. } => *bytes,
            Act::Update { .. } | Act::Delete | Act::Check | Act::Expire { .. } => 0,
        }
    }

    /// The item it writes whole.
    pub(crate) fn put_image(&self) -> Option<Image<'_>> {
        match &self.act {
            Act::Put { item, value, .. } => Some(Image { item, value }),
            Act::Update { .. } | Act::Delete | Act::Check | Act::Expire { .. } => None,
        }
    }

    pub(crate) fn table(&self) -> &'a Table {
        self.table
    }

    /// Computes the change from what is there and adds its writes to the batch.
    fn apply(&self, value: Option<&Bytes>, out: &mut Writes) -> Result<Done, Refusal> {
        let stored = value.map(|value| layout::read_value(value).ok_or_else(|| damaged(self.table.space)));
        let (before_bytes, before) = match stored.transpose().map_err(Refusal::Invalid)? {
            Some((bytes, stored)) => (bytes, self.look(&stored)?),
            None => (0, None),
        };
        self.check_condition(before.as_ref())?;
        let mut done = Done { before_bytes, ..Done::default() };
        let existed = value.is_some();
        let there = image(value, before.as_ref());
        match &self.act {
            Act::Put { item, bytes, value: new } => {
                done.exists = true;
                done.after_bytes = *bytes;
                if value != Some(new) {
                    self.write(value, Some(new.clone()), Cause::Request, out);
                    done.indexes = self.maintain(there, Some(Image { item, value: new }), &mut out.batch);
                }
            }
            Act::Update { key, update } => {
                self.apply_update(key, update.as_ref(), (value, before.as_ref()), &mut done, out)?
            }
            Act::Delete if existed => {
                self.write(value, None, Cause::Request, out);
                done.indexes = self.maintain(there, None, &mut out.batch);
            }
            Act::Delete => {}
            Act::Check => {
                done.exists = existed;
                done.after_bytes = before_bytes;
            }
            Act::Expire { attribute, seconds } => {
                let time = before.as_ref().and_then(|item| expiry::seconds(item, attribute));
                if time == Some(*seconds) {
                    self.write(value, None, Cause::Expiry, out);
                    done.indexes = self.maintain(there, None, &mut out.batch);
                } else {
                    done.exists = existed;
                    done.after_bytes = before_bytes;
                }
            }
        }
        done.before = before;
        Ok(done)
    }

    fn apply_update(
        &self,
        key: &Item,
        update: Option<&Update>,
        (value, before): (Option<&Bytes>, Option<&Item>),
        done: &mut Done,
        out: &mut Writes,
    ) -> Result<(), Refusal> {
        let invalid = |error: expr::Error| Refusal::Invalid(error.into());
        let start = before.unwrap_or(key);
        let after = match update {
            Some(update) => {
                let applied = update.apply(start).map_err(invalid)?;
                done.touched = applied.touched;
                applied.after
            }
            None => start.clone(),
        };
        done.exists = true;
        done.after_bytes = plan::updated_item(self.table, &after, &done.touched).map_err(Refusal::Invalid)?;
        if before != Some(&after) {
            let new = layout::value(&after, done.after_bytes);
            self.write(value, Some(new.clone()), Cause::Request, out);
            let after = Image { item: &after, value: &new };
            done.indexes = self.maintain(image(value, before), Some(after), &mut out.batch);
        }
        done.after = Some(after);
        Ok(())
    }

    /// Writes the item's new value, or removes it, and notes the change in the table's log.
    fn write(&self, old: Option<&Bytes>, new: Option<Bytes>, cause: Cause, out: &mut Writes) {
        let changed = Changed { key: &self.key, old, new: new.as_ref(), cause };
        log::append(self.table, &changed, out.least, &mut out.batch);
        match new {
            Some(new) => out.batch.put(self.table.space, self.key.clone(), new),
            None => out.batch.delete(self.table.space, self.key.clone()),
        }
    }

    /// The item that is there, decoded only if the change depends on it or the caller wants it.
    fn look(&self, stored: &Stored) -> Result<Option<Item>, Refusal> {
        let needed = self.old == Old::Wanted
            || self.condition.is_some()
            || matches!(self.act, Act::Update { .. })
            || matches!(self.act, Act::Expire { .. })
            || self.table.indexes().next().is_some()
            || expiry::of(self.table).is_some();
        if !needed {
            return Ok(None);
        }
        stored.decode().map(Some).ok_or_else(|| Refusal::Invalid(damaged(self.table.space)))
    }

    fn check_condition(&self, before: Option<&Item>) -> Result<(), Refusal> {
        let Some(condition) = &self.condition else { return Ok(()) };
        let nothing = Item::new();
        if condition.holds(before.unwrap_or(&nothing)) {
            return Ok(());
        }
        let shown = match self.on_failure {
            OnFailure::AllOld => before.cloned(),
            OnFailure::None => None,
        };
        Err(Refusal::Condition(shown))
    }

    fn maintain(
        &self,
        before: Option<Image<'_>>,
        after: Option<Image<'_>>,
        batch: &mut Batch,
    ) -> Vec<IndexUse> {
        let (old, new) = (before.map(|image| image.item), after.map(|image| image.item));
        expiry::maintain(self.table, &self.key, old, new, batch);
        index::maintain(self.table, before, after, batch)
    }

    /// Counts the change in the figures of the table and its indexes.
    fn count(&self, existed: bool, done: &Done) {
        let items = i64::from(done.exists) - i64::from(existed);
        self.table.stats.change(items, done.after_bytes as i64 - done.before_bytes as i64);
        for used in &done.indexes {
            let index = self.table.indexes().find(|index| index.name == used.name);
            // An index that is being filled is counted when it is full.
            if let Some(index) = index.filter(|index| index.backfill.is_none()) {
                index.stats.change(used.items, used.bytes);
            }
        }
    }
}

impl Refusal {
    /// The error that a single write answers.
    pub(crate) fn error(self) -> Error {
        match self {
            Refusal::Condition(item) => Error::condition_failed(item),
            Refusal::Invalid(error) => error,
        }
    }
}

/// What some changes write.
struct Writes {
    batch: Batch,
    /// The stamp of this moment, for logs.
    least: Stamp,
}

/// Something beside items that must be read and written in the same moment.
pub(crate) trait Aside {
    /// Where it lies.
    fn keys(&self) -> Vec<Key>;
    /// Looks at what lies there and adds what is to be written; an error stops everything.
    fn apply(&mut self, values: &[Option<Bytes>], batch: &mut Batch) -> Result<(), Error>;
}

/// Makes all of the changes, or none. Each change that stands in the way is told at its place.
pub(crate) fn all(
    engine: &Engine,
    changes: &[Change<'_>],
    mut aside: Option<&mut dyn Aside>,
) -> Result<(Vec<Result<Done, Refusal>>, Ticket), Error> {
    let mut keys: Vec<Key> = changes.iter().map(Change::key).collect();
    if let Some(aside) = &aside {
        keys.extend(aside.keys());
    }
    let mut results: Vec<Result<Done, Refusal>> = Vec::new();
    let mut existed: Vec<bool> = Vec::new();
    let mut stopped = None;
    let ticket = engine.store.apply(&keys, &mut |values| {
        // The time is taken while the items are locked, so the changes of an item are in the order of their times.
        let least = log::stamp_of(engine.env.now_ms());
        let mut out = Writes { batch: Batch::new(), least };
        (results, existed, stopped) = (Vec::with_capacity(changes.len()), Vec::new(), None);
        let (items, others) = values.split_at_checked(changes.len()).unwrap_or((values, &[]));
        if let Some(aside) = aside.as_deref_mut()
            && let Err(error) = aside.apply(others, &mut out.batch)
        {
            stopped = Some(error);
            return None;
        }
        for (change, value) in changes.iter().zip(items) {
            existed.push(value.is_some());
            results.push(change.apply(value.as_ref(), &mut out));
        }
        results.iter().all(Result::is_ok).then_some(out.batch)
    });
    let ticket = ticket.map_err(internal)?;
    if let Some(error) = stopped {
        return Ok((vec![Err(Refusal::Invalid(error))], ticket));
    }
    if results.iter().all(Result::is_ok) {
        for ((change, existed), done) in changes.iter().zip(existed).zip(results.iter().flatten()) {
            change.count(existed, done);
        }
    }
    Ok((results, ticket))
}

/// Makes one change. The ticket counts also when the change is refused: the refusal may rest on what is not durable.
pub(crate) fn one(engine: &Engine, change: &Change<'_>) -> (Result<Done, Error>, Ticket) {
    if engine.marks.has(&change.key()) {
        let message = "Transaction is ongoing for the item";
        return (Err(Error::new(op::Kind::TransactionConflict, message)), Ticket::NONE);
    }
    match all(engine, std::slice::from_ref(change), None) {
        Ok((mut results, ticket)) => {
            let result = results.pop().unwrap_or_else(|| Err(Refusal::Invalid(Error::internal())));
            (result.map_err(Refusal::error), ticket)
        }
        Err(error) => (Err(error), Ticket::NONE),
    }
}

fn image<'a>(value: Option<&'a Bytes>, item: Option<&'a Item>) -> Option<Image<'a>> {
    Some(Image { item: item?, value: value? })
}

fn damaged(space: Space) -> Error {
    tracing::error!(space = space.0, "an item in the store is damaged");
    Error::internal()
}
