//! The body by which changes are delivered to a data stream in Kinesis. Knows no network.
//!
//! What is delivered has both images and neither a place in a stream nor a view: those belong to streams of our own.

use op::{Precision, REGION, Record, RecordEvent};

use crate::base64;
use crate::value::write_item;
use crate::write::{Object, text};

/// A change on its way: its record, and when it was made in microseconds since 1970.
#[derive(Debug, Clone, Copy)]
pub struct Delivered<'a> {
    /// The change.
    pub record: &'a Record,
    /// When it was made.
    pub made_us: u64,
}

/// The body of a PutRecords to a data stream with changes of a table.
pub fn put_records(
    stream_arn: &str,
    table: &str,
    precision: Precision,
    changes: &[Delivered<'_>],
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut body = Object::begin(&mut out);
    body.list("Records", changes, |change, out| {
        let mut entry = Object::begin(out);
        let mut data = Vec::new();
        write_change(table, precision, change, &mut data);
        let quoted = entry.key("Data");
        quoted.push(b'"');
        base64::encode(&data, quoted);
        quoted.push(b'"');
        text(&partition_key(change.record), entry.key("PartitionKey"));
        entry.end();
    });
    body.text("StreamARN", stream_arn);
    body.end();
    out
}

/// All changes of an item go the same way, so that they arrive in order.
fn partition_key(record: &Record) -> String {
    let mut keys = Vec::new();
    write_item(&record.keys, &mut keys);
    let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    format!("{:016X}", keys.iter().fold(0xCBF2_9CE4_8422_2325, fold))
}

fn write_change(table: &str, precision: Precision, change: &Delivered<'_>, out: &mut Vec<u8>) {
    let record = change.record;
    let mut object = Object::begin(out);
    object.text("awsRegion", REGION);
    object.text("eventID", &record.id);
    object.text(
        "eventName",
        match record.event {
            RecordEvent::Insert => "INSERT",
            RecordEvent::Modify => "MODIFY",
            RecordEvent::Remove => "REMOVE",
        },
    );
    let identity = object.key("userIdentity");
    if record.is_expiry {
        let mut identity = Object::begin(identity);
        identity.text("principalId", "dynamodb.amazonaws.com");
        identity.text("type", "Service");
        identity.end();
    } else {
        identity.extend_from_slice(b"null");
    }
    object.text("recordFormat", "application/json");
    object.text("tableName", table);
    let mut inner = Object::begin(object.key("dynamodb"));
    match precision {
        Precision::Millisecond => inner.number("ApproximateCreationDateTime", change.made_us / 1000),
        Precision::Microsecond => inner.number("ApproximateCreationDateTime", change.made_us),
    }
    write_item(&record.keys, inner.key("Keys"));
    if let Some(new) = &record.new {
        write_item(new, inner.key("NewImage"));
    }
    if let Some(old) = &record.old {
        write_item(old, inner.key("OldImage"));
    }
    inner.number("SizeBytes", record.size_bytes);
    inner.text(
        "ApproximateCreationDateTimePrecision",
        match precision {
            Precision::Millisecond => "MILLISECOND",
            Precision::Microsecond => "MICROSECOND",
        },
    );
    inner.end();
    object.text("eventSource", "aws:dynamodb");
    object.end();
}

#[cfg(test)]
mod tests {
    use item::{Item, Value};
    use op::StreamView;

    use super::*;

    fn record(is_expiry: bool) -> Record {
        let keys = Item::from([("pk".to_string(), Value::S("a".into()))]);
        Record {
            id: "0123".into(),
            event: RecordEvent::Remove,
            sequence: "1".into(),
            created_ms: 1_700_000_000_123,
            old: Some(keys.clone()),
            new: None,
            keys,
            size_bytes: 6,
            view: StreamView::NewAndOldImages,
            is_expiry,
        }
    }

    #[test]
    fn a_change_is_delivered_as_the_service_does() {
        let record = record(true);
        let change = Delivered { record: &record, made_us: 1_700_000_000_123_004 };
        let mut out = Vec::new();
        write_change("people", Precision::Microsecond, &change, &mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            r#"{"awsRegion":"us-east-1","eventID":"0123","eventName":"REMOVE","userIdentity":{"principalId":"dynamodb.amazonaws.com","type":"Service"},"recordFormat":"application/json","tableName":"people","dynamodb":{"ApproximateCreationDateTime":1700000000123004,"Keys":{"pk":{"S":"a"}},"OldImage":{"pk":{"S":"a"}},"SizeBytes":6,"ApproximateCreationDateTimePrecision":"MICROSECOND"},"eventSource":"aws:dynamodb"}"#
        );
    }

    #[test]
    fn changes_are_packed_into_one_body() {
        let record = record(false);
        let change = Delivered { record: &record, made_us: 5000 };
        let body = put_records("arn:aws:kinesis:x", "people", Precision::Millisecond, &[change, change]);
        let body = String::from_utf8(body).unwrap();
        assert!(body.starts_with(r#"{"Records":[{"Data":"eyJhd3NSZWdpb24i"#), "{body}");
        assert!(body.ends_with(r#"],"StreamARN":"arn:aws:kinesis:x"}"#), "{body}");
        assert_eq!(body.matches("PartitionKey").count(), 2);
    }
}
