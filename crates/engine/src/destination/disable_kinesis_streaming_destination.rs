//! DisableKinesisStreamingDestination: what is not delivered yet stays undelivered.

use op::{DestinationStatus, DisableKinesisStreamingDestination, Error, KinesisDestinationChange, Output};

use super::{destination, in_the_wrong_state, usable};
use crate::{Engine, Pending};

pub(crate) fn run(engine: &Engine, request: DisableKinesisStreamingDestination) -> Pending {
    engine.read(disable(engine, request).map(Output::KinesisDestination))
}

fn disable(
    engine: &Engine,
    request: DisableKinesisStreamingDestination,
) -> Result<KinesisDestinationChange, Error> {
    let (_, table) = usable(engine, &request.table)?;
    let there = destination(&table, &request.stream).map(|(_, there)| there.status);
    if there != Some(DestinationStatus::Active) {
        return Err(in_the_wrong_state(
            "KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.",
        ));
    }
    engine.change_destination(&request.table, &request.stream, &mut |destination| {
        destination.status = DestinationStatus::Disabled;
        destination.precision = None;
    })?;
    Ok(KinesisDestinationChange {
        table: table.name.clone(),
        stream: request.stream,
        status: DestinationStatus::Disabling,
        precision: None,
    })
}
