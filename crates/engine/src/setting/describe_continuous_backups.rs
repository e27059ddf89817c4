//! DescribeContinuousBackups. There is no recovery to a point in time, and the answer says so.

use op::{ContinuousBackups, DescribeContinuousBackups, Error, Kind, Output};

use crate::Engine;

pub(crate) fn run(engine: &Engine, request: &DescribeContinuousBackups) -> Result<Output, Error> {
    if engine.catalog.cell(&request.table).is_none() {
        return Err(Error::new(Kind::TableNotFound, format!("Table not found: {}", request.table)));
    }
    Ok(Output::ContinuousBackups(ContinuousBackups { recovery: None }))
}
