//! DescribeBulkOperation.

use op::{DescribeBulkOperation, Error, Kind, Output};

use crate::{Engine, Pending};

pub(crate) fn run(engine: &Engine, request: &DescribeBulkOperation) -> Pending {
    let found = engine.jobs.get(&request.arn);
    let told = found.as_ref().and_then(|(job, ticket)| Some((job.as_bulk()?, *ticket)));
    match told {
        Some((bulk, ticket)) => {
            engine.pending(Ok(Output::BulkOperation(Box::new(bulk.told.clone()))), ticket)
        }
        None => engine.read(Err(not_found(&request.arn))),
    }
}

/// There is no such operation.
pub(super) fn not_found(arn: &str) -> Error {
    Error::new(
        Kind::ResourceNotFound,
        format!("Requested resource not found: Bulk operation: {arn} not found"),
    )
}
