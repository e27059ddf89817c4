//! DisableKinesisStreamingDestination. Knows no table and no data stream.

use op::{DisableKinesisStreamingDestination, Error, Operation};

use super::change::{CONFIGURATION, PRECISION_NAMES};
use crate::common;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;

const CONFIGURATION_NAME: &str = "EnableKinesisStreamingConfiguration";

static REQUEST: Request = Request {
    input: "KinesisStreamingDestinationInput",
    members: &[
        ("TableName", &Shape::Text),
        ("StreamArn", &Shape::Text),
        (CONFIGURATION_NAME, &Shape::Struct(CONFIGURATION_NAME, CONFIGURATION)),
    ],
    // OBSERVED: an ARN that is too short is looked for like any other, and not found.
    stages: &[
        &[
            rule("TableName", Test::Required),
            rule("TableName", Test::LengthMin(1)),
            rule("TableName", Test::LengthMax(1024)),
            rule("StreamArn", Test::Required),
            rule("StreamArn", Test::LengthMax(1024)),
            rule(
                "EnableKinesisStreamingConfiguration.ApproximateCreationDateTimePrecision",
                Test::OneOf(PRECISION_NAMES),
            ),
        ],
        common::NAME_OR_ARN,
    ],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(Operation::DisableKinesisStreamingDestination)
}

fn read(fields: Fields<'_, '_>) -> Result<DisableKinesisStreamingDestination, Fault> {
    let table = common::table(fields)?;
    if fields.has(CONFIGURATION_NAME) {
        return Err(Fault::invalid(
            "Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters",
        ));
    }
    Ok(DisableKinesisStreamingDestination { table, stream: fields.required_text("StreamArn")?.to_owned() })
}
