//! Operations that write items, one file each, and what their answers share.

pub(crate) mod batch_write_item;
pub(crate) mod delete_item;
pub(crate) mod put_item;
pub(crate) mod transact_write_items;
pub(crate) mod update_item;

use std::ops::ControlFlow;

use item::{Item, Value};
use op::{CapacityDetail, CollectionMetrics, ConsumedCapacity, Error, MetricsDetail};
use storage::{Direction, Range};

use crate::capacity::Meter;
use crate::commit::Done;
use crate::schema::Table;
use crate::{Engine, internal, layout};

const GIGABYTE: f64 = 1_073_741_824.0;

/// What one write consumed.
fn consumed(table: &Table, done: &Done, detail: CapacityDetail) -> Option<ConsumedCapacity> {
    let mut meter = Meter::new(&table.name);
    meter.add_write(done.before_bytes, done.after_bytes, &done.indexes);
    meter.report(detail)
}

/// The item collection that a write touches, if its size is asked for and the table has such collections: those with
/// local indexes.
fn collection(table: &Table, item: &Item, detail: MetricsDetail) -> Option<Item> {
    if detail == MetricsDetail::None || table.local_indexes.is_empty() {
        return None;
    }
    let hash = table.key.hash.first()?;
    Some(Item::from([(hash.name.clone(), item.get(&hash.name)?.clone())]))
}

/// The size of an item collection: the items and their entries in local indexes.
fn collection_metrics(engine: &Engine, table: &Table, key: Item) -> Result<Option<CollectionMetrics>, Error> {
    let Some(prefix) = layout::partition(&table.key, &key) else { return Ok(None) };
    let mut bytes = 0_usize;
    let spaces = table.local_indexes.iter().map(|index| index.space).chain([table.space]);
    for space in spaces {
        let range = Range::prefix(prefix.clone());
        engine
            .store
            .scan(space, &range, Direction::Forward, &mut |_, value| {
                bytes += layout::size_of_value(value).unwrap_or(0);
                ControlFlow::Continue(())
            })
            .map_err(internal)?;
    }
    let lower = (bytes as f64 / GIGABYTE).floor();
    let entry: Option<(String, Value)> = key.into_iter().next();
    Ok(entry.map(|(key_name, key)| CollectionMetrics { key_name, key, size_range_gb: (lower, lower + 1.0) }))
}
