//! DescribeTable.

use op::{DescribeTable, Error, Output};

use super::description::describe;
use super::life::not_found;
use crate::Engine;

pub(crate) fn run(engine: &Engine, request: &DescribeTable) -> Result<Output, Error> {
    let cell = engine.catalog.cell(&request.name).ok_or_else(|| not_found(&request.name))?;
    Ok(Output::Table(Box::new(describe(&cell.table(), engine.env.now_ms()))))
}
