//! TransactGetItems: all items as they are at one moment.

use std::collections::BTreeMap;

use op::{Error, Output, Reason, ReasonCode, TransactGetItems, TransactGetItemsOutput, limits};
use storage::Key;

use super::shown;
use crate::capacity::{Meter, ReadMode, Transaction, read_units};
use crate::{Engine, internal, plan};

pub(crate) fn run(engine: &Engine, request: &TransactGetItems) -> Result<Output, Error> {
    let mut keys = Vec::with_capacity(request.gets.len());
    let mut reasons = Vec::with_capacity(request.gets.len());
    for get in &request.gets {
        let table = engine.table(&get.table)?;
        match plan::key(&table, &get.key) {
            Ok(bytes) => {
                keys.push(Key { space: table.space, bytes });
                reasons.push(Reason::none());
            }
            Err(error) if plan::is_empty_key(&error) => return Err(error),
            Err(error) => {
                let message = Some(error.message);
                reasons.push(Reason { code: ReasonCode::ValidationError, message, item: None });
            }
        }
    }
    if keys.len() < request.gets.len() {
        return Err(Error::cancelled(reasons));
    }
    distinct(&keys)?;
    conflicts(engine, &keys)?;
    let snapshot = engine.store.snapshot();
    let mut output = TransactGetItemsOutput::default();
    let mut meters: BTreeMap<&str, Meter> = BTreeMap::new();
    let mut total_bytes = 0;
    for (get, key) in request.gets.iter().zip(&keys) {
        let value = snapshot.get(key.space, &key.bytes).map_err(internal)?;
        let (bytes, item) = shown(value, get.projection.as_ref())?;
        total_bytes += bytes;
        let name = get.table.as_str();
        let meter = meters.entry(name).or_insert_with(|| Meter::of_transaction(name, Transaction::Reads));
        meter.add_table(read_units(bytes, ReadMode::Transactional));
        output.items.push(item);
    }
    if total_bytes > limits::TRANSACT_BYTES_MAX {
        return Err(Error::validation(
            "Aggregate size of transaction items exceeds the maximum allowed size of 4 MB",
        ));
    }
    output.capacity = meters.into_values().filter_map(|meter| meter.report(request.capacity)).collect();
    Ok(Output::TransactGetItems(output))
}

fn distinct(keys: &[Key]) -> Result<(), Error> {
    let mut sorted: Vec<&Key> = keys.iter().collect();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair.first() == pair.last()) {
        return Err(Error::validation("Transaction request cannot include multiple operations on one item"));
    }
    Ok(())
}

/// An item that a transaction is writing cannot be read by another.
fn conflicts(engine: &Engine, keys: &[Key]) -> Result<(), Error> {
    let marked: Vec<bool> = keys.iter().map(|key| engine.marks.has(key)).collect();
    if !marked.contains(&true) {
        return Ok(());
    }
    let reason = |marked: bool| match marked {
        false => Reason::none(),
        true => Reason {
            code: ReasonCode::TransactionConflict,
            message: Some("Transaction is ongoing for the item".to_string()),
            item: None,
        },
    };
    Err(Error::cancelled(marked.into_iter().map(reason).collect()))
}
