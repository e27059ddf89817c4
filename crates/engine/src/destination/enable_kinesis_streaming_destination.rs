//! EnableKinesisStreamingDestination: from here on changes are kept for the destination. Whether it is there is found
//! out by who delivers.

use std::sync::atomic::Ordering;

use op::{
    DestinationStatus, EnableKinesisStreamingDestination, Error, Kind, KinesisDestinationChange, Output,
};
use storage::Stamp;

use super::{destination, in_the_wrong_state, usable};
use crate::schema::{Destination, Log};
use crate::{Engine, Pending, internal};

/// OBSERVED: a table has two destinations at most.
const DESTINATIONS_MAX: usize = 2;

pub(crate) fn run(engine: &Engine, request: EnableKinesisStreamingDestination) -> Pending {
    engine.read(enable(engine, request).map(Output::KinesisDestination))
}

fn enable(
    engine: &Engine,
    request: EnableKinesisStreamingDestination,
) -> Result<KinesisDestinationChange, Error> {
    let mut changes = engine.catalog.changes(&engine.store);
    let (cell, before) = usable(engine, &request.table)?;
    if let Some((_, there)) = destination(&before, &request.stream)
        && there.is_served()
    {
        return Err(in_the_wrong_state(
            "EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE operation.",
        ));
    }
    if !engine.delivers.load(Ordering::Acquire) {
        return Err(Error::validation(
            "There is no endpoint of Kinesis to deliver to: start the server with --kinesis-endpoint URL",
        ));
    }
    let mut table = before.as_ref().clone();
    let log = table.log.get_or_insert_with(|| Log::new(changes.space()));
    log.destinations.retain(|other| other.stream != request.stream);
    if log.destinations.iter().filter(|other| other.is_served()).count() >= DESTINATIONS_MAX {
        return Err(Error::new(
            Kind::LimitExceeded,
            format!("A table can have at most {DESTINATIONS_MAX} Kinesis streaming destinations"),
        ));
    }
    log.destinations.push(Destination {
        stream: request.stream.clone(),
        status: DestinationStatus::Enabling,
        precision: request.precision,
        from: Stamp::default(),
        note: None,
    });
    let now_ms = engine.env.now_ms();
    changes
        .replace_between(&cell, table, now_ms, &mut |table, at| {
            if let Some(new) = table.log.as_mut().and_then(|log| log.destinations.last_mut()) {
                new.from = at;
            }
        })
        .map_err(internal)?;
    Ok(KinesisDestinationChange {
        table: before.name.clone(),
        stream: request.stream,
        status: DestinationStatus::Enabling,
        precision: request.precision,
    })
}
