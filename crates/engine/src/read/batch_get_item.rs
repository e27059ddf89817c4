//! BatchGetItem.

use op::{BatchGetItem, BatchGetItemOutput, Error, Output, limits};

use super::shown;
use crate::capacity::{Meter, ReadMode, read_units};
use crate::{Engine, internal, plan};

pub(crate) fn run(engine: &Engine, request: &BatchGetItem) -> Result<Output, Error> {
    let mut output = BatchGetItemOutput::default();
    let mut total_bytes = 0;
    let mut plans = Vec::new();
    for keys in &request.tables {
        let table = engine.table(&keys.table)?;
        let places = keys.keys.iter().map(|key| plan::key(&table, key)).collect::<Result<Vec<_>, Error>>()?;
        let mut sorted: Vec<_> = places.iter().collect();
        sorted.sort_unstable();
        if sorted.windows(2).any(|pair| pair.first() == pair.last()) {
            return Err(Error::validation("Provided list of item keys contains duplicates"));
        }
        plans.push((keys, table, places));
    }
    for (table_place, (keys, table, places)) in plans.into_iter().enumerate() {
        let mut meter = Meter::new(&table.name);
        let mut items = Vec::new();
        let mut unprocessed = Vec::new();
        for (key_place, key) in places.iter().enumerate() {
            if total_bytes >= limits::BATCH_GET_BYTES_MAX {
                unprocessed.push(key_place);
                continue;
            }
            let value = engine.store.get(table.space, key).map_err(internal)?;
            let (bytes, item) = shown(value, keys.projection.as_ref())?;
            if total_bytes + bytes > limits::BATCH_GET_BYTES_MAX {
                // The answer is full from here on, though a smaller item might still fit.
                total_bytes = limits::BATCH_GET_BYTES_MAX;
                unprocessed.push(key_place);
                continue;
            }
            total_bytes += bytes;
            meter.add_table(read_units(bytes, ReadMode::of(keys.consistent)));
            items.extend(item);
        }
        output.items.push((keys.named.clone(), items));
        if !unprocessed.is_empty() {
            output.unprocessed.push((table_place, unprocessed));
        }
        output.capacity.extend(meter.report(request.capacity));
    }
    Ok(Output::BatchGetItem(output))
}
