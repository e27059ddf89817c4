//! The states a table passes through. A change first puts a table into a state that is told to the caller; the end of
//! that state is at once or after a while, as the life cycle says.

use op::{Error, IndexStatus, Kind, TableStatus};

use crate::schema::Table;
use crate::{Engine, LifeCycle};

/// How long a table is CREATING.
pub(crate) const CREATING_MS: u64 = 3000;
/// How long a table is UPDATING.
pub(crate) const UPDATING_MS: u64 = 2000;
/// How long a table is DELETING.
pub(crate) const DELETING_MS: u64 = 2000;

/// Ends the state of a table now or lets it last, as the life cycle of the database says.
pub(crate) fn let_pass(engine: &Engine, table: &mut Table, lasting_ms: u64) {
    match engine.life_cycle {
        LifeCycle::Immediate => end(table),
        LifeCycle::Realistic => table.status_until_ms = Some(engine.env.now_ms().saturating_add(lasting_ms)),
    }
}

/// Ends the state of a table that is not being deleted. Indexes that are being filled keep it UPDATING.
pub(crate) fn end(table: &mut Table) {
    table.status_until_ms = None;
    let created = table.status == TableStatus::Creating;
    table.global_indexes.retain(|index| index.status != IndexStatus::Deleting);
    for index in table.local_indexes.iter_mut().chain(&mut table.global_indexes) {
        if created || index.status == IndexStatus::Updating {
            index.status = IndexStatus::Active;
        }
    }
    prune_attributes(table);
    if table.indexes().all(|index| index.status == IndexStatus::Active) {
        table.status = TableStatus::Active;
    }
}

/// Keeps the definitions of those attributes that are keys, in the order of their names.
pub(crate) fn prune_attributes(table: &mut Table) {
    let mut attributes = std::mem::take(&mut table.attributes);
    attributes.retain(|attribute| {
        table.key.has(&attribute.name) || table.indexes().any(|index| index.key.has(&attribute.name))
    });
    attributes.sort_by(|a, b| a.name.cmp(&b.name));
    table.attributes = attributes;
}

/// A table that is busy.
pub(crate) fn in_use(detail: impl std::fmt::Display) -> Error {
    Error::new(Kind::ResourceInUse, format!("Attempt to change a resource which is still in use: {detail}"))
}

/// A table that is not there, as operations on tables say it.
pub(crate) fn not_found(name: &str) -> Error {
    Error::new(Kind::ResourceNotFound, format!("Requested resource not found: Table: {name} not found"))
}

/// Refuses a table that is not there yet or not there any more.
pub(crate) fn settled(table: &Table) -> Result<(), Error> {
    match table.status {
        TableStatus::Creating => Err(in_use(format_args!("Table is being created: {}", table.name))),
        TableStatus::Deleting => Err(in_use(format_args!("Table is being deleted: {}", table.name))),
        TableStatus::Active | TableStatus::Updating => Ok(()),
    }
}
