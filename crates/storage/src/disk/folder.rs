//! The data folder: who holds it and which format it has. Knows nothing of what is stored.

use crate::error::Error;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The format this version writes, and the only one it reads: the first was that of no release.
const FORMAT: u32 = 2;
const FORMAT_FILE: &str = "FORMAT";
const LOCK_FILE: &str = "LOCK";
const DATA_FOLDER: &str = "data";

/// A folder that this process holds alone.
pub(super) struct Folder {
    dir: PathBuf,
    data: PathBuf,
    /// The system releases the lock when the file is closed, also after a crash.
    _lock: File,
}

impl Folder {
    pub(super) fn open(dir: &Path) -> Result<Folder, Error> {
        let unwritable = |error| Error::Unwritable { dir: dir.to_path_buf(), error: Arc::new(error) };
        fs::create_dir_all(dir).map_err(unwritable)?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(dir.join(LOCK_FILE))
            .map_err(unwritable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::Locked { dir: dir.to_path_buf() }),
            Err(TryLockError::Error(error)) => return Err(unwritable(error)),
        }
        let data = dir.join(DATA_FOLDER);
        check_format(dir, &data)?;
        Ok(Folder { dir: dir.to_path_buf(), data, _lock: lock })
    }

    /// Makes durable what an earlier process left, before anything relies on it.
    pub(super) fn settle(&self) -> Result<(), Error> {
        if self.data.exists() {
            let action = || format!("sync {}", self.data.display());
            sync_folders_below(&self.data).map_err(|error| Error::io(action(), error))?;
        }
        Ok(())
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Where values are.
    pub(super) fn data(&self) -> &Path {
        &self.data
    }
}

fn check_format(dir: &Path, data: &Path) -> Result<(), Error> {
    let file = dir.join(FORMAT_FILE);
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !data.exists() => {
            return replace_file(dir, FORMAT_FILE, format!("larder {FORMAT}\n").as_bytes())
                .and_then(|()| sync_folder(dir))
                .and_then(|()| dir.parent().filter(|parent| parent.is_dir()).map_or(Ok(()), sync_folder))
                .map_err(|error| Error::Unwritable { dir: dir.to_path_buf(), error: Arc::new(error) });
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Error::Corrupt { file, detail: "the file is missing, but there is data".into() });
        }
        Err(error) => return Err(Error::io(format!("read {}", file.display()), error)),
    };
    match text.trim().strip_prefix("larder ").and_then(|number| number.parse::<u32>().ok()) {
        Some(found) if found > FORMAT => Err(Error::NewerFormat { found, known: FORMAT }),
        Some(FORMAT) => Ok(()),
        Some(found) => Err(Error::OlderFormat { found, known: FORMAT }),
        None => Err(Error::Corrupt { file, detail: "it does not name a format".into() }),
    }
}

/// Replaces a small file of the folder. It is written beside its place first: a crash leaves the old one or the new one.
/// Which of them is certain only after `sync_folder`.
pub(super) fn replace_file(dir: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let beside = dir.join(format!("{name}.new"));
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&beside, dir.join(name))
}

/// Makes the names in a folder durable.
#[cfg(unix)]
pub(super) fn sync_folder(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

#[cfg(not(unix))]
pub(super) fn sync_folder(_dir: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes the names in a folder and in all folders below it durable.
///
/// A process that was killed may have left names that the system knows and the disk does not. Whoever finds them and
/// relies on them must make them safe first, or a loss of power takes them back afterwards.
pub(super) fn sync_folders_below(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folders_below(&entry.path())?;
        }
    }
    sync_folder(dir)
}
