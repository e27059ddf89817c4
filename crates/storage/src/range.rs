//! Which keys a scan walks over, and in which order. Knows no spaces and no values.

use bytes::Bytes;
use std::ops::{Bound, ControlFlow};

/// What a scan calls with each key and its value; `Break` ends the scan.
pub type Visit<'a> = dyn FnMut(&[u8], &[u8]) -> ControlFlow<()> + 'a;

/// The order of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the lowest key up.
    Forward,
    /// From the highest key down.
    Backward,
}

/// The keys between two bounds. A range that ends before it begins holds nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The lower bound.
    pub from: Bound<Bytes>,
    /// The upper bound.
    pub to: Bound<Bytes>,
}

impl Range {
    /// Every key.
    pub fn all() -> Range {
        Range { from: Bound::Unbounded, to: Bound::Unbounded }
    }

    /// The keys that begin with `prefix`.
    pub fn prefix(prefix: impl Into<Bytes>) -> Range {
        let prefix = prefix.into();
        let to = match after_prefix(&prefix) {
            Some(end) => Bound::Excluded(end),
            None => Bound::Unbounded,
        };
        Range { from: Bound::Included(prefix), to }
    }

    /// Whether no key can lie between the bounds.
    pub fn is_empty(&self) -> bool {
        match (&self.from, &self.to) {
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
            (Bound::Included(from), Bound::Included(to)) => from > to,
            (Bound::Included(from) | Bound::Excluded(from), Bound::Excluded(to))
            | (Bound::Excluded(from), Bound::Included(to)) => from >= to,
        }
    }
}

/// The lowest key above all keys with this prefix, if there is one.
fn after_prefix(prefix: &[u8]) -> Option<Bytes> {
    let last = prefix.iter().rposition(|byte| *byte != u8::MAX)?;
    let mut end = prefix.get(..=last)?.to_vec();
    *end.last_mut()? += 1;
    Some(end.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_before_its_successor() {
        let cases: [(&[u8], Option<&[u8]>); 5] = [
            (b"ab", Some(b"ac")),
            (b"a\xff", Some(b"b")),
            (b"\xff\xff", None),
            (b"", None),
            (b"\x00", Some(b"\x01")),
        ];
        for (prefix, end) in cases {
            assert_eq!(after_prefix(prefix).as_deref(), end, "prefix {prefix:?}");
        }
    }

    #[test]
    fn inverted_ranges_are_empty() {
        let bytes = |text: &'static str| Bytes::from_static(text.as_bytes());
        let range = |from, to| Range { from, to };
        assert!(range(Bound::Included(bytes("b")), Bound::Included(bytes("a"))).is_empty());
        assert!(range(Bound::Excluded(bytes("a")), Bound::Excluded(bytes("a"))).is_empty());
        assert!(range(Bound::Included(bytes("a")), Bound::Excluded(bytes("a"))).is_empty());
        assert!(!range(Bound::Included(bytes("a")), Bound::Included(bytes("a"))).is_empty());
        assert!(!Range::all().is_empty());
    }
}
