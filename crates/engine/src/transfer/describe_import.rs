//! DescribeImport.

use op::{DescribeImport, Error, Kind, Output};

use super::Job;
use crate::{Engine, Pending};

pub(crate) fn run(engine: &Engine, request: &DescribeImport) -> Pending {
    let found = engine.jobs.get(&request.arn);
    let told = found.as_ref().and_then(|(job, ticket)| Some((job.as_import()?, *ticket)));
    match told {
        Some((import, ticket)) => engine.pending(Ok(Output::Import(Box::new(import.told.clone()))), ticket),
        None => engine.read(Err(not_found(&request.arn))),
    }
}

fn not_found(arn: &str) -> Error {
    Error::new(Kind::ImportNotFound, format!("Import not found: {arn}"))
}

/// Whether a job is an import.
pub(super) fn is_import(job: &Job) -> bool {
    job.as_import().is_some()
}
