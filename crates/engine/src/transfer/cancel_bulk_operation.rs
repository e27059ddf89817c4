//! CancelBulkOperation: notes the wish; the one who carries the operation out ends it.

use op::{BulkStatus, CancelBulkOperation, CancelledBulkOperation, Error, Output};
use storage::{Batch, Ticket};

use super::describe_bulk_operation::not_found;
use crate::catalog::jobs;
use crate::{Engine, Pending, internal};

pub(crate) fn run(engine: &Engine, request: CancelBulkOperation) -> Pending {
    match cancel(engine, request) {
        Ok((cancelled, ticket)) => engine.pending(Ok(Output::BulkOperationCancelled(cancelled)), ticket),
        Err(error) => engine.read(Err(error)),
    }
}

fn cancel(engine: &Engine, request: CancelBulkOperation) -> Result<(CancelledBulkOperation, Ticket), Error> {
    let _changing = engine.jobs.change();
    let found = engine.jobs.get(&request.arn);
    let (mut job, mut ticket) =
        found.map(|(job, ticket)| (job.as_ref().clone(), ticket)).ok_or_else(|| not_found(&request.arn))?;
    let bulk = job.as_bulk_mut().ok_or_else(|| not_found(&request.arn))?;
    // What has ended stays as it is, and is told so.
    if bulk.told.status == BulkStatus::InProgress {
        bulk.told.status = BulkStatus::Cancelling;
    }
    let status = bulk.told.status;
    if status == BulkStatus::Cancelling {
        let noted = engine.store.apply(&[], &mut |_| {
            let mut batch = Batch::new();
            jobs::note(&mut batch, &job);
            Some(batch)
        });
        ticket = noted.map_err(internal)?;
        engine.jobs.keep(job, ticket);
    }
    Ok((CancelledBulkOperation { arn: request.arn, status }, ticket))
}
