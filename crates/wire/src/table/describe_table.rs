//! DescribeTable. Knows no table.

use op::{DescribeTable, Error, Operation};

use crate::common;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Rule, Test, alone, rule};
use crate::shape::Shape;

static REQUEST: Request = Request {
    input: "DescribeTableInput",
    members: &[("TableName", &Shape::Text)],
    stages: &[NAME_RULES, NAME_PATTERN],
    counted: false,
};

/// What must hold of the name in operations on tables.
pub(crate) const NAME_RULES: &[Rule] = &[
    alone(
        "TableName",
        Test::Required,
        "The parameter 'TableName' is required but was not present in the request",
    ),
    alone("TableName", Test::NameMin(3), NAME_LENGTH),
    alone("TableName", Test::NameMax, NAME_LENGTH),
];
/// The characters of a name are looked at once its length is in order.
pub(crate) const NAME_PATTERN: &[Rule] = &[rule("TableName", Test::NamePattern)];
const NAME_LENGTH: &str = "TableName must be at least 3 characters long and at most 255 characters long";

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::DescribeTable)
}

fn read(fields: Fields<'_, '_>) -> Result<DescribeTable, Fault> {
    Ok(DescribeTable { name: common::table(fields)? })
}
