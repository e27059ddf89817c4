//! GetItem.

use expr::Projection;
use op::{CapacityDetail, Error, GetItem, GetItemOutput, Output};

use super::shown;
use crate::capacity::{Meter, ReadMode, read_units};
use crate::{Engine, internal, plan};

pub(crate) fn run(engine: &Engine, request: &GetItem) -> Result<Output, Error> {
    let table = engine.table(&request.table)?;
    let key = plan::key(&table, &request.key)?;
    plan::flat_keys(&table, request.projection.iter().flat_map(Projection::paths))?;
    let value = engine.store.get(table.space, &key).map_err(internal)?;
    let (bytes, item) = shown(value, request.projection.as_ref())?;
    let capacity = if request.capacity == CapacityDetail::None {
        None
    } else {
        let mut meter = Meter::new(&table.name);
        meter.add_table(read_units(bytes, ReadMode::of(request.consistent)));
        meter.report(request.capacity)
    };
    Ok(Output::GetItem(GetItemOutput { item, capacity }))
}
