//! TagResource. Knows no table.

use op::{Error, Operation, TagResource};

use super::tags;
use crate::common::table_of_arn;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::shape::Shape;
use crate::table::spec;

static REQUEST: Request = Request {
    input: "TagResourceInput",
    members: &[("ResourceArn", &Shape::Text), ("Tags", &spec::TAGS)],
    stages: &[],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::TagResource)
}

fn read(fields: Fields<'_, '_>) -> Result<TagResource, Fault> {
    let arn = resource(fields)?;
    let tags = tags::read(fields.list("Tags")?.unwrap_or_default())?;
    if tags.is_empty() {
        return Err(Fault::invalid("Atleast one Tag needs to be provided as Input."));
    }
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
