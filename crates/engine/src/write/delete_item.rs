//! DeleteItem.

use op::{DeleteItem, Error, Output, Returns, WriteOutput};
use storage::Ticket;

use crate::commit::{self, Change, Old};
use crate::{Engine, Pending, plan};

pub(crate) fn run(engine: &Engine, request: DeleteItem) -> Pending {
    match delete(engine, request) {
        Ok((result, ticket)) => engine.pending(result, ticket),
        Err(error) => engine.read(Err(error)),
    }
}

fn delete(engine: &Engine, request: DeleteItem) -> Result<(Result<Output, Error>, Ticket), Error> {
    let cell = engine.cell(&request.table)?;
    let table = cell.read();
    plan::usable(&table)?;
    let collection = super::collection(&table, &request.key, request.metrics);
    let old = if request.returns == Returns::AllOld { Old::Wanted } else { Old::Unwanted };
    let change = Change::delete(&table, &request.key, request.condition)?.showing(old, request.on_failure);
    let (done, ticket) = commit::one(engine, &change);
    let output = done.and_then(|done| {
        let capacity = super::consumed(&table, &done, request.capacity);
        let metrics =
            collection.map(|key| super::collection_metrics(engine, &table, key)).transpose()?.flatten();
        let attributes = if old == Old::Wanted { done.before } else { None };
        Ok(Output::Write(WriteOutput { attributes, capacity, metrics }))
    });
    Ok((output, ticket))
}
