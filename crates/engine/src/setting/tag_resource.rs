//! TagResource.

use op::{Error, Output, TagResource, limits};

use super::resource::{change_tags, not_found};
use crate::{Engine, Pending};

pub(crate) fn run(engine: &Engine, request: TagResource) -> Pending {
    let changed = change_tags(
        engine,
        &request.arn,
        || not_found(&request.arn),
        |tags| {
            for tag in request.tags {
                match tags.iter_mut().find(|known| known.key == tag.key) {
                    Some(known) => known.value = tag.value,
                    None => tags.push(tag),
                }
            }
            if tags.len() > limits::TAGS_MAX {
                return Err(Error::validation(
                    "Number of Tags exceed the current limit for the provided ResourceArn",
                ));
            }
            Ok(())
        },
    );
    engine.read(changed.map(|()| Output::Nothing))
}
