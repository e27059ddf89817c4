//! Removes files in small steps. Knows nothing of what was in them.
//!
//! A file system may tell the disk of all that a file leaves free (`discard`), and the disk may be busy with a large file for
//! milliseconds, while commits wait for it. So a file that will go one day has a second name, in a folder of its own.
//! Whoever removes the first name has done so at once; here the file is then made shorter step by step, with rests.

use super::pace::{LEISURE_MAX, Rests};
use crate::error::Error;
use parking_lot::{Condvar, Mutex};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

const FOLDER: &str = "removed";
/// So much of a file goes at a time.
const STEP_BYTES: u64 = 1024 * 1024;
/// A file that somebody reads is looked at again after so long.
const READ_PAUSE: Duration = Duration::from_millis(200);

/// The second names of files, and those whose files are to go.
pub(super) struct Removal {
    folder: PathBuf,
    state: Mutex<State>,
    asked: Condvar,
}

#[derive(Default)]
struct State {
    /// The files of each room that have a second name.
    named: BTreeMap<u64, BTreeSet<u64>>,
    /// Second names of files that are not needed any more.
    leaving: Vec<PathBuf>,
    is_closed: bool,
}

impl Removal {
    /// What an earlier process had not removed is removed now.
    pub(super) fn new(data: &Path) -> Result<Removal, Error> {
        let folder = data.join(FOLDER);
        let list = || -> io::Result<Vec<PathBuf>> {
            fs::create_dir_all(&folder)?;
            fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect()
        };
        let found = list().map_err(|error| Error::io(format!("set up {}", folder.display()), error))?;
        let mut leaving = Vec::new();
        for path in found {
            match fs::metadata(&path) {
                Ok(about) if has_other_name(&about) => drop(fs::remove_file(&path)),
                Ok(_) | Err(_) => leaving.push(path),
            }
        }
        let state = State { leaving, ..State::default() };
        Ok(Removal { folder, state: Mutex::new(state), asked: Condvar::new() })
    }

    /// A room has just these files now. Those that are new get a second name, those that are missing are to go.
    pub(super) fn follow(&self, room: u64, folder: &Path, files: &BTreeSet<u64>) {
        let mut state = self.state.lock();
        let mut named = state.named.remove(&room).unwrap_or_default();
        let gone: Vec<u64> = named.difference(files).copied().collect();
        for number in gone {
            named.remove(&number);
            state.leaving.push(self.second_name(room, number));
        }
        for number in files {
            // Without links a file goes as a whole when its only name goes.
            if !named.contains(number)
                && link(&folder.join(number.to_string()), &self.second_name(room, *number))
            {
                named.insert(*number);
            }
        }
        if !named.is_empty() {
            state.named.insert(room, named);
        }
        drop(state);
        self.asked.notify_all();
    }

    pub(super) fn close(&self) {
        self.state.lock().is_closed = true;
        self.asked.notify_all();
    }

    /// Removes what is to go, until the store closes.
    pub(super) fn run(&self) {
        let mut read = Vec::new();
        while let Some(leaving) = self.next(read) {
            read = leaving.into_iter().filter(|path| !self.remove(path)).collect();
        }
    }

    /// Second names of files to remove, those of `read` among them after a while; none when the store closes.
    fn next(&self, mut read: Vec<PathBuf>) -> Option<Vec<PathBuf>> {
        let mut state = self.state.lock();
        while !state.is_closed {
            if !state.leaving.is_empty() {
                read.append(&mut state.leaving);
                return Some(read);
            }
            if read.is_empty() {
                self.asked.wait(&mut state);
            } else if self.asked.wait_for(&mut state, READ_PAUSE).timed_out() {
                return Some(read);
            }
        }
        None
    }

    /// Removes a file if this is its only name; tells whether that is done.
    fn remove(&self, path: &Path) -> bool {
        match fs::metadata(path) {
            Ok(about) if has_other_name(&about) => false,
            Ok(about) => {
                let removed = shorten(path, about.len(), || self.state.lock().is_closed)
                    .and_then(|is_short| if is_short { fs::remove_file(path) } else { Ok(()) });
                if let Err(error) = removed {
                    tracing::warn!(%error, file = %path.display(), "a file that is not needed could not be removed");
                }
                true
            }
            Err(_) => true,
        }
    }

    fn second_name(&self, room: u64, number: u64) -> PathBuf {
        self.folder.join(format!("{room}-{number}"))
    }
}

/// Makes a file empty, step by step; tells whether it is, or was stopped before.
fn shorten(path: &Path, mut bytes: u64, is_stopped: impl Fn() -> bool) -> io::Result<bool> {
    let file = OpenOptions::new().write(true).open(path)?;
    let mut rests = Rests::new();
    while bytes > 0 {
        if is_stopped() {
            return Ok(false);
        }
        bytes = bytes.saturating_sub(STEP_BYTES);
        file.set_len(bytes)?;
        rests.rest(LEISURE_MAX);
    }
    Ok(true)
}

#[cfg(unix)]
fn has_other_name(about: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    about.nlink() > 1
}

#[cfg(not(unix))]
fn has_other_name(_: &Metadata) -> bool {
    false
}

/// Gives a file a second name; tells whether it has one.
#[cfg(unix)]
fn link(file: &Path, name: &Path) -> bool {
    fs::hard_link(file, name).is_ok()
}

/// Whether a file has another name cannot be told, so that it must not get one.
#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs::File;
    use std::sync::Arc;
    use std::thread;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn wait_for(what: impl Fn() -> bool) {
        for _ in 0..1000 {
            if what() {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("it never came");
    }

    #[test]
    fn a_file_goes_when_its_first_name_has_gone_and_not_before() {
        let dir = tempfile::tempdir().unwrap();
        let tables = dir.path().join("tables");
        fs::create_dir(&tables).unwrap();
        for number in [1, 2, 3] {
            fs::write(tables.join(number.to_string()), vec![7; 3 * STEP_BYTES as usize / 2]).unwrap();
        }
        let removal = Arc::new(Removal::new(dir.path()).unwrap());
        let thread = {
            let removal = Arc::clone(&removal);
            thread::spawn(move || removal.run())
        };
        removal.follow(5, &tables, &BTreeSet::from([1, 2]));
        let folder = dir.path().join(FOLDER);
        assert_eq!(names(&folder), ["5-1", "5-2"]);
        // Somebody reads the first, so that its first name is still there.
        removal.follow(5, &tables, &BTreeSet::from([3]));
        fs::remove_file(tables.join("2")).unwrap();
        wait_for(|| names(&folder) == ["5-1", "5-3"]);
        let reader = File::open(tables.join("1")).unwrap();
        assert_eq!(reader.metadata().unwrap().len(), 3 * STEP_BYTES / 2, "nothing is taken from a reader");
        fs::remove_file(tables.join("1")).unwrap();
        wait_for(|| names(&folder) == ["5-3"]);
        assert_eq!(reader.metadata().unwrap().len(), 0, "its room is given back although it is open");
        removal.close();
        thread.join().unwrap();
    }

    #[test]
    fn what_an_earlier_process_left_goes_and_what_is_in_use_stays() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join(FOLDER);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("1-1"), b"left over").unwrap();
        fs::write(dir.path().join("2"), b"in use").unwrap();
        fs::hard_link(dir.path().join("2"), folder.join("1-2")).unwrap();
        let removal = Arc::new(Removal::new(dir.path()).unwrap());
        assert_eq!(names(&folder), ["1-1"]);
        let thread = {
            let removal = Arc::clone(&removal);
            thread::spawn(move || removal.run())
        };
        wait_for(|| names(&folder).is_empty());
        assert_eq!(fs::read(dir.path().join("2")).unwrap(), b"in use");
        removal.close();
        thread.join().unwrap();
    }
}
