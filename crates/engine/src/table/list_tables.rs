//! ListTables.

use op::{ListTables, Output, TableNames};

use crate::Engine;

pub(crate) fn run(engine: &Engine, request: &ListTables) -> Output {
    let (names, more) = engine.catalog.names_after(request.start.as_deref(), request.limit);
    let last = names.last().filter(|_| more).cloned();
    Output::TableNames(TableNames { names, last })
}
