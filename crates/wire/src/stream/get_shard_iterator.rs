//! GetShardIterator. Knows no stream and no form of iterators.

use op::{Error, GetShardIterator, Operation, ShardPosition};

use super::{SHARD_ID_MAX, SHARD_ID_MIN, stream_arn};
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;
use crate::write::Object;

static REQUEST: Request = Request {
    input: "GetShardIteratorInput",
    members: &[
        ("StreamArn", &Shape::Text),
        ("ShardId", &Shape::Text),
        ("ShardIteratorType", &Shape::Text),
        ("SequenceNumber", &Shape::Text),
        ("Timestamp", &Shape::Time),
    ],
    stages: &[&[
        rule("StreamArn", Test::Required),
        rule("ShardId", Test::Required),
        rule("ShardId", Test::LengthMin(SHARD_ID_MIN)),
        rule("ShardId", Test::LengthMax(SHARD_ID_MAX)),
        rule("ShardIteratorType", Test::Required),
        rule("ShardIteratorType", Test::OneOf(TYPES)),
        rule("SequenceNumber", Test::LengthMin(21)),
        rule("SequenceNumber", Test::LengthMax(40)),
    ]],
    counted: false,
};
const TYPES: &[&str] =
    &["TRIM_HORIZON", "LATEST", "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER", "AT_TIMESTAMP"];

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(Operation::GetShardIterator)
}

fn read(fields: Fields<'_, '_>) -> Result<GetShardIterator, Fault> {
    let arn = stream_arn(fields.required_text("StreamArn")?)?;
    let shard = fields.required_text("ShardId")?.to_owned();
    Ok(GetShardIterator { arn, shard, position: position(fields)? })
}

/// The place, which has a sequence number or a time exactly where its type needs one.
fn position(fields: Fields<'_, '_>) -> Result<ShardPosition, Fault> {
    let kind = fields.required_text("ShardIteratorType")?;
    let sequence = fields.text("SequenceNumber")?;
    let time_ms = fields.time("Timestamp")?;
    if sequence.is_some_and(|sequence| !sequence.bytes().all(|byte| byte.is_ascii_digit())) {
        return Err(Fault::invalid("Invalid SequenceNumber"));
    }
    let refuse = |given: &str, must: &str| {
        Err(Fault::invalid(format!(
            "One or more parameter values were invalid: {given} {must} be specified when ShardIteratorType is {kind}"
        )))
    };
    match (kind, sequence, time_ms) {
        ("AT_SEQUENCE_NUMBER" | "AFTER_SEQUENCE_NUMBER", None, _) => refuse("SequenceNumber", "must"),
        ("TRIM_HORIZON" | "LATEST" | "AT_TIMESTAMP", Some(_), _) => refuse("SequenceNumber", "must not"),
        ("AT_TIMESTAMP", None, None) => refuse("Timestamp", "must"),
        ("AT_TIMESTAMP", None, Some(time)) => Ok(ShardPosition::AtTime(time)),
        (_, _, Some(_)) => refuse("Timestamp", "must not"),
        ("TRIM_HORIZON", None, None) => Ok(ShardPosition::TrimHorizon),
        ("LATEST", None, None) => Ok(ShardPosition::Latest),
        ("AT_SEQUENCE_NUMBER", Some(sequence), None) => Ok(ShardPosition::At(sequence.to_owned())),
        ("AFTER_SEQUENCE_NUMBER", Some(sequence), None) => Ok(ShardPosition::After(sequence.to_owned())),
        (_, _, None) => Err(Fault::unmet("ShardIteratorType")),
    }
}

pub(crate) fn encode(iterator: &str, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.text("ShardIterator", iterator);
    object.end();
}
