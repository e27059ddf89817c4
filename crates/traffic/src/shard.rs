//! What one thread (nearly) alone writes: its ring, its series, its operations.
//! Knows no other shards.

use crate::ring::{Entry, Ring};
use crate::series::{Count, Figures, Outcome, Series, Span};
use crate::{Histogram, OperationFigures, Served};
use op::{Kind, Name};
use std::collections::BTreeMap;

/// Tables that have series of their own; those that come later count only in the whole.
const TABLES_MAX: usize = 32;

#[derive(Debug, Default)]
pub(crate) struct Shard {
    ring: Ring,
    whole: Series,
    tables: BTreeMap<Box<str>, Series>,
    operations: Vec<Option<Box<Operation>>>,
}

#[derive(Debug, Default)]
struct Operation {
    requests: u64,
    errors: u64,
    units: f64,
    latency: Histogram,
}

impl Shard {
    pub(crate) fn tell(&mut self, number: u64, now_ms: u64, micros: u32, served: &Served<'_>) {
        self.ring.push(number, now_ms, micros, served);
        let count = Count {
            outcome: outcome(served),
            is_read: served.operation.is_some_and(reads),
            units: served.units,
            micros,
        };
        self.whole.add(now_ms, count);
        if let Some(series) = self.series(served.table) {
            series.add(now_ms, count);
        }
        if let Some(operation) = served.operation {
            self.count(operation, count);
        }
    }

    fn series(&mut self, table: &str) -> Option<&mut Series> {
        if table.is_empty() {
            return None;
        }
        if !self.tables.contains_key(table) {
            if self.tables.len() >= TABLES_MAX {
                return None;
            }
            self.tables.insert(table.into(), Series::default());
        }
        self.tables.get_mut(table)
    }

    fn count(&mut self, operation: Name, count: Count) {
        let place = operation as usize;
        if self.operations.len() <= place {
            self.operations.resize_with(place + 1, || None);
        }
        if let Some(slot) = self.operations.get_mut(place) {
            let figures = slot.get_or_insert_default();
            figures.requests += 1;
            figures.errors += u64::from(count.outcome != Outcome::Well);
            figures.units += count.units;
            figures.latency.add(count.micros);
        }
    }

    pub(crate) fn tail(&self, after: u64, at_most: usize, found: &mut Vec<Entry>) {
        self.ring.tail(after, at_most, found);
    }

    pub(crate) fn figures(&self, table: Option<&str>, span: Span, all: &mut [Figures]) {
        let series = match table {
            None => Some(&self.whole),
            Some(table) => self.tables.get(table),
        };
        if let Some(series) = series {
            series.add_to(span, all);
        }
    }

    pub(crate) fn operations(&self, all: &mut Vec<OperationFigures>) {
        for operation in Name::all() {
            let Some(Some(own)) = self.operations.get(operation as usize) else { continue };
            match all.iter_mut().find(|known| known.operation == operation) {
                Some(sum) => {
                    sum.requests += own.requests;
                    sum.errors += own.errors;
                    sum.units += own.units;
                    sum.latency.merge(&own.latency);
                }
                None => all.push(OperationFigures {
                    operation,
                    requests: own.requests,
                    errors: own.errors,
                    units: own.units,
                    latency: own.latency.clone(),
                }),
            }
        }
    }
}

fn outcome(served: &Served<'_>) -> Outcome {
    let is_throttle = served.error.is_some_and(|error| {
        matches!(
            error.kind,
            Kind::ProvisionedThroughputExceeded | Kind::RequestLimitExceeded | Kind::Throttling
        )
    });
    match served.status {
        _ if is_throttle => Outcome::Throttled,
        0..400 => Outcome::Well,
        400..500 => Outcome::UserError,
        _ => Outcome::SystemError,
    }
}

/// Whether the units of an operation are units of reading.
fn reads(operation: Name) -> bool {
    matches!(
        operation,
        Name::BatchGetItem | Name::GetItem | Name::Query | Name::Scan | Name::TransactGetItems
    )
}
