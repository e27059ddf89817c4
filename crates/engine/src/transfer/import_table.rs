//! ImportTable: makes a table that is CREATING until all items are in it.

use op::{Error, ImportDescription, ImportStatus, ImportTable, Kind, Output};

use super::describe_import::is_import;
use super::{Import, Job, Place, start};
use crate::catalog::jobs;
use crate::table::create_table;
use crate::{Engine, Pending, internal};

/// As many at a time.
const IMPORTS_MAX: usize = 50;
/// Where the service writes about what cannot be imported. We write it into our own log.
const LOG_GROUP: &str = "arn:aws:logs:us-east-1:000000000000:log-group:/aws-dynamodb/imports:*";

/// The account that everything belongs to.
const ACCOUNT: &str = "000000000000";

pub(crate) fn run(engine: &Engine, request: ImportTable) -> Pending {
    engine.read(begin(engine, request).map(|told| Output::Import(Box::new(told))))
}

fn begin(engine: &Engine, request: ImportTable) -> Result<ImportDescription, Error> {
    let now_ms = engine.env.now_ms();
    let _starting = engine.jobs.start();
    if let Some(job) = start::known(&engine.jobs, request.token.as_deref(), now_ms, is_import) {
        return repeated(&job, &request);
    }
    let mut changes = engine.catalog.changes(&engine.store);
    // OBSERVED: whatever state a table of this name is in, it is there.
    if engine.catalog.cell(&request.table.name).is_some() {
        let message = format!("Table already exists: {}", request.table.name);
        return Err(Error::new(Kind::ResourceInUse, message));
    }
    start::bound(&engine.jobs, now_ms, IMPORTS_MAX, "imports", is_import)?;
    let table = create_table::define(engine, &mut changes, request.table.clone());
    let told = ImportDescription {
        arn: start::arn(engine, &table.arn, "import", now_ms),
        status: ImportStatus::InProgress,
        table_arn: table.arn.clone(),
        table_id: table.id.clone(),
        token: request.token,
        source: op::BucketPlace { owner: request.source.owner.or_else(account), ..request.source },
        error_count: 0,
        log_group_arn: Some(LOG_GROUP.to_owned()),
        format: request.format,
        compression: request.compression,
        table: request.table,
        start_ms: now_ms,
        end_ms: None,
        processed_bytes: 0,
        processed_items: 0,
        imported_items: 0,
        failure: None,
    };
    let job = Job::Import(Import { told: told.clone(), place: Place::default() });
    // Together, so that no table waits for an import that nobody knows of.
    changes.insert_with(table, |batch| jobs::note(batch, &job)).map_err(internal)?;
    engine.jobs.keep(job, storage::Ticket::NONE);
    Ok(told)
}

/// OBSERVED: a bucket of which no owner was named is the account's.
fn account() -> Option<String> {
    Some(ACCOUNT.to_owned())
}

/// The same request with the same token is answered with the job it started.
fn repeated(job: &Job, request: &ImportTable) -> Result<ImportDescription, Error> {
    let told = job.as_import().map(|import| &import.told).filter(|told| {
        let owner = request.source.owner.clone().or_else(account);
        told.source == op::BucketPlace { owner, ..request.source.clone() }
            && told.format == request.format
            && told.compression == request.compression
            && told.table == request.table
    });
    told.cloned().ok_or_else(|| {
        let message = "Import conflict: Duplicate request detected with conflicting parameters";
        Error::new(Kind::ImportConflict, message)
    })
}
