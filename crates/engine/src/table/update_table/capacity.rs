//! Billing mode, provisioned units, bounds on demand and readiness of a table and its indexes.

use op::{
    BillingMode, BillingSummary, Error, IndexUpdate, OnDemand, Throughput, ThroughputDescription,
    UpdateTable, WarmThroughput,
};

use super::definition::{self, mode};
use crate::schema::Table;
use crate::table::description::same_day;

/// Changes what belongs to the table as a whole.
pub(super) fn change(table: &mut Table, request: &UpdateTable, now_ms: u64) -> Result<(), Error> {
    let before = mode(table);
    let after = request.billing.unwrap_or(before);
    check_mode(table, request, after)?;
    if before != after {
        switch(table, after, now_ms);
    }
    if let Some(units) = request.throughput {
        if before == after && units == table.throughput.units {
            return Err(unchanged("table", "the table", table.throughput.units));
        }
        set_units(&mut table.throughput, units, now_ms);
        table.warm = definition::warm(after, units, Some(table.warm));
    }
    if let Some(asked) = request.on_demand {
        check_bounds(after, asked, "")?;
        table.on_demand = definition::bounds(merged(table.on_demand, asked));
    }
    if let Some(asked) = request.warm {
        table.warm = raised(table.warm, asked, "table")?;
    }
    Ok(())
}

fn check_mode(table: &Table, request: &UpdateTable, after: BillingMode) -> Result<(), Error> {
    match after {
        BillingMode::PayPerRequest if request.throughput.is_some() => Err(Error::invalid(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
        )),
        BillingMode::PayPerRequest => Ok(()),
        BillingMode::Provisioned if request.billing.is_some() && request.throughput.is_none() => {
            Err(Error::invalid("ProvisionedThroughput must be specified when BillingMode is PROVISIONED"))
        }
        BillingMode::Provisioned if mode(table) == BillingMode::PayPerRequest => {
            every_index_has_units(table, request)
        }
        BillingMode::Provisioned => Ok(()),
    }
}

/// Nothing is assigned by itself when a table becomes provisioned.
fn every_index_has_units(table: &Table, request: &UpdateTable) -> Result<(), Error> {
    for index in &table.global_indexes {
        let given = request.index_updates.iter().any(|update| match update {
            IndexUpdate::Update { name, throughput, .. } => *name == index.name && throughput.is_some(),
            IndexUpdate::Delete(name) => *name == index.name,
            IndexUpdate::Create(_) => false,
        });
        if !given {
            return Err(Error::invalid(format_args!(
                "ProvisionedThroughput must be specified for index: {}",
                index.name
            )));
        }
    }
    Ok(())
}

/// Units and bounds belong to their mode: the other mode begins without them.
fn switch(table: &mut Table, to: BillingMode, now_ms: u64) {
    let since_ms = match to {
        BillingMode::PayPerRequest => Some(now_ms),
        BillingMode::Provisioned => table.billing.and_then(|billing| billing.on_demand_since_ms),
    };
    table.billing = Some(BillingSummary { mode: to, on_demand_since_ms: since_ms });
    table.on_demand = None;
    table.throughput = ThroughputDescription::default();
    table.warm = definition::warm(to, Throughput::default(), Some(table.warm));
    for index in &mut table.global_indexes {
        index.on_demand = None;
        index.throughput = ThroughputDescription::default();
        index.warm = definition::warm(to, Throughput::default(), Some(index.warm));
    }
}

/// Sets units and notes whether they rose or fell.
pub(super) fn set_units(throughput: &mut ThroughputDescription, units: Throughput, now_ms: u64) {
    let before = std::mem::replace(&mut throughput.units, units);
    if units.read > before.read || units.write > before.write {
        throughput.increased_ms = Some(now_ms);
    }
    if units.read < before.read || units.write < before.write {
        let today = throughput.decreased_ms.is_some_and(|at_ms| same_day(at_ms, now_ms));
        throughput.decreases_today = if today { throughput.decreases_today + 1 } else { 1 };
        throughput.decreased_ms = Some(now_ms);
    }
}

/// Units that are what they were. `place` is where they are provisioned, `subject` what would change.
pub(super) fn unchanged(place: &str, subject: &str, units: Throughput) -> Error {
    let Throughput { read, write } = units;
    Error::validation(format!(
        "The provisioned throughput for {subject} will not change. The requested value equals the current value. \
         Current ReadCapacityUnits provisioned for the {place}: {read}. Requested ReadCapacityUnits: {read}. \
         Current WriteCapacityUnits provisioned for the {place}: {write}. Requested WriteCapacityUnits: {write}. \
         Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    ))
}

/// Only a table on demand has bounds. `place` is said of bounds that are not the table's own.
pub(super) fn check_bounds(mode: BillingMode, asked: OnDemand, place: &str) -> Result<(), Error> {
    let field = match asked {
        _ if mode == BillingMode::PayPerRequest => return Ok(()),
        OnDemand { read_max: Some(_), .. } => "MaxReadRequestUnits",
        OnDemand { write_max: Some(_), .. } => "MaxWriteRequestUnits",
        OnDemand { read_max: None, write_max: None } => return Ok(()),
    };
    Err(Error::invalid(format_args!(
        "{field} for OnDemandThroughput{place} cannot be specified when the table BillingMode is PROVISIONED"
    )))
}

/// A bound that is not named stays.
pub(super) fn merged(current: Option<OnDemand>, asked: OnDemand) -> OnDemand {
    let current = current.unwrap_or_default();
    OnDemand {
        read_max: asked.read_max.or(current.read_max),
        write_max: asked.write_max.or(current.write_max),
    }
}

/// Readiness may only rise.
pub(super) fn raised(
    current: WarmThroughput,
    asked: WarmThroughput,
    place: &str,
) -> Result<WarmThroughput, Error> {
    let units = [
        ("ReadUnitsPerSecond", current.read, asked.read),
        ("WriteUnitsPerSecond", current.write, asked.write),
    ];
    for (field, current, asked) in units {
        if asked.is_some_and(|asked| asked < current.unwrap_or(0)) {
            return Err(Error::invalid(format_args!(
                "Requested {field} for WarmThroughput for {place} is lower than current WarmThroughput, decreasing \
                 WarmThroughput is not supported"
            )));
        }
    }
    Ok(WarmThroughput { read: asked.read.or(current.read), write: asked.write.or(current.write) })
}
