//! CreateTable.

use std::sync::Arc;

use op::{
    BillingMode, BillingSummary, CreateTable, Error, Kind, Output, TableClassSummary, TableDescription,
    TableStatus, ThroughputDescription,
};

use super::definition;
use super::description::describe;
use super::life::{self, in_use};
use crate::catalog::{Changes, no_ttl};
use crate::env::uuid;
use crate::schema::{KeySchema, Log, Stats, Table};
use crate::{Engine, Pending, internal, log, stream};

pub(crate) fn run(engine: &Engine, request: CreateTable) -> Pending {
    engine.read(create(engine, request).map(|table| Output::TableChanged(Box::new(table))))
}

fn create(engine: &Engine, request: CreateTable) -> Result<TableDescription, Error> {
    let mut changes = engine.catalog.changes(&engine.store);
    absent(engine, &request.name)?;
    let mut table = define(engine, &mut changes, request);
    let mut answer = describe(&table, table.created_ms);
    // OBSERVED: since when a table is on demand is told only when it is active.
    if let Some(billing) = &mut answer.billing {
        billing.on_demand_since_ms = None;
    }
    life::let_pass(engine, &mut table, life::CREATING_MS);
    changes.insert(table).map_err(internal)?;
    Ok(answer)
}

/// Refuses the name of a table that is there.
pub(crate) fn absent(engine: &Engine, name: &str) -> Result<(), Error> {
    let Some(cell) = engine.catalog.cell(name) else { return Ok(()) };
    Err(match cell.table().status {
        TableStatus::Creating => in_use(format_args!("Table is being created: {name}")),
        TableStatus::Active | TableStatus::Updating | TableStatus::Deleting => {
            Error::new(Kind::ResourceInUse, format!("Table already exists: {name}"))
        }
    })
}

/// A table that is being created.
pub(crate) fn define(engine: &Engine, changes: &mut Changes<'_>, request: CreateTable) -> Table {
    let now_ms = engine.env.now_ms();
    let mode = request.billing.unwrap_or(BillingMode::Provisioned);
    let units = definition::units(mode, request.throughput);
    let arn = definition::table_arn(&request.name);
    let space = changes.space();
    let mut index =
        |spec: &op::IndexSpec| definition::index(&arn, changes.space(), spec, &request.attributes, mode);
    let mut table = Table {
        id: uuid(&*engine.env),
        space,
        status: TableStatus::Creating,
        status_until_ms: None,
        created_ms: now_ms,
        key: KeySchema::new(&request.key_schema, &request.attributes),
        local_indexes: request.local_indexes.iter().map(&mut index).collect(),
        global_indexes: request.global_indexes.iter().map(&mut index).collect(),
        billing: (mode == BillingMode::PayPerRequest)
            .then_some(BillingSummary { mode, on_demand_since_ms: Some(now_ms) }),
        throughput: ThroughputDescription { units, ..ThroughputDescription::default() },
        on_demand: request.on_demand.and_then(definition::bounds),
        warm: definition::warm(mode, units, request.warm),
        stream: request.stream.filter(|stream| stream.enabled),
        latest_stream: request
            .stream
            .filter(|stream| stream.enabled)
            .map(|_| definition::stream(&arn, now_ms)),
        sse: request.sse.as_ref().and_then(definition::encryption),
        class: request.class.map(|class| TableClassSummary { class, since_ms: None }),
        deletion_protection: request.deletion_protection,
        tags: request.tags,
        ttl: no_ttl(),
        log: None,
        restore: None,
        stats: Arc::<Stats>::default(),
        attributes: request.attributes,
        name: request.name,
        arn,
    };
    if let (Some(view), Some(names)) =
        (table.stream.and_then(|stream| stream.view), table.latest_stream.clone())
    {
        let mut log = Log::new(changes.space());
        stream::begin(&mut log, &*engine.env, names, view, log::boundary(&engine.store, now_ms));
        table.log = Some(log);
    }
    life::prune_attributes(&mut table);
    table
}
