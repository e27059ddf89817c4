//! BatchGetItem. Knows no table.

use std::collections::BTreeSet;

use item::{Item, Stored};
use op::{BatchGetItem, BatchGetItemOutput, Error, KeysOfTable, Operation, limits};

use super::{request_items, reread};
use crate::common::{self, CAPACITY_NAMES};
use crate::consumed;
use crate::fault::Fault;
use crate::fields::{Fields, pairs};
use crate::json::{self, Json};
use crate::request::Request;
use crate::rule::{Test, as_json, bare, rule};
use crate::shape::{ITEM, NAMES, Shape, TEXTS};
use crate::single::get_item::PROJECTION_ONLY;
use crate::value::{self, Wording};
use crate::write::{Object, list};

static KEYS_OF_TABLE: Shape = Shape::Struct(
    "KeysAndAttributes",
    &[
        ("Keys", &Shape::List(&ITEM)),
        ("AttributesToGet", &TEXTS),
        ("ConsistentRead", &Shape::Flag),
        ("ProjectionExpression", &Shape::Text),
        ("ExpressionAttributeNames", &NAMES),
    ],
);

static REQUEST: Request = Request {
    input: "BatchGetItemInput",
    members: &[("RequestItems", &Shape::Map(&KEYS_OF_TABLE)), ("ReturnConsumedCapacity", &Shape::Text)],
    stages: &[
        &[rule("RequestItems", Test::Required)],
        &[
            bare("RequestItems", Test::LengthMin(1)),
            bare("RequestItems.*.Keys", Test::LengthMin(1)),
            bare("RequestItems.*.Keys", Test::LengthMax(limits::BATCH_GET_KEYS_MAX)),
        ],
        &[
            as_json("RequestItems", Test::KeyNames),
            rule("ReturnConsumedCapacity", Test::OneOf(CAPACITY_NAMES)),
            rule("RequestItems.*", Test::Required),
            rule("RequestItems.*.Keys", Test::Required),
            rule("RequestItems.*.Keys.*", Test::Required),
            rule("RequestItems.*.AttributesToGet", Test::LengthMin(1)),
        ],
    ],
    counted: false,
};

/// The two forms of naming attributes to return.
const PROJECTIONS: [&str; 2] = ["AttributesToGet", "ProjectionExpression"];

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::BatchGetItem)
}

fn read(fields: Fields<'_, '_>) -> Result<BatchGetItem, Fault> {
    let entries = request_items(fields.required_map("RequestItems")?);
    if entries.is_empty() {
        return Err(Fault::unmet("RequestItems"));
    }
    let mut tables = Vec::with_capacity(entries.len());
    let mut count = 0;
    let mut given = BTreeSet::new();
    for (named, entry) in entries {
        let fields = Fields::of(entry)?;
        let keys = fields.required_list("Keys")?;
        count += keys.len();
        if keys.is_empty() {
            return Err(Fault::unmet("Keys"));
        }
        if count > limits::BATCH_GET_KEYS_MAX {
            return Err(Fault::bare("Too many items requested for the BatchGetItem call"));
        }
        given.extend(PROJECTIONS.into_iter().filter(|name| fields.has(name)));
        // OBSERVED: the two forms may not be mixed between tables either.
        if given.len() == PROJECTIONS.len() {
            return Err(Fault::bare(
                "Can not use both expression and non-expression parameters in the same request: Non-expression \
                 parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}",
            ));
        }
        tables.push(keys_of_table(named, keys, fields)?);
    }
    Ok(BatchGetItem { tables, capacity: common::capacity(fields)? })
}

fn keys_of_table(named: &str, keys: &[Json<'_>], fields: Fields<'_, '_>) -> Result<KeysOfTable, Fault> {
    let table = common::table_name(named)?.to_owned();
    let mut placeholders = common::placeholders(fields, &PROJECTION_ONLY, Wording::Newer)?;
    let names = common::attributes_to_get(fields)?;
    let projection = common::projection(fields, &mut placeholders)?;
    placeholders.finish()?;
    let keys = keys
        .iter()
        .map(|key| value::decode_item(pairs(key)?, Wording::Newer))
        .collect::<Result<Vec<Item>, Fault>>()?;
    let mut seen = BTreeSet::new();
    if !keys.iter().all(|key| seen.insert(Stored::encode(key).bytes().clone())) {
        return Err(Fault::invalid("Provided list of item keys contains duplicates"));
    }
    Ok(KeysOfTable {
        named: named.to_owned(),
        table,
        keys,
        projection: projection.or(names),
        consistent: fields.flag("ConsistentRead")?.unwrap_or(false),
    })
}

pub(crate) fn encode(output: &BatchGetItemOutput, request_body: &[u8], out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    let mut responses = Object::begin(object.key("Responses"));
    for (table, items) in &output.items {
        list(items, responses.any_key(table), value::write_stored);
    }
    responses.end();
    let mut unprocessed = Object::begin(object.key("UnprocessedKeys"));
    if !output.unprocessed.is_empty() {
        reread(request_body, |entries| {
            for (table, keys) in &output.unprocessed {
                if let Some((named, entry)) = entries.get(*table) {
                    write_unprocessed(entry, keys, unprocessed.any_key(named));
                }
            }
        });
    }
    unprocessed.end();
    consumed::write_all(&output.capacity, &mut object);
    object.end();
}

/// Writes what the request asked of a table, with these of its keys only.
fn write_unprocessed(entry: &Json<'_>, places: &[usize], out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    if let Ok(fields) = Fields::of(entry) {
        if let Ok(Some(keys)) = fields.list("Keys") {
            object.list("Keys", places.iter().filter_map(|place| keys.get(*place)), json::write);
        }
        for name in ["AttributesToGet", "ConsistentRead", "ProjectionExpression", "ExpressionAttributeNames"]
        {
            if let Some(value) = fields.get(name) {
                json::write(value, object.key(name));
            }
        }
    }
    object.end();
}
