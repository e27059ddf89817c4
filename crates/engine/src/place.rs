//! Where items lie: a space, and what their keys begin with there. Knows nothing of items.

use std::ops::Bound;

use bytes::Bytes;
use storage::{Range, Space};

/// All keys of a space that begin with a prefix. The prefix is no part of an item's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) space: Space,
    pub(crate) prefix: Bytes,
}

impl Place {
    /// A whole space.
    pub(crate) fn whole(space: Space) -> Place {
        Place { space, prefix: Bytes::new() }
    }

    /// A part of a place.
    pub(crate) fn part(&self, more: &[u8]) -> Place {
        Place { space: self.space, prefix: self.key(more) }
    }

    /// Where an item's key lies.
    pub(crate) fn key(&self, key: &[u8]) -> Bytes {
        [&self.prefix, key].concat().into()
    }

    /// An item's key, from where it lies.
    pub(crate) fn item_key<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        key.get(self.prefix.len()..).unwrap_or_default()
    }

    /// Everything, or everything after an item's key.
    pub(crate) fn after(&self, after: Option<&[u8]>) -> Range {
        let mut range =
            if self.prefix.is_empty() { Range::all() } else { Range::prefix(self.prefix.clone()) };
        if let Some(after) = after {
            range.from = Bound::Excluded(self.key(after));
        }
        range
    }
}
