//! ListTables. Knows no table.

use op::{Error, ListTables, Operation, TableNames};

use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, is_name, rule};
use crate::shape::Shape;
use crate::write::{self, Object};

const LIMIT_MAX: usize = 100;

static REQUEST: Request = Request {
    input: "ListTablesInput",
    members: &[("ExclusiveStartTableName", &Shape::Text), ("Limit", &Shape::Integer)],
    stages: &[&[
        rule("ExclusiveStartTableName", Test::Pattern),
        rule("ExclusiveStartTableName", Test::LengthMin(3)),
        rule("ExclusiveStartTableName", Test::LengthMax(255)),
        rule("Limit", Test::AtLeast(1)),
        rule("Limit", Test::AtMost(LIMIT_MAX as i64)),
    ]],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::ListTables)
}

fn read(fields: Fields<'_, '_>) -> Result<ListTables, Fault> {
    let start = fields.text("ExclusiveStartTableName")?;
    if start.is_some_and(|name| !(3..=255).contains(&name.len()) || !is_name(name)) {
        return Err(Fault::unmet("ExclusiveStartTableName"));
    }
    let limit = match fields.integer("Limit")? {
        None => LIMIT_MAX,
        Some(limit) => match usize::try_from(limit) {
            Ok(limit @ 1..=LIMIT_MAX) => limit,
            Ok(_) | Err(_) => return Err(Fault::unmet("Limit")),
        },
    };
    Ok(ListTables { start: start.map(str::to_owned), limit })
}

pub(crate) fn encode(output: &TableNames, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.list("TableNames", &output.names, |name, out| write::text(name, out));
    if let Some(last) = &output.last {
        object.text("LastEvaluatedTableName", last);
    }
    object.end();
}
