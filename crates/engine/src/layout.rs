//! How items and index entries lie in keys and values; nobody else knows.
//!
//! A key is a hash of the partition key (so that a scan's order and its segments do not follow the keys), the
//! partition key, the sort key, and in an index the table's key, all in the order-preserving form of `item`. A value
//! is the size the service counts, in four bytes, and the stored item.

use bytes::Bytes;
use item::{Item, Stored, Value, append_ordered, append_ordered_prefix};

use crate::env::mix;
use crate::schema::{KeySchema, Table};

const SIZE_BYTES: usize = 4;
/// Bytes of the hash that every key begins with.
pub(crate) const HASH_BYTES: usize = 8;

/// The key of an item in its table; none if a key attribute is missing.
pub(crate) fn table_key(key: &KeySchema, item: &Item) -> Option<Bytes> {
    let mut out = partition(key, item)?;
    append_parts(&mut out, key.range.iter().map(|part| item.get(&part.name)))?;
    Some(out.into())
}

/// The key of an item's entry in an index; none if the item lacks a key attribute of the index or has it in another
/// type: then it has no entry.
pub(crate) fn index_key(table: &Table, key: &KeySchema, item: &Item) -> Option<Bytes> {
    let fits = |part: &crate::schema::KeyPart| {
        item.get(&part.name).is_some_and(|value| value.type_of() == part.kind.value_type())
    };
    if !key.parts().all(fits) {
        return None;
    }
    let mut out = partition(key, item)?;
    append_parts(&mut out, key.range.iter().map(|part| item.get(&part.name)))?;
    append_parts(&mut out, table.key.parts().map(|part| item.get(&part.name)))?;
    Some(out.into())
}

/// What all keys with this partition key begin with.
pub(crate) fn partition(key: &KeySchema, item: &Item) -> Option<Vec<u8>> {
    let mut out = vec![0; HASH_BYTES];
    append_parts(&mut out, key.hash.iter().map(|part| item.get(&part.name)))?;
    let hash = hash(out.get(HASH_BYTES..).unwrap_or_default());
    if let Some(place) = out.get_mut(..HASH_BYTES) {
        place.copy_from_slice(&hash.to_be_bytes());
    }
    Some(out)
}

/// Appends one more key value.
pub(crate) fn append(out: &mut Vec<u8>, value: &Value) {
    append_ordered(out, value);
}

/// Appends what all strings or binaries that begin with this value begin with.
pub(crate) fn append_prefix(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::S(text) => append_ordered_prefix(out, text.as_bytes()),
        Value::B(bytes) => append_ordered_prefix(out, bytes),
        Value::N(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_)
        | Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_) => {}
    }
}

/// The first hash of a segment of a parallel scan, as the first bytes of a key; none after the last segment.
pub(crate) fn segment_start(number: u32, total: u32) -> Option<Bytes> {
    if number >= total {
        return None;
    }
    let start = (u128::from(number) << 64).div_ceil(u128::from(total));
    let start = u64::try_from(start).ok()?;
    Some(Bytes::copy_from_slice(&start.to_be_bytes()))
}

/// The least key that is greater than all keys that begin with these bytes; none if there is no such key.
pub(crate) fn after_prefix(prefix: &[u8]) -> Option<Bytes> {
    let mut out = prefix.to_vec();
    while let Some(last) = out.pop() {
        if last < 0xFF {
            out.push(last + 1);
            return Some(out.into());
        }
    }
    None
}

/// The value of an item or an entry.
pub(crate) fn value(item: &Item, size_bytes: usize) -> Bytes {
    let stored = Stored::encode(item);
    let mut out = Vec::with_capacity(SIZE_BYTES + stored.bytes().len());
    out.extend_from_slice(&u32::try_from(size_bytes).unwrap_or(u32::MAX).to_le_bytes());
    out.extend_from_slice(stored.bytes());
    out.into()
}

/// The size and the item of a value; none if the value is damaged.
pub(crate) fn read_value(value: &Bytes) -> Option<(usize, Stored)> {
    let size = size_of_value(value)?;
    Some((size, Stored::from_bytes(value.slice(SIZE_BYTES..))))
}

/// The size of a value's item.
pub(crate) fn size_of_value(value: &[u8]) -> Option<usize> {
    let size = value.first_chunk::<SIZE_BYTES>()?;
    usize::try_from(u32::from_le_bytes(*size)).ok()
}

fn append_parts<'a>(out: &mut Vec<u8>, values: impl Iterator<Item = Option<&'a Value>>) -> Option<()> {
    for value in values {
        append_ordered(out, value?);
    }
    Some(())
}

/// FNV-1a, mixed so that its high bits are as good as its low ones. Part of the file format.
fn hash(bytes: &[u8]) -> u64 {
    let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    mix(bytes.iter().fold(0xCBF2_9CE4_8422_2325, fold))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_cover_all_hashes_without_overlap() {
        for total in [1, 2, 3, 7, 1000] {
            let starts: Vec<_> = (0..total).map(|number| segment_start(number, total).unwrap()).collect();
            assert_eq!(starts[0].as_ref(), &[0; 8]);
            assert!(starts.windows(2).all(|pair| pair[0] < pair[1]));
            assert_eq!(segment_start(total, total), None);
        }
    }

    #[test]
    fn after_prefix_is_the_next_key() {
        assert_eq!(after_prefix(b"ab").as_deref(), Some(&b"ac"[..]));
        assert_eq!(after_prefix(&[1, 0xFF]).as_deref(), Some(&[2][..]));
        assert_eq!(after_prefix(&[0xFF, 0xFF]), None);
    }
}
