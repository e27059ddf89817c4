//! TagResource. Knows no table.

use op::{Error, Operation, TagResource};

use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;
use crate::table::create_table::check_tags;
use crate::table::spec;

const ARN_LENGTH_MAX: usize = 1283;

static REQUEST: Request = Request {
    input: "TagResourceInput",
    members: &[("ResourceArn", &Shape::Text), ("Tags", &spec::TAGS)],
    stages: &[&[
        rule("ResourceArn", Test::Required),
        rule("ResourceArn", Test::LengthMin(1)),
        rule("ResourceArn", Test::LengthMax(ARN_LENGTH_MAX)),
        rule("Tags", Test::Required),
        rule("Tags.*.Key", Test::Required),
        rule("Tags.*.Key", Test::LengthMin(1)),
        rule("Tags.*.Key", Test::LengthMax(128)),
        rule("Tags.*.Value", Test::Required),
        rule("Tags.*.Value", Test::LengthMax(256)),
    ]],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::TagResource)
}

fn read(fields: Fields<'_, '_>) -> Result<TagResource, Fault> {
    let arn = resource(fields)?;
    let tags = spec::tags(fields.required_list("Tags")?)?;
    if tags.is_empty() {
        return Err(Fault::invalid("Atleast one Tag needs to be provided as Input."));
    }
    check_tags(&tags)?;
    Ok(TagResource { arn, tags })
}

/// The member `ResourceArn`.
pub(crate) fn resource(fields: Fields<'_, '_>) -> Result<String, Fault> {
    let arn = fields.required_text("ResourceArn")?;
    if (1..=ARN_LENGTH_MAX).contains(&arn.chars().count()) {
        Ok(arn.to_owned())
    } else {
        Err(Fault::unmet("ResourceArn"))
    }
}
