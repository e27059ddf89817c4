//! DescribeBackup.

use op::{DescribeBackup, Error, Output};

use super::{describe, not_found};
use crate::Engine;

pub(crate) fn run(engine: &Engine, request: &DescribeBackup) -> Result<Output, Error> {
    let backup = engine.catalog.backup(&request.arn).ok_or_else(|| not_found(&request.arn))?;
    Ok(Output::Backup(Box::new(describe(&backup))))
}
