//! DescribeStream. Knows no stream.

use op::{DescribeStream, Error, Operation, Shard, StreamDescription, StreamStatus};

use super::{PAGE_MAX, SHARD_ID_MAX, SHARD_ID_MIN, stream_arn};
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;
use crate::table::description::{stream_view, write_key_schema};
use crate::write::Object;

static REQUEST: Request = Request {
    input: "DescribeStreamInput",
    members: &[
        ("StreamArn", &Shape::Text),
        ("Limit", &Shape::Integer),
        ("ExclusiveStartShardId", &Shape::Text),
        ("ShardFilter", &SHARD_FILTER),
    ],
    stages: &[&[
        rule("StreamArn", Test::Required),
        rule("Limit", Test::AtLeast(1)),
        rule("Limit", Test::AtMost(PAGE_MAX as i64)),
        rule("ExclusiveStartShardId", Test::LengthMin(SHARD_ID_MIN)),
        rule("ExclusiveStartShardId", Test::LengthMax(SHARD_ID_MAX)),
        rule("ShardFilter.Type", Test::OneOf(&["CHILD_SHARDS"])),
        rule("ShardFilter.ShardId", Test::LengthMin(SHARD_ID_MIN)),
        rule("ShardFilter.ShardId", Test::LengthMax(SHARD_ID_MAX)),
    ]],
    counted: false,
};
static SHARD_FILTER: Shape =
    Shape::Struct("ShardFilter", &[("Type", &Shape::Text), ("ShardId", &Shape::Text)]);

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(Operation::DescribeStream)
}

fn read(fields: Fields<'_, '_>) -> Result<DescribeStream, Fault> {
    let start = fields.owned("ExclusiveStartShardId")?;
    let children_of = fields.fields("ShardFilter")?.map(parent).transpose()?.flatten();
    Ok(DescribeStream {
        arn: stream_arn(fields.required_text("StreamArn")?)?,
        start,
        limit: fields.count("Limit", PAGE_MAX)?,
        children_of,
    })
}

/// The shard whose children are asked for. The two members of the filter are nothing without each other.
fn parent(filter: Fields<'_, '_>) -> Result<Option<String>, Fault> {
    match (filter.text("Type")?, filter.owned("ShardId")?) {
        (None, None) => Ok(None),
        (Some(_), Some(shard)) => Ok(Some(shard)),
        (Some(_), None) => Err(Fault::invalid(
            "One or more parameter values were invalid: ShardId must be specified in ShardFilter when Type is CHILD_SHARDS",
        )),
        (None, Some(_)) => Err(Fault::invalid(
            "One or more parameter values were invalid: Type must be specified in ShardFilter",
        )),
    }
}

pub(crate) fn encode(output: &StreamDescription, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    let mut stream = Object::begin(object.key("StreamDescription"));
    stream.text("StreamArn", &output.arn);
    stream.text("StreamLabel", &output.label);
    stream.text("StreamStatus", status(output.status));
    stream.text("StreamViewType", stream_view(output.view));
    stream.time("CreationRequestDateTime", output.created_ms);
    stream.text("TableName", &output.table);
    write_key_schema(&output.key_schema, &mut stream);
    stream.list("Shards", &output.shards, write_shard);
    if let Some(last) = &output.last {
        stream.text("LastEvaluatedShardId", last);
    }
    stream.end();
    object.end();
}

fn write_shard(shard: &Shard, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.text("ShardId", &shard.id);
    let mut range = Object::begin(object.key("SequenceNumberRange"));
    range.text("StartingSequenceNumber", &shard.first);
    if let Some(last) = &shard.last {
        range.text("EndingSequenceNumber", last);
    }
    range.end();
    if let Some(parent) = &shard.parent {
        object.text("ParentShardId", parent);
    }
    object.end();
}

fn status(status: StreamStatus) -> &'static str {
    match status {
        StreamStatus::Enabling => "ENABLING",
        StreamStatus::Enabled => "ENABLED",
        StreamStatus::Disabling => "DISABLING",
        StreamStatus::Disabled => "DISABLED",
    }
}
