//! DescribeTable. Knows no table.

use op::{DescribeTable, Error, Operation};

use crate::common;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Rule, Test, rule};
use crate::shape::Shape;

static REQUEST: Request = Request {
    input: "DescribeTableInput",
    members: &[("TableName", &Shape::Text)],
    stages: &[NAME_RULES],
    counted: false,
};

/// What must hold of the name in operations that have little else.
pub(crate) const NAME_RULES: &[Rule] = &[
    rule("TableName", Test::Required),
    rule("TableName", Test::NamePattern),
    rule("TableName", Test::NameMin(3)),
    rule("TableName", Test::NameMax),
];

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::DescribeTable)
}

fn read(fields: Fields<'_, '_>) -> Result<DescribeTable, Fault> {
    Ok(DescribeTable { name: common::table(fields)? })
}
