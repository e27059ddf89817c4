//! StartBulkPutItems.

use op::{
    BulkOperation, BulkStatus, BulkUsage, Error, IndexStatus, Kind, Output, StartBulkPutItems, TableStatus,
};

use super::{Bulk, Job, Place, start};
use crate::catalog::jobs;
use crate::schema::Table;
use crate::table::life::{in_use, not_found};
use crate::{Engine, Pending, internal};

/// As many at a time.
const BULK_OPERATIONS_MAX: usize = 50;

pub(crate) fn run(engine: &Engine, request: StartBulkPutItems) -> Pending {
    engine.read(begin(engine, request).map(|told| Output::BulkOperation(Box::new(told))))
}

fn begin(engine: &Engine, request: StartBulkPutItems) -> Result<BulkOperation, Error> {
    let now_ms = engine.env.now_ms();
    let _starting = engine.jobs.start();
    if let Some(job) = start::known(&engine.jobs, request.token.as_deref(), now_ms, is_bulk) {
        return repeated(&job, &request);
    }
    let cell = engine.catalog.cell(&request.table).ok_or_else(|| not_found(&request.table))?;
    let table = cell.table();
    ready(&table)?;
    start::bound(&engine.jobs, now_ms, BULK_OPERATIONS_MAX, "bulk operations", is_bulk)?;
    let told = BulkOperation {
        arn: start::arn(engine, &table.arn, "bulk-operation", now_ms),
        status: BulkStatus::InProgress,
        table_named: request.table_named,
        table_id: table.id.clone(),
        token: request.token,
        input: request.input,
        output: request.output,
        start_ms: now_ms,
        end_ms: None,
        processed_items: 0,
        processed_bytes: 0,
        total_bytes: None,
        usage: Some(BulkUsage::default()),
        failed_items: 0,
        failure: None,
        write_units_max: request.write_units_max,
        tier: request.tier,
    };
    let job =
        Job::Bulk(Bulk { told: told.clone(), table: request.table, place: Place::default(), reports: 0 });
    jobs::save(&engine.store, &job).map_err(internal)?;
    engine.jobs.keep(job, storage::Ticket::NONE);
    Ok(told)
}

/// A table must be there, and none of its indexes may be in the making.
fn ready(table: &Table) -> Result<(), Error> {
    match table.status {
        TableStatus::Creating => Err(in_use(format_args!("Table is being created: {}", table.name))),
        TableStatus::Deleting => Err(in_use(format_args!("Table is being deleted: {}", table.name))),
        TableStatus::Active | TableStatus::Updating
            if table.indexes().any(|index| index.status == IndexStatus::Creating) =>
        {
            Err(in_use(format_args!("An index of the table is being created: {}", table.name)))
        }
        TableStatus::Active | TableStatus::Updating => Ok(()),
    }
}

/// The same request with the same token is answered with the job it started.
fn repeated(job: &Job, request: &StartBulkPutItems) -> Result<BulkOperation, Error> {
    let told = job.as_bulk().map(|bulk| &bulk.told).filter(|told| {
        told.table_named == request.table_named
            && told.input == request.input
            && told.output == request.output
            && told.write_units_max == request.write_units_max
            && told.tier == request.tier
    });
    told.cloned().ok_or_else(|| {
        let message = "The request was repeated with the same client token and different parameters";
        Error::new(Kind::IdempotentParameterMismatch, message)
    })
}

/// Whether a job is a bulk operation.
pub(super) fn is_bulk(job: &Job) -> bool {
    job.as_bulk().is_some()
}
