//! ListExports: against the order of their ARNs.

use op::{Error, ExportScope, ExportSummary, Exports, ListExports, Output};
use storage::Ticket;

use super::{Export, page};
use crate::table::definition::table_arn;
use crate::{Engine, Pending};

pub(crate) fn run(engine: &Engine, request: &ListExports) -> Pending {
    match list(engine, request) {
        Ok((exports, ticket)) => engine.pending(Ok(Output::Exports(exports)), ticket),
        Err(error) => engine.read(Err(error)),
    }
}

fn list(engine: &Engine, request: &ListExports) -> Result<(Exports, Ticket), Error> {
    let (jobs, ticket) = engine.jobs.all(engine.env.now_ms());
    let table = request.table.as_deref().map(table_arn);
    let exports = jobs.iter().filter_map(|job| job.as_export());
    let wanted = exports.filter(|export| table.as_ref().is_none_or(|arn| *arn == export.told.table_arn));
    let all: Vec<ExportSummary> = wanted.map(summary).collect();
    let (exports, next) = page::of(all, |export| export.arn.clone(), request.next.as_deref(), request.limit)?;
    Ok((Exports { exports, next }, ticket))
}

fn summary(export: &Export) -> ExportSummary {
    ExportSummary {
        arn: export.told.arn.clone(),
        status: export.told.status,
        is_incremental: matches!(export.told.scope, ExportScope::Incremental { .. }),
    }
}
