//! ListTagsOfResource. A table has so few tags that all of them are in one answer.

use op::{Error, Kind, ListTagsOfResource, Output, Tags};

use super::resource::table_name;
use crate::Engine;

pub(crate) fn run(engine: &Engine, request: &ListTagsOfResource) -> Result<Output, Error> {
    let name = table_name(&request.arn)?;
    let cell = engine.catalog.cell(name).ok_or_else(|| denied(&request.arn))?;
    Ok(Output::Tags(Tags { tags: cell.table().tags.clone(), next: None }))
}

/// OBSERVED: an ARN that names nothing of the caller's is not theirs to ask about.
fn denied(arn: &str) -> Error {
    let message = format!(
        "User: arn:aws:iam::000000000000:root is not authorized to perform: dynamodb:ListTagsOfResource on resource: {arn}"
    );
    Error::new(Kind::AccessDenied, message)
}
