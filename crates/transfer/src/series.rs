//! A series of compressed files of lines: when one is full, the next begins. Knows no formats.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::bucket::{Bucket, Upload};
use crate::digest::{Md5Digest, Md5Sum};
use crate::error::Result;
use crate::members::Members;

/// A file of a series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataFile {
    /// Its key.
    pub key: String,
    /// How many lines are in it: items, changes or errors.
    pub item_count: u64,
    /// The sum of its bytes, in base64.
    pub md5: String,
    /// The entity tag the store gave it.
    pub etag: String,
}

impl DataFile {
    /// Its line in a manifest of files.
    pub(crate) fn line(&self) -> Vec<u8> {
        let mut members = Members::default();
        members.number("itemCount", self.item_count);
        members.text("md5Checksum", &self.md5);
        members.text("etag", &self.etag);
        members.text("dataFileS3Key", &self.key);
        let mut line = members.finish();
        line.push(b'\n');
        line
    }
}

/// Writes a series.
pub(crate) struct Series {
    bucket: Bucket,
    /// What the keys begin with.
    folder: String,
    /// What the names are made of: the same seed gives the same names, so who begins again writes over what was there.
    seed: String,
    extension: &'static str,
    file_bytes_max: u64,
    current: Option<Current>,
    files: Vec<DataFile>,
}

/// The file that is being written.
struct Current {
    key: String,
    encoder: GzEncoder<Summed>,
    item_count: u64,
    bytes: u64,
}

impl Series {
    pub(crate) fn new(
        bucket: Bucket,
        folder: String,
        seed: String,
        extension: &'static str,
        file_bytes_max: u64,
    ) -> Series {
        Series { bucket, folder, seed, extension, file_bytes_max, current: None, files: Vec::new() }
    }

    /// Whether nothing has been written.
    pub(crate) fn is_empty(&self) -> bool {
        self.current.is_none() && self.files.is_empty()
    }

    /// Writes a line, which has its end.
    pub(crate) fn write(&mut self, line: &[u8]) -> Result<()> {
        if self.current.as_ref().is_some_and(|current| current.bytes >= self.file_bytes_max) {
            self.close()?;
        }
        self.open()?;
        if let Some(current) = &mut self.current {
            current.encoder.write_all(line)?;
            current.bytes += line.len() as u64;
            current.item_count += 1;
        }
        Ok(())
    }

    /// Begins a file, unless one is open.
    pub(crate) fn open(&mut self) -> Result<()> {
        if self.current.is_some() {
            return Ok(());
        }
        let name = Md5Digest::of(format!("{}/{}", self.seed, self.files.len()).as_bytes()).name();
        let key = format!("{}/{name}.{}", self.folder, self.extension);
        let upload = Summed { upload: self.bucket.upload(&key)?, sum: Md5Sum::default() };
        let encoder = GzEncoder::new(upload, Compression::default());
        self.current = Some(Current { key, encoder, item_count: 0, bytes: 0 });
        Ok(())
    }

    /// Ends the last file and gives all of them out.
    pub(crate) fn finish(mut self) -> Result<Vec<DataFile>> {
        self.close()?;
        Ok(self.files)
    }

    fn close(&mut self) -> Result<()> {
        let Some(current) = self.current.take() else { return Ok(()) };
        let Summed { upload, sum } = current.encoder.finish()?;
        let sum = sum.finish();
        let object = upload.finish()?;
        self.files.push(DataFile {
            key: current.key,
            item_count: current.item_count,
            md5: sum.base64(),
            etag: object.etag.unwrap_or_else(|| sum.hex()),
        });
        Ok(())
    }
}

/// Writes `name.json` and the sum of it, `name.md5`.
pub(crate) fn put_with_sum(bucket: &Bucket, name: &str, bytes: &[u8]) -> Result<()> {
    bucket.put(&format!("{name}.json"), bytes)?;
    bucket.put(&format!("{name}.md5"), Md5Digest::of(bytes).base64().as_bytes())?;
    Ok(())
}

/// The folder of all exports and reports below a prefix.
pub(crate) fn root(prefix: Option<&str>) -> String {
    match prefix.map(|prefix| prefix.trim_matches('/')) {
        Some(prefix) if !prefix.is_empty() => format!("{prefix}/AWSDynamoDB"),
        _ => "AWSDynamoDB".to_owned(),
    }
}

/// An upload whose sum is made on the way.
struct Summed {
    upload: Upload,
    sum: Md5Sum,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.upload.write(bytes)?;
        self.sum.update(bytes.get(..count).unwrap_or_default());
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.upload.flush()
    }
}
