//! What a new table and its indexes may ask for of units, beside how the table is billed. Knows no table that exists.

use op::{BillingMode, CreateTable, IndexSpec, Throughput, WarmThroughput};

use crate::fault::Fault;

/// What every table on demand is ready for.
const ON_DEMAND_WARM: Throughput = Throughput { read: 12_000, write: 4000 };
const ABOUT_ON_DEMAND: &str = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/\
                               on-demand-capacity-mode.html#on-demand-capacity-mode-initial";

fn invalid<T>(detail: impl std::fmt::Display) -> Result<T, Fault> {
    Err(Fault::invalid(format!("One or more parameter values were invalid: {detail}")))
}

/// Units of indexes and readiness fit how the table is billed.
pub(crate) fn check_created(request: &CreateTable) -> Result<(), Fault> {
    for index in &request.global_indexes {
        check_index(request.billing, index)?;
    }
    check_warm(request.warm, request.throughput, "table")?;
    for index in &request.global_indexes {
        check_warm(index.warm, index.throughput, &format!("index {}", index.name))?;
    }
    Ok(())
}

fn check_index(billing: Option<BillingMode>, index: &IndexSpec) -> Result<(), Fault> {
    let name = &index.name;
    match (billing, index.throughput, index.on_demand) {
        (Some(BillingMode::PayPerRequest), Some(_), _) => invalid(format!(
            "ProvisionedThroughput should not be specified for index: {name} when BillingMode is PAY_PER_REQUEST"
        )),
        (Some(BillingMode::PayPerRequest), None, _) => Ok(()),
        (Some(BillingMode::Provisioned) | None, None, _) => {
            invalid(format!("ProvisionedThroughput is not specified for index: {name}"))
        }
        (Some(BillingMode::Provisioned) | None, Some(_), Some(bounds)) => {
            let member =
                if bounds.read_max.is_some() { "MaxReadRequestUnits" } else { "MaxWriteRequestUnits" };
            invalid(format!(
                "{member} for OnDemandThroughput for index: {name} cannot be specified when table BillingMode is \
                 PROVISIONED."
            ))
        }
        (Some(BillingMode::Provisioned) | None, Some(_), None) => Ok(()),
    }
}

/// Readiness cannot be less than what the table has anyway.
fn check_warm(
    warm: Option<WarmThroughput>,
    provisioned: Option<Throughput>,
    place: &str,
) -> Result<(), Fault> {
    let Some(warm) = warm else { return Ok(()) };
    let least = provisioned.unwrap_or(ON_DEMAND_WARM);
    let units = [
        ("ReadUnitsPerSecond", "ReadCapacityUnits", warm.read, least.read),
        ("WriteUnitsPerSecond", "WriteCapacityUnits", warm.write, least.write),
    ];
    for (member, provisioned_member, asked, least) in units {
        if asked.is_none_or(|asked| asked >= least) {
            continue;
        }
        let than = match provisioned {
            Some(_) => format!("{provisioned_member} of ProvisionedThroughput"),
            None => format!("initial throughput for OnDemand. See: {ABOUT_ON_DEMAND}"),
        };
        return invalid(format!("Requested {member} for WarmThroughput for {place} is lower than {than}"));
    }
    Ok(())
}
