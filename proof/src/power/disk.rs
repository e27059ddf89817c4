//! A disk rebuilt from a record of changes and syncs: what is safe, what is only in the system's memory, and what a loss
//! of power may leave of the latter. A write is safe when a sync of its file began after it; a name is safe when a sync of
//! its folder did. What is not safe may be lost, kept, torn, or kept out of order.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::chance::Chance;

const PAGE: u64 = 4096;
const SECTOR: u64 = 512;

/// One change, as the layer recorded it.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) sequence: u64,
    pub(crate) change: Change,
}

/// What changed.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    Write {
        path: String,
        place: u64,
        bytes: Vec<u8>,
    },
    Truncate {
        path: String,
        length: u64,
    },
    /// A sync that began when so many changes had been recorded.
    Sync {
        path: String,
        began: u64,
    },
    Create {
        path: String,
    },
    Rename {
        from: String,
        to: String,
    },
    /// A file has one more name.
    Link {
        from: String,
        to: String,
    },
    Remove {
        path: String,
    },
    MakeFolder {
        path: String,
    },
    RemoveFolder {
        path: String,
    },
}

/// No server writes more at once.
const RECORD_BYTES_MAX: u64 = 1 << 32;

/// Reads a record.
pub(crate) fn read_log(path: &Path) -> Result<Vec<Record>, String> {
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut log = BufReader::new(File::open(path).map_err(told)?);
    let mut records = Vec::new();
    let mut head = [0u8; 48];
    while log.read_exact(&mut head).is_ok() {
        let mut numbers = head.chunks_exact(8).map(|bytes| bytes.try_into().map_or(0, u64::from_ne_bytes));
        let mut next = || numbers.next().unwrap_or_default();
        let (sequence, kind, number) = (next(), next(), next());
        let mut read = |length: u64| -> Result<Vec<u8>, std::io::Error> {
            let mut bytes = vec![0; length as usize];
            log.read_exact(&mut bytes).map(|()| bytes)
        };
        let (path_length, other_length, length) = (next(), next(), next());
        if path_length.max(other_length).max(length) > RECORD_BYTES_MAX {
            return Err(format!("{} is damaged after {} records", path.display(), records.len()));
        }
        // The last record of a server that was killed may be cut off: it was not counted.
        let (Ok(path), Ok(other), Ok(bytes)) = (read(path_length), read(other_length), read(length)) else {
            break;
        };
        let path = String::from_utf8_lossy(&path).into_owned();
        let to = String::from_utf8_lossy(&other).into_owned();
        let change = match kind {
            1 => Change::Write { path, place: number, bytes },
            2 => Change::Truncate { path, length: number },
            3 => Change::Sync { path, began: number },
            4 => Change::Create { path },
            5 => Change::Rename { from: path, to },
            6 => Change::Remove { path },
            7 => Change::MakeFolder { path },
            8 => Change::RemoveFolder { path },
            9 => Change::Link { from: path, to },
            _ => return Err(format!("{} holds a change of kind {kind}", path)),
        };
        records.push(Record { sequence, change });
    }
    Ok(records)
}

/// Bytes of a file, without those that were never written.
#[derive(Debug, Clone, Default)]
struct Bytes {
    length: u64,
    pages: BTreeMap<u64, Vec<u8>>,
}

/// A change of a file's bytes that is not safe yet.
#[derive(Debug, Clone)]
enum Unsafe {
    Write { place: u64, bytes: Vec<u8> },
    Truncate { length: u64 },
}

#[derive(Debug, Clone, Default)]
struct Node {
    safe: Bytes,
    unsafe_changes: Vec<(u64, Unsafe)>,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    Folder,
    File(usize),
}

/// A change of the names in a folder.
#[derive(Debug, Clone)]
enum Naming {
    Link(String, Entry),
    Unlink(String),
    Rename(String, String),
}

/// The disk as the server sees it and as it is.
#[derive(Debug, Default)]
pub(crate) struct Disk {
    nodes: Vec<Node>,
    seen: BTreeMap<String, Entry>,
    safe: BTreeMap<String, Entry>,
    /// Changes of names that are not safe, by folder, in order.
    namings: BTreeMap<String, Vec<(u64, Naming)>>,
}

/// What a loss of power does to what is not safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// All of it is lost.
    All,
    /// What came after some moment is lost.
    Late,
    /// Pages are lost here and there, the last one may be torn, and folders forget what came late in each.
    Scattered,
    /// Nothing is lost.
    Nothing,
}

impl Disk {
    /// One more change.
    pub(crate) fn change(&mut self, record: &Record) {
        let at = record.sequence;
        match &record.change {
            Change::Write { path, place, bytes } => {
                self.note(path, at, Unsafe::Write { place: *place, bytes: bytes.clone() });
            }
            Change::Truncate { path, length } => self.note(path, at, Unsafe::Truncate { length: *length }),
            Change::Sync { path, began } => self.sync(path, *began),
            Change::Create { path } => {
                self.nodes.push(Node::default());
                self.name(at, Naming::Link(path.clone(), Entry::File(self.nodes.len() - 1)));
            }
            Change::MakeFolder { path } => self.name(at, Naming::Link(path.clone(), Entry::Folder)),
            Change::Remove { path } | Change::RemoveFolder { path } => {
                self.name(at, Naming::Unlink(path.clone()))
            }
            Change::Rename { from, to } => self.name(at, Naming::Rename(from.clone(), to.clone())),
            Change::Link { from, to } => {
                if let Some(entry) = self.seen.get(from).copied() {
                    self.name(at, Naming::Link(to.clone(), entry));
                }
            }
        }
    }

    fn note(&mut self, path: &str, at: u64, change: Unsafe) {
        if let Some(Entry::File(number)) = self.seen.get(path)
            && let Some(node) = self.nodes.get_mut(*number)
        {
            node.unsafe_changes.push((at, change));
        }
    }

    fn name(&mut self, at: u64, naming: Naming) {
        if naming.path().is_empty() {
            return;
        }
        naming.apply(&mut self.seen);
        self.namings.entry(parent(naming.path()).to_string()).or_default().push((at, naming));
    }

    fn sync(&mut self, path: &str, began: u64) {
        if let Some(Entry::File(number)) = self.seen.get(path) {
            let Some(node) = self.nodes.get_mut(*number) else { return };
            let (safe, rest) =
                std::mem::take(&mut node.unsafe_changes).into_iter().partition(|(at, _)| *at < began);
            node.unsafe_changes = rest;
            let safe: Vec<(u64, Unsafe)> = safe;
            safe.iter().for_each(|(_, change)| node.safe.apply(change));
        } else if let Some(namings) = self.namings.get_mut(path) {
            let (safe, rest) = std::mem::take(namings).into_iter().partition(|(at, _)| *at < began);
            *namings = rest;
            let safe: Vec<(u64, Naming)> = safe;
            safe.iter().for_each(|(_, naming)| naming.apply(&mut self.safe));
        }
    }

    /// Writes what is left after a loss of power into an empty folder; returns how many changes were lost or torn.
    pub(crate) fn lose(&self, loss: Loss, chance: &mut Chance, folder: &Path) -> Result<u64, String> {
        let mut lost = 0;
        let mut moments: Vec<u64> = self.namings.values().flatten().map(|(at, _)| *at).collect();
        moments.extend(self.nodes.iter().flat_map(|node| &node.unsafe_changes).map(|(at, _)| *at));
        let until = if moments.is_empty() { 0 } else { *chance.pick(&moments) };
        let mut names = self.safe.clone();
        for namings in self.namings.values() {
            let kept = match loss {
                Loss::All => 0,
                Loss::Late => namings.iter().filter(|(at, _)| *at <= until).count(),
                Loss::Scattered => chance.below(namings.len() as u64 + 1) as usize,
                Loss::Nothing => namings.len(),
            };
            lost += (namings.len() - kept) as u64;
            namings.iter().take(kept).for_each(|(_, naming)| naming.apply(&mut names));
        }
        for (path, entry) in &names {
            if !has_parents(&names, path) {
                continue;
            }
            let place = folder.join(path);
            let made = match entry {
                Entry::Folder => fs::create_dir_all(&place),
                Entry::File(number) => {
                    let node = self.nodes.get(*number).ok_or("a name without a file")?;
                    let (bytes, gone) = node.left(loss, until, chance);
                    lost += gone;
                    bytes.write(&place)
                }
            };
            made.map_err(|error| format!("{}: {error}", place.display()))?;
        }
        Ok(lost)
    }
}

impl Naming {
    fn path(&self) -> &str {
        match self {
            Naming::Link(path, _) | Naming::Unlink(path) | Naming::Rename(_, path) => path,
        }
    }

    fn apply(&self, names: &mut BTreeMap<String, Entry>) {
        match self {
            Naming::Link(path, entry) => drop(names.insert(path.clone(), *entry)),
            Naming::Unlink(path) => drop(names.remove(path)),
            Naming::Rename(from, to) => {
                if let Some(entry) = names.remove(from) {
                    names.insert(to.clone(), entry);
                }
            }
        }
    }
}

impl Node {
    /// The bytes that are left, and how many changes are not whole.
    fn left(&self, loss: Loss, until: u64, chance: &mut Chance) -> (Bytes, u64) {
        let mut bytes = self.safe.clone();
        let mut lost = 0;
        for (at, change) in &self.unsafe_changes {
            let is_kept = match loss {
                Loss::All => false,
                Loss::Late => *at <= until,
                Loss::Scattered | Loss::Nothing => true,
            };
            if !is_kept {
                lost += 1;
            } else if loss == Loss::Scattered {
                lost += u64::from(bytes.apply_partly(change, chance));
            } else {
                bytes.apply(change);
            }
        }
        (bytes, lost)
    }
}

impl Bytes {
    fn apply(&mut self, change: &Unsafe) {
        match change {
            Unsafe::Write { place, bytes } => self.put(*place, bytes),
            Unsafe::Truncate { length } => {
                self.length = *length;
                self.pages.retain(|page, _| page * PAGE < *length);
                if let Some(page) = self.pages.get_mut(&(length / PAGE)) {
                    page.iter_mut().skip((length % PAGE) as usize).for_each(|byte| *byte = 0);
                }
            }
        }
    }

    /// Half of the pages of a write arrive, one of them perhaps torn. Tells whether something is missing.
    fn apply_partly(&mut self, change: &Unsafe, chance: &mut Chance) -> bool {
        let Unsafe::Write { place, bytes } = change else {
            let is_kept = chance.one_in(2);
            if is_kept {
                self.apply(change);
            }
            return !is_kept;
        };
        let mut is_missing = false;
        let mut done = 0;
        while done < bytes.len() {
            let at = place + done as u64;
            let count = ((PAGE - at % PAGE) as usize).min(bytes.len() - done);
            let part = bytes.get(done..done + count).unwrap_or_default();
            match chance.below(8) {
                0..=3 => self.put(at, part),
                4 => {
                    // A disk writes sectors whole: the page is torn between two of them.
                    let torn_at = at / PAGE * PAGE + chance.below(PAGE / SECTOR) * SECTOR;
                    let kept = (torn_at.saturating_sub(at) as usize).min(part.len());
                    self.put(at, part.get(..kept).unwrap_or_default());
                    is_missing = true;
                }
                _ => is_missing = true,
            }
            done += count;
        }
        is_missing
    }

    fn put(&mut self, place: u64, bytes: &[u8]) {
        let mut done = 0;
        while done < bytes.len() {
            let at = place + done as u64;
            let start = (at % PAGE) as usize;
            let count = (PAGE as usize - start).min(bytes.len() - done);
            let page = self.pages.entry(at / PAGE).or_insert_with(|| vec![0; PAGE as usize]);
            if let (Some(to), Some(from)) =
                (page.get_mut(start..start + count), bytes.get(done..done + count))
            {
                to.copy_from_slice(from);
            }
            done += count;
        }
        self.length = self.length.max(place + bytes.len() as u64);
    }

    fn write(&self, path: &Path) -> std::io::Result<()> {
        let file = File::create(path)?;
        file.set_len(self.length)?;
        for (page, bytes) in &self.pages {
            let place = page * PAGE;
            let count = self.length.saturating_sub(place).min(PAGE) as usize;
            file.write_all_at(bytes.get(..count).unwrap_or_default(), place)?;
        }
        Ok(())
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn has_parents(names: &BTreeMap<String, Entry>, path: &str) -> bool {
    let folder = parent(path);
    folder.is_empty() || (names.get(folder) == Some(&Entry::Folder) && has_parents(names, folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(changes: &[Change]) -> Disk {
        let mut disk = Disk::default();
        for (sequence, change) in changes.iter().enumerate() {
            disk.change(&Record { sequence: sequence as u64, change: change.clone() });
        }
        disk
    }

    fn create(path: &str) -> Change {
        Change::Create { path: path.into() }
    }

    fn write(path: &str, place: u64, bytes: &[u8]) -> Change {
        Change::Write { path: path.into(), place, bytes: bytes.to_vec() }
    }

    fn sync(path: &str, began: u64) -> Change {
        Change::Sync { path: path.into(), began }
    }

    fn left(disk: &Disk, loss: Loss, path: &str) -> Option<Vec<u8>> {
        let folder = crate::server::Folder::new(&format!("disk-test-{loss:?}-{:p}", disk)).unwrap();
        disk.lose(loss, &mut Chance::new(1, 1), folder.path()).unwrap();
        fs::read(folder.path().join(path)).ok()
    }

    #[test]
    fn only_what_was_synced_with_its_name_survives() {
        let unsynced = [create("a"), write("a", 0, b"xy")];
        assert_eq!(left(&disk(&unsynced), Loss::Nothing, "a"), Some(b"xy".to_vec()));
        assert_eq!(left(&disk(&unsynced), Loss::All, "a"), None);
        let named = [create("a"), write("a", 0, b"xy"), sync("", 2)];
        assert_eq!(left(&disk(&named), Loss::All, "a"), Some(Vec::new()));
        let whole = [create("a"), write("a", 0, b"xy"), sync("a", 2), sync("", 3), write("a", 1, b"z")];
        assert_eq!(left(&disk(&whole), Loss::All, "a"), Some(b"xy".to_vec()));
        assert_eq!(left(&disk(&whole), Loss::Nothing, "a"), Some(b"xz".to_vec()));
    }

    #[test]
    fn a_sync_does_not_cover_what_came_after_it_began() {
        let changes = [create("a"), sync("", 1), write("a", 0, b"x"), write("a", 1, b"y"), sync("a", 3)];
        assert_eq!(left(&disk(&changes), Loss::All, "a"), Some(b"x".to_vec()));
    }

    #[test]
    fn a_rename_is_lost_with_its_folder() {
        let changes = [
            create("a"),
            write("a", 0, b"old"),
            sync("a", 2),
            sync("", 3),
            create("b"),
            write("b", 0, b"new"),
            sync("b", 6),
            Change::Rename { from: "b".into(), to: "a".into() },
        ];
        assert_eq!(left(&disk(&changes), Loss::All, "a"), Some(b"old".to_vec()));
        assert_eq!(left(&disk(&changes), Loss::Nothing, "a"), Some(b"new".to_vec()));
    }

    #[test]
    fn a_file_with_two_names_is_one_file() {
        let changes = [
            create("a"),
            write("a", 0, b"xy"),
            Change::Link { from: "a".into(), to: "b".into() },
            sync("b", 3),
            sync("", 4),
            Change::Remove { path: "a".into() },
            Change::Truncate { path: "b".into(), length: 1 },
        ];
        // The name that was removed comes back, with what was left of the file or all of it.
        assert_eq!(left(&disk(&changes), Loss::All, "a"), Some(b"xy".to_vec()));
        assert_eq!(left(&disk(&changes), Loss::Nothing, "a"), None);
        assert_eq!(left(&disk(&changes), Loss::Nothing, "b"), Some(b"x".to_vec()));
    }

    #[test]
    fn what_is_in_a_folder_that_is_lost_is_lost() {
        let folder = Change::MakeFolder { path: "f".into() };
        let changes = [folder, create("f/a"), sync("f/a", 2), sync("f", 3)];
        assert_eq!(left(&disk(&changes), Loss::All, "f/a"), None);
        assert_eq!(left(&disk(&changes), Loss::Nothing, "f/a"), Some(Vec::new()));
    }
}
