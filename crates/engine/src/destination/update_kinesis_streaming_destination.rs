//! UpdateKinesisStreamingDestination: how exact the times of delivered changes are.

use op::{
    DestinationStatus, Error, Kind, KinesisDestinationChange, Output, Precision,
    UpdateKinesisStreamingDestination,
};

use super::{destination, in_the_wrong_state, usable};
use crate::{Engine, Pending};

pub(crate) fn run(engine: &Engine, request: UpdateKinesisStreamingDestination) -> Pending {
    engine.read(update(engine, request).map(Output::KinesisDestinationUpdated))
}

fn update(
    engine: &Engine,
    request: UpdateKinesisStreamingDestination,
) -> Result<KinesisDestinationChange, Error> {
    let (_, table) = usable(engine, &request.table)?;
    let there = destination(&table, &request.stream).map(|(_, there)| there);
    let Some(there) = there.filter(|there| there.status == DestinationStatus::Active) else {
        return Err(in_the_wrong_state(&format!(
            "Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state. TableName: {}, \
             kdsArn: {}",
            table.name, request.stream
        )));
    };
    // OBSERVED: a destination for which nothing was said has milliseconds, though it does not say so.
    if there.precision.unwrap_or(Precision::Millisecond) == request.precision {
        let word = match request.precision {
            Precision::Millisecond => "MILLISECOND",
            Precision::Microsecond => "MICROSECOND",
        };
        return Err(Error::new(
            Kind::Validation,
            format!(
                "Invalid Request: Precision is already set to the desired value of {word} for tableId: {}, kdsArn: {}",
                table.id, request.stream
            ),
        ));
    }
    engine.change_destination(&request.table, &request.stream, &mut |destination| {
        destination.precision = Some(request.precision);
    })?;
    Ok(KinesisDestinationChange {
        table: table.name.clone(),
        stream: request.stream,
        status: DestinationStatus::Updating,
        precision: Some(request.precision),
    })
}
