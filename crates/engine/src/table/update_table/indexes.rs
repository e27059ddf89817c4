//! Global indexes that are added, changed and dropped.

use op::{
    AttributeDefinition, BillingMode, Error, IndexProjection, IndexSpec, IndexStatus, IndexUpdate, Kind,
    OnDemand, Throughput, UpdateTable, WarmThroughput, limits,
};
use storage::Space;

use super::capacity;
use super::definition::{self, mode};
use crate::catalog::Changes;
use crate::schema::{Index, Table};
use crate::table::life::in_use;

/// Changes the indexes; answers where an index lies that is to be filled.
pub(super) fn change(
    table: &mut Table,
    request: &UpdateTable,
    now_ms: u64,
    changes: &mut Changes<'_>,
) -> Result<Option<Space>, Error> {
    each_once(&request.index_updates)?;
    for update in &request.index_updates {
        known(table, update)?;
    }
    one_at_a_time(table, &request.index_updates)?;
    let mut added = None;
    for update in &request.index_updates {
        match update {
            IndexUpdate::Create(spec) => added = Some(create(table, spec, request, changes)?),
            IndexUpdate::Update { name, throughput, on_demand, warm } => {
                let asked = Asked { throughput: *throughput, on_demand: *on_demand, warm: *warm };
                update_one(table, name, asked, now_ms)?;
            }
            IndexUpdate::Delete(name) => delete(table, name)?,
        }
    }
    Ok(added)
}

/// What is asked for of an index.
#[derive(Clone, Copy)]
struct Asked {
    throughput: Option<Throughput>,
    on_demand: Option<OnDemand>,
    warm: Option<WarmThroughput>,
}

fn each_once(updates: &[IndexUpdate]) -> Result<(), Error> {
    for (at, update) in updates.iter().enumerate() {
        let name = name_of(update);
        if updates.iter().take(at).any(|other| name_of(other) == name) {
            return Err(Error::invalid(format_args!(
                "Only one global secondary index update per index is allowed simultaneously. Index: {name}"
            )));
        }
    }
    Ok(())
}

/// A new index has a new name, and the others are there.
fn known(table: &Table, update: &IndexUpdate) -> Result<(), Error> {
    let name = name_of(update);
    let act = match update {
        IndexUpdate::Create(_) if table.indexes().any(|index| index.name == name) => {
            return Err(Error::validation("Attempting to create an index which already exists"));
        }
        IndexUpdate::Create(_) => return Ok(()),
        IndexUpdate::Update { .. } => "update",
        IndexUpdate::Delete(_) => "delete",
    };
    if table.global_indexes.iter().any(|index| index.name == name) {
        return Ok(());
    }
    if table.local_indexes.iter().any(|index| index.name == name) {
        return Err(Error::validation(format!(
            "Cannot {act} an index that is not a GlobalSecondaryIndex: {name}"
        )));
    }
    let message = format!("Requested resource not found: Index {name} for table {}", table.name);
    Err(Error::new(Kind::ResourceNotFound, message))
}

/// Indexes come and go one after the other. An index that is being filled may be given up, though.
fn one_at_a_time(table: &Table, updates: &[IndexUpdate]) -> Result<(), Error> {
    let online = |update: &&IndexUpdate| matches!(update, IndexUpdate::Create(_) | IndexUpdate::Delete(_));
    let mut wanted = updates.iter().filter(online);
    let Some(first) = wanted.next() else { return Ok(()) };
    let comes_or_goes =
        |index: &&Index| matches!(index.status, IndexStatus::Creating | IndexStatus::Deleting);
    let gives_up = |index: &Index| matches!(first, IndexUpdate::Delete(name) if *name == index.name);
    let busy = table.global_indexes.iter().filter(comes_or_goes).any(|index| !gives_up(index));
    if wanted.next().is_none() && !busy {
        return Ok(());
    }
    Err(Error::new(
        Kind::LimitExceeded,
        "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
    ))
}

fn create(
    table: &mut Table,
    spec: &IndexSpec,
    request: &UpdateTable,
    changes: &mut Changes<'_>,
) -> Result<Space, Error> {
    let mode = mode(table);
    match (mode, spec.throughput) {
        (BillingMode::PayPerRequest, Some(_)) => Err(Error::invalid(format_args!(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: {} when BillingMode is \
             PAY_PER_REQUEST",
            spec.name
        ))),
        (BillingMode::Provisioned, None) => Err(Error::invalid(format_args!(
            "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: {}",
            spec.name
        ))),
        (BillingMode::PayPerRequest, None) | (BillingMode::Provisioned, Some(_)) => Ok(()),
    }?;
    if let Some(bounds) = spec.on_demand {
        capacity::check_bounds(mode, bounds, &format!(" for index : {}", spec.name))?;
    }
    if table.global_indexes.len() >= limits::GLOBAL_INDEXES_MAX {
        return Err(Error::new(
            Kind::LimitExceeded,
            "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of 20",
        ));
    }
    check_projected(table, spec)?;
    define_attributes(table, spec, &request.attributes)?;
    let space = changes.space();
    let mut index = definition::index(&table.arn, space, spec, &table.attributes, mode);
    index.backfill = Some(Vec::new());
    table.global_indexes.push(index);
    Ok(space)
}

/// The projections of all indexes of a table together name not too many attributes.
fn check_projected(table: &Table, spec: &IndexSpec) -> Result<(), Error> {
    let named = |projection: &IndexProjection| match projection {
        IndexProjection::Include(names) => names.len(),
        IndexProjection::All | IndexProjection::KeysOnly => 0,
    };
    let count =
        table.indexes().map(|index| named(&index.projection)).sum::<usize>() + named(&spec.projection);
    if count > limits::PROJECTED_ATTRIBUTES_MAX {
        return Err(Error::invalid(format_args!(
            "Number of projected attributes exceeds the per-table limit of {}",
            limits::PROJECTED_ATTRIBUTES_MAX
        )));
    }
    Ok(())
}

/// Adds the definitions of the index's keys. Attributes that are defined keep their types.
fn define_attributes(
    table: &mut Table,
    spec: &IndexSpec,
    asked: &[AttributeDefinition],
) -> Result<(), Error> {
    if asked.is_empty() {
        return Err(Error::invalid(format_args!(
            "AttributeDefinitions is not specified for index: {}",
            spec.name
        )));
    }
    for element in &spec.key_schema {
        if table.attributes.iter().any(|known| known.name == element.name) {
            continue;
        }
        let Some(definition) = asked.iter().find(|definition| definition.name == element.name) else {
            let keys: Vec<&str> = spec.key_schema.iter().map(|element| element.name.as_str()).collect();
            let defined: Vec<&str> = asked.iter().map(|definition| definition.name.as_str()).collect();
            return Err(Error::invalid(format_args!(
                "Some index key attributes are not defined in AttributeDefinitions. Keys: [{}], AttributeDefinitions: \
                 [{}]",
                keys.join(", "),
                defined.join(", ")
            )));
        };
        table.attributes.push(definition.clone());
    }
    table.attributes.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(())
}

fn update_one(table: &mut Table, name: &str, asked: Asked, now_ms: u64) -> Result<(), Error> {
    let mode = mode(table);
    let table_name = table.name.clone();
    let Some(index) = table.global_indexes.iter_mut().find(|index| index.name == name) else { return Ok(()) };
    idle(&table_name, index)?;
    let nothing = asked.on_demand.is_none() && asked.warm.is_none();
    if mode == BillingMode::PayPerRequest && (asked.throughput.is_some() || nothing) {
        return Err(Error::invalid(format_args!(
            "The only Updates for index: {name} when TableThroughputMode is PAY_PER_REQUEST can be to \
             OnDemandThroughput, WarmThroughput"
        )));
    }
    if mode == BillingMode::Provisioned && nothing && asked.throughput.is_none() {
        return Err(Error::invalid(format_args!(
            "ProvisionedThroughput must be specified for index: {name}"
        )));
    }
    if let Some(units) = asked.throughput {
        if units == index.throughput.units {
            return Err(capacity::unchanged("index", &format!("the index {name}"), units));
        }
        capacity::set_units(&mut index.throughput, units, now_ms);
        index.warm = definition::warm(mode, units, Some(index.warm));
    }
    if let Some(bounds) = asked.on_demand {
        capacity::check_bounds(mode, bounds, &format!(" for index : {name}"))?;
        index.on_demand = definition::bounds(capacity::merged(index.on_demand, bounds));
    }
    if let Some(warm) = asked.warm {
        index.warm = capacity::raised(index.warm, warm, &format!("index {name}"))?;
    }
    index.status = IndexStatus::Updating;
    Ok(())
}

fn delete(table: &mut Table, name: &str) -> Result<(), Error> {
    let table_name = table.name.clone();
    let Some(index) = table.global_indexes.iter_mut().find(|index| index.name == name) else { return Ok(()) };
    if index.status != IndexStatus::Creating {
        idle(&table_name, index)?;
    }
    index.status = IndexStatus::Deleting;
    Ok(())
}

/// Refuses an index that is being changed.
fn idle(table: &str, index: &Index) -> Result<(), Error> {
    let state = match index.status {
        IndexStatus::Active => return Ok(()),
        IndexStatus::Creating => "created",
        IndexStatus::Updating => "updated",
        IndexStatus::Deleting => "deleted",
    };
    Err(in_use(format_args!("Index is being {state}. Table: {table} Index: {}", index.name)))
}

fn name_of(update: &IndexUpdate) -> &str {
    match update {
        IndexUpdate::Create(spec) => &spec.name,
        IndexUpdate::Update { name, .. } | IndexUpdate::Delete(name) => name,
    }
}
