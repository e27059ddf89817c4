//! Operations on one item. Each file has the request's model, `decode`, and `encode` where the answer is its own.

pub(crate) mod delete_item;
pub(crate) mod get_item;
pub(crate) mod put_item;
#[cfg(test)]
mod tests;
pub(crate) mod update_item;
pub(crate) mod write_output;

use crate::common::{
    CAPACITY_NAMES, METRICS_NAMES, ON_FAILURE_NAMES, Parameters, RETURNS_NAMES, RETURNS_PRINTED,
};
use crate::legacy::{OPERATOR_NAMES, OPERATOR_PRINTED};
use crate::rule::{Rule, Test, bare, nameless, rule};

/// An empty name of a table is told before everything else.
const TABLE_GIVEN: &[Rule] = &[bare("TableName", Test::NameMin(1)), bare("TableName", Test::LengthMax(1024))];

/// The expressions of operations that have only a condition.
const CONDITION_ONLY: Parameters = Parameters {
    expressions: &["ConditionExpression"],
    legacy: &["Expected", "ConditionalOperator"],
    values_without: Some("ExpressionAttributeValues can only be specified when using expressions"),
};

const NAME_LENGTH: Rule = rule("TableName", Test::NameMin(3));
const NAME_LENGTH_MAX: Rule = rule("TableName", Test::NameMax);
const CAPACITY: Rule = rule("ReturnConsumedCapacity", Test::OneOf(CAPACITY_NAMES));
const METRICS: Rule = rule("ReturnItemCollectionMetrics", Test::OneOf(METRICS_NAMES));
const ON_FAILURE: Rule = rule("ReturnValuesOnConditionCheckFailure", Test::OneOf(ON_FAILURE_NAMES));
const OPERATOR: Rule = nameless("ConditionalOperator", Test::OneOfPrinted(OPERATOR_NAMES, OPERATOR_PRINTED));
const RETURNS: Rule = nameless("ReturnValues", Test::OneOfPrinted(RETURNS_NAMES, RETURNS_PRINTED));
/// The characters of a name are looked at once its length is in order.
const NAME_PATTERN: &[Rule] = &[rule("TableName", Test::NamePattern)];
