//! Removes files in small steps. Knows nothing of what was in them.
//!
//! A file system may tell the disk of all that a file leaves free (`discard`), and the disk may be busy with a large file for
//! milliseconds, while commits wait for it. So a file that will go one day has a second name, in a folder of its own.
//! Whoever removes the first name has done so at once; here the file is then made shorter step by step, with rests.

use super::pace::{LEISURE_MAX, Rests};
use super::sorted::TABLES;
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
    /// Where rooms have their folders.
    spaces: PathBuf,
    folder: PathBuf,
    state: Mutex<State>,
    asked: Condvar,
}

#[derive(Default)]
struct State {
    /// The files of each room that have a second name.
    named: BTreeMap<u64, BTreeSet<u64>>,
    /// Files that are not needed any more.
    leaving: Vec<File>,
    /// Whether this file system has no second names.
    cannot_link: bool,
    is_closed: bool,
}

/// A file by its room and its number there.
#[derive(Clone, Copy)]
struct File {
    room: u64,
    number: u64,
}

impl Removal {
    /// What an earlier process had not removed is removed now.
    pub(super) fn new(data: &Path, spaces: &Path) -> Removal {
        let removal = Removal {
            spaces: spaces.to_path_buf(),
            folder: data.join(FOLDER),
            state: Mutex::default(),
            asked: Condvar::new(),
        };
        let mut state = removal.state.lock();
        match removal.found() {
            Ok(found) => {
                for file in found {
                    // INVARIANT: a file that has its first name may be in use, and keeps all its bytes.
                    if removal.first_name(file).exists() {
                        let _ = fs::remove_file(removal.second_name(file));
                    } else {
                        state.leaving.push(file);
                    }
                }
            }
            Err(error) => {
                tracing::warn!(%error, folder = %removal.folder.display(), "files will be removed as a whole");
                state.cannot_link = true;
            }
        }
        drop(state);
        removal
    }

    /// A room has just these files now. Those that are new get a second name, those that are missing are to go.
    pub(super) fn follow(&self, room: u64, numbers: &BTreeSet<u64>) {
        let mut state = self.state.lock();
        if state.is_closed {
            return;
        }
        let mut named = state.named.remove(&room).unwrap_or_default();
        let gone: Vec<u64> = named.difference(numbers).copied().collect();
        for number in gone {
            named.remove(&number);
            state.leaving.push(File { room, number });
        }
        for number in numbers {
            if state.cannot_link || named.contains(number) {
                continue;
            }
            let file = File { room, number: *number };
            match link(&self.first_name(file), &self.second_name(file)) {
                Ok(()) => drop(named.insert(*number)),
                // Such a file goes as a whole when its only name goes.
                Err(error) => state.cannot_link = is_lasting(&error),
            }
        }
        if !named.is_empty() {
            state.named.insert(room, named);
        }
        drop(state);
        self.asked.notify_all();
    }

    /// Files that are in use have one name again, so that the folder can be copied as it is.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.is_closed = true;
        for (room, numbers) in std::mem::take(&mut state.named) {
            for number in numbers {
                let _ = fs::remove_file(self.second_name(File { room, number }));
            }
        }
        drop(state);
        self.asked.notify_all();
    }

    /// Removes what is to go, until the store closes.
    pub(super) fn run(&self) {
        let mut read = Vec::new();
        while let Some(leaving) = self.next(&mut read) {
            read = leaving.into_iter().filter(|file| !self.remove(*file)).collect();
        }
        let left = std::mem::take(&mut self.state.lock().leaving);
        for file in left.into_iter().chain(read) {
            let _ = fs::remove_file(self.second_name(file));
        }
    }

    /// Files to remove, those of `read` among them after a while; none when the store closes.
    fn next(&self, read: &mut Vec<File>) -> Option<Vec<File>> {
        let mut state = self.state.lock();
        while !state.is_closed {
            if !state.leaving.is_empty() {
                read.append(&mut state.leaving);
                return Some(std::mem::take(read));
            }
            if read.is_empty() {
                self.asked.wait(&mut state);
            } else if self.asked.wait_for(&mut state, READ_PAUSE).timed_out() {
                return Some(std::mem::take(read));
            }
        }
        None
    }

    /// Removes a file if its first name is gone; tells whether that is done.
    fn remove(&self, file: File) -> bool {
        if self.first_name(file).exists() {
            return false;
        }
        let path = self.second_name(file);
        let Ok(about) = fs::metadata(&path) else { return true };
        if is_only_name(&about)
            && let Err(error) = shorten(&path, about.len(), || self.state.lock().is_closed)
        {
            tracing::debug!(%error, file = %path.display(), "a file could not be made shorter");
        }
        if let Err(error) = fs::remove_file(&path) {
            tracing::warn!(%error, file = %path.display(), "a file that is not needed could not be removed");
        }
        true
    }

    /// The files that have a second name.
    fn found(&self) -> io::Result<Vec<File>> {
        fs::create_dir_all(&self.folder)?;
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name();
            let parts = name.to_str().and_then(|name| name.split_once('-'));
            let numbers = parts.and_then(|(room, number)| Some((room.parse().ok()?, number.parse().ok()?)));
            found.extend(numbers.map(|(room, number)| File { room, number }));
        }
        Ok(found)
    }

    fn first_name(&self, file: File) -> PathBuf {
        self.spaces.join(file.room.to_string()).join(TABLES).join(file.number.to_string())
    }

    fn second_name(&self, file: File) -> PathBuf {
        self.folder.join(format!("{}-{}", file.room, file.number))
    }
}

/// Makes a file empty, step by step, or stops before.
fn shorten(path: &Path, mut bytes: u64, is_stopped: impl Fn() -> bool) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(path)?;
    let mut rests = Rests::new();
    while bytes > 0 && !is_stopped() {
        bytes = bytes.saturating_sub(STEP_BYTES);
        file.set_len(bytes)?;
        rests.rest(LEISURE_MAX);
    }
    Ok(())
}

/// Gives a file a second name.
#[cfg(unix)]
fn link(file: &Path, name: &Path) -> io::Result<()> {
    fs::hard_link(file, name)?;
    if is_only_name(&fs::metadata(name)?) {
        // Some file systems over a network make a link and do not tell of it.
        fs::remove_file(name)?;
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(())
}

/// How many names a file has cannot be told here.
#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
fn is_only_name(about: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    about.nlink() == 1
}

#[cfg(not(unix))]
fn is_only_name(_: &Metadata) -> bool {
    false
}

/// Whether a link that failed would always fail.
fn is_lasting(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied)
}

#[cfg(test)]
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

    /// A folder with the files 1 to 3 of room 5, and the thread that removes files of it.
    struct World {
        dir: tempfile::TempDir,
        removal: Arc<Removal>,
    }

    impl World {
        fn new() -> World {
            let dir = tempfile::tempdir().unwrap();
            let removal = Arc::new(Removal::new(dir.path(), &dir.path().join("spaces")));
            let world = World { dir, removal };
            fs::create_dir_all(world.table(1).parent().unwrap()).unwrap();
            for number in [1, 2, 3] {
                fs::write(world.table(number), vec![7; 3 * STEP_BYTES as usize / 2]).unwrap();
            }
            world
        }

        fn table(&self, number: u64) -> PathBuf {
            self.removal.first_name(super::File { room: 5, number })
        }

        fn start(&self) -> thread::JoinHandle<()> {
            let removal = Arc::clone(&self.removal);
            thread::spawn(move || removal.run())
        }

        fn second_names(&self) -> Vec<String> {
            names(&self.dir.path().join(FOLDER))
        }

        fn again(self) -> World {
            let removal = Arc::new(Removal::new(self.dir.path(), &self.dir.path().join("spaces")));
            World { removal, ..self }
        }
    }

    #[test]
    fn a_file_goes_when_its_first_name_has_gone_and_not_before() {
        let world = World::new();
        let thread = world.start();
        world.removal.follow(5, &BTreeSet::from([1, 2]));
        assert_eq!(world.second_names(), ["5-1", "5-2"]);
        // Somebody reads the first, so that its first name is still there.
        world.removal.follow(5, &BTreeSet::from([3]));
        fs::remove_file(world.table(2)).unwrap();
        wait_for(|| world.second_names() == ["5-1", "5-3"]);
        let reader = File::open(world.table(1)).unwrap();
        assert_eq!(reader.metadata().unwrap().len(), 3 * STEP_BYTES / 2, "nothing is taken from a reader");
        fs::remove_file(world.table(1)).unwrap();
        wait_for(|| world.second_names() == ["5-3"]);
        assert_eq!(reader.metadata().unwrap().len(), 0, "its room is given back although it is open");
        world.removal.close();
        thread.join().unwrap();
        assert!(
            world.second_names().is_empty() && world.table(3).exists(),
            "what is in use has one name again"
        );
    }

    #[test]
    fn a_store_that_closes_leaves_no_second_names() {
        let world = World::new();
        world.removal.follow(5, &BTreeSet::from([1, 2, 3]));
        world.removal.follow(5, &BTreeSet::from([3]));
        world.removal.close();
        world.start().join().unwrap();
        assert!(world.second_names().is_empty());
        assert_eq!(fs::metadata(world.table(1)).unwrap().len(), 3 * STEP_BYTES / 2);
    }

    #[test]
    fn what_an_earlier_process_left_goes_and_what_has_its_first_name_stays() {
        let world = World::new();
        world.removal.follow(5, &BTreeSet::from([1, 2]));
        fs::remove_file(world.table(1)).unwrap();
        // A copy that knows no links has two files.
        fs::copy(world.table(3), world.dir.path().join(FOLDER).join("5-3")).unwrap();
        let world = world.again();
        assert_eq!(world.second_names(), ["5-1"]);
        let thread = world.start();
        wait_for(|| world.second_names().is_empty());
        world.removal.close();
        thread.join().unwrap();
        for number in [2, 3] {
            assert_eq!(fs::metadata(world.table(number)).unwrap().len(), 3 * STEP_BYTES / 2);
        }
    }

    #[test]
    fn without_its_folder_files_go_as_a_whole() {
        let world = World::new();
        fs::remove_dir(world.dir.path().join(FOLDER)).unwrap();
        fs::write(world.dir.path().join(FOLDER), b"in the way").unwrap();
        let world = world.again();
        world.removal.follow(5, &BTreeSet::from([1, 2, 3]));
        world.removal.follow(5, &BTreeSet::new());
        world.removal.close();
        world.start().join().unwrap();
        assert!(world.table(1).exists());
    }
}
