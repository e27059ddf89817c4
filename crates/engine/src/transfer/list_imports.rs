//! ListImports: the last ones first.

use op::{Error, ImportSummary, Imports, ListImports, Output};
use storage::Ticket;

use super::{Import, page};
use crate::table::definition::table_arn;
use crate::{Engine, Pending};

pub(crate) fn run(engine: &Engine, request: &ListImports) -> Pending {
    match list(engine, request) {
        Ok((imports, ticket)) => engine.pending(Ok(Output::Imports(imports)), ticket),
        Err(error) => engine.read(Err(error)),
    }
}

fn list(engine: &Engine, request: &ListImports) -> Result<(Imports, Ticket), Error> {
    let (jobs, ticket) = engine.jobs.all(engine.env.now_ms());
    let table = request.table.as_deref().map(table_arn);
    let imports = jobs.iter().filter_map(|job| job.as_import());
    let wanted = imports.filter(|import| table.as_ref().is_none_or(|arn| *arn == import.told.table_arn));
    let all: Vec<ImportSummary> = wanted.map(summary).collect();
    let (imports, next) = page::of(all, name, request.next.as_deref(), request.limit)?;
    Ok((Imports { imports, next }, ticket))
}

/// Imports are in the order of their beginnings, whatever table they are of.
fn name(import: &ImportSummary) -> String {
    format!("{:014}{}", import.start_ms, import.arn)
}

fn summary(import: &Import) -> ImportSummary {
    let told = &import.told;
    ImportSummary {
        arn: told.arn.clone(),
        status: told.status,
        table_arn: told.table_arn.clone(),
        source: told.source.clone(),
        log_group_arn: told.log_group_arn.clone(),
        format: told.format.clone(),
        start_ms: told.start_ms,
        end_ms: told.end_ms,
    }
}
