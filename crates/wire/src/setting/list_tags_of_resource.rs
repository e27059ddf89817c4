//! ListTagsOfResource. Knows no table.

use op::{Error, ListTagsOfResource, Operation, Tags};

use super::tag_resource::resource;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::shape::Shape;
use crate::write::Object;

static REQUEST: Request = Request {
    input: "ListTagsOfResourceInput",
    members: &[("ResourceArn", &Shape::Text), ("NextToken", &Shape::Text)],
    stages: &[],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::ListTagsOfResource)
}

fn read(fields: Fields<'_, '_>) -> Result<ListTagsOfResource, Fault> {
    Ok(ListTagsOfResource { arn: resource(fields)?, next: fields.text("NextToken")?.map(str::to_owned) })
}

pub(crate) fn encode(output: &Tags, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.list("Tags", &output.tags, |tag, out| {
        let mut written = Object::begin(out);
        written.text("Key", &tag.key);
        written.text("Value", &tag.value);
        written.end();
    });
    if let Some(next) = &output.next {
        object.text("NextToken", next);
    }
    object.end();
}
