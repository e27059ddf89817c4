//! Operations on what surrounds a table, one file each, and what they share.

mod resource;

pub(crate) mod describe_endpoints;
pub(crate) mod describe_limits;
pub(crate) mod describe_time_to_live;
pub(crate) mod list_tags_of_resource;
pub(crate) mod tag_resource;
pub(crate) mod untag_resource;
pub(crate) mod update_time_to_live;
