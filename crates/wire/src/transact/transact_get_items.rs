//! TransactGetItems. Knows no table.

use std::collections::BTreeSet;

use item::Stored;
use op::{Error, Operation, TransactGet, TransactGetItems, TransactGetItemsOutput, limits};

use crate::common::{self, CAPACITY_NAMES};
use crate::consumed;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::json::Json;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::{ITEM, NAMES, Shape};
use crate::single::get_item::PROJECTION_ONLY;
use crate::value::{self, Wording};
use crate::write::Object;

static GET: Shape = Shape::Struct(
    "Get",
    &[
        ("Key", &ITEM),
        ("TableName", &Shape::Text),
        ("ProjectionExpression", &Shape::Text),
        ("ExpressionAttributeNames", &NAMES),
        ("workloadProfileName", &Shape::Hidden),
    ],
);

static REQUEST: Request = Request {
    input: "TransactGetItemsInput",
    members: &[
        ("TransactItems", &Shape::List(&Shape::Struct("TransactGetItem", &[("Get", &GET)]))),
        ("ReturnConsumedCapacity", &Shape::Text),
    ],
    stages: &[&[
        rule("TransactItems", Test::Required),
        rule("TransactItems", Test::LengthMin(1)),
        rule("TransactItems", Test::LengthMax(limits::TRANSACT_ACTIONS_MAX)),
        rule("ReturnConsumedCapacity", Test::OneOf(CAPACITY_NAMES)),
        rule("TransactItems.*", Test::Required),
        rule("TransactItems.*.Get", Test::Required),
        rule("TransactItems.*.Get.TableName", Test::Required),
        rule("TransactItems.*.Get.TableName", Test::NameMin(3)),
        rule("TransactItems.*.Get.TableName", Test::NameMax),
        rule("TransactItems.*.Get.TableName", Test::NamePattern),
        rule("TransactItems.*.Get.Key", Test::Required),
    ]],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::TransactGetItems)
}

fn read(fields: Fields<'_, '_>) -> Result<TransactGetItems, Fault> {
    let items = fields.required_list("TransactItems")?;
    if items.is_empty() || items.len() > limits::TRANSACT_ACTIONS_MAX {
        return Err(Fault::unmet("TransactItems"));
    }
    let gets = items.iter().map(decode_get).collect::<Result<Vec<_>, _>>()?;
    let mut seen = BTreeSet::new();
    if !gets.iter().all(|get| seen.insert((&get.table, Stored::encode(&get.key).bytes().clone()))) {
        return Err(Fault::invalid("Transaction request cannot include multiple operations on one item"));
    }
    Ok(TransactGetItems { capacity: common::capacity(fields)?, gets })
}

fn decode_get(item: &Json<'_>) -> Result<TransactGet, Fault> {
    let fields = Fields::of(item)?.fields("Get")?.ok_or_else(|| Fault::unmet("Get"))?;
    let table = common::table(fields)?;
    let mut placeholders = common::placeholders(fields, &PROJECTION_ONLY, Wording::Older)?;
    let key = common::item(fields, "Key", Wording::Older)?;
    let projection = common::projection(fields, &mut placeholders)?;
    placeholders.finish()?;
    Ok(TransactGet { table, key, projection })
}

pub(crate) fn encode(output: &TransactGetItemsOutput, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    consumed::write_all(&output.capacity, &mut object);
    object.list("Responses", &output.items, |item, out| {
        let mut response = Object::begin(out);
        if let Some(item) = item {
            value::write_stored(item, response.key("Item"));
        }
        response.end();
    });
    object.end();
}
