//! A bucket that is a folder, its objects files. Knows no formats.

use std::fs::{self, DirEntry, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::bucket::{Download, Listing, ObjectInfo};
use crate::digest::Md5Sum;
use crate::error::{Error, ErrorKind, Result};

/// Where files are written before they get their names. No bucket can have this name.
const UPLOADS: &str = ".uploads";

/// A bucket in a folder.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    root: PathBuf,
    bucket: PathBuf,
}

impl Folder {
    pub(super) fn new(root: &Path, name: &str) -> Folder {
        Folder { root: root.to_path_buf(), bucket: root.join(name) }
    }

    pub(super) fn list(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Listing> {
        self.must_exist()?;
        let mut walk = Walk { prefix, after: after.unwrap_or(""), limit, listing: Listing::default() };
        // A prefix names whole folders up to its last slash: nothing outside of them can match.
        let (start, base) = match prefix.rsplit_once('/') {
            Some((folders, _)) if super::key::check_key(folders).is_ok() => {
                (self.bucket.join(folders), format!("{folders}/"))
            }
            Some(_) => return Ok(Listing::default()),
            None => (self.bucket.clone(), String::new()),
        };
        match walk.folder(&start, &base) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Listing::default()),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(Listing::default()),
            Err(error) => Err(error.into()),
            Ok(()) => Ok(walk.listing),
        }
    }

    pub(super) fn head(&self, key: &str) -> Result<ObjectInfo> {
        let (mut file, size) = self.open(key)?;
        let mut sum = Md5Sum::default();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = file.read(&mut buffer)?;
            if count == 0 {
                break;
            }
            sum.update(buffer.get(..count).unwrap_or_default());
        }
        Ok(ObjectInfo { key: key.to_owned(), size, etag: Some(sum.finish().hex()) })
    }

    pub(super) fn download(&self, key: &str) -> Result<Download> {
        let (file, size) = self.open(key)?;
        Ok(Download { size, bytes: Box::new(file) })
    }

    pub(super) fn upload(&self, key: &str) -> Result<FileUpload> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let uploads = self.root.join(UPLOADS);
        fs::create_dir_all(&uploads)?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = uploads.join(format!("{}-{number}", std::process::id()));
        let file = File::create(&temporary)?;
        Ok(FileUpload {
            key: key.to_owned(),
            file,
            size: 0,
            sum: Md5Sum::default(),
            temporary: Temporary(temporary),
            path: self.bucket.join(key),
        })
    }

    fn open(&self, key: &str) -> Result<(File, u64)> {
        self.must_exist()?;
        let missing = || Error::new(ErrorKind::NoObject, format!("The specified key does not exist: {key}"));
        let file = File::open(self.bucket.join(key)).map_err(|error| {
            let gone = matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
            if gone { missing() } else { error.into() }
        })?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(missing());
        }
        Ok((file, metadata.len()))
    }

    fn must_exist(&self) -> Result<()> {
        if self.bucket.is_dir() {
            return Ok(());
        }
        let shown = self.bucket.display();
        Err(Error::new(
            ErrorKind::NoBucket,
            format!("The specified bucket does not exist: there is no folder {shown}"),
        ))
    }
}

/// Removes the files of uploads that were cut off.
pub(super) fn sweep(root: &Path) -> Result<()> {
    match fs::remove_dir_all(root.join(UPLOADS)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// A walk through folders in the byte order of the keys.
struct Walk<'a> {
    prefix: &'a str,
    after: &'a str,
    limit: usize,
    listing: Listing,
}

impl Walk<'_> {
    /// Takes in the files of a folder, whose keys begin with `base`.
    fn folder(&mut self, folder: &Path, base: &str) -> io::Result<()> {
        let mut names: Vec<(String, DirEntry)> = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            // A name that is not text is no key.
            let Ok(name) = entry.file_name().into_string() else { continue };
            let kind = entry.file_type()?;
            if kind.is_dir() {
                names.push((format!("{base}{name}/"), entry));
            } else if kind.is_file() {
                names.push((format!("{base}{name}"), entry));
            }
        }
        // With its slash, a folder sorts where the keys in it do.
        names.sort_by(|left, right| left.0.cmp(&right.0));
        for (key, entry) in names {
            if self.listing.more {
                return Ok(());
            }
            if key.ends_with('/') {
                let inside = key.starts_with(self.prefix) || self.prefix.starts_with(&key);
                let ahead = key.as_str() > self.after || self.after.starts_with(&key);
                if inside && ahead {
                    self.folder(&entry.path(), &key)?;
                }
            } else if key.starts_with(self.prefix) && key.as_str() > self.after {
                if self.listing.objects.len() == self.limit {
                    self.listing.more = true;
                } else {
                    let size = entry.metadata()?.len();
                    self.listing.objects.push(ObjectInfo { key, size, etag: None });
                }
            }
        }
        Ok(())
    }
}

/// A file that is being written under another name.
pub(super) struct FileUpload {
    key: String,
    file: File,
    size: u64,
    sum: Md5Sum,
    temporary: Temporary,
    path: PathBuf,
}

/// A file that is removed when it is done with, whether or not it was given its name.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // After a rename there is nothing to remove, and a file that stays is swept later.
        let _ = fs::remove_file(&self.0);
    }
}

impl FileUpload {
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.sum.update(bytes.get(..count).unwrap_or_default());
        self.size += count as u64;
        Ok(count)
    }

    pub(super) fn finish(self) -> Result<ObjectInfo> {
        self.file.sync_all()?;
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
            fs::rename(&self.temporary.0, &self.path)?;
            // The name is durable only when the folder is.
            #[cfg(unix)]
            File::open(folder)?.sync_all()?;
        }
        Ok(ObjectInfo { key: self.key, size: self.size, etag: Some(self.sum.finish().hex()) })
    }
}
