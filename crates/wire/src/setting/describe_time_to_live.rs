//! DescribeTimeToLive. Knows no table.

use op::{DescribeTimeToLive, Error, Operation, TimeToLive, TtlStatus};

use crate::common;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::shape::Shape;
use crate::table::describe_table::{NAME_PATTERN, NAME_RULES};
use crate::write::Object;

static REQUEST: Request = Request {
    input: "DescribeTimeToLiveInput",
    members: &[("TableName", &Shape::Text)],
    stages: &[NAME_RULES, NAME_PATTERN],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::DescribeTimeToLive)
}

fn read(fields: Fields<'_, '_>) -> Result<DescribeTimeToLive, Fault> {
    Ok(DescribeTimeToLive { table: common::table(fields)? })
}

pub(crate) fn encode(output: &TimeToLive, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    write(output, &mut object);
    object.end();
}

/// How items expire, under its name.
pub(crate) fn write(output: &TimeToLive, object: &mut Object<'_>) {
    let mut description = Object::begin(object.key("TimeToLiveDescription"));
    description.text(
        "TimeToLiveStatus",
        match output.status {
            TtlStatus::Enabling => "ENABLING",
            TtlStatus::Enabled => "ENABLED",
            TtlStatus::Disabling => "DISABLING",
            TtlStatus::Disabled => "DISABLED",
        },
    );
    if let Some(attribute) = &output.attribute {
        description.text("AttributeName", attribute);
    }
    description.end();
}
