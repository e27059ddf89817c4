//! What one transaction writes. Knows no locks and no order between transactions.

use crate::space::{Key, Space};
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
}

/// One write of a batch; no value means delete.
#[derive(Debug)]
pub(crate) struct Write {
    pub(crate) key: Key,
    pub(crate) value: Option<Bytes>,
}

impl Write {
    /// A second handle on the same bytes.
    pub(crate) fn share(&self) -> Write {
        Write { key: self.key.clone(), value: self.value.clone() }
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

    pub(crate) fn into_writes(self) -> Vec<Write> {
        self.writes
    }

    fn push(&mut self, space: Space, key: Bytes, value: Option<Bytes>) {
        assert!(!key.is_empty() && key.len() <= KEY_BYTES_MAX, "a key has 1 to 65,535 bytes");
        self.writes.push(Write { key: Key { space, bytes: key }, value });
    }
}
