//! UntagResource.

use op::{Error, Output, UntagResource};

use super::resource::change_tags;
use crate::{Engine, Pending};

pub(crate) fn run(engine: &Engine, request: &UntagResource) -> Pending {
    let changed = change_tags(engine, &request.arn, Error::no_table, |tags| {
        tags.retain(|tag| !request.keys.contains(&tag.key));
        Ok(())
    });
    engine.read(changed.map(|()| Output::Nothing))
}
