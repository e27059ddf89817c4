//! GetItem. Knows no table.

use op::{Error, GetItem, GetItemOutput, Operation};

use super::{CAPACITY, NAME_LENGTH, NAME_LENGTH_MAX, NAME_PATTERN, TABLE_GIVEN};
use crate::common::{self, Parameters};
use crate::consumed;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::{ITEM, NAMES, Shape, TEXTS};
use crate::value::{self, Wording};
use crate::write::Object;

static REQUEST: Request = Request {
    input: "GetItemInput",
    members: &[
        ("TableName", &Shape::Text),
        ("Key", &ITEM),
        ("AttributesToGet", &TEXTS),
        ("ConsistentRead", &Shape::Flag),
        ("ReturnConsumedCapacity", &Shape::Text),
        ("ProjectionExpression", &Shape::Text),
        ("ExpressionAttributeNames", &NAMES),
    ],
    stages: &[
        TABLE_GIVEN,
        &[
            rule("Key", Test::Required),
            rule("TableName", Test::Required),
            NAME_LENGTH,
            NAME_LENGTH_MAX,
            CAPACITY,
            rule("AttributesToGet", Test::LengthMin(1)),
        ],
        NAME_PATTERN,
    ],
    counted: false,
};

/// The expressions of operations that have only a projection.
pub(crate) const PROJECTION_ONLY: Parameters =
    Parameters { expressions: &["ProjectionExpression"], legacy: &["AttributesToGet"], values_without: None };

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::GetItem)
}

fn read(fields: Fields<'_, '_>) -> Result<GetItem, Fault> {
    let table = common::table(fields)?;
    let mut placeholders = common::placeholders(fields, &PROJECTION_ONLY, Wording::Newer)?;
    let key = common::item(fields, "Key", Wording::Newer)?;
    let names = common::attributes_to_get(fields)?;
    let projection = common::projection(fields, &mut placeholders)?;
    placeholders.finish()?;
    Ok(GetItem {
        table,
        key,
        projection: projection.or(names),
        consistent: fields.flag("ConsistentRead")?.unwrap_or(false),
        capacity: common::capacity(fields)?,
    })
}

pub(crate) fn encode(output: &GetItemOutput, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    if let Some(item) = &output.item {
        value::write_stored(item, object.key("Item"));
    }
    if let Some(capacity) = &output.capacity {
        consumed::write(capacity, object.key("ConsumedCapacity"));
    }
    object.end();
}
