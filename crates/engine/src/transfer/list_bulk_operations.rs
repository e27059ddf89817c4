//! ListBulkOperations: the last ones first.

use op::{BulkOperationSummary, BulkOperations, Error, ListBulkOperations, Output};
use storage::Ticket;

use super::{Bulk, page};
use crate::{Engine, Pending};

pub(crate) fn run(engine: &Engine, request: &ListBulkOperations) -> Pending {
    match list(engine, request) {
        Ok((operations, ticket)) => engine.pending(Ok(Output::BulkOperations(operations)), ticket),
        Err(error) => engine.read(Err(error)),
    }
}

fn list(engine: &Engine, request: &ListBulkOperations) -> Result<(BulkOperations, Ticket), Error> {
    let (jobs, ticket) = engine.jobs.all(engine.env.now_ms());
    let all: Vec<BulkOperationSummary> = jobs.iter().filter_map(|job| job.as_bulk()).map(summary).collect();
    let (operations, next) = page::of(all, name, request.next.as_deref(), request.limit)?;
    Ok((BulkOperations { operations, next }, ticket))
}

/// Operations are in the order of their beginnings, whatever table they are of.
fn name(operation: &BulkOperationSummary) -> String {
    format!("{:014}{}", operation.start_ms, operation.arn)
}

fn summary(bulk: &Bulk) -> BulkOperationSummary {
    let told = &bulk.told;
    BulkOperationSummary {
        arn: told.arn.clone(),
        status: told.status,
        start_ms: told.start_ms,
        end_ms: told.end_ms,
    }
}
