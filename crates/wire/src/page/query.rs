//! Query. Knows no table.

use expr::legacy::Source;
use expr::{KeyCondition, Kind};
use op::{Error, Operation, Query};

use super::SELECT_NAMES;
use crate::common::{self, CAPACITY_NAMES, Parameters};
use crate::fault::Fault;
use crate::fields::Fields;
use crate::legacy::{self, CONDITIONS, OPERATOR_NAMES};
use crate::request::Request;
use crate::rule::{Test, alone, bare, rule};
use crate::shape::{ITEM, NAMES, Shape, TEXTS};
use crate::value::Wording;

static REQUEST: Request = Request {
    input: "QueryInput",
    members: &[
        ("TableName", &Shape::Text),
        ("IndexName", &Shape::Text),
        ("Select", &Shape::Text),
        ("AttributesToGet", &TEXTS),
        ("Limit", &Shape::Integer),
        ("ConsistentRead", &Shape::Flag),
        ("KeyConditions", &CONDITIONS),
        ("QueryFilter", &CONDITIONS),
        ("ConditionalOperator", &Shape::Text),
        ("ScanIndexForward", &Shape::Flag),
        ("ExclusiveStartKey", &ITEM),
        ("ReturnConsumedCapacity", &Shape::Text),
        ("ProjectionExpression", &Shape::Text),
        ("FilterExpression", &Shape::Text),
        ("KeyConditionExpression", &Shape::Text),
        ("ExpressionAttributeNames", &NAMES),
        ("ExpressionAttributeValues", &ITEM),
    ],
    stages: &[
        &[
            bare("Limit", Test::AtLeast(1)),
            bare("TableName", Test::NameMin(1)),
            // OBSERVED: told alone and without a count.
            alone(
                "ConditionalOperator",
                Test::OneOf(OPERATOR_NAMES),
                "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]",
            ),
        ],
        &[
            rule("TableName", Test::Required),
            rule("TableName", Test::NameMin(3)),
            rule("TableName", Test::NameMax),
            rule("Select", Test::OneOf(SELECT_NAMES)),
            rule("ReturnConsumedCapacity", Test::OneOf(CAPACITY_NAMES)),
            rule("AttributesToGet", Test::LengthMin(1)),
            rule("KeyConditions.*.ComparisonOperator", Test::Required),
            rule("QueryFilter.*.ComparisonOperator", Test::Required),
        ],
        &[rule("TableName", Test::NamePattern)],
    ],
    counted: false,
};

const PARAMETERS: Parameters = Parameters {
    expressions: &["ProjectionExpression", "FilterExpression", "KeyConditionExpression"],
    legacy: &["AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"],
    values_without: Some(
        "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null \
                     and KeyConditionExpression is null",
    ),
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(|request| Operation::Query(Box::new(request)))
}

fn read(fields: Fields<'_, '_>) -> Result<Query, Fault> {
    let table = common::table(fields)?;
    let limit = super::limit(fields)?;
    let mut placeholders = common::placeholders(fields, &PARAMETERS, Wording::Newer)?;
    let start = super::start(fields, Wording::Newer)?;
    common::refuse_empty(fields, &[Kind::Projection, Kind::Filter, Kind::KeyCondition])?;
    let select = super::select(fields)?;
    let key_conditions = legacy::key_conditions(fields)?;
    let query_filter = legacy::filter(fields, "QueryFilter", Source::QueryFilter)?;
    // OBSERVED: the filter is read before the key condition, the projection after both.
    let filter = common::filter(fields, &mut placeholders)?;
    let expression = fields.text("KeyConditionExpression")?;
    let key_condition =
        expression.map(|text| KeyCondition::parse(text, &mut placeholders)).transpose()?.or(key_conditions);
    let projection = super::projection(fields, &mut placeholders)?;
    let key_condition = key_condition.ok_or_else(|| {
        Fault::invalid(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
        )
    })?;
    placeholders.finish()?;
    Ok(Query {
        table,
        index: super::index(fields)?,
        key_condition,
        filter: filter.or(query_filter),
        projection,
        select,
        limit,
        start,
        forward: fields.flag("ScanIndexForward")?.unwrap_or(true),
        consistent: fields.flag("ConsistentRead")?.unwrap_or(false),
        capacity: common::capacity(fields)?,
    })
}
