//! The rows of a bucket, a few at a time. Knows no table.

use super::Means;
use super::failure::Stopped;
use engine::{Place, Row, RowCondition};
use op::BucketPlace;
use std::sync::Arc;
use transfer::{Compression, Entry, ImportReader, ImportSettings, InputFormat, Position};

/// Rows that are handed on together.
const ROWS_MAX: usize = 100;
/// The size of rows that are handed on together, if they are large.
const BYTES_MAX: usize = 1024 * 1024;

/// The rows of all objects of a place.
pub(super) struct Source {
    reader: ImportReader,
}

impl Source {
    /// Begins to read after what has been handled. OBSERVED: a place without objects is no mistake.
    pub(super) fn open(
        means: &Means<'_>,
        from: &BucketPlace,
        format: InputFormat,
        compression: op::Compression,
        start: Place,
    ) -> Result<Source, Stopped> {
        let bucket = means.buckets.open(&from.bucket)?;
        let prefix = from.prefix.clone().unwrap_or_default();
        let settings = ImportSettings {
            prefix: prefix.clone(),
            format,
            compression: match compression {
                op::Compression::None => Compression::None,
                op::Compression::Gzip => Compression::Gzip,
                op::Compression::Zstd => Compression::Zstd,
            },
            start: Position {
                files: usize::try_from(start.files).unwrap_or(usize::MAX),
                records: start.records,
            },
            cancel: Arc::clone(means.stopping),
        };
        let reader = ImportReader::open(bucket.clone(), settings)?;
        Ok(Source { reader })
    }

    /// The size of all objects.
    pub(super) fn total_bytes(&self) -> u64 {
        self.reader.progress().bytes_total
    }

    /// How much of them has been read.
    pub(super) fn read_bytes(&self) -> u64 {
        self.reader.progress().bytes_read
    }

    /// The next rows; none at the end.
    pub(super) fn next(&mut self) -> Result<Vec<Row>, Stopped> {
        let (mut rows, mut bytes) = (Vec::new(), 0);
        while rows.len() < ROWS_MAX && bytes < BYTES_MAX {
            let Some(entry) = self.reader.next()? else { break };
            if let Ok(record) = &entry.record {
                bytes += item::item_bytes(&record.item);
            }
            rows.push(row(entry));
        }
        Ok(rows)
    }
}

fn row(entry: Entry) -> Row {
    let record = entry.record.map(|record| {
        let condition = record.condition.map(|condition| RowCondition {
            expression: condition.expression,
            names: condition.names,
            values: condition.values,
        });
        (record.item, condition)
    });
    let after = Place { files: entry.after.files as u64, records: entry.after.records };
    Row { object: entry.key, line: entry.line, record, after }
}
