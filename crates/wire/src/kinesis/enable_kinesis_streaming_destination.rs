//! EnableKinesisStreamingDestination. Knows no table and no data stream.

use op::{EnableKinesisStreamingDestination, Error, KinesisDestinationChange, Operation};

use super::change::{self, CONFIGURATION, PRECISION_NAMES};
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
    stages: &[
        &[
            rule("TableName", Test::Required),
            rule("TableName", Test::LengthMin(1)),
            rule("TableName", Test::LengthMax(1024)),
            rule("StreamArn", Test::Required),
            rule("StreamArn", Test::LengthMin(37)),
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
    REQUEST.decode_checked(body, read).map(Operation::EnableKinesisStreamingDestination)
}

fn read(fields: Fields<'_, '_>) -> Result<EnableKinesisStreamingDestination, Fault> {
    Ok(EnableKinesisStreamingDestination {
        table: common::table(fields)?,
        stream: fields.required_text("StreamArn")?.to_owned(),
        precision: change::precision(fields, CONFIGURATION_NAME)?,
    })
}

pub(crate) fn encode(output: &KinesisDestinationChange, out: &mut Vec<u8>) {
    change::write(output, CONFIGURATION_NAME, out);
}
