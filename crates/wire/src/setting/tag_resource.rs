//! TagResource. Knows no table.

use op::{Error, Operation, TagResource};

use crate::common::table_of_arn;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;
use crate::table::create_table::check_tags;
use crate::table::spec;

static REQUEST: Request = Request {
    input: "TagResourceInput",
    members: &[("ResourceArn", &Shape::Text), ("Tags", &spec::TAGS)],
    stages: &[&[rule("Tags.*.Key", Test::Required), rule("Tags.*.Value", Test::Required)]],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::TagResource)
}

fn read(fields: Fields<'_, '_>) -> Result<TagResource, Fault> {
    let arn = resource(fields)?;
    let tags = spec::tags(fields.list("Tags")?.unwrap_or_default())?;
    if tags.is_empty() {
        return Err(Fault::invalid("Atleast one Tag needs to be provided as Input."));
    }
    check_tags(&tags)?;
    Ok(TagResource { arn, tags })
}

/// The member `ResourceArn`.
pub(crate) fn resource(fields: Fields<'_, '_>) -> Result<String, Fault> {
    match fields.text("ResourceArn")?.unwrap_or_default() {
        "" => Err(Fault::invalid("Invalid TableArn")),
        arn if table_of_arn(arn).is_some() => Ok(arn.to_owned()),
        other => {
            Err(Fault::invalid(format!("Invalid TableArn: Invalid ResourceArn provided as input {other}")))
        }
    }
}
