//! What one transaction writes. Knows no locks and no order between transactions.

use crate::space::{Key, Space};
use crate::stamp::Stamp;
use bytes::Bytes;

/// The longest key a store takes.
pub(crate) const KEY_BYTES_MAX: usize = u16::MAX as usize;

/// Puts and deletes that become visible together or not at all. A later write of a key replaces an earlier one.
///
/// The store keeps the given buffers for a while (in the engine's write buffer and in the cache of hot values), so a
/// caller should hand in buffers of their own, not narrow slices of large ones.
#[derive(Debug, Default)]
pub struct Batch {
    writes: Vec<Write>,
    appended: Appended,
}

/// What a batch appends.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Appended {
    values: u8,
    /// Where their stamp may begin.
    least: Stamp,
}

/// One write of a batch; no value means delete. The key of an appended value is empty until the store gives it a stamp.
#[derive(Debug)]
pub(crate) struct Write {
    pub(crate) key: Key,
    pub(crate) value: Option<Bytes>,
}

impl Write {
    /// Whether the store still has to give it a key.
    pub(crate) fn is_appended(&self) -> bool {
        self.key.bytes.is_empty()
    }

    /// How many bytes its key and its value have.
    pub(crate) fn bytes(&self) -> usize {
        self.key.bytes.len() + self.value.as_ref().map_or(0, Bytes::len)
    }

    /// A second handle on the same bytes.
    pub(crate) fn share(&self) -> Write {
        Write { key: self.key.clone(), value: self.value.clone() }
    }
}

impl Appended {
    /// Gives the appended ones among some writes their keys, with a stamp that follows the last one.
    pub(crate) fn stamp<'a>(self, writes: impl Iterator<Item = &'a mut Write>, last: &mut Stamp) {
        if self.values > 0 {
            *last = last.after(self.least);
            let appended = writes.filter(|write| write.is_appended());
            for (place, write) in (0..=u8::MAX).zip(appended) {
                write.key.bytes = last.key(place);
            }
        }
    }
}

impl Batch {
    /// An empty batch.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Sets the value of a key.
    ///
    /// # Panics
    /// When the key is empty or longer than 65,535 bytes.
    pub fn put(&mut self, space: Space, key: impl Into<Bytes>, value: impl Into<Bytes>) {
        self.push(space, key.into(), Some(value.into()));
    }

    /// Removes a key; a key that does not exist stays that way.
    ///
    /// # Panics
    /// When the key is empty or longer than 65,535 bytes.
    pub fn delete(&mut self, space: Space, key: impl Into<Bytes>) {
        self.push(space, key.into(), None);
    }

    /// Adds a value at the end of a space that holds appended values only. The store gives it its key when the batch has
    /// its place in the order: see [`Stamp`]. The stamp will not be before `least`.
    ///
    /// # Panics
    /// When the batch holds 255 appended values already.
    pub fn append(&mut self, space: Space, least: Stamp, value: impl Into<Bytes>) {
        let Appended { values, least: other } = self.appended;
        let values = values.checked_add(1).expect("a batch appends 255 values at most");
        self.appended = Appended { values, least: other.max(least) };
        self.writes.push(Write { key: Key { space, bytes: Bytes::new() }, value: Some(value.into()) });
    }

    /// What it appends, and all it writes.
    pub(crate) fn into_parts(self) -> (Appended, Vec<Write>) {
        (self.appended, self.writes)
    }

    /// How many writes the batch holds.
    pub fn len(&self) -> usize {
        self.writes.len()
    }

    /// Whether the batch writes nothing.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    pub(crate) fn writes(&self) -> &[Write] {
        &self.writes
    }

    fn push(&mut self, space: Space, key: Bytes, value: Option<Bytes>) {
        assert!(!key.is_empty() && key.len() <= KEY_BYTES_MAX, "a key has 1 to 65,535 bytes");
        self.writes.push(Write { key: Key { space, bytes: key }, value });
    }
}
