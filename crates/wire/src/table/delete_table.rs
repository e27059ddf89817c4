//! DeleteTable. Knows no table.

use op::DeleteTable;

use super::describe_table::NAME_RULES;
use crate::common;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::shape::Shape;

pub(crate) static REQUEST: Request = Request {
    input: "DeleteTableInput",
    members: &[("TableName", &Shape::Text)],
    stages: &[NAME_RULES],
    counted: false,
};

pub(crate) fn decode(fields: Fields<'_, '_>) -> Result<DeleteTable, Fault> {
    Ok(DeleteTable { name: common::table(fields)? })
}
