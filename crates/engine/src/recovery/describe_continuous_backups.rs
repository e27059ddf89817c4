//! DescribeContinuousBackups.

use op::{DescribeContinuousBackups, Error, Output};

use super::{not_found, window};
use crate::Engine;

pub(crate) fn run(engine: &Engine, request: &DescribeContinuousBackups) -> Result<Output, Error> {
    let cell = engine.catalog.cell(&request.table).ok_or_else(|| not_found(&request.table))?;
    Ok(Output::ContinuousBackups(window(&cell.table(), engine.env.now_ms())))
}
