//! Writes an export as the service does: data files, the manifests that list them, and the sums of those. Knows no
//! table: items and changes are handed to it.

mod manifest;

use std::io::Write;

use item::{Item, Number, item_bytes};

use crate::bucket::Bucket;
use crate::error::Result;
use crate::series::{DataFile, Series, put_with_sum, root};
use crate::{ion, json};

/// How an export is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExportFormat {
    /// `DYNAMODB_JSON`
    #[default]
    DynamoDbJson,
    /// `ION`
    Ion,
}

impl ExportFormat {
    /// The format's name in requests and manifests.
    pub fn name(self) -> &'static str {
        match self {
            ExportFormat::DynamoDbJson => "DYNAMODB_JSON",
            ExportFormat::Ion => "ION",
        }
    }

    fn extension(self) -> &'static str {
        match self {
            ExportFormat::DynamoDbJson => "json.gz",
            ExportFormat::Ion => "ion.gz",
        }
    }

    /// Appends an item as a line of a full export.
    pub fn append_item(self, line: &mut Vec<u8>, item: &Item) {
        match self {
            ExportFormat::DynamoDbJson => {
                line.extend_from_slice(b"{\"Item\":");
                json::write_item(line, item);
            }
            ExportFormat::Ion => {
                line.extend_from_slice(b"$ion_1_0 {Item:");
                ion::write_item(line, item);
            }
        }
        line.extend_from_slice(b"}\n");
    }
}

/// Which states of an item an incremental export shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExportView {
    /// `NEW_IMAGE`
    NewImage,
    /// `NEW_AND_OLD_IMAGES`
    #[default]
    NewAndOldImages,
}

impl ExportView {
    /// The view's name in requests and manifests.
    pub fn name(self) -> &'static str {
        match self {
            ExportView::NewImage => "NEW_IMAGE",
            ExportView::NewAndOldImages => "NEW_AND_OLD_IMAGES",
        }
    }
}

/// What is exported. Times are milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportKind {
    /// All items as they were at a time.
    Full {
        /// The time.
        export_time: u64,
    },
    /// What changed between two times.
    Incremental {
        /// The first time.
        from: u64,
        /// The time before which it ends.
        to: u64,
        /// What is shown of each change.
        view: ExportView,
    },
}

/// An export: what is written into its manifests, and where it goes.
#[derive(Debug, Clone)]
pub struct ExportJob {
    /// The last part of the export's ARN, as [`export_id`] makes it.
    pub export_id: String,
    /// The export's ARN.
    pub export_arn: String,
    /// The table's ARN.
    pub table_arn: String,
    /// The table's id.
    pub table_id: String,
    /// What all keys begin with, without a slash at its end.
    pub prefix: Option<String>,
    /// How the request wants objects to be encrypted.
    pub sse_algorithm: Option<String>,
    /// With which key.
    pub sse_kms_key_id: Option<String>,
    /// How items are written.
    pub format: ExportFormat,
    /// What is exported.
    pub kind: ExportKind,
    /// When the export began, in milliseconds since 1970.
    pub start_time: u64,
    /// How many bytes a data file may have before compression; then the next one begins.
    pub file_bytes_max: u64,
}

/// A size of data files that suits most: large enough to compress well, small enough to be read again quickly.
pub const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// What happened to one item in the time of an incremental export.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// When it was last written, in microseconds since 1970.
    pub write_time_micros: u64,
    /// Its key.
    pub keys: &'a Item,
    /// How it was at the beginning, if it was.
    pub old_image: Option<&'a Item>,
    /// How it is at the end, if it is.
    pub new_image: Option<&'a Item>,
}

/// What an export that is done tells of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportDone {
    /// The key of `manifest-summary.json`.
    pub manifest_key: String,
    /// How many items or changes were written.
    pub item_count: u64,
    /// The size of all items, as the service counts it.
    pub billed_size_bytes: u64,
    /// The data files.
    pub files: Vec<DataFile>,
}

/// The id of an export, an import or another job: the time it began, in milliseconds, and something that no other has.
pub fn export_id(start_time: u64, chance: u32) -> String {
    format!("{start_time:014}-{chance:08x}")
}

/// Writes an export. If it is given up, what was written stays without manifests, as in the service; an export with the
/// same id that is begun again puts everything in its place.
pub struct ExportWriter {
    bucket: Bucket,
    job: ExportJob,
    series: Series,
    line: Vec<u8>,
    item_count: u64,
    billed_size_bytes: u64,
}

impl ExportWriter {
    /// Begins an export: writes `_started`, which shows that the bucket can be written to.
    pub fn begin(bucket: Bucket, job: ExportJob) -> Result<ExportWriter> {
        let root = root(job.prefix.as_deref());
        let own = format!("{root}/{}", job.export_id);
        let folder = match job.kind {
            ExportKind::Full { .. } => format!("{own}/data"),
            // Incremental exports with the same prefix share a folder.
            ExportKind::Incremental { .. } => format!("{root}/data"),
        };
        bucket.put(&format!("{own}/_started"), b"")?;
        let seed = job.export_id.clone();
        let series = Series::new(bucket.clone(), folder, seed, job.format.extension(), job.file_bytes_max);
        Ok(ExportWriter { bucket, job, series, line: Vec::new(), item_count: 0, billed_size_bytes: 0 })
    }

    /// The key of `manifest-summary.json`, which is there when the export is done.
    pub fn manifest_key(&self) -> String {
        self.key("manifest-summary.json")
    }

    /// How many items or changes have been written.
    pub fn item_count(&self) -> u64 {
        self.item_count
    }

    /// Their size, as the service counts it.
    pub fn billed_size_bytes(&self) -> u64 {
        self.billed_size_bytes
    }

    /// Writes an item of a full export.
    pub fn push(&mut self, item: &Item) -> Result<()> {
        self.line.clear();
        self.job.format.append_item(&mut self.line, item);
        self.write_line(item_bytes(item) as u64)
    }

    /// Writes a change of an incremental export, as much of it as the view shows.
    pub fn push_change(&mut self, change: &Change<'_>) -> Result<()> {
        let view = match self.job.kind {
            ExportKind::Incremental { view, .. } => view,
            ExportKind::Full { .. } => ExportView::NewAndOldImages,
        };
        let old_image = change.old_image.filter(|_| view == ExportView::NewAndOldImages);
        let images = [("Keys", Some(change.keys)), ("OldImage", old_image), ("NewImage", change.new_image)];
        let images = images.into_iter().filter_map(|(name, image)| Some((name, image?)));
        let line = &mut self.line;
        line.clear();
        let mut size = 0;
        match self.job.format {
            ExportFormat::DynamoDbJson => {
                let time = change.write_time_micros;
                write!(line, "{{\"Metadata\":{{\"WriteTimestampMicros\":{{\"N\":\"{time}\"}}}}")?;
                for (name, image) in images {
                    write!(line, ",\"{name}\":")?;
                    json::write_item(line, image);
                    size += item_bytes(image);
                }
                line.extend_from_slice(b"}\n");
            }
            ExportFormat::Ion => {
                line.extend_from_slice(b"$ion_1_0 {Record:{Metadata:{WriteTimestampMicros:");
                let time = i64::try_from(change.write_time_micros).unwrap_or(i64::MAX);
                ion::write_number(line, Number::from(time));
                line.push(b'}');
                for (name, image) in images {
                    write!(line, ",{name}:")?;
                    ion::write_item(line, image);
                    size += item_bytes(image);
                }
                line.extend_from_slice(b"}}\n");
            }
        }
        self.write_line(size as u64)
    }

    /// Ends the export at this time: the last data file, then the manifests, the summary last.
    pub fn finish(mut self, end_time: u64) -> Result<ExportDone> {
        if self.series.is_empty() {
            // Even an empty table has a data file.
            self.series.open()?;
        }
        let (manifest_key, files_key) = (self.manifest_key(), self.key("manifest-files.json"));
        let (files_name, summary_name) = (self.key("manifest-files"), self.key("manifest-summary"));
        let files = self.series.finish()?;
        let lines: Vec<u8> = files.iter().flat_map(DataFile::line).collect();
        put_with_sum(&self.bucket, &files_name, &lines)?;
        let totals = (self.item_count, self.billed_size_bytes);
        let summary = manifest::summary(&self.job, self.bucket.name(), end_time, &files_key, totals);
        put_with_sum(&self.bucket, &summary_name, &summary)?;
        let (item_count, billed_size_bytes) = totals;
        Ok(ExportDone { manifest_key, item_count, billed_size_bytes, files })
    }

    fn write_line(&mut self, size: u64) -> Result<()> {
        self.series.write(&self.line)?;
        self.item_count += 1;
        self.billed_size_bytes += size;
        Ok(())
    }

    /// The key of something that belongs to this export alone.
    fn key(&self, name: &str) -> String {
        format!("{}/{}/{name}", root(self.job.prefix.as_deref()), self.job.export_id)
    }
}
