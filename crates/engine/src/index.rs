//! The index entries that a change adds and removes.

use bytes::Bytes;
use item::{Item, item_bytes};
use op::IndexProjection;
use storage::Batch;

use crate::capacity::{IndexKind, write_units};
use crate::layout;
use crate::plan;
use crate::schema::{Index, KeyPart, Table};

/// An item and the value it is stored as. An index of all attributes stores the very same, so it is not made again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Image<'a> {
    pub(crate) item: &'a Item,
    pub(crate) value: &'a Bytes,
}

/// An item's entry in an index.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: Bytes,
    pub(crate) value: Bytes,
    pub(crate) bytes: usize,
}

/// What a change did to an index.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct IndexUse {
    pub(crate) name: String,
    pub(crate) kind: IndexKind,
    /// Write units; zero if the entry stayed as it was.
    pub(crate) units: f64,
    /// By how much the index grew.
    pub(crate) items: i64,
    pub(crate) bytes: i64,
}

/// The entry of an item in an index; none if the item lacks a key attribute of the index, or was there before the
/// index with one that the index does not take.
pub(crate) fn entry(table: &Table, index: &Index, image: Image<'_>) -> Option<Entry> {
    let item = image.item;
    let is_empty = |part: &KeyPart| item.get(&part.name).and_then(plan::empty).is_some();
    if index.key.parts().any(is_empty) || plan::key_sizes(&index.key, item).is_err() {
        return None;
    }
    let key = layout::index_key(table, &index.key, item)?;
    if index.projection == IndexProjection::All {
        let bytes = layout::size_of_value(image.value)?;
        return Some(Entry { key, value: image.value.clone(), bytes });
    }
    let carried = item.iter().filter(|(name, _)| carries(table, index, name));
    let projected: Item = carried.map(|(name, value)| (name.clone(), value.clone())).collect();
    let bytes = item_bytes(&projected);
    Some(Entry { key, value: layout::value(&projected, bytes), bytes })
}

/// Whether an index carries an attribute.
pub(crate) fn carries(table: &Table, index: &Index, name: &str) -> bool {
    match &index.projection {
        IndexProjection::All => true,
        IndexProjection::KeysOnly => is_key(table, index, name),
        IndexProjection::Include(names) => {
            is_key(table, index, name) || names.iter().any(|other| other == name)
        }
    }
}

/// Puts into the batch what a change of an item means for every index of its table.
pub(crate) fn maintain(
    table: &Table,
    before: Option<Image<'_>>,
    after: Option<Image<'_>>,
    batch: &mut Batch,
) -> Vec<IndexUse> {
    let locals = table.local_indexes.iter().map(|index| (index, IndexKind::Local));
    let globals = table.global_indexes.iter().map(|index| (index, IndexKind::Global));
    locals
        .chain(globals)
        .map(|(index, kind)| maintain_one(table, index, kind, before, after, batch))
        .collect()
}

fn maintain_one(
    table: &Table,
    index: &Index,
    kind: IndexKind,
    before: Option<Image<'_>>,
    after: Option<Image<'_>>,
    batch: &mut Batch,
) -> IndexUse {
    let old = before.and_then(|image| entry(table, index, image));
    let new = after.and_then(|image| entry(table, index, image));
    let bytes = |entry: &Option<Entry>| entry.as_ref().map_or(0, |entry| entry.bytes);
    let units = match (&old, &new) {
        (None, None) => 0.0,
        (Some(old), Some(new)) if old == new => 0.0,
        (Some(old), Some(new)) if old.key == new.key => {
            batch.put(index.space, new.key.clone(), new.value.clone());
            write_units(old.bytes.max(new.bytes))
        }
        (old, new) => {
            // An entry whose key changes is removed and written anew: two writes.
            let removed = old.as_ref().map_or(0.0, |old| {
                batch.delete(index.space, old.key.clone());
                write_units(old.bytes)
            });
            let written = new.as_ref().map_or(0.0, |new| {
                batch.put(index.space, new.key.clone(), new.value.clone());
                write_units(new.bytes)
            });
            removed + written
        }
    };
    IndexUse {
        name: index.name.clone(),
        kind,
        units,
        items: i64::from(new.is_some()) - i64::from(old.is_some()),
        bytes: bytes(&new) as i64 - bytes(&old) as i64,
    }
}

fn is_key(table: &Table, index: &Index, name: &str) -> bool {
    table.key.has(name) || index.key.has(name)
}
