//! DescribeTimeToLive, and the state that both operations on expiry see.

use op::{DescribeTimeToLive, Error, Output, TableStatus, TimeToLive, TtlStatus};

use crate::schema::Table;
use crate::table::life::{UPDATING_MS, not_found};
use crate::{Engine, LifeCycle};

pub(crate) fn run(engine: &Engine, request: &DescribeTimeToLive) -> Result<Output, Error> {
    let cell = engine.catalog.cell(&request.table).ok_or_else(|| not_found(&request.table))?;
    let table = cell.table();
    match table.status {
        TableStatus::Creating => Err(busy("CREATING")),
        TableStatus::Deleting => Err(busy("DELETING")),
        TableStatus::Active | TableStatus::Updating => {
            let status = status(engine, &table);
            let attribute = table.ttl.attribute.clone().filter(|_| status != TtlStatus::Disabled);
            Ok(Output::TimeToLive(TimeToLive { status, attribute }))
        }
    }
}

/// A change of the setting takes a while where the life cycle has delays.
pub(super) fn status(engine: &Engine, table: &Table) -> TtlStatus {
    let since_ms = |changed_ms: u64| engine.env.now_ms().saturating_sub(changed_ms);
    let changing = engine.life_cycle == LifeCycle::Realistic
        && table.ttl.changed_ms.is_some_and(|changed_ms| since_ms(changed_ms) < UPDATING_MS);
    match table.ttl.status {
        TtlStatus::Enabling | TtlStatus::Enabled if changing => TtlStatus::Enabling,
        TtlStatus::Disabling | TtlStatus::Disabled if changing => TtlStatus::Disabling,
        TtlStatus::Enabling | TtlStatus::Enabled => TtlStatus::Enabled,
        TtlStatus::Disabling | TtlStatus::Disabled => TtlStatus::Disabled,
    }
}

fn busy(state: &str) -> Error {
    Error::validation(format!(
        "Cannot describe time to live while table is in {state} state: Current table state is {state}"
    ))
}
