//! UntagResource. Knows no table.

use op::{Error, Operation, UntagResource};

use super::tag_resource::resource;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::{Shape, TEXTS};

static REQUEST: Request = Request {
    input: "UntagResourceInput",
    members: &[("ResourceArn", &Shape::Text), ("TagKeys", &TEXTS)],
    stages: &[&[rule("TagKeys.*", Test::LengthMin(1)), rule("TagKeys.*", Test::LengthMax(128))]],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::UntagResource)
}

fn read(fields: Fields<'_, '_>) -> Result<UntagResource, Fault> {
    let arn = resource(fields)?;
    let keys = fields.texts("TagKeys")?.unwrap_or_default();
    if keys.is_empty() {
        return Err(Fault::invalid("Atleast one Tag Key needs to be provided as Input."));
    }
    if !keys.iter().all(|key| (1..=128).contains(&key.chars().count())) {
        return Err(Fault::unmet("TagKeys"));
    }
    Ok(UntagResource { arn, keys: keys.into_iter().map(str::to_owned).collect() })
}
