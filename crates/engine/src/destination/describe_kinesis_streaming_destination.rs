//! DescribeKinesisStreamingDestination.

use op::{DescribeKinesisStreamingDestination, Error, KinesisDestination, KinesisDestinations, Output};

use super::usable;
use crate::Engine;

pub(crate) fn run(engine: &Engine, request: &DescribeKinesisStreamingDestination) -> Result<Output, Error> {
    let (_, table) = usable(engine, &request.table)?;
    let destinations = table.log.iter().flat_map(|log| &log.destinations);
    Ok(Output::KinesisDestinations(KinesisDestinations {
        table: table.name.clone(),
        destinations: destinations
            .map(|destination| KinesisDestination {
                stream: destination.stream.clone(),
                status: destination.status,
                description: destination.note.clone(),
                precision: destination.precision,
            })
            .collect(),
    }))
}
