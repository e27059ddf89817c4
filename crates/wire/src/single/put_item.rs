//! PutItem. Knows no table.

use op::{Error, Operation, PutItem, Returns};

use super::{
    CAPACITY, CONDITION_ONLY, METRICS, NAME_LENGTH, NAME_LENGTH_MAX, NAME_PATTERN, ON_FAILURE, OPERATOR,
    RETURNS, TABLE_GIVEN,
};
use crate::common;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::legacy::{self, EXPECTED};
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::{ITEM, NAMES, Shape};
use crate::value::Wording;

static REQUEST: Request = Request {
    input: "PutItemInput",
    members: &[
        ("TableName", &Shape::Text),
        ("Item", &ITEM),
        ("Expected", &EXPECTED),
        ("ReturnValues", &Shape::Text),
        ("ReturnConsumedCapacity", &Shape::Text),
        ("ReturnItemCollectionMetrics", &Shape::Text),
        ("ConditionalOperator", &Shape::Text),
        ("ConditionExpression", &Shape::Text),
        ("ExpressionAttributeNames", &NAMES),
        ("ExpressionAttributeValues", &ITEM),
        ("ReturnValuesOnConditionCheckFailure", &Shape::Text),
    ],
    stages: &[
        TABLE_GIVEN,
        // OBSERVED: these choices are told alone.
        &[RETURNS],
        &[OPERATOR],
        &[
            rule("TableName", Test::Required),
            NAME_LENGTH,
            NAME_LENGTH_MAX,
            rule("Item", Test::Required),
            CAPACITY,
            METRICS,
            ON_FAILURE,
        ],
        NAME_PATTERN,
    ],
    counted: true,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::PutItem)
}

fn read(fields: Fields<'_, '_>) -> Result<PutItem, Fault> {
    let table = common::table(fields)?;
    let mut placeholders = common::placeholders(fields, &CONDITION_ONLY, Wording::Newer)?;
    let item = common::item(fields, "Item", Wording::Newer)?;
    common::refuse_large(&item)?;
    let expected = legacy::expected(fields)?;
    let condition = common::condition(fields, &mut placeholders)?;
    placeholders.finish()?;
    let returns = fields.choice("ReturnValues", common::RETURNS)?.unwrap_or_default();
    if !matches!(returns, Returns::None | Returns::AllOld) {
        return Err(Fault::invalid("ReturnValues can only be ALL_OLD or NONE"));
    }
    Ok(PutItem {
        table,
        item,
        condition: condition.or(expected),
        returns,
        on_failure: common::on_failure(fields)?,
        capacity: common::capacity(fields)?,
        metrics: common::metrics(fields)?,
    })
}
