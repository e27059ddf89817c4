//! A view of all spaces at one moment, whatever is written later. Knows nothing of commits.

use crate::disk;
use crate::error::Error;
use crate::memory;
use crate::range::{Direction, Range, Visit};
use crate::space::Space;
use bytes::Bytes;

/// A consistent, durable view of the whole store. Old values stay on the disk as long as a snapshot may read them, so
/// a snapshot should not be kept for long. A space that is dropped meanwhile answers with [`Error::NoSpace`].
pub struct Snapshot {
    view: View,
}

enum View {
    Memory(memory::View),
    Disk(disk::View),
    #[cfg(feature = "simulation")]
    Simulated(crate::simulated::View),
}

impl Snapshot {
    /// The value of a key.
    pub fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error> {
        match &self.view {
            View::Memory(view) => view.get(space, key),
            View::Disk(view) => view.get(space, key),
            #[cfg(feature = "simulation")]
            View::Simulated(view) => view.get(space, key),
        }
    }

    /// Shows every key of a range with its value to `visit`, until that breaks off.
    pub fn scan(
        &self,
        space: Space,
        range: &Range,
        direction: Direction,
        visit: &mut Visit<'_>,
    ) -> Result<(), Error> {
        match &self.view {
            View::Memory(view) => view.scan(space, range, direction, visit),
            View::Disk(view) => view.scan(space, range, direction, visit),
            #[cfg(feature = "simulation")]
            View::Simulated(view) => view.scan(space, range, direction, visit),
        }
    }

    pub(crate) fn memory(view: memory::View) -> Snapshot {
        Snapshot { view: View::Memory(view) }
    }

    pub(crate) fn disk(view: disk::View) -> Snapshot {
        Snapshot { view: View::Disk(view) }
    }

    #[cfg(feature = "simulation")]
    pub(crate) fn simulated(view: crate::simulated::View) -> Snapshot {
        Snapshot { view: View::Simulated(view) }
    }
}
