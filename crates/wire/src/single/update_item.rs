//! UpdateItem. Knows no table.

use expr::{Condition, Kind, Placeholders, Update};
use op::{Error, Operation, UpdateItem};

use super::{
    CAPACITY, METRICS, NAME_LENGTH, NAME_LENGTH_MAX, NAME_PATTERN, ON_FAILURE, OPERATOR, RETURNS, TABLE_GIVEN,
};
use crate::common::{self, Parameters};
use crate::fault::Fault;
use crate::fields::Fields;
use crate::legacy::{self, EXPECTED, UPDATES};
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::{ITEM, NAMES, Shape};
use crate::value::Wording;

static REQUEST: Request = Request {
    input: "UpdateItemInput",
    members: &[
        ("TableName", &Shape::Text),
        ("Key", &ITEM),
        ("AttributeUpdates", &UPDATES),
        ("Expected", &EXPECTED),
        ("ConditionalOperator", &Shape::Text),
        ("ReturnValues", &Shape::Text),
        ("ReturnConsumedCapacity", &Shape::Text),
        ("ReturnItemCollectionMetrics", &Shape::Text),
        ("UpdateExpression", &Shape::Text),
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
            rule("Key", Test::Required),
            CAPACITY,
            METRICS,
            ON_FAILURE,
        ],
        NAME_PATTERN,
    ],
    counted: true,
};

const PARAMETERS: Parameters = Parameters {
    expressions: &["UpdateExpression", "ConditionExpression"],
    legacy: &["AttributeUpdates", "Expected", "ConditionalOperator"],
    values_without: Some("ExpressionAttributeValues can only be specified when using expressions"),
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::UpdateItem)
}

fn read(fields: Fields<'_, '_>) -> Result<UpdateItem, Fault> {
    let table = common::table(fields)?;
    let mut placeholders = common::placeholders(fields, &PARAMETERS, Wording::Newer)?;
    let key = common::item(fields, "Key", Wording::Newer)?;
    let expected = legacy::expected(fields)?;
    let updates = legacy::updates(fields)?;
    let (update, condition) = expressions(fields, &mut placeholders)?;
    placeholders.finish()?;
    Ok(UpdateItem {
        table,
        key,
        update: update.or(updates),
        condition: condition.or(expected),
        returns: fields.choice("ReturnValues", common::RETURNS)?.unwrap_or_default(),
        on_failure: common::on_failure(fields)?,
        capacity: common::capacity(fields)?,
        metrics: common::metrics(fields)?,
    })
}

fn expressions(
    fields: Fields<'_, '_>,
    placeholders: &mut Placeholders,
) -> Result<(Option<Update>, Option<Condition>), Fault> {
    common::refuse_empty(fields, &[Kind::Update, Kind::Condition])?;
    let update =
        fields.text("UpdateExpression")?.map(|text| Update::parse(text, placeholders)).transpose()?;
    Ok((update, common::condition(fields, placeholders)?))
}
