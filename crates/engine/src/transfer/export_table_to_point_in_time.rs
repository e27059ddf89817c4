//! ExportTableToPointInTime: the items are copied as they were at the time, and written to a bucket from there.

use op::{Error, ExportDescription, ExportScope, ExportStatus, ExportTableToPointInTime, Kind, Output};
use storage::Ticket;

use super::describe_export::is_export;
use super::{Export, Job, filter, start};
use crate::catalog::jobs;
use crate::export::Begun;
use crate::recovery::not_found;
use crate::table::definition::{second, table_arn};
use crate::{Engine, Pending};

/// As many at a time.
const EXPORTS_MAX: usize = 300;
/// The longest time that changes are told of.
const INCREMENT_MS_MAX: u64 = 24 * 60 * 60 * 1000;

pub(crate) fn run(engine: &Engine, request: ExportTableToPointInTime) -> Pending {
    engine.read(begin(engine, request).map(|told| Output::Export(Box::new(told))))
}

fn begin(engine: &Engine, request: ExportTableToPointInTime) -> Result<ExportDescription, Error> {
    let now_ms = engine.env.now_ms();
    let _starting = engine.jobs.start();
    if let Some(job) = start::known(&engine.jobs, request.token.as_deref(), now_ms, is_export) {
        return repeated(&job, &request);
    }
    // OBSERVED: exports name a table that is not there by its ARN.
    let missing = || not_found(&table_arn(&request.table));
    let cell = engine.catalog.cell(&request.table).ok_or_else(missing)?;
    let key = cell.table().key.clone();
    if let Some(filter) = &request.filter {
        filter::check(&key, filter)?;
    }
    check_times(request.scope, cell.table().created_ms, now_ms)?;
    start::bound(&engine.jobs, now_ms, EXPORTS_MAX, "exports", is_export)?;
    let arn = start::arn(engine, &table_arn(&request.table), "export", now_ms);
    let job = |begun: &Begun| {
        Job::Export(Export {
            told: describe(&request, &arn, begun, now_ms),
            asked: request.scope,
            key: key.clone(),
            copy: Some(begun.copy),
        })
    };
    // Together, so that no copy waits for an export that nobody knows of.
    let begun = engine.export_begin(&request.table, request.scope, &|begun, batch| {
        jobs::note(batch, &job(begun));
    })?;
    engine.jobs.keep(job(&begun), Ticket::NONE);
    Ok(describe(&request, &arn, &begun, now_ms))
}

fn describe(request: &ExportTableToPointInTime, arn: &str, begun: &Begun, now_ms: u64) -> ExportDescription {
    ExportDescription {
        arn: arn.to_owned(),
        status: ExportStatus::InProgress,
        start_ms: now_ms,
        end_ms: None,
        manifest: None,
        table_arn: begun.table_arn.clone(),
        table_id: begun.table_id.clone(),
        scope: begun.scope,
        token: request.token.clone(),
        bucket: request.bucket.clone(),
        sse: request.sse.clone(),
        format: request.format,
        filter: request.filter.as_ref().map(|filter| filter.text.clone()),
        failure: None,
        billed_bytes: None,
        item_count: None,
    }
}

/// A time in which changes are told must have a beginning and an end, in this order, not too far from each other.
fn check_times(scope: ExportScope, created_ms: u64, now_ms: u64) -> Result<(), Error> {
    let ExportScope::Incremental { from_ms, to_ms, .. } = scope else { return Ok(()) };
    let to_ms = to_ms.unwrap_or(now_ms);
    let whole = |ms: u64| ms / 1000;
    let wrong = if whole(from_ms) < whole(created_ms) {
        let created = second(created_ms);
        format!("Incremental export period from time cannot be less than the table creation time : {created}")
    } else if whole(to_ms) > whole(now_ms) {
        let now = second(now_ms);
        format!("Incremental export period to time cannot be greater than the current time : {now}")
    } else if from_ms >= to_ms {
        "Difference between export period from time and export period to time is less than 15 minutes"
            .to_owned()
    } else if to_ms - from_ms > INCREMENT_MS_MAX {
        "Difference between export period from time and export period to time is greater than 24 hours"
            .to_owned()
    } else {
        return Ok(());
    };
    Err(Error::new(Kind::InvalidExportTime, wrong))
}

/// The same request with the same token is answered with the job it started.
fn repeated(job: &Job, request: &ExportTableToPointInTime) -> Result<ExportDescription, Error> {
    let filter = request.filter.as_ref().map(|filter| &filter.text);
    let export = job.as_export().filter(|export| {
        let told = &export.told;
        told.table_arn == table_arn(&request.table)
            && export.asked == request.scope
            && told.bucket == request.bucket
            && told.sse == request.sse
            && told.format == request.format
            && told.filter.as_ref() == filter
    });
    export.map(|export| export.told.clone()).ok_or_else(|| {
        let message = "Export conflict: Duplicate request detected with conflicting parameters";
        Error::new(Kind::ExportConflict, message)
    })
}
