//! Operations that read items, one file each, and the reading of one item.

pub(crate) mod batch_get_item;
pub(crate) mod get_item;
pub(crate) mod query;
pub(crate) mod scan;
pub(crate) mod transact_get_items;

use bytes::Bytes;
use expr::Projection;
use item::Stored;
use op::Error;

use crate::layout;

/// The size of an item and what was asked for of it; nothing has no size.
fn shown(value: Option<Bytes>, projection: Option<&Projection>) -> Result<(usize, Option<Stored>), Error> {
    let Some(value) = value else { return Ok((0, None)) };
    let (bytes, stored) = layout::read_value(&value).ok_or_else(Error::internal)?;
    let Some(projection) = projection else { return Ok((bytes, Some(stored))) };
    let item = stored.decode().ok_or_else(Error::internal)?;
    Ok((bytes, Some(Stored::encode(&projection.cut(&item)))))
}
