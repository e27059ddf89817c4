//! What a played disk holds: frames of a length, a checksum and what was done, one after the other. Reading them again
//! ends at the first that is not whole. Knows no store and no tickets.

use super::{Flaw, Found, Tail};
use crate::batch::Write;
use crate::memory::View;
use crate::space::{Key, Space};
use bytes::Bytes;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

const COMMIT: u8 = 1;
const CREATE: u8 = 2;
const DROP: u8 = 3;
/// Bytes before the body of a frame.
const HEAD: usize = size_of::<u32>() + size_of::<u64>();

/// The bytes of a disk.
#[derive(Default)]
pub(super) struct Platter {
    pub(super) flaw: Flaw,
    bytes: Vec<u8>,
    /// What was told to be durable and is not; a sound disk has none.
    late: Vec<u8>,
    /// Commits that were told to be durable.
    told: u64,
    /// What was found when it was read last.
    pub(super) found: Found,
}

/// What a disk holds, read.
#[derive(Default)]
pub(super) struct Read {
    pub(super) view: View,
    /// Bytes that were ever written to each space.
    pub(super) written: BTreeMap<Space, u64>,
}

/// What one frame says.
enum Frame {
    Commit(Vec<Write>),
    Create(Space),
    Drop(Space),
}

impl Platter {
    /// Writes a commit and syncs.
    pub(super) fn commit(&mut self, frame: &[u8]) {
        self.told += 1;
        self.flush();
        if self.flaw == Flaw::AcknowledgesEarly {
            self.late = frame.to_vec();
        } else {
            self.bytes.extend_from_slice(frame);
        }
    }

    /// Writes that a space is made or dropped, and syncs.
    pub(super) fn note_space(&mut self, space: Space, is_made: bool) {
        self.flush();
        let mut body = vec![if is_made { CREATE } else { DROP }];
        body.extend_from_slice(&space.0.to_be_bytes());
        self.bytes.extend_from_slice(&framed(body));
    }

    /// Ends in good order.
    pub(super) fn flush(&mut self) {
        self.bytes.append(&mut self.late);
    }

    /// The power goes while these frames were on their way.
    pub(super) fn crash<'a>(&mut self, mut frames: impl Iterator<Item = &'a [u8]>, tail: Tail) {
        self.late.clear();
        for frame in frames.by_ref().take(tail.commits) {
            self.bytes.extend_from_slice(frame);
        }
        let Some(torn) = frames.next() else { return };
        let place = |thousandths: usize| torn.len() * thousandths.min(999) / 1000;
        if let Some(thousandths) = tail.cut {
            self.bytes.extend(torn.iter().take(place(thousandths)));
        } else if let Some(thousandths) = tail.garbled {
            let wrong = self.bytes.len() + place(thousandths);
            self.bytes.extend_from_slice(torn);
            if let Some(byte) = self.bytes.get_mut(wrong) {
                *byte ^= 0x40;
            }
            frames.for_each(|frame| self.bytes.extend_from_slice(frame));
        }
    }

    /// Reads everything, and cuts off what is behind the first frame that is not whole.
    pub(super) fn read(&mut self) -> Read {
        let mut read = Read::default();
        let (mut at, mut commits) = (0, 0);
        let forgotten = (self.flaw == Flaw::ForgetsSynced).then(|| self.told.saturating_sub(1));
        while let Some(body) = self.bytes.get(at..).and_then(whole) {
            at += HEAD + body.len();
            let Some(frame) = parsed(body) else { break };
            if let Frame::Commit(_) = frame {
                commits += 1;
            }
            if forgotten != Some(commits) {
                read.take(frame);
            }
        }
        if self.flaw == Flaw::ReplaysTorn
            && let Some(rest) = self.bytes.get(at + HEAD..)
        {
            read.take(Frame::Commit(writes(rest.get(1..).unwrap_or_default()).0));
        }
        self.bytes.truncate(at);
        let told = std::mem::replace(&mut self.told, commits);
        self.found = Found { kept: commits.saturating_sub(told), lost: told.saturating_sub(commits) };
        read
    }
}

impl Read {
    fn take(&mut self, frame: Frame) {
        match frame {
            Frame::Create(space) => self.view.create(space),
            Frame::Drop(space) => {
                self.view.remove(space);
                self.written.remove(&space);
            }
            Frame::Commit(writes) => {
                for write in writes {
                    *self.written.entry(write.key.space).or_default() += size(&write);
                    self.view.set(write);
                }
            }
        }
    }
}

/// Bytes of a write.
pub(super) fn size(write: &Write) -> u64 {
    (write.key.bytes.len() + write.value.as_ref().map_or(0, Bytes::len)) as u64
}

/// The frame of a commit.
pub(super) fn frame(writes: &[Write]) -> Vec<u8> {
    let mut body = vec![COMMIT];
    let mut put = |bytes: &[u8]| {
        body.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
        body.extend_from_slice(bytes);
    };
    for write in writes {
        put(&write.key.space.0.to_be_bytes());
        put(&write.key.bytes);
        // A value has a byte before it, so that one that is empty is no deletion.
        let value = write.value.as_ref().map(|value| [b"=", value.as_ref()].concat());
        put(&value.unwrap_or_default());
    }
    framed(body)
}

fn framed(body: Vec<u8>) -> Vec<u8> {
    let mut frame = (body.len() as u32).to_be_bytes().to_vec();
    frame.extend_from_slice(&xxh3_64(&body).to_be_bytes());
    frame.extend_from_slice(&body);
    frame
}

/// The body of the frame at the start of these bytes, if all of it is there.
fn whole(bytes: &[u8]) -> Option<&[u8]> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (checksum, rest) = rest.split_first_chunk()?;
    let body = rest.get(..u32::from_be_bytes(*length) as usize)?;
    (xxh3_64(body) == u64::from_be_bytes(*checksum)).then_some(body)
}

fn parsed(body: &[u8]) -> Option<Frame> {
    let (kind, rest) = body.split_first()?;
    let space = || Some(Space(u64::from_be_bytes(rest.try_into().ok()?)));
    match *kind {
        CREATE => space().map(Frame::Create),
        DROP => space().map(Frame::Drop),
        COMMIT => {
            let (writes, is_whole) = writes(rest);
            is_whole.then_some(Frame::Commit(writes))
        }
        _ => None,
    }
}

/// The writes that are whole, and whether that is all there is.
fn writes(mut rest: &[u8]) -> (Vec<Write>, bool) {
    let mut found = Vec::new();
    while !rest.is_empty() {
        let Some((write, after)) = one_write(rest) else { return (found, false) };
        found.push(write);
        rest = after;
    }
    (found, true)
}

fn one_write(bytes: &[u8]) -> Option<(Write, &[u8])> {
    let (space, rest) = part(bytes)?;
    let (key, rest) = part(rest)?;
    let (value, rest) = part(rest)?;
    let space = Space(u64::from_be_bytes(space.try_into().ok()?));
    let value = value.split_first().map(|(_, value)| Bytes::copy_from_slice(value));
    Some((Write { key: Key { space, bytes: Bytes::copy_from_slice(key) }, value }, rest))
}

fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(u32::from_be_bytes(*length) as usize)
}
