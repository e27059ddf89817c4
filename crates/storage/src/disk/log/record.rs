//! One record of the log as bytes. Knows nothing of files.
//!
//! A record is a head (mark, length of what follows, run, number, the last number that was on the disk when it was written,
//! checksum of all the rest), changes, and zeros up to a multiple of eight bytes. Numbers are little-endian. A change is a
//! tag and its fields. The run is hidden and the checksum is seeded by a secret of the folder: values that users store must
//! not be taken for records where they are looked for among old bytes.

use bytes::Bytes;
use xxhash_rust::xxh3::Xxh3;

const MARK: [u8; 4] = *b"Lrd\x02";
/// Mark, length, run, number, synced, checksum.
pub(super) const HEAD_BYTES: usize = 40;
const CHECKSUM_AT: usize = 32;
pub(super) const ALIGNMENT: usize = 8;

const TAG_PUT: u8 = 1;
const TAG_DELETE: u8 = 2;
const TAG_CREATE: u8 = 3;
const TAG_DROP: u8 = 4;

/// What tells records of a folder from bytes that only look like some.
#[derive(Clone, Copy)]
pub(in crate::disk) struct Secret {
    /// A number that nobody outside knows.
    pub(in crate::disk) salt: u64,
    /// No record has a greater run.
    pub(in crate::disk) run_max: u64,
}

/// What a record changes.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::disk) enum Change {
    /// A value of a room was set, or removed if there is none.
    Write { room: u64, key: Bytes, value: Option<Bytes> },
    /// A space has a new room.
    Create { space: u64, room: u64 },
    /// A room is gone.
    Drop { room: u64 },
}

/// A record that is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// Which run of the process wrote it.
    pub(super) run: u64,
    pub(super) number: u64,
    /// When it was written, all records up to this number were on the disk.
    pub(super) synced: u64,
    pub(super) start: usize,
    pub(super) end: usize,
    changes_end: usize,
}

/// Begins a record in a buffer.
pub(super) fn begin(buffer: &mut Vec<u8>) {
    buffer.clear();
    buffer.resize(HEAD_BYTES, 0);
}

pub(super) fn put(buffer: &mut Vec<u8>, room: u64, key: &[u8], value: &[u8]) {
    buffer.push(TAG_PUT);
    buffer.extend_from_slice(&room.to_le_bytes());
    push_bytes(buffer, key);
    push_bytes(buffer, value);
}

pub(super) fn delete(buffer: &mut Vec<u8>, room: u64, key: &[u8]) {
    buffer.push(TAG_DELETE);
    buffer.extend_from_slice(&room.to_le_bytes());
    push_bytes(buffer, key);
}

pub(super) fn create(buffer: &mut Vec<u8>, space: u64, room: u64) {
    buffer.push(TAG_CREATE);
    buffer.extend_from_slice(&space.to_le_bytes());
    buffer.extend_from_slice(&room.to_le_bytes());
}

pub(super) fn drop_room(buffer: &mut Vec<u8>, room: u64) {
    buffer.push(TAG_DROP);
    buffer.extend_from_slice(&room.to_le_bytes());
}

/// Ends a record.
pub(super) fn finish(buffer: &mut Vec<u8>, salt: u64, run: u64, number: u64, synced: u64) {
    let length = (buffer.len() - HEAD_BYTES) as u32;
    let mut head = Vec::with_capacity(HEAD_BYTES);
    head.extend_from_slice(&MARK);
    head.extend_from_slice(&length.to_le_bytes());
    for field in [run ^ salt, number, synced] {
        head.extend_from_slice(&field.to_le_bytes());
    }
    let changes = buffer.get(HEAD_BYTES..).unwrap_or_default();
    let checksum = checksum(salt, &head, changes);
    head.extend_from_slice(&checksum.to_le_bytes());
    if let Some(place) = buffer.get_mut(..HEAD_BYTES) {
        place.copy_from_slice(&head);
    }
    buffer.resize(buffer.len().next_multiple_of(ALIGNMENT), 0);
}

/// The record that begins at `start`, if it is whole and its checksum holds.
pub(super) fn read(bytes: &[u8], start: usize, secret: Secret) -> Option<Record> {
    let head = head(bytes, start, secret)?;
    let place = bytes.get(start..head.changes_end)?;
    let (fields, rest) = place.split_at_checked(HEAD_BYTES)?;
    let (fields, told) = fields.split_at_checked(CHECKSUM_AT)?;
    (u64::from_le_bytes(told.try_into().ok()?) == checksum(secret.salt, fields, rest)).then_some(head)
}

/// What the head of a record at `start` says, before its checksum is looked at.
pub(super) fn head(bytes: &[u8], start: usize, secret: Secret) -> Option<Record> {
    let mut fields = Cursor { bytes: bytes.get(start..)? };
    if fields.array::<4>()? != MARK {
        return None;
    }
    let length = u32::from_le_bytes(fields.array()?) as usize;
    let (run, number, synced) = (fields.u64()? ^ secret.salt, fields.u64()?, fields.u64()?);
    if run > secret.run_max {
        return None;
    }
    let changes_end = start.checked_add(HEAD_BYTES)?.checked_add(length)?;
    if changes_end > bytes.len() {
        return None;
    }
    let end = changes_end.next_multiple_of(ALIGNMENT);
    Some(Record { run, number, synced, start, end, changes_end })
}

/// The changes of a record, one after the other. Bytes that are no change end it with an error.
pub(in crate::disk) struct Changes {
    bytes: Bytes,
    at: usize,
}

impl Record {
    pub(super) fn changes(&self, bytes: &Bytes) -> Changes {
        Changes { bytes: bytes.slice(self.start + HEAD_BYTES..self.changes_end), at: 0 }
    }
}

impl Iterator for Changes {
    type Item = Option<Change>;

    fn next(&mut self) -> Option<Option<Change>> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let change = self.change();
        if change.is_none() {
            self.at = self.bytes.len();
        }
        Some(change)
    }
}

impl Changes {
    fn change(&mut self) -> Option<Change> {
        let mut fields = Cursor { bytes: self.bytes.get(self.at..)? };
        let [tag] = fields.array()?;
        let change = match tag {
            TAG_PUT => {
                let room = fields.u64()?;
                let (key, value) = (self.part(&mut fields)?, self.part(&mut fields)?);
                Change::Write { room, key, value: Some(value) }
            }
            TAG_DELETE => Change::Write { room: fields.u64()?, key: self.part(&mut fields)?, value: None },
            TAG_CREATE => Change::Create { space: fields.u64()?, room: fields.u64()? },
            TAG_DROP => Change::Drop { room: fields.u64()? },
            _ => return None,
        };
        self.at = self.bytes.len() - fields.bytes.len();
        Some(change)
    }

    /// Bytes with their length before them, without a copy.
    fn part(&self, fields: &mut Cursor<'_>) -> Option<Bytes> {
        let length = u32::from_le_bytes(fields.array()?) as usize;
        Some(self.bytes.slice_ref(fields.take(length)?))
    }
}

fn push_bytes(buffer: &mut Vec<u8>, bytes: &[u8]) {
    buffer.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    buffer.extend_from_slice(bytes);
}

fn checksum(salt: u64, fields: &[u8], changes: &[u8]) -> u64 {
    let mut hash = Xxh3::with_seed(salt);
    hash.update(fields);
    hash.update(changes);
    hash.digest()
}

/// Reads numbers off the front of some bytes; `None` when they end.
struct Cursor<'a> {
    bytes: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
}
