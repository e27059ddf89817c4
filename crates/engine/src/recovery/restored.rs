//! The definition of a restored table: its source's, with what a request wants to be otherwise. Streams, expiry, tags,
//! recovery and protection are not its source's. Knows no items.

use std::sync::Arc;

use op::{
    BillingMode, BillingSummary, Error, IndexProjection, IndexSpec, RestoreOverrides, RestoreSummary,
    TableDescription, TableStatus, Throughput, ThroughputDescription,
};

use crate::Engine;
use crate::catalog::{Changes, no_ttl};
use crate::env::uuid;
use crate::schema::{Index, Stats, Table};
use crate::table::{definition, life};

/// A new table that is like its source.
pub(crate) fn define(
    engine: &Engine,
    changes: &mut Changes<'_>,
    source: &Table,
    name: String,
    overrides: &RestoreOverrides,
    summary: RestoreSummary,
) -> Result<Table, Error> {
    let now_ms = engine.env.now_ms();
    let mode = overrides.billing.unwrap_or_else(|| definition::mode(source));
    let units = units(source, overrides, mode)?;
    let arn = definition::table_arn(&name);
    let local = chosen(&source.local_indexes, overrides.local_indexes.as_deref())?;
    let global = chosen(&source.global_indexes, overrides.global_indexes.as_deref())?;
    let global = global.iter().map(|spec| with_units(source, spec, mode)).collect::<Result<Vec<_>, _>>()?;
    let space = changes.space();
    let mut index =
        |spec: &IndexSpec| definition::index(&arn, changes.space(), spec, &source.attributes, mode);
    let mut table = Table {
        id: uuid(&*engine.env),
        space,
        status: TableStatus::Creating,
        status_until_ms: None,
        created_ms: now_ms,
        attributes: source.attributes.clone(),
        key: source.key.clone(),
        local_indexes: local.iter().map(&mut index).collect(),
        global_indexes: global.iter().map(&mut index).collect(),
        billing: (mode == BillingMode::PayPerRequest)
            .then_some(BillingSummary { mode, on_demand_since_ms: Some(now_ms) }),
        throughput: ThroughputDescription { units, ..ThroughputDescription::default() },
        on_demand: overrides.on_demand.and_then(definition::bounds).or_else(|| bounds_of(source, mode)),
        warm: definition::warm(mode, units, None),
        stream: None,
        latest_stream: None,
        sse: match &overrides.sse {
            Some(asked) => definition::encryption(asked),
            None => source.sse.clone(),
        },
        class: None,
        deletion_protection: false,
        tags: Vec::new(),
        ttl: no_ttl(),
        log: None,
        restore: Some(summary),
        stats: Arc::<Stats>::default(),
        name,
        arn,
    };
    life::prune_attributes(&mut table);
    Ok(table)
}

/// How a table that is being restored is described. OBSERVED: since when a table is on demand is told when it is active.
pub(crate) fn answer(mut description: TableDescription) -> TableDescription {
    if let Some(billing) = &mut description.billing {
        billing.on_demand_since_ms = None;
    }
    description
}

/// An index as a request would ask for it.
pub(crate) fn spec(index: &Index) -> IndexSpec {
    let units = index.throughput.units;
    IndexSpec {
        name: index.name.clone(),
        key_schema: index.key.elements(),
        projection: index.projection.clone(),
        throughput: (units != Throughput::default()).then_some(units),
        on_demand: index.on_demand,
        warm: None,
    }
}

/// The indexes of the source, or those of them that a request wants. It cannot change what they are.
fn chosen(source: &[Index], asked: Option<&[IndexSpec]>) -> Result<Vec<IndexSpec>, Error> {
    let Some(asked) = asked else { return Ok(source.iter().map(spec).collect()) };
    let choose = |wanted: &IndexSpec| {
        // OBSERVED: an index is known by its key and its projection, and may have another name.
        let is_wanted = |known: &IndexSpec| {
            known.key_schema == wanted.key_schema && known.projection == sorted(&wanted.projection)
        };
        let known = source.iter().map(spec).find(is_wanted).ok_or_else(|| {
            Error::validation(format!(
                "Invalid Request: Index {} does not match a secondary index that existed in the source table and cannot \
                 be created during the restore operation",
                wanted.name
            ))
        })?;
        Ok(IndexSpec {
            name: wanted.name.clone(),
            throughput: wanted.throughput.or(known.throughput),
            on_demand: wanted.on_demand.or(known.on_demand),
            warm: wanted.warm,
            ..known
        })
    };
    asked.iter().map(choose).collect()
}

fn sorted(projection: &IndexProjection) -> IndexProjection {
    let mut projection = projection.clone();
    if let IndexProjection::Include(names) = &mut projection {
        names.sort_unstable();
    }
    projection
}

/// Provisioned units of the table. What needs no source was checked before.
fn units(source: &Table, overrides: &RestoreOverrides, mode: BillingMode) -> Result<Throughput, Error> {
    match mode {
        BillingMode::PayPerRequest if overrides.throughput.is_some() => Err(Error::validation(
            "Invalid Request: Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED",
        )),
        BillingMode::PayPerRequest => Ok(Throughput::default()),
        BillingMode::Provisioned => {
            if let Some(bounds) = overrides.on_demand {
                let field =
                    if bounds.read_max.is_some() { "MaxReadRequestUnits" } else { "MaxWriteRequestUnits" };
                return Err(Error::validation(format!(
                    "Invalid Request: Cannot override {field} for OnDemandThroughput unless BillingModeOverride is \
                     PAY_PER_REQUEST"
                )));
            }
            Ok(overrides.throughput.unwrap_or(source.throughput.units))
        }
    }
}

/// An index in the billing mode of its table.
fn with_units(source: &Table, spec: &IndexSpec, mode: BillingMode) -> Result<IndexSpec, Error> {
    let is_own = |index: &Index| index.name == spec.name && index.throughput.units == Throughput::default();
    match (mode, spec.throughput) {
        (BillingMode::PayPerRequest, Some(_)) if source.global_indexes.iter().any(is_own) => {
            Err(Error::validation(format!(
                "Invalid Request: Cannot override ProvisionedThroughput for index {} if BillingMode is PAY_PER_REQUEST",
                spec.name
            )))
        }
        (BillingMode::PayPerRequest, _) => Ok(IndexSpec { throughput: None, ..spec.clone() }),
        (BillingMode::Provisioned, None) => Err(Error::validation(format!(
            "Invalid Request: Must specify provisioned throughput for index {}",
            spec.name
        ))),
        (BillingMode::Provisioned, Some(_)) => Ok(IndexSpec { on_demand: None, ..spec.clone() }),
    }
}

/// Bounds go with their mode.
fn bounds_of(source: &Table, mode: BillingMode) -> Option<op::OnDemand> {
    source.on_demand.filter(|_| mode == BillingMode::PayPerRequest)
}
