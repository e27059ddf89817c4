//! The places that the store gives to appended values, in the order of their commits. Knows no clock: a caller says from
//! where on a stamp may be, and may mean a time by it.

use bytes::Bytes;

/// Bytes of the key of an appended value: its stamp, and its place among the values of its commit.
pub const APPENDED_KEY_BYTES: usize = 9;

/// A place in the order of all appended values of a store. A commit has one stamp for all it appends, later commits have
/// greater ones, and what can be read is always all that was appended up to some stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Stamp(pub u64);

impl Stamp {
    /// The next stamp that is not before `least`.
    pub(crate) fn after(self, least: Stamp) -> Stamp {
        least.max(Stamp(self.0.saturating_add(1)))
    }

    /// The key of a value with this stamp at this place of its commit.
    pub fn key(self, place: u8) -> Bytes {
        let mut key = [0; APPENDED_KEY_BYTES];
        let (stamp, last) = key.split_at_mut(size_of::<u64>());
        stamp.copy_from_slice(&self.0.to_be_bytes());
        last.fill(place);
        Bytes::copy_from_slice(&key)
    }

    /// The stamp and the place of a key; none if it is not the key of an appended value.
    pub fn read(key: &[u8]) -> Option<(Stamp, u8)> {
        let (stamp, place) = key.split_first_chunk()?;
        let [place] = place else { return None };
        Some((Stamp(u64::from_be_bytes(*stamp)), *place))
    }
}
