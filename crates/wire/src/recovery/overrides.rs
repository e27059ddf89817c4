//! What a restore may change of its source's settings. Knows no table and no backup.

use op::{BillingMode, IndexSpec, OnDemand, RestoreOverrides, limits};

use crate::fault::Fault;
use crate::fields::Fields;
use crate::rule::{Rule, Test, rule};
use crate::shape::{Member, Shape};
use crate::table::{index_rules, spec};

pub(crate) const BILLING: Member = ("BillingModeOverride", &Shape::Text);
pub(crate) const GLOBAL_INDEXES: Member = (
    "GlobalSecondaryIndexOverride",
    &Shape::List(&Shape::Struct("GlobalSecondaryIndex", spec::GLOBAL_INDEX)),
);
pub(crate) const LOCAL_INDEXES: Member = ("LocalSecondaryIndexOverride", &spec::LOCAL_INDEXES);
pub(crate) const THROUGHPUT: Member = ("ProvisionedThroughputOverride", &spec::THROUGHPUT);
pub(crate) const ON_DEMAND: Member = ("OnDemandThroughputOverride", &spec::ON_DEMAND);
pub(crate) const SSE: Member = ("SSESpecificationOverride", &spec::SSE);

/// What the model says of all of them.
pub(crate) const RULES: &[Rule] = &[
    rule("BillingModeOverride", Test::OneOf(spec::BILLING_NAMES)),
    rule("GlobalSecondaryIndexOverride.*", Test::Within(INDEX)),
    rule("GlobalSecondaryIndexOverride.*.KeySchema", Test::LengthMax(spec::INDEX_KEYS_MAX)),
    rule("LocalSecondaryIndexOverride.*", Test::Within(INDEX)),
    rule("LocalSecondaryIndexOverride.*.KeySchema", Test::LengthMax(2)),
    rule("ProvisionedThroughputOverride", Test::Within(UNITS)),
    rule("SSESpecificationOverride.SSEType", Test::OneOf(spec::SSE_NAMES)),
];
const INDEX: &[Rule] = &[
    rule("IndexName", Test::Required),
    rule("IndexName", Test::LengthMin(3)),
    rule("IndexName", Test::LengthMax(255)),
    rule("IndexName", Test::Pattern),
    rule("KeySchema", Test::Required),
    rule("KeySchema", Test::LengthMin(1)),
    rule("KeySchema.*.AttributeName", Test::Required),
    rule("KeySchema.*.AttributeName", Test::LengthMin(1)),
    rule("KeySchema.*.AttributeName", Test::LengthMax(limits::KEY_NAME_BYTES_MAX)),
    rule("KeySchema.*.KeyType", Test::Required),
    rule("KeySchema.*.KeyType", Test::OneOf(spec::KEY_KIND_NAMES)),
    rule("Projection", Test::Required),
    rule("Projection.ProjectionType", Test::OneOf(spec::PROJECTION_NAMES)),
    rule("Projection.NonKeyAttributes", Test::LengthMin(1)),
    rule("Projection.NonKeyAttributes", Test::LengthMax(limits::INDEX_PROJECTED_ATTRIBUTES_MAX)),
    rule("Projection.NonKeyAttributes.*", Test::LengthMin(1)),
    rule("ProvisionedThroughput", Test::Within(UNITS)),
];
const UNITS: &[Rule] = &[
    rule("WriteCapacityUnits", Test::Required),
    rule("WriteCapacityUnits", Test::AtLeast(1)),
    rule("ReadCapacityUnits", Test::Required),
    rule("ReadCapacityUnits", Test::AtLeast(1)),
];

/// Reads the overrides and checks them against each other.
pub(crate) fn read(fields: Fields<'_, '_>) -> Result<RestoreOverrides, Fault> {
    spec::refuse_unsupported(fields, &["VectorIndexOverride"])?;
    let overrides = RestoreOverrides {
        billing: spec::billing(fields, "BillingModeOverride")?,
        global_indexes: indexes(fields, "GlobalSecondaryIndexOverride", spec::INDEX_KEYS_MAX)?,
        local_indexes: indexes(fields, "LocalSecondaryIndexOverride", 2)?,
        throughput: fields.fields("ProvisionedThroughputOverride")?.map(spec::units).transpose()?,
        on_demand: on_demand(fields)?,
        sse: spec::sse(fields, "SSESpecificationOverride")?,
    };
    check_billing(&overrides)?;
    let global = overrides.global_indexes.iter().flatten();
    index_rules::check_names(global.chain(overrides.local_indexes.iter().flatten()))?;
    Ok(overrides)
}

fn indexes(fields: Fields<'_, '_>, name: &str, keys_max: usize) -> Result<Option<Vec<IndexSpec>>, Fault> {
    let Some(values) = fields.list(name)? else { return Ok(None) };
    values.iter().map(|value| spec::index(value, keys_max)).collect::<Result<_, _>>().map(Some)
}

/// Bounds on demand. Bounds without a bound are none.
fn on_demand(fields: Fields<'_, '_>) -> Result<Option<OnDemand>, Fault> {
    let Some(fields) = fields.fields("OnDemandThroughputOverride")? else { return Ok(None) };
    let units = |name: &str| -> Result<Option<i64>, Fault> {
        let units = fields.integer(name)?;
        if units.is_some_and(|units| !(1..=spec::UNITS_MAX).contains(&units)) {
            return Err(Fault::invalid(format!(
                "Invalid Request: Requested {name} for OnDemandThroughput is outside of valid range"
            )));
        }
        Ok(units)
    };
    let bounds =
        OnDemand { read_max: units("MaxReadRequestUnits")?, write_max: units("MaxWriteRequestUnits")? };
    Ok((bounds != OnDemand::default()).then_some(bounds))
}

/// Units go with the billing that is asked for. Where none is, it is the source's, which nobody knows here.
fn check_billing(overrides: &RestoreOverrides) -> Result<(), Fault> {
    let invalid = |detail: String| Err(Fault::invalid(format!("Invalid Request: {detail}")));
    let globals = || overrides.global_indexes.iter().flatten();
    match overrides.billing {
        None => Ok(()),
        Some(BillingMode::PayPerRequest) => {
            if overrides.throughput.is_some() {
                return invalid(
                    "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST"
                        .into(),
                );
            }
            match globals().find(|index| index.throughput.is_some()) {
                Some(index) => invalid(format!(
                    "Cannot override ProvisionedThroughput for index {} if BillingMode is overridden to PAY_PER_REQUEST",
                    index.name
                )),
                None => Ok(()),
            }
        }
        Some(BillingMode::Provisioned) => {
            if overrides.throughput.is_none() {
                return invalid(
                    "Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED".into(),
                );
            }
            if let Some(bounds) = overrides.on_demand {
                let name =
                    if bounds.read_max.is_some() { "MaxReadRequestUnits" } else { "MaxWriteRequestUnits" };
                return invalid(format!(
                    "Cannot override {name} for OnDemandThroughput unless BillingModeOverride is PAY_PER_REQUEST"
                ));
            }
            match globals().find(|index| index.throughput.is_none()) {
                Some(index) => {
                    invalid(format!("Must specify provisioned throughput for index {}", index.name))
                }
                None => Ok(()),
            }
        }
    }
}
