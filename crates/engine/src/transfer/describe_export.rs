//! DescribeExport.

use op::{DescribeExport, Error, Kind, Output};

use super::Job;
use crate::{Engine, Pending};

pub(crate) fn run(engine: &Engine, request: &DescribeExport) -> Pending {
    let found = engine.jobs.get(&request.arn);
    let told = found.as_ref().and_then(|(job, ticket)| Some((job.as_export()?, *ticket)));
    match told {
        Some((export, ticket)) => engine.pending(Ok(Output::Export(Box::new(export.told.clone()))), ticket),
        None => engine.read(Err(not_found(&request.arn))),
    }
}

fn not_found(arn: &str) -> Error {
    // OBSERVED: the words stand there twice.
    Error::new(Kind::ExportNotFound, format!("Export not found: Export not found: {arn}"))
}

/// Whether a job is an export.
pub(super) fn is_export(job: &Job) -> bool {
    job.as_export().is_some()
}
