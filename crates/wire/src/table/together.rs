//! Which changes of a table may stand in one UpdateTable. Knows no table that exists.
//!
//! OBSERVED: nearly none. Those that wait for each other on the service are refused together even on an idle table.

use op::{BillingMode, IndexUpdate, UpdateTable};

use crate::fault::Fault;

/// Refuses changes that do not go together.
pub(crate) fn check(request: &UpdateTable) -> Result<(), Fault> {
    let changes = [
        request.billing.is_some(),
        request.throughput.is_some(),
        request.on_demand.is_some(),
        request.warm.is_some(),
        !request.index_updates.is_empty(),
        request.stream.is_some(),
        request.sse.is_some(),
        request.class.is_some(),
        request.deletion_protection.is_some(),
    ];
    if changes.into_iter().filter(|change| *change).count() < 2 {
        return Ok(());
    }
    match refusal(request) {
        Some(detail) => Err(Fault::invalid(format!("One or more parameter values were invalid: {detail}"))),
        None => Ok(()),
    }
}

/// What is said of a request with more than one change. The order is the service's.
fn refusal(request: &UpdateTable) -> Option<&'static str> {
    let creates = |update: &IndexUpdate| matches!(update, IndexUpdate::Create(_));
    let online = |update: &IndexUpdate| matches!(update, IndexUpdate::Create(_) | IndexUpdate::Delete(_));
    let index_created = request.index_updates.iter().any(creates);
    let index_online = request.index_updates.iter().any(online);
    let units = request.throughput.is_some() || request.billing == Some(BillingMode::Provisioned);
    if request.sse.is_some() {
        return Some("Server-Side Encryption modification must be the only operation in the request");
    }
    if request.class.is_some() {
        return Some("TableClass modification must be the only operation in the request");
    }
    if request.deletion_protection.is_some() {
        return Some("DeletionProtection modification must be the only operation in the request");
    }
    if request.warm.is_some() {
        return Some(match (request.on_demand, index_created) {
            (Some(_), _) => {
                "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request"
            }
            (None, true) => "Create global secondary index cannot be specified when updating WarmThroughput",
            (None, false) => "WarmThroughput must be the only operation in the request",
        });
    }
    if request.on_demand.is_some() && request.stream.is_some() {
        return Some("OnDemandThroughput can only be combined with BillingMode in an UpdateTable request");
    }
    if request.stream.is_some() && units {
        return Some("You cannot modify stream status while updating table IOPS");
    }
    if index_online && request.throughput.is_some() {
        return Some("You cannot create or delete index while updating table IOPS");
    }
    if index_online && request.stream.is_some() {
        return Some("You cannot create or delete index while changing stream status");
    }
    None
}
