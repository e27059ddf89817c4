//! BatchWriteItem. Its writes need not succeed together, but making them together costs one sync instead of many.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use item::Item;
use op::{BatchWriteItem, BatchWriteItemOutput, CollectionMetrics, Error, Output, Write};
use storage::Ticket;

use crate::capacity::Meter;
use crate::commit::{self, Change, Done, Refusal};
use crate::schema::Table;
use crate::{Engine, Pending, plan};

pub(crate) fn run(engine: &Engine, request: BatchWriteItem) -> Pending {
    match write(engine, request) {
        Ok((output, ticket)) => engine.pending(Ok(Output::BatchWriteItem(output)), ticket),
        Err(error) => engine.read(Err(error)),
    }
}

fn write(engine: &Engine, request: BatchWriteItem) -> Result<(BatchWriteItemOutput, Ticket), Error> {
    let names = request.tables.iter().map(|writes| writes.table.as_str());
    let cells = engine.cells(names)?;
    let tables = engine.usable(&cells)?;
    let mut changes = Vec::new();
    let mut places = Vec::new();
    let mut collections: Vec<(String, Item)> = Vec::new();
    let mut output = BatchWriteItemOutput::default();
    for (table_place, writes) in request.tables.into_iter().enumerate() {
        let table = tables.get(&writes.table)?;
        let mut held = Vec::new();
        for (write_place, write) in writes.writes.into_iter().enumerate() {
            let item = match &write {
                Write::Put(item) | Write::Delete(item) => item,
            };
            let collection = super::collection(table, item, request.metrics);
            let change = match write {
                Write::Put(item) => {
                    plan::batch_item(table, &item)?;
                    Change::put(table, item, None)?
                }
                Write::Delete(key) => Change::delete(table, &key, None)?,
            };
            if engine.marks.has(&change.key()) {
                // A transaction is writing this item: the caller sends it again.
                held.push(write_place);
                continue;
            }
            collections.extend(collection.map(|key| (writes.table.clone(), key)));
            places.push(table_place);
            changes.push(change);
        }
        if !held.is_empty() {
            output.unprocessed.push((table_place, held));
        }
    }
    distinct(&changes)?;
    let (results, ticket) = commit::all(engine, &changes, None)?;
    let done = results.into_iter().collect::<Result<Vec<Done>, Refusal>>().map_err(Refusal::error)?;
    let mut meters = BTreeMap::new();
    for ((place, change), done) in places.iter().zip(&changes).zip(&done) {
        let meter = meters.entry(*place).or_insert_with(|| Meter::new(&change.table().name));
        meter.add_write(done.before_bytes, done.after_bytes, &done.indexes);
    }
    output.capacity = meters.into_values().filter_map(|meter| meter.report(request.capacity)).collect();
    output.metrics = metrics(engine, &changes, collections)?;
    Ok((output, ticket))
}

/// No two writes of a batch may be for the same item.
fn distinct(changes: &[Change<'_>]) -> Result<(), Error> {
    let mut keys: Vec<_> = changes.iter().map(Change::key).collect();
    keys.sort_unstable();
    if keys.windows(2).any(|pair| pair.first() == pair.last()) {
        return Err(Error::validation("Provided list of item keys contains duplicates"));
    }
    Ok(())
}

/// The sizes of the item collections touched, each once.
pub(super) fn metrics(
    engine: &Engine,
    changes: &[Change<'_>],
    collections: Vec<(String, Item)>,
) -> Result<BTreeMap<String, Vec<CollectionMetrics>>, Error> {
    let mut found: BTreeMap<String, Vec<CollectionMetrics>> = BTreeMap::new();
    for (name, key) in collections {
        let table: Option<&Table> = changes.iter().map(Change::table).find(|table| table.name == name);
        let Some(table) = table else { continue };
        let Some(metrics) = super::collection_metrics(engine, table, key)? else { continue };
        match found.entry(name) {
            Entry::Vacant(place) => drop(place.insert(vec![metrics])),
            Entry::Occupied(mut place) if !place.get().contains(&metrics) => place.get_mut().push(metrics),
            Entry::Occupied(_) => {}
        }
    }
    Ok(found)
}
