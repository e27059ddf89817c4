//! The records of one file: decompressed, in one of the formats. Knows no buckets.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;

use crate::import::{Compression, CsvRecords, Found, InputFormat};
use crate::ion::{BinaryRecords, MARKER, TextRecords};
use crate::json;
use crate::lines::{self, Lines, too_long};

type Input = Box<dyn BufRead + Send>;

/// Records of a file.
pub(super) enum Source {
    /// Nothing has been read, so it is not known which form of Ion this is.
    Ion(Option<Input>),
    IonText(TextRecords<Input>),
    IonBinary(BinaryRecords<Input>),
    Json(Lines<Input>),
    Csv(CsvRecords<Input>),
}

impl Source {
    pub(super) fn new(
        bytes: impl Read + Send + 'static,
        compression: Compression,
        format: &InputFormat,
    ) -> io::Result<Source> {
        let bytes = BufReader::with_capacity(64 * 1024, bytes);
        let input: Input = match compression {
            Compression::None => Box::new(bytes),
            Compression::Gzip => Box::new(BufReader::with_capacity(64 * 1024, MultiGzDecoder::new(bytes))),
            Compression::Zstd => Box::new(BufReader::with_capacity(
                64 * 1024,
                zstd::stream::read::Decoder::with_buffer(bytes)?,
            )),
        };
        Ok(match format {
            InputFormat::DynamoDbJson => Source::Json(Lines::new(input)),
            InputFormat::Ion => Source::Ion(Some(input)),
            InputFormat::Csv(options) => Source::Csv(CsvRecords::new(input, options.clone())),
        })
    }

    /// The next record of the file.
    pub(super) fn advance(&mut self) -> io::Result<Option<Found>> {
        loop {
            match self {
                Source::Json(lines) => return json_record(lines),
                Source::Csv(records) => return records.advance(),
                Source::IonText(records) => return records.advance(),
                Source::IonBinary(records) => return records.advance(),
                Source::Ion(input) => {
                    let Some(mut input) = input.take() else { return Ok(None) };
                    let binary = input.fill_buf()?.first() == Some(&MARKER[0]);
                    *self = if binary {
                        Source::IonBinary(BinaryRecords::new(input))
                    } else {
                        Source::IonText(TextRecords::new(input))
                    };
                }
            }
        }
    }

    /// The line that was read last.
    pub(super) fn line(&self) -> u64 {
        match self {
            Source::Json(lines) => lines.number(),
            Source::Csv(records) => records.line(),
            Source::IonText(records) => records.line(),
            Source::IonBinary(records) => records.count(),
            Source::Ion(_) => 0,
        }
    }
}

fn json_record(lines: &mut Lines<Input>) -> io::Result<Option<Found>> {
    loop {
        let record = match lines.advance()? {
            lines::Read::End => return Ok(None),
            lines::Read::TooLong => Err(too_long()),
            lines::Read::Whole if lines.line().trim_ascii().is_empty() => continue,
            lines::Read::Whole => json::read_record(lines.line()),
        };
        return Ok(Some(Found { line: lines.number(), record }));
    }
}
