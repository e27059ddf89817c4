//! Reads the records of all objects below a prefix, in the order of their keys, one after the other. Knows no table:
//! whether an item fits one is for the caller to say.

mod csv;
mod records;
mod source;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::bucket::{Bucket, ObjectInfo};
use crate::error::{Error, ErrorKind, Result};
use crate::record::Record;

use source::Source;

pub use csv::{CsvOptions, Delimiter};
pub(crate) use csv::{CsvRecords, Fields};
pub use records::Records;

/// How the records of an import are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputFormat {
    /// `DYNAMODB_JSON`: `{"Item":{…}}`, one a line.
    DynamoDbJson,
    /// `ION`: text or binary.
    Ion,
    /// `CSV`.
    Csv(CsvOptions),
}

/// How the objects of an import are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compression {
    /// `NONE`
    #[default]
    None,
    /// `GZIP`
    Gzip,
    /// `ZSTD`
    Zstd,
}

/// What is to be imported.
#[derive(Debug, Clone)]
pub struct ImportSettings {
    /// What the keys of the objects begin with.
    pub prefix: String,
    /// How their records are written.
    pub format: InputFormat,
    /// How they are compressed.
    pub compression: Compression,
    /// Where to begin: after what an earlier reader had given out.
    pub start: Position,
    /// Set by anyone who wants the reading to stop.
    pub cancel: Arc<AtomicBool>,
}

/// How far an import has come. The files are the objects of the prefix in the order of their keys, so a position holds
/// as long as they stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    /// How many files have been read to their ends.
    pub files: usize,
    /// How many records of the next file have been given out, good ones and bad ones.
    pub records: u64,
}

/// One record of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The key of the object it stands in.
    pub key: Arc<str>,
    /// The line it begins in; in binary Ion, its number.
    pub line: u64,
    /// The record, or what is wrong with it.
    pub record: std::result::Result<Record, String>,
    /// Where to begin again after this record.
    pub after: Position,
}

/// What has been done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// The size of all objects, compressed as they are.
    pub bytes_total: u64,
    /// How much of them has been read.
    pub bytes_read: u64,
    /// Records that could be read.
    pub records: u64,
    /// Records that could not.
    pub errors: u64,
}

/// Something in a file that is meant as a record.
pub(crate) struct Found {
    pub(crate) line: u64,
    pub(crate) record: std::result::Result<Record, String>,
}

/// Reads an import.
pub struct ImportReader {
    bucket: Bucket,
    settings: ImportSettings,
    files: Vec<ObjectInfo>,
    position: Position,
    current: Option<Current>,
    progress: Progress,
}

/// The file that is being read.
struct Current {
    key: Arc<str>,
    bytes: Arc<AtomicU64>,
    source: Source,
}

impl ImportReader {
    /// Lists what is to be read. Objects without content and the manifests of an export are left out.
    pub fn open(bucket: Bucket, settings: ImportSettings) -> Result<ImportReader> {
        let mut files = bucket.list_all(&settings.prefix)?;
        files.retain(|file| file.size > 0 && !is_manifest(&file.key));
        let position = settings.start;
        let done: u64 = files.iter().take(position.files).map(|file| file.size).sum();
        let progress = Progress {
            bytes_total: files.iter().map(|file| file.size).sum(),
            bytes_read: done,
            ..Progress::default()
        };
        let mut reader = ImportReader { bucket, settings, files, position, current: None, progress };
        reader.skip(position.records)?;
        Ok(reader)
    }

    /// The objects that are read, in order.
    pub fn files(&self) -> &[ObjectInfo] {
        &self.files
    }

    /// What this reader has done. A reader that began later counts only its own records.
    pub fn progress(&self) -> Progress {
        let current = self.current.as_ref().map_or(0, |current| current.bytes.load(Ordering::Relaxed));
        Progress { bytes_read: self.progress.bytes_read + current, ..self.progress }
    }

    /// The next record; none at the end. An error means that the store failed or that the caller wants to stop; what
    /// is wrong with a record, or with the rest of a file, is told in an entry.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator would hide that an error ends the reading"
    )]
    pub fn next(&mut self) -> Result<Option<Entry>> {
        loop {
            if self.settings.cancel.load(Ordering::Relaxed) {
                return Err(Error::new(ErrorKind::Cancelled, "The job was cancelled"));
            }
            if !self.open_file()? {
                return Ok(None);
            }
            let Some(current) = &mut self.current else { return Ok(None) };
            let key = Arc::clone(&current.key);
            match current.source.advance() {
                Ok(Some(found)) => {
                    self.position.records += 1;
                    return Ok(Some(self.entry(key, found)));
                }
                Ok(None) => self.close_file(),
                Err(error) => {
                    if let Some(inside) = Error::inside(&error) {
                        return Err(inside.clone());
                    }
                    let found = Found { line: current.source.line(), record: Err(broken(&error)) };
                    self.close_file();
                    return Ok(Some(self.entry(key, found)));
                }
            }
        }
    }

    fn entry(&mut self, key: Arc<str>, found: Found) -> Entry {
        match &found.record {
            Ok(_) => self.progress.records += 1,
            Err(_) => self.progress.errors += 1,
        }
        Entry { key, line: found.line, record: found.record, after: self.position }
    }

    /// Sees to it that a file is open; there is none at the end.
    fn open_file(&mut self) -> Result<bool> {
        if self.current.is_some() {
            return Ok(true);
        }
        let Some(file) = self.files.get(self.position.files) else { return Ok(false) };
        let bytes = Arc::new(AtomicU64::new(0));
        let download = Counted { inner: self.bucket.download(&file.key)?, bytes: Arc::clone(&bytes) };
        let source = Source::new(download, self.settings.compression, &self.settings.format)?;
        self.current = Some(Current { key: file.key.as_str().into(), bytes, source });
        Ok(true)
    }

    fn close_file(&mut self) {
        self.current = None;
        self.progress.bytes_read += self.files.get(self.position.files).map_or(0, |file| file.size);
        self.position = Position { files: self.position.files + 1, records: 0 };
    }

    /// Passes over records that an earlier reader has given out.
    fn skip(&mut self, records: u64) -> Result<()> {
        self.position.records = 0;
        while self.position.records < records && self.position.files == self.settings.start.files {
            if self.next()?.is_none() {
                break;
            }
        }
        self.progress.records = 0;
        self.progress.errors = 0;
        Ok(())
    }
}

/// Whether an object of an export holds something else than items.
fn is_manifest(key: &str) -> bool {
    let name = key.rsplit('/').next().unwrap_or(key);
    let manifest = name.strip_prefix("manifest-summary.").or_else(|| name.strip_prefix("manifest-files."));
    name == "_started" || matches!(manifest, Some("json" | "md5" | "checksum"))
}

fn broken(error: &io::Error) -> String {
    format!("the rest of the object cannot be read: {error}")
}

/// Counts what is read.
struct Counted<R> {
    inner: R,
    bytes: Arc<AtomicU64>,
}

impl<R: io::Read> io::Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer).map_err(|error| {
            // Marked as the store's, so that it is not taken for a fault of the file.
            io::Error::from(Error::from(error))
        })?;
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
