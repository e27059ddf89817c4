//! DescribeKinesisStreamingDestination. Knows no table.

use op::{DescribeKinesisStreamingDestination, Error, KinesisDestination, KinesisDestinations, Operation};

use super::change::{status, write_precision};
use crate::common;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;
use crate::write::Object;

static REQUEST: Request = Request {
    input: "DescribeKinesisStreamingDestinationInput",
    members: &[("TableName", &Shape::Text)],
    stages: &[
        &[
            rule("TableName", Test::Required),
            rule("TableName", Test::LengthMin(1)),
            rule("TableName", Test::LengthMax(1024)),
        ],
        common::NAME_OR_ARN,
    ],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(Operation::DescribeKinesisStreamingDestination)
}

fn read(fields: Fields<'_, '_>) -> Result<DescribeKinesisStreamingDestination, Fault> {
    Ok(DescribeKinesisStreamingDestination { table: common::table(fields)? })
}

pub(crate) fn encode(output: &KinesisDestinations, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.text("TableName", &output.table);
    object.list("KinesisDataStreamDestinations", &output.destinations, write_destination);
    object.end();
}

fn write_destination(destination: &KinesisDestination, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.text("StreamArn", &destination.stream);
    object.text("DestinationStatus", status(destination.status));
    if let Some(description) = &destination.description {
        object.text("DestinationStatusDescription", description);
    }
    write_precision(destination.precision, &mut object);
    object.end();
}
