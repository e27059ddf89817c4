//! Looks over the engine's journals before it opens them. Knows the form of a journal, and nothing of what is in it.
//!
//! A crash in the middle of a write leaves an unfinished batch at the end; that is cut off with a warning. Damage
//! anywhere else is answered with an error. The engine alone cannot be left to decide this: what it cannot parse it takes
//! for the end and cuts off everything behind it, also batches that were confirmed.
//!
//! OBSERVED: a journal of fjall 3.1.13 is a row of batches, then zeros or nothing. A batch is a start (tag 1, count of
//! entries as u32, sequence number as u64), entries (tag 2: kind, compression, keyspace u64, three lengths u16 u32 u32,
//! key, stored value; tag 4: keyspace u64) and an end (tag 3, xxh3 of all entries as u64, four fixed bytes). Numbers are
//! little-endian. `tests/contract/damage.rs` fails if a new version changes this.

use crate::error::Error;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

const TAG_START: u8 = 1;
const TAG_ENTRY: u8 = 2;
const TAG_END: u8 = 3;
const TAG_CLEAR: u8 = 4;
const TRAILER: &[u8] = b"FJL\x03";
/// Disks write sectors whole, so what a crash left out is at least this long and still zero.
const SECTOR_BYTES: usize = 512;

/// Mends the journals of a folder, or says which one is damaged.
pub(super) fn mend(data: &Path) -> Result<(), Error> {
    let journals = journals(data).map_err(|error| Error::io("list the journals", error))?;
    if let Some(missing) = missing(data, &journals) {
        return Err(Error::Corrupt { file: missing, detail: "this journal is missing".into() });
    }
    for journal in journals.into_values() {
        let action = || format!("read the journal {}", journal.display());
        let bytes = read_written(&journal).map_err(|error| Error::io(action(), error))?;
        match look_over(&bytes) {
            Finding::Sound => {}
            Finding::Torn { at } => {
                let dropped_bytes = bytes.len() - at;
                tracing::warn!(journal = %journal.display(), at, dropped_bytes, "cut off an unfinished write");
                cut(&journal, at).map_err(|error| Error::io(action(), error))?;
            }
            Finding::Damaged { at } => {
                let detail = format!("the batch at byte {at} is not what was written");
                return Err(Error::Corrupt { file: journal, detail });
            }
        }
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
enum Finding {
    /// Whole batches and nothing else.
    Sound,
    /// Whole batches up to here, then one that was never finished.
    Torn { at: usize },
    /// The batch here was finished once.
    Damaged { at: usize },
}

/// Tells an unfinished write from damage. `bytes` end with the last byte that is not zero.
fn look_over(bytes: &[u8]) -> Finding {
    let mut at = 0;
    let mut newest = None;
    while at < bytes.len() {
        match batch(bytes, at) {
            Some(batch) if newest >= Some(batch.sequence) => return Finding::Damaged { at },
            Some(batch) => {
                newest = Some(batch.sequence);
                at = batch.end;
            }
            None => return judge(bytes, at),
        }
    }
    Finding::Sound
}

/// What does not parse at `at` was torn by a crash if sectors of it are missing, or if it has no end and nothing whole
/// follows: a batch is synced before the next one is begun.
fn judge(bytes: &[u8], at: usize) -> Finding {
    let next = (at + 1..bytes.len()).find(|from| batch(bytes, *from).is_some());
    let broken = bytes.get(at..next.unwrap_or(bytes.len())).unwrap_or_default();
    let ended = next.is_some() || ends_like_a_batch(broken);
    if !ended || lacks_sector(broken, at) { Finding::Torn { at } } else { Finding::Damaged { at } }
}

/// Whether these bytes end with the mark of a finished batch; one byte of it may be the damaged one.
fn ends_like_a_batch(bytes: &[u8]) -> bool {
    let pairs = bytes.iter().rev().zip(TRAILER.iter().rev());
    pairs.filter(|(found, written)| found == written).count() + 1 >= TRAILER.len()
}

/// Whether a sector of these bytes, which begin at `at` in the file, is missing: zero, as far as it is theirs. The first one
/// may hold the end of what was written before.
fn lacks_sector(bytes: &[u8], at: usize) -> bool {
    let first = (at.next_multiple_of(SECTOR_BYTES) - at).min(bytes.len());
    let (begun, rest) = bytes.split_at(first);
    let is_zero = |sector: &[u8]| sector.iter().all(|byte| *byte == 0);
    (!begun.is_empty() && is_zero(begun)) || rest.chunks_exact(SECTOR_BYTES).any(is_zero)
}

struct Batch {
    sequence: u64,
    end: usize,
}

/// The batch that begins at `at`, if it is whole and its checksum holds.
///
/// LIMIT: the checksum covers neither the count, which the end mark proves, nor the sequence number, of which only the
/// order can be checked.
fn batch(bytes: &[u8], at: usize) -> Option<Batch> {
    let mut cursor = Cursor { rest: bytes.get(at..)? };
    if cursor.u8()? != TAG_START {
        return None;
    }
    let count = cursor.u32()?;
    let sequence = cursor.u64()?;
    let entries = cursor.rest;
    for _ in 0..count {
        entry(&mut cursor)?;
    }
    let entries = entries.get(..entries.len() - cursor.rest.len())?;
    if cursor.u8()? != TAG_END || cursor.u64()? != xxh3_64(entries) || cursor.take(TRAILER.len())? != TRAILER
    {
        return None;
    }
    Some(Batch { sequence, end: bytes.len() - cursor.rest.len() })
}

fn entry(cursor: &mut Cursor<'_>) -> Option<()> {
    match cursor.u8()? {
        TAG_ENTRY => {
            let _kind_and_compression = cursor.take(2)?;
            let _keyspace = cursor.u64()?;
            let key_bytes = cursor.u16()?;
            let _value_bytes = cursor.u32()?;
            let stored_bytes = cursor.u32()?;
            cursor.take(usize::from(key_bytes))?;
            cursor.take(stored_bytes as usize)?;
        }
        TAG_CLEAR => {
            let _keyspace = cursor.u64()?;
        }
        _ => return None,
    }
    Some(())
}

/// Reads numbers off the front of some bytes; `None` when they end.
struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
}

/// The journals of a folder by their numbers. A folder that does not exist yet has none.
fn journals(data: &Path) -> io::Result<BTreeMap<u64, PathBuf>> {
    let mut journals = BTreeMap::new();
    if data.exists() {
        for entry in fs::read_dir(data)? {
            let path = entry?.path();
            let number = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
            if let (Some(number), Some("jnl")) = (number, path.extension().and_then(|end| end.to_str())) {
                journals.insert(number, path);
            }
        }
    }
    Ok(journals)
}

/// A journal that must be there and is not. The engine would go on without it: it numbers them without gaps, removes the
/// oldest first, and always keeps the one it writes to.
fn missing(data: &Path, journals: &BTreeMap<u64, PathBuf>) -> Option<PathBuf> {
    let Some(first) = journals.keys().next() else {
        return data.exists().then(|| data.join("0.jnl"));
    };
    let expected = (*first..).zip(journals.keys()).find(|(expected, number)| expected != *number);
    expected.map(|(number, _)| data.join(format!("{number}.jnl")))
}

/// A file up to its last byte that is not zero. The engine makes journals 64 MB long in advance; what was never written
/// is skipped, and zeros are only kept when something follows them.
fn read_written(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut chunk = vec![0; 128 * 1024];
    let mut bytes = Vec::new();
    let mut at = 0;
    while let Some(start) = next_data(&file, at)? {
        file.seek(SeekFrom::Start(start))?;
        let read = file.read(&mut chunk)?;
        let Some(read) = chunk.get(..read).filter(|read| !read.is_empty()) else { break };
        if let Some(last) = read.iter().rposition(|byte| *byte != 0) {
            bytes.resize(start as usize, 0);
            bytes.extend_from_slice(read.get(..=last).unwrap_or_default());
        }
        at = start + read.len() as u64;
    }
    Ok(bytes)
}

/// Where the next bytes of a file stand that were ever written, from `at` on.
#[cfg(target_os = "linux")]
fn next_data(file: &File, at: u64) -> io::Result<Option<u64>> {
    match rustix::fs::seek(file, rustix::fs::SeekFrom::Data(at)) {
        Ok(start) => Ok(Some(start)),
        Err(rustix::io::Errno::NXIO) => Ok(None),
        // A file system that knows no holes has none.
        Err(rustix::io::Errno::INVAL) => Ok(Some(at)),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn next_data(_file: &File, at: u64) -> io::Result<Option<u64>> {
    Ok(Some(at))
}

fn cut(path: &Path, at: usize) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(path)?;
    file.set_len(at as u64)?;
    file.sync_all()
}
