//! UntagResource. Knows no table.

use op::{Error, Operation, UntagResource};

use super::tag_resource::resource;
use super::tags;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::shape::{Shape, TEXTS};

static REQUEST: Request = Request {
    input: "UntagResourceInput",
    members: &[("ResourceArn", &Shape::Text), ("TagKeys", &TEXTS)],
    stages: &[],
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
    keys.iter().try_for_each(|key| tags::key(Some(*key)).map(drop))?;
    tags::check_count(keys.len())?;
    Ok(UntagResource { arn, keys: keys.into_iter().map(str::to_owned).collect() })
}
