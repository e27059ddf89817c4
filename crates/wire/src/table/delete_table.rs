//! DeleteTable. Knows no table.

use op::{DeleteTable, Error, Operation};

use super::describe_table::{NAME_PATTERN, NAME_RULES};
use crate::common;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::shape::Shape;

static REQUEST: Request = Request {
    input: "DeleteTableInput",
    members: &[("TableName", &Shape::Text)],
    stages: &[NAME_RULES, NAME_PATTERN],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::DeleteTable)
}

fn read(fields: Fields<'_, '_>) -> Result<DeleteTable, Fault> {
    Ok(DeleteTable { name: common::table(fields)? })
}
