//! Buckets: named places that hold objects by key. A bucket is a folder below the data directory or a bucket of an
//! S3-compatible store. Knows nothing of what the objects hold.
//!
//! All calls block the calling thread, as the jobs that use them run on threads of their own; requests to a store are
//! made by a runtime of this module, so a call is safe wherever it is made from.

mod bridge;
mod folder;
mod key;
mod s3;

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

use crate::error::Result;

use bridge::Bridge;
use folder::Folder;
use s3::S3;

pub use s3::S3Settings;

/// Where buckets are.
#[derive(Debug, Clone)]
pub enum Place {
    /// Each bucket is a folder in this folder.
    Folder(PathBuf),
    /// Buckets of an S3-compatible store.
    S3(S3Settings),
}

/// How a store is asked to encrypt what is put into it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Encryption {
    /// As the bucket is set up.
    #[default]
    Default,
    /// `AES256`: with keys of the store.
    Aes256,
    /// `KMS`: with the key of this id, or the account's own.
    Kms(Option<String>),
}

/// All buckets of one place.
#[derive(Debug, Clone)]
pub struct Buckets {
    place: Place,
    bridge: Arc<Bridge>,
}

impl Buckets {
    /// The buckets of a place. Nothing is touched or asked yet.
    pub fn new(place: Place) -> Buckets {
        Buckets { place, bridge: Arc::new(Bridge::default()) }
    }

    /// The bucket of this name, encrypted as the store sees fit. Whether it exists shows when it is used: a folder is made by the first object that is
    /// put into it, a bucket of a store must be there.
    pub fn open(&self, name: &str) -> Result<Bucket> {
        self.open_encrypted(name, &Encryption::Default)
    }

    /// The bucket of this name; what is put into it is encrypted so. Folders are as safe as the disk they are on.
    pub fn open_encrypted(&self, name: &str, encryption: &Encryption) -> Result<Bucket> {
        key::check_bucket(name)?;
        Ok(Bucket {
            name: name.into(),
            kind: match &self.place {
                Place::Folder(root) => Kind::Folder(Folder::new(root, name)),
                Place::S3(settings) => {
                    Kind::S3(S3::open(settings, name, encryption, Arc::clone(&self.bridge))?)
                }
            },
        })
    }

    /// Removes what uploads that a crash cut off left behind. To be called before the first upload.
    pub fn sweep(&self) -> Result<()> {
        match &self.place {
            Place::Folder(root) => folder::sweep(root),
            Place::S3(_) => Ok(()),
        }
    }
}

/// One bucket.
#[derive(Debug, Clone)]
pub struct Bucket {
    name: Arc<str>,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Folder(Folder),
    S3(S3),
}

/// What is known of an object without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectInfo {
    /// Its key.
    pub key: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its entity tag, without quotes. Listing a folder leaves it out, because it would have to read every file.
    pub etag: Option<String>,
}

/// Some of the objects below a prefix, in the byte order of their keys.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// The objects.
    pub objects: Vec<ObjectInfo>,
    /// Whether there are more behind the last one.
    pub more: bool,
}

impl Bucket {
    /// The bucket's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Up to `limit` objects whose keys begin with `prefix` and come after `after`.
    pub fn list(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Listing> {
        match &self.kind {
            Kind::Folder(folder) => folder.list(prefix, after, limit),
            Kind::S3(store) => store.list(prefix, after, limit),
        }
    }

    /// All objects whose keys begin with `prefix`.
    pub fn list_all(&self, prefix: &str) -> Result<Vec<ObjectInfo>> {
        if let Kind::Folder(folder) = &self.kind {
            // A page would have to walk through all that come before it.
            return Ok(folder.list(prefix, None, usize::MAX)?.objects);
        }
        let mut objects: Vec<ObjectInfo> = Vec::new();
        loop {
            let after = objects.last().map(|object| object.key.clone());
            let page = self.list(prefix, after.as_deref(), 1000)?;
            let ended = !page.more || page.objects.is_empty();
            objects.extend(page.objects);
            if ended {
                return Ok(objects);
            }
        }
    }

    /// Size and entity tag of an object.
    pub fn head(&self, key: &str) -> Result<ObjectInfo> {
        key::check_key(key)?;
        match &self.kind {
            Kind::Folder(folder) => folder.head(key),
            Kind::S3(store) => store.head(key),
        }
    }

    /// Begins to read an object.
    pub fn download(&self, key: &str) -> Result<Download> {
        key::check_key(key)?;
        match &self.kind {
            Kind::Folder(folder) => folder.download(key),
            Kind::S3(store) => store.download(key),
        }
    }

    /// Reads a whole object, which the caller knows to be small.
    pub fn get(&self, key: &str) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.download(key)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Begins to write an object. It is there, whole, after [`Upload::finish`], and not at all before.
    pub fn upload(&self, key: &str) -> Result<Upload> {
        key::check_key(key)?;
        let kind = match &self.kind {
            Kind::Folder(folder) => UploadKind::Folder(folder.upload(key)?),
            Kind::S3(store) => UploadKind::S3(store.upload(key)?),
        };
        Ok(Upload { kind })
    }

    /// Writes a whole object.
    pub fn put(&self, key: &str, bytes: &[u8]) -> Result<ObjectInfo> {
        let mut upload = self.upload(key)?;
        upload.write_all(bytes)?;
        upload.finish()
    }
}

/// An object that is being read.
pub struct Download {
    size: u64,
    bytes: Box<dyn Read + Send>,
}

impl Download {
    /// The object's size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }
}

impl Read for Download {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.bytes.read(buffer)
    }
}

/// An object that is being written. Dropped before [`Upload::finish`], it leaves nothing behind.
pub struct Upload {
    kind: UploadKind,
}

enum UploadKind {
    Folder(folder::FileUpload),
    S3(s3::StoreUpload),
}

impl Upload {
    /// Makes the object visible, in place of an older one with the same key.
    pub fn finish(self) -> Result<ObjectInfo> {
        match self.kind {
            UploadKind::Folder(upload) => upload.finish(),
            UploadKind::S3(upload) => upload.finish(),
        }
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.kind {
            UploadKind::Folder(upload) => upload.write(bytes),
            UploadKind::S3(upload) => upload.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
