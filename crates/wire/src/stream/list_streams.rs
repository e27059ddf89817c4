//! ListStreams. Knows no stream.

use op::{Error, ListStreams, Operation, StreamSummary, Streams};

use super::{PAGE_MAX, stream_arn};
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;
use crate::write::Object;

static REQUEST: Request = Request {
    input: "ListStreamsInput",
    members: &[
        ("TableName", &Shape::Text),
        ("Limit", &Shape::Integer),
        ("ExclusiveStartStreamArn", &Shape::Text),
    ],
    stages: &[&[
        rule("TableName", Test::Pattern),
        rule("TableName", Test::LengthMin(3)),
        rule("TableName", Test::LengthMax(255)),
        rule("Limit", Test::AtLeast(1)),
        rule("Limit", Test::AtMost(PAGE_MAX as i64)),
    ]],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(Operation::ListStreams)
}

fn read(fields: Fields<'_, '_>) -> Result<ListStreams, Fault> {
    Ok(ListStreams {
        table: fields.owned("TableName")?,
        start: fields.text("ExclusiveStartStreamArn")?.map(stream_arn).transpose()?,
        limit: fields.count("Limit", PAGE_MAX)?,
    })
}

pub(crate) fn encode(output: &Streams, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.list("Streams", &output.streams, write_summary);
    if let Some(last) = &output.last {
        object.text("LastEvaluatedStreamArn", last);
    }
    object.end();
}

fn write_summary(stream: &StreamSummary, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.text("StreamArn", &stream.arn);
    object.text("TableName", &stream.table);
    object.text("StreamLabel", &stream.label);
    object.end();
}
