//! What a design costs: request units for each access pattern, capacity, storage and extras, in dollars a month.
//! Works from the sizes of samples and the traffic the file expects; knows no endpoint.

mod prices;
pub(crate) mod report;
pub(crate) mod sizes;
mod units;

pub use prices::Prices;
pub use report::{Comparison, what_if};
pub use units::{Units, Use};

use serde_json::Value as Json;

use crate::diagnostic::Diagnostic;
use crate::export::resource;
use crate::model::{Design, Entity, Environment, Pattern, Place, Table};

/// The region that is priced when neither the design nor the caller names one.
const DEFAULT_REGION: &str = "us-east-1";

/// The spends that are flagged when the design names none.
const DEFAULT_THRESHOLDS: [f64; 3] = [5.0, 10.0, 25.0];

/// The share of provisioned capacity that is planned to be in use; the rest is for peaks.
const UTILISATION: f64 = 0.7;

const GIGABYTE: f64 = 1024.0 * 1024.0 * 1024.0;

/// A design's monthly bill.
#[derive(Debug, Clone)]
pub struct Report {
    /// The design.
    pub design: String,
    /// The environment.
    pub environment: String,
    /// The prices it was worked out with.
    pub prices: Prices,
    /// Every access pattern, in the order of the file.
    pub patterns: Vec<PatternCost>,
    /// Every table, in the order of the file.
    pub tables: Vec<TableCost>,
    /// The spends it is held against, and whether each is reached.
    pub thresholds: Vec<(f64, bool)>,
    /// What had to be assumed, and what is worth knowing.
    pub notes: Vec<String>,
}

/// What one pattern costs on demand.
#[derive(Debug, Clone)]
pub struct PatternCost {
    /// Its name.
    pub name: String,
    /// Executions a second.
    pub rate: f64,
    /// Units of one execution.
    pub units: Units,
    /// Dollars a month.
    pub dollars: f64,
}

/// What one table costs.
#[derive(Debug, Clone)]
pub struct TableCost {
    /// Its logical id.
    pub id: String,
    /// Whether the design asks for provisioned capacity.
    pub is_provisioned: bool,
    /// Items alive.
    pub items: f64,
    /// Gigabytes of the table and its indexes.
    pub gigabytes: f64,
    /// Requests, on demand.
    pub on_demand: f64,
    /// Capacity, provisioned: for the table and each index.
    pub capacity: Vec<Capacity>,
    /// The dollars of that capacity.
    pub provisioned: f64,
    /// Storage.
    pub storage: f64,
    /// Point-in-time recovery, if it is on.
    pub recovery: Option<f64>,
    /// One consumer that is not a Lambda function and reads the stream once a second; not in the total.
    pub stream_consumer: Option<f64>,
    /// One full on-demand backup kept for a month; not in the total.
    pub backup: f64,
    /// Items that TTL deletes in a month, free of charge.
    pub expired: f64,
    /// What it would cost to delete them by request instead.
    pub expired_saving: f64,
}

/// Provisioned capacity of a table or an index.
#[derive(Debug, Clone, PartialEq)]
pub struct Capacity {
    /// The index, or nothing for the table itself.
    pub index: Option<String>,
    /// Read capacity units.
    pub read: f64,
    /// Write capacity units.
    pub write: f64,
    /// Whether the file gives these figures itself.
    pub is_given: bool,
}

impl Report {
    /// Dollars a month as the design is billed.
    pub fn total(&self) -> f64 {
        self.tables
            .iter()
            .map(|table| if table.is_provisioned { table.provisioned } else { table.on_demand })
            .sum::<f64>()
            + self.fixed()
    }

    /// Dollars a month with every table on demand.
    pub fn total_on_demand(&self) -> f64 {
        self.tables.iter().map(|table| table.on_demand).sum::<f64>() + self.fixed()
    }

    /// Dollars a month with every table provisioned.
    pub fn total_provisioned(&self) -> f64 {
        self.tables.iter().map(|table| table.provisioned).sum::<f64>() + self.fixed()
    }

    fn fixed(&self) -> f64 {
        self.tables.iter().map(|table| table.storage + table.recovery.unwrap_or_default()).sum()
    }
}

/// Works out the bill of a design. The region is the one given, else the environment's, else the design's.
pub fn cost(design: &Design, environment: &Environment, region: Option<&str>) -> Result<Report, Diagnostic> {
    let named = region.or(environment.region.as_deref());
    let own = design.region.as_ref();
    let place =
        if named.is_none() { own.map_or(Place::default(), |region| region.place) } else { Place::default() };
    let region = named.or(own.map(|region| region.value.as_str())).unwrap_or(DEFAULT_REGION);
    let prices = Prices::of(region).map_err(|message| {
        let hint = format!("regions with prices: {}", Prices::regions().join(", "));
        Diagnostic::error("E001", &design.file, place, message).hint(hint)
    })?;
    Ok(Ledger { design, environment, prices }.report())
}

struct Ledger<'a> {
    design: &'a Design,
    environment: &'a Environment,
    prices: Prices,
}

impl Ledger<'_> {
    fn report(&self) -> Report {
        let patterns: Vec<PatternCost> =
            self.design.patterns.iter().map(|pattern| self.pattern(pattern)).collect();
        let tables = self.design.tables.iter().map(|table| self.table(table, &patterns)).collect();
        let mut report = Report {
            design: self.design.name.clone(),
            environment: self.environment.name.value.clone(),
            prices: self.prices.clone(),
            notes: self.notes(&patterns),
            patterns,
            tables,
            thresholds: Vec::new(),
        };
        let total = report.total();
        let own = &self.design.budget_thresholds;
        let thresholds = if own.is_empty() { DEFAULT_THRESHOLDS.as_slice() } else { own.as_slice() };
        report.thresholds = thresholds.iter().map(|limit| (*limit, total >= *limit)).collect();
        report
    }

    fn pattern(&self, pattern: &Pattern) -> PatternCost {
        let units = units::units(self.design, pattern, &|table| self.live_bytes(table));
        let rate = rate(pattern);
        let each = units.read() * self.prices.read_request + units.write() * self.prices.write_request;
        let dollars = rate * self.prices.seconds() * each;
        PatternCost { name: pattern.name.value.clone(), rate, units, dollars }
    }

    fn table(&self, table: &Table, patterns: &[PatternCost]) -> TableCost {
        let properties = resource::resolved(self.design, self.environment, table);
        let on_demand = |pattern: &PatternCost| {
            let uses = pattern.units.uses.iter().filter(|used| used.table == table.id.value);
            let each = uses
                .map(|used| used.read * self.prices.read_request + used.write * self.prices.write_request);
            pattern.rate * self.prices.seconds() * each.sum::<f64>()
        };
        let capacity = self.capacity(table, &properties, patterns);
        let provisioned = capacity.iter().map(|capacity| {
            capacity.read * self.prices.read_capacity_month
                + capacity.write * self.prices.write_capacity_month
        });
        let (gigabytes, base_gigabytes) = self.stored(table);
        let is_recovered = properties.pointer("/PointInTimeRecoverySpecification/PointInTimeRecoveryEnabled");
        let (expired, expired_saving) = self.expired(table);
        TableCost {
            id: table.id.value.clone(),
            is_provisioned: properties.get("BillingMode").and_then(Json::as_str) != Some("PAY_PER_REQUEST"),
            items: self.entities(table).map(|entity| self.live_items(entity)).sum(),
            gigabytes,
            on_demand: patterns.iter().map(on_demand).sum(),
            provisioned: provisioned.sum(),
            capacity,
            storage: gigabytes * self.prices.storage_gb,
            recovery: (is_recovered == Some(&Json::Bool(true)))
                .then_some(base_gigabytes * self.prices.recovery_gb),
            stream_consumer: properties
                .pointer("/StreamSpecification/StreamViewType")
                .map(|_| self.prices.seconds() * self.prices.stream_read),
            backup: base_gigabytes * self.prices.backup_gb,
            expired,
            expired_saving,
        }
    }

    /// Capacity for the traffic of all patterns, or the figures the file gives.
    fn capacity(&self, table: &Table, properties: &Json, patterns: &[PatternCost]) -> Vec<Capacity> {
        let global = table.indexes.iter().filter(|index| !index.is_local);
        let names = std::iter::once(None).chain(global.map(|index| Some(index.name.value.as_str())));
        let one = |name: Option<&str>| {
            if let Some((read, write)) = given(properties, name) {
                return Capacity { index: name.map(Into::into), read, write, is_given: true };
            }
            let is_here = |used: &&Use| {
                let index = used.index.as_deref();
                let is_local = table
                    .indexes
                    .iter()
                    .any(|local| local.is_local && Some(local.name.value.as_str()) == index);
                // Local indexes live on the capacity of their table.
                used.table == table.id.value && (index == name || (is_local && name.is_none()))
            };
            let need = |side: fn(&Use) -> f64| {
                let second = patterns.iter().map(|pattern| {
                    pattern.rate * pattern.units.uses.iter().filter(is_here).map(side).sum::<f64>()
                });
                (second.sum::<f64>() / UTILISATION).ceil().max(1.0)
            };
            let (read, write) = (need(|used| used.read), need(|used| used.write));
            Capacity { index: name.map(Into::into), read, write, is_given: false }
        };
        names.map(one).collect()
    }

    fn entities<'a>(&'a self, table: &'a Table) -> impl Iterator<Item = &'a Entity> {
        self.design.entities.iter().filter(|entity| entity.table.value == table.id.value)
    }

    /// Gigabytes with indexes, and without them.
    fn stored(&self, table: &Table) -> (f64, f64) {
        let mut with_indexes = 0.0;
        let mut base = 0.0;
        for entity in self.entities(table) {
            let weight = sizes::weigh(self.design, entity);
            let items = self.live_items(entity);
            let entries =
                weight.entries.iter().map(|entry| entry.share * (entry.bytes + sizes::OVERHEAD_BYTES));
            base += items * (weight.bytes + sizes::OVERHEAD_BYTES);
            with_indexes += items * entries.sum::<f64>();
        }
        ((base + with_indexes) / GIGABYTE, base / GIGABYTE)
    }

    fn live_bytes(&self, table: &Table) -> f64 {
        self.entities(table)
            .map(|entity| self.live_items(entity) * sizes::weigh(self.design, entity).bytes)
            .sum()
    }

    /// How many items of an entity are alive: as the file says, else as writes and lifetime say, else the samples.
    fn live_items(&self, entity: &Entity) -> f64 {
        if let Some((_, count)) = self.design.volume.iter().find(|(name, _)| name.value == entity.name.value)
        {
            return *count as f64;
        }
        let written = self.put_rate(entity);
        if let Some(ttl) = entity.ttl.as_ref().filter(|_| written > 0.0) {
            return written * ttl.after_seconds as f64;
        }
        self.design.samples.iter().filter(|sample| sample.entity.value == entity.name.value).count() as f64
    }

    /// Items of an entity put in a second by all patterns together.
    fn put_rate(&self, entity: &Entity) -> f64 {
        let puts = |pattern: &Pattern| {
            let mut count = 0.0;
            for step in pattern.steps.iter().flat_map(|step| std::iter::once(step).chain(&step.actions)) {
                let is_write = matches!(
                    step.operation.value.as_str(),
                    "PutItem" | "BatchWriteItem" | "TransactWriteItems"
                );
                let is_own = step.entity.as_ref().is_some_and(|name| name.value == entity.name.value);
                let samples = step.samples.iter().filter(|name| {
                    let sample = self.design.samples.iter().find(|sample| sample.name.value == name.value);
                    sample.is_some_and(|sample| sample.entity.value == entity.name.value)
                });
                count += match (is_write, samples.count()) {
                    (false, _) => 0.0,
                    (true, 0) if is_own && step.actions.is_empty() => 1.0,
                    (true, samples) => samples as f64,
                };
            }
            count * rate(pattern)
        };
        self.design.patterns.iter().map(puts).sum()
    }

    /// Items TTL deletes in a month, and the price of deleting them by request.
    fn expired(&self, table: &Table) -> (f64, f64) {
        let mut items = 0.0;
        let mut dollars = 0.0;
        for entity in self.entities(table).filter(|_| table.ttl_attribute.is_some()) {
            let Some(ttl) = &entity.ttl else { continue };
            let rate = match (self.put_rate(entity), ttl.after_seconds) {
                (rate, _) if rate > 0.0 => rate,
                (_, 0) => 0.0,
                (_, seconds) => self.live_items(entity) / seconds as f64,
            };
            let weight = sizes::weigh(self.design, entity);
            let entries = weight.entries.iter().map(|entry| entry.share * (entry.bytes / 1024.0).ceil());
            let each = (weight.bytes / 1024.0).ceil() + entries.sum::<f64>();
            items += rate * self.prices.seconds();
            dollars += rate * self.prices.seconds() * each * self.prices.write_request;
        }
        (items, dollars)
    }

    fn notes(&self, patterns: &[PatternCost]) -> Vec<String> {
        let mut notes = Vec::new();
        let silent: Vec<&str> = patterns
            .iter()
            .filter(|pattern| pattern.rate == 0.0)
            .map(|pattern| pattern.name.as_str())
            .collect();
        if !silent.is_empty() {
            notes.push(format!("no traffic given (rps or per_day), so no cost: {}", silent.join(", ")));
        }
        for pattern in patterns {
            notes.extend(pattern.units.notes.iter().map(|note| format!("{}: {note}", pattern.name)));
        }
        for entity in &self.design.entities {
            let name = &entity.name.value;
            let is_said = self.design.volume.iter().any(|(known, _)| known.value == *name);
            match (is_said, &entity.ttl) {
                (true, _) => {}
                (false, Some(ttl)) if self.put_rate(entity) > 0.0 => {
                    notes.push(format!(
                        "{name}: no volume given: writes times a lifetime of {}",
                        ttl.after_text
                    ));
                }
                (false, _) => notes.push(format!("{name}: no volume given: as many items as samples")),
            }
        }
        if self.prices.basis != "listed" {
            notes.push(format!(
                "prices of {} are scaled from us-east-1, right to a few per cent",
                self.prices.region
            ));
        }
        notes
    }
}

/// Executions of a pattern a second.
pub fn rate(pattern: &Pattern) -> f64 {
    pattern.rps.unwrap_or_else(|| pattern.per_day.unwrap_or_default() / 86_400.0)
}

/// The capacity the file gives for a table or an index.
fn given(properties: &Json, index: Option<&str>) -> Option<(f64, f64)> {
    let holder = match index {
        None => properties,
        Some(name) => {
            let indexes = properties.get("GlobalSecondaryIndexes")?.as_array()?;
            indexes.iter().find(|index| index.get("IndexName").and_then(Json::as_str) == Some(name))?
        }
    };
    let throughput = holder.get("ProvisionedThroughput")?;
    let figure = |name: &str| throughput.get(name).and_then(Json::as_f64);
    Some((figure("ReadCapacityUnits")?, figure("WriteCapacityUnits")?))
}

#[cfg(test)]
mod tests;
