//! What the folder says of itself: the spaces there are, and how much of the log is in files. Knows no values.
//!
//! It is a small file that is replaced as a whole. What came after it stands in the log.

use super::folder::{replace_file, sync_folder};
use super::log::Secret;
use crate::error::Error;
use crate::space::Space;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

const FILE: &str = "MANIFEST";
const MARK: &[u8; 8] = b"Larder\0\x02";
const NUMBER_BYTES: usize = 8;

/// A room that a space has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) space: Space,
    pub(super) room: u64,
    /// Whether something of it was written to files.
    pub(super) has_files: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    /// A number that tells records of this folder's log from other bytes.
    pub(super) salt: u64,
    /// How often the folder was opened.
    pub(super) run: u64,
    /// No room had this number or a greater one.
    pub(super) next_room: u64,
    /// All records of the log up to this number are in files.
    pub(super) filed: u64,
    /// The slots of the log that hold more.
    pub(super) slots: BTreeSet<u64>,
    pub(super) entries: Vec<Entry>,
}

impl Manifest {
    /// Reads the manifest of a folder; none in a folder that was never used.
    pub(super) fn read(folder: &Path) -> Result<Option<Manifest>, Error> {
        let file = folder.join(FILE);
        let bytes = match fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return if is_unused(folder)? {
                    Ok(None)
                } else {
                    Err(Error::Corrupt { file, detail: "the file is missing, but there is data".into() })
                };
            }
            Err(error) => return Err(Error::io(format!("read {}", file.display()), error)),
        };
        let manifest = decode(&bytes);
        manifest.map(Some).ok_or_else(|| Error::Corrupt { file, detail: "it is not what was written".into() })
    }

    /// Replaces the manifest of a folder. Durable on return.
    pub(super) fn write(&self, folder: &Path) -> Result<(), Error> {
        let written = replace_file(folder, FILE, &self.encode()).and_then(|()| sync_folder(folder));
        written.map_err(|error| Error::io(format!("write {}", folder.join(FILE).display()), error))
    }

    /// What tells the records of the log until now.
    pub(super) fn secret(&self) -> Secret {
        Secret { salt: self.salt, run_max: self.run }
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = MARK.to_vec();
        let mut push = |number: u64| bytes.extend_from_slice(&number.to_le_bytes());
        for number in [self.salt, self.run, self.next_room, self.filed, self.slots.len() as u64] {
            push(number);
        }
        self.slots.iter().for_each(|slot| push(*slot));
        push(self.entries.len() as u64);
        for entry in &self.entries {
            for number in [entry.space.0, entry.room, u64::from(entry.has_files)] {
                push(number);
            }
        }
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }
}

fn decode(bytes: &[u8]) -> Option<Manifest> {
    let (told, checksum) = bytes.split_last_chunk::<NUMBER_BYTES>()?;
    if u64::from_le_bytes(*checksum) != xxh3_64(told) {
        return None;
    }
    let mut numbers = told.strip_prefix(MARK)?.chunks_exact(NUMBER_BYTES);
    let mut next = || numbers.next()?.try_into().ok().map(u64::from_le_bytes);
    let (salt, run, next_room, filed) = (next()?, next()?, next()?, next()?);
    let slots = (0..next()?).map(|_| next()).collect::<Option<BTreeSet<u64>>>()?;
    let mut entries = Vec::new();
    for _ in 0..next()? {
        entries.push(Entry { space: Space(next()?), room: next()?, has_files: next()? != 0 });
    }
    Some(Manifest { salt, run, next_room, filed, slots, entries })
}

/// Whether a folder holds nothing that could have been stored there: the manifest is written before anything else.
fn is_unused(folder: &Path) -> Result<bool, Error> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(Error::io(format!("list {}", folder.display()), error)),
    };
    let beside = format!("{FILE}.new");
    Ok(entries.flatten().all(|entry| entry.file_name() == *beside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        let dir = tempfile::TempDir::new().unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap(), None);
        let entry =
            |number: u64| Entry { space: Space(number), room: number + 7, has_files: number % 2 == 1 };
        let manifest = Manifest {
            salt: 9,
            run: 3,
            next_room: 99,
            filed: 1 << 40,
            slots: [0, 4].into(),
            entries: (0..5).map(entry).collect(),
        };
        manifest.write(dir.path()).unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap(), Some(manifest.clone()));
        Manifest::default().write(dir.path()).unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap(), Some(Manifest::default()));
    }

    #[test]
    fn a_flipped_byte_is_noticed_everywhere() {
        let entries = vec![Entry { space: Space(1), room: 2, has_files: true }];
        let bytes = Manifest { salt: 9, run: 1, next_room: 3, filed: 4, slots: [5].into(), entries }.encode();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert_eq!(decode(&damaged), None, "byte {at}");
        }
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length]), None, "{length} bytes");
        }
    }

    #[test]
    fn a_manifest_that_is_gone_is_noticed() {
        let dir = tempfile::TempDir::new().unwrap();
        fs::write(dir.path().join("MANIFEST.new"), "half").unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap(), None);
        fs::write(dir.path().join("0.jnl"), "").unwrap();
        assert!(matches!(Manifest::read(dir.path()), Err(Error::Corrupt { .. })));
    }
}
