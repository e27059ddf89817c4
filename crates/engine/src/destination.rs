//! Destinations: data streams of another service to which a table's changes are delivered. The engine keeps the books:
//! which there are, what has been delivered. Somebody outside carries the records. Knows no network.

pub(crate) mod describe_kinesis_streaming_destination;
pub(crate) mod disable_kinesis_streaming_destination;
pub(crate) mod enable_kinesis_streaming_destination;
pub(crate) mod update_kinesis_streaming_destination;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use op::{DestinationStatus, Error, Kind, Precision, StreamView};
use storage::{Batch, Direction, Stamp};

use crate::catalog::{CATALOG, TableCell};
use crate::log::{self, Position, between};
use crate::schema::{Destination, Log, Table};
use crate::stream::get_records::show;
use crate::table::life;
use crate::{Engine, internal, plan};

const DELIVERED: &[u8] = b"delivered/";

/// A destination that waits for somebody to carry changes to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The table's name.
    pub table: String,
    /// The data stream's ARN.
    pub stream: String,
    /// How exact times are to be.
    pub precision: Precision,
    /// Whether it is still to be found out if the data stream is there.
    pub is_new: bool,
}

/// A change on its way.
#[derive(Debug, Clone, PartialEq)]
pub struct Parcel {
    /// The change.
    pub record: op::Record,
    /// When it was made, as exactly as it is known: microseconds since 1970.
    pub made_us: u64,
}

impl Engine {
    /// From here on changes can be delivered; else nobody may ask for it.
    pub fn open_deliveries(&self) {
        self.delivers.store(true, Ordering::Release);
    }

    /// All destinations that are to be served.
    pub fn deliveries(&self) -> Vec<Delivery> {
        let mut found = Vec::new();
        for cell in self.catalog.cells() {
            let table = cell.table();
            for destination in table.log.iter().flat_map(|log| &log.destinations) {
                if destination.is_served() {
                    found.push(Delivery {
                        table: table.name.clone(),
                        stream: destination.stream.clone(),
                        precision: destination.precision.unwrap_or(Precision::Millisecond),
                        is_new: destination.status == DestinationStatus::Enabling,
                    });
                }
            }
        }
        found
    }

    /// Whether a new destination is there; if not, why.
    pub fn answer_delivery(&self, delivery: &Delivery, problem: Option<&str>) -> Result<(), Error> {
        self.change_destination(&delivery.table, &delivery.stream, &mut |destination| {
            if destination.status == DestinationStatus::Enabling {
                destination.status = match problem {
                    None => DestinationStatus::Active,
                    Some(_) => DestinationStatus::EnableFailed,
                };
                destination.note = problem.map(str::to_owned);
            }
        })
    }

    /// The next changes to be delivered, the oldest first.
    pub fn parcels(&self, delivery: &Delivery, limit: usize) -> Result<Vec<Parcel>, Error> {
        let view = self.store.snapshot();
        let table = self.cell(&delivery.table)?.table();
        let Some((log, destination)) = destination(&table, &delivery.stream) else { return Ok(Vec::new()) };
        let noted = view.get(CATALOG, &delivered_key(log, &delivery.stream)).map_err(internal)?;
        let noted = noted.and_then(|value| Stamp::read(&value));
        let from =
            noted.map_or(Position::at(destination.from), |(stamp, place)| Position { stamp, place }.next());
        let from = from.max(Position::at(destination.from));
        let mut parcels = Vec::new();
        log::scan(&view, log, &between(from, None), Direction::Forward, &mut |record| {
            if let Some(shown) = show(StreamView::NewAndOldImages, &table.key, &record) {
                parcels.push(Parcel { made_us: log::us_of(record.position.stamp), record: shown });
            }
            if parcels.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
        .map_err(internal)?;
        Ok(parcels)
    }

    /// Everything up to this change is delivered. A crash before this is durable has some of it delivered twice.
    pub fn note_delivered(&self, delivery: &Delivery, last: &Parcel) -> Result<(), Error> {
        let table = self.cell(&delivery.table)?.table();
        let position = Position::from_sequence_number(&last.record.sequence);
        let (Some((log, _)), Some(position)) = (destination(&table, &delivery.stream), position) else {
            return Ok(());
        };
        let key = delivered_key(log, &delivery.stream);
        let ticket = self.store.apply(&[], &mut |_| {
            let mut batch = Batch::new();
            batch.put(CATALOG, key.clone(), position.key());
            Some(batch)
        });
        ticket.and_then(|ticket| self.store.wait(ticket)).map_err(internal)
    }

    /// Changes a destination of a table, if it is there.
    fn change_destination(
        &self,
        table: &str,
        stream: &str,
        change: &mut dyn FnMut(&mut Destination),
    ) -> Result<(), Error> {
        let mut changes = self.catalog.changes(&self.store);
        let cell = self.cell(table)?;
        let mut table = cell.table().as_ref().clone();
        let found = table.log.iter_mut().flat_map(|log| &mut log.destinations);
        let Some(found) = found.into_iter().find(|destination| destination.stream == stream) else {
            return Ok(());
        };
        change(found);
        changes.replace(&cell, table).map_err(internal)
    }
}

/// A table whose destinations can be changed or told.
fn usable(engine: &Engine, name: &str) -> Result<(Arc<TableCell>, Arc<Table>), Error> {
    let cell = engine.catalog.cell(name).ok_or_else(|| life::not_found(name))?;
    let table = cell.table();
    plan::usable(&table)?;
    Ok((cell, table))
}

/// A destination of a table and the log its changes come from.
fn destination<'a>(table: &'a Table, stream: &str) -> Option<(&'a Log, &'a Destination)> {
    let log = table.log.as_ref()?;
    Some((log, log.destinations.iter().find(|destination| destination.stream == stream)?))
}

/// A destination in a state that does not take what is asked.
fn in_the_wrong_state(why: &str) -> Error {
    let message = format!("Table is not in a valid state to enable Kinesis Streaming Destination: {why}");
    Error::new(Kind::Validation, message)
}

fn delivered_key(log: &Log, stream: &str) -> Bytes {
    [DELIVERED, &log.space.0.to_be_bytes(), stream.as_bytes()].concat().into()
}
