//! Names: a space, and a key inside a space. Knows nothing of values.

use bytes::Bytes;

/// One ordered keyspace. The number is chosen by the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Space(pub u64);

/// A key together with the space it lives in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The space of the key.
    pub space: Space,
    /// The key itself, 1 to 65,535 bytes.
    pub bytes: Bytes,
}

impl Key {
    /// A key of a space.
    pub fn new(space: Space, bytes: impl Into<Bytes>) -> Key {
        Key { space, bytes: bytes.into() }
    }
}
