//! UpdateItem.

use item::Item;
use op::{Error, Output, Returns, UpdateItem, WriteOutput};
use storage::Ticket;

use crate::commit::{self, Change, Done, Old};
use crate::{Engine, Pending, plan};

pub(crate) fn run(engine: &Engine, request: UpdateItem) -> Pending {
    match update(engine, request) {
        Ok((result, ticket)) => engine.pending(result, ticket),
        Err(error) => engine.read(Err(error)),
    }
}

fn update(engine: &Engine, request: UpdateItem) -> Result<(Result<Output, Error>, Ticket), Error> {
    let cell = engine.cell(&request.table)?;
    let table = cell.read();
    plan::usable(&table)?;
    let collection = super::collection(&table, &request.key, request.metrics);
    let change = Change::update(&table, request.key, request.update, request.condition)?
        .showing(Old::Unwanted, request.on_failure);
    let (done, ticket) = commit::one(engine, &change);
    let output = done.and_then(|done| {
        let capacity = super::consumed(&table, &done, request.capacity);
        let metrics =
            collection.map(|key| super::collection_metrics(engine, &table, key)).transpose()?.flatten();
        Ok(Output::Write(WriteOutput { attributes: attributes(request.returns, done), capacity, metrics }))
    });
    Ok((output, ticket))
}

/// The attributes that are asked for. The whole item is told even if it is empty; of touched attributes none is none.
fn attributes(returns: Returns, done: Done) -> Option<Item> {
    let touched = |item: Option<Item>| {
        let item = expr::Projection::of_paths(done.touched).cut(&item?);
        (!item.is_empty()).then_some(item)
    };
    match returns {
        Returns::None => None,
        Returns::AllOld => done.before,
        Returns::AllNew => done.after,
        Returns::UpdatedOld => touched(done.before),
        Returns::UpdatedNew => touched(done.after),
    }
}
