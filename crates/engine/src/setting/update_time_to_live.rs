//! UpdateTimeToLive: the setting. What has expired is removed in the background.

use op::{Error, Output, TableStatus, TimeToLive, TtlStatus, UpdateTimeToLive};

use super::describe_time_to_live::status;
use crate::catalog::{Age, Task};
use crate::schema::{Expiry, Table, Ttl};
use crate::table::life::not_found;
use crate::{Engine, Pending, internal};

pub(crate) fn run(engine: &Engine, request: UpdateTimeToLive) -> Pending {
    let changed = change(engine, &request).map(|()| {
        let status = if request.enabled { TtlStatus::Enabled } else { TtlStatus::Disabled };
        Output::TimeToLiveChanged(TimeToLive { status, attribute: Some(request.attribute) })
    });
    engine.read(changed)
}

fn change(engine: &Engine, request: &UpdateTimeToLive) -> Result<(), Error> {
    let mut changes = engine.catalog.changes(&engine.store);
    let cell = engine.catalog.cell(&request.table).ok_or_else(|| not_found(&request.table))?;
    let mut table = cell.table().as_ref().clone();
    // OBSERVED: a table that is not there yet is not found by this operation.
    if matches!(table.status, TableStatus::Creating | TableStatus::Deleting) {
        return Err(not_found(&request.table));
    }
    check(engine, &table, request)?;
    let status = if request.enabled { TtlStatus::Enabled } else { TtlStatus::Disabled };
    // The attribute stays known while expiry is being switched off.
    let attribute = Some(request.attribute.clone());
    let expiry = request.enabled.then(|| Expiry { space: changes.space(), is_filled: false });
    let space = expiry.as_ref().map(|expiry| expiry.space);
    table.ttl = Ttl { status, attribute, changed_ms: Some(engine.env.now_ms()), expiry };
    changes.replace(&cell, table).map_err(internal)?;
    if let Some(space) = space {
        engine.catalog.tasks().push(Task::Age(Age { cell, space, after: None, ready: false }));
    }
    Ok(())
}

/// Expiry can be switched on when it is off, and off by the attribute it is on with.
fn check(engine: &Engine, table: &Table, request: &UpdateTimeToLive) -> Result<(), Error> {
    let current = table.ttl.attribute.as_deref().unwrap_or_default();
    match status(engine, table) {
        TtlStatus::Enabling | TtlStatus::Disabling => {
            Err(Error::validation("Time to live has been modified multiple times within a fixed interval"))
        }
        TtlStatus::Enabled if current != request.attribute => Err(Error::validation(format!(
            "TimeToLive is active on a different AttributeName: current AttributeName is {current}"
        ))),
        TtlStatus::Enabled if request.enabled => Err(Error::validation("TimeToLive is already enabled")),
        TtlStatus::Disabled if !request.enabled => Err(Error::validation("TimeToLive is already disabled")),
        TtlStatus::Enabled | TtlStatus::Disabled => Ok(()),
    }
}
