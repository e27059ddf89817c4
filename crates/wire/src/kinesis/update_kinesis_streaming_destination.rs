//! UpdateKinesisStreamingDestination. Knows no table and no data stream.

use op::{Error, KinesisDestinationChange, Operation, UpdateKinesisStreamingDestination};

use super::change::{self, CONFIGURATION, PRECISION_NAMES};
use crate::common;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;

const CONFIGURATION_NAME: &str = "UpdateKinesisStreamingConfiguration";

static REQUEST: Request = Request {
    input: "UpdateKinesisStreamingDestinationInput",
    members: &[
        ("TableName", &Shape::Text),
        ("StreamArn", &Shape::Text),
        (CONFIGURATION_NAME, &Shape::Struct(CONFIGURATION_NAME, CONFIGURATION)),
    ],
    stages: &[
        &[
            rule("TableName", Test::Required),
            rule("TableName", Test::LengthMin(1)),
            rule("TableName", Test::LengthMax(1024)),
            rule("StreamArn", Test::Required),
            rule("StreamArn", Test::LengthMax(1024)),
            rule(
                "UpdateKinesisStreamingConfiguration.ApproximateCreationDateTimePrecision",
                Test::OneOf(PRECISION_NAMES),
            ),
        ],
        common::NAME_OR_ARN,
    ],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(Operation::UpdateKinesisStreamingDestination)
}

fn read(fields: Fields<'_, '_>) -> Result<UpdateKinesisStreamingDestination, Fault> {
    let table = common::table(fields)?;
    let Some(precision) = change::precision(fields, CONFIGURATION_NAME)? else {
        return Err(Fault::invalid(
            "Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot be \
             null or contain only null values",
        ));
    };
    let stream = fields.required_text("StreamArn")?.to_owned();
    Ok(UpdateKinesisStreamingDestination { table, stream, precision })
}

pub(crate) fn encode(output: &KinesisDestinationChange, out: &mut Vec<u8>) {
    change::write(output, CONFIGURATION_NAME, out);
}
