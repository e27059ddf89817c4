//! GetRecords. Knows no stream and no form of iterators.

use op::{Error, GetRecords, Operation, REGION, Record, RecordEvent, Records};

use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;
use crate::table::description::stream_view;
use crate::value::write_item;
use crate::write::Object;

const RECORDS_MAX: usize = 1000;

static REQUEST: Request = Request {
    input: "GetRecordsInput",
    members: &[("ShardIterator", &Shape::Text), ("Limit", &Shape::Integer)],
    stages: &[&[
        rule("ShardIterator", Test::Required),
        rule("ShardIterator", Test::LengthMin(1)),
        rule("ShardIterator", Test::LengthMax(2048)),
        rule("Limit", Test::AtLeast(1)),
        rule("Limit", Test::AtMost(RECORDS_MAX as i64)),
    ]],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(Operation::GetRecords)
}

fn read(fields: Fields<'_, '_>) -> Result<GetRecords, Fault> {
    Ok(GetRecords {
        iterator: fields.required_text("ShardIterator")?.to_owned(),
        limit: fields.count("Limit", RECORDS_MAX)?,
    })
}

pub(crate) fn encode(output: &Records, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.list("Records", &output.records, write_record);
    if let Some(next) = &output.next {
        object.text("NextShardIterator", next);
    }
    object.end();
}

fn write_record(record: &Record, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.text("eventID", &record.id);
    object.text(
        "eventName",
        match record.event {
            RecordEvent::Insert => "INSERT",
            RecordEvent::Modify => "MODIFY",
            RecordEvent::Remove => "REMOVE",
        },
    );
    object.text("eventVersion", "1.1");
    object.text("eventSource", "aws:dynamodb");
    object.text("awsRegion", REGION);
    write_change(record, &mut object);
    if record.is_expiry {
        let mut identity = Object::begin(object.key("userIdentity"));
        identity.text("PrincipalId", "dynamodb.amazonaws.com");
        identity.text("Type", "Service");
        identity.end();
    }
    object.end();
}

fn write_change(record: &Record, object: &mut Object<'_>) {
    let mut change = Object::begin(object.key("dynamodb"));
    // The service rounds the time down to the second.
    change.time("ApproximateCreationDateTime", record.created_ms / 1000 * 1000);
    write_item(&record.keys, change.key("Keys"));
    if let Some(new) = &record.new {
        write_item(new, change.key("NewImage"));
    }
    if let Some(old) = &record.old {
        write_item(old, change.key("OldImage"));
    }
    change.text("SequenceNumber", &record.sequence);
    change.number("SizeBytes", record.size_bytes);
    change.text("StreamViewType", stream_view(record.view));
    change.end();
}
