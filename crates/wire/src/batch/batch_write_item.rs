//! BatchWriteItem. Knows no table.

use op::{BatchWriteItem, BatchWriteItemOutput, Error, Operation, Write, WritesOfTable, limits};

use super::{request_items, reread};
use crate::common::{self, CAPACITY_NAMES, METRICS_NAMES};
use crate::consumed;
use crate::fault::Fault;
use crate::fields::{self, Fields};
use crate::json::{self, Json};
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::{ITEM, Shape};
use crate::value::Wording;
use crate::write::{Object, list};

static WRITE_REQUEST: Shape = Shape::Struct(
    "WriteRequest",
    &[
        (
            "PutRequest",
            &Shape::Struct("PutRequest", &[("Item", &ITEM), ("workloadProfileName", &Shape::Hidden)]),
        ),
        (
            "DeleteRequest",
            &Shape::Struct("DeleteRequest", &[("Key", &ITEM), ("workloadProfileName", &Shape::Hidden)]),
        ),
    ],
);

static REQUEST: Request = Request {
    input: "BatchWriteItemInput",
    members: &[
        ("RequestItems", &Shape::Map(&Shape::List(&WRITE_REQUEST))),
        ("ReturnConsumedCapacity", &Shape::Text),
        ("ReturnItemCollectionMetrics", &Shape::Text),
    ],
    stages: &[
        &[
            rule("RequestItems", Test::Required),
            rule("RequestItems", Test::ValueLengths(1, limits::BATCH_WRITE_REQUESTS_MAX)),
            rule("ReturnConsumedCapacity", Test::OneOf(CAPACITY_NAMES)),
            rule("ReturnItemCollectionMetrics", Test::OneOf(METRICS_NAMES)),
            rule("RequestItems.*", Test::Required),
            rule("RequestItems.*.*", Test::Required),
            rule("RequestItems.*.*.PutRequest.Item", Test::Required),
            rule("RequestItems.*.*.DeleteRequest.Key", Test::Required),
        ],
        // OBSERVED: what names of tables lack is told only when nothing else is.
        &[rule("RequestItems", Test::KeyNames)],
    ],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::BatchWriteItem)
}

fn read(fields: Fields<'_, '_>) -> Result<BatchWriteItem, Fault> {
    let entries = request_items(fields.required_map("RequestItems")?);
    if entries.is_empty() {
        return Err(Fault::invalid("The requestItems parameter is required for BatchWriteItem"));
    }
    let mut tables = Vec::with_capacity(entries.len());
    let mut count = 0;
    for (named, entry) in entries {
        let requests = fields::list(entry)?;
        count += requests.len();
        if requests.is_empty() {
            return Err(Fault::unmet("RequestItems"));
        }
        if count > limits::BATCH_WRITE_REQUESTS_MAX {
            return Err(Fault::invalid("Too many items requested for the BatchWriteItem call"));
        }
        let writes = requests.iter().map(decode_write).collect::<Result<_, _>>()?;
        let table = common::table_name(named)?.to_owned();
        tables.push(WritesOfTable { named: named.to_owned(), table, writes });
    }
    Ok(BatchWriteItem { tables, capacity: common::capacity(fields)?, metrics: common::metrics(fields)? })
}

fn decode_write(request: &Json<'_>) -> Result<Write, Fault> {
    let fields = Fields::of(request)?;
    match (fields.fields("PutRequest")?, fields.fields("DeleteRequest")?) {
        (Some(put), None) => {
            let item = common::item(put, "Item", Wording::Older)?;
            common::refuse_large(&item)?;
            Ok(Write::Put(item))
        }
        (None, Some(delete)) => Ok(Write::Delete(common::item(delete, "Key", Wording::Older)?)),
        // OBSERVED: the service speaks of attribute values here, though none is meant.
        (Some(_), Some(_)) | (None, None) => Err(Fault::invalid(
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
        )),
    }
}

pub(crate) fn encode(output: &BatchWriteItemOutput, request_body: &[u8], out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    let mut unprocessed = Object::begin(object.key("UnprocessedItems"));
    if !output.unprocessed.is_empty() {
        reread(request_body, |entries| {
            for (table, places) in &output.unprocessed {
                if let Some((named, Json::List(requests))) = entries.get(*table) {
                    let requests = places.iter().filter_map(|place| requests.get(*place));
                    list(requests, unprocessed.any_key(named), json::write);
                }
            }
        });
    }
    unprocessed.end();
    consumed::write_metrics_of_tables(&output.metrics, &mut object);
    consumed::write_all(&output.capacity, &mut object);
    object.end();
}
