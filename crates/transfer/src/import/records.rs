//! The records of one file that is at hand, without a bucket around it. Knows no position to begin again at.

use std::io::{self, Read};

use crate::import::source::Source;
use crate::import::{Compression, InputFormat};
use crate::record::Record;

/// Records of a file in their order: each is good, or it is told what is wrong with it. An error means that the rest
/// of the file cannot be read, and ends them.
pub struct Records(Option<Source>);

impl Records {
    /// The records of these bytes.
    pub fn new(
        bytes: impl Read + Send + 'static,
        compression: Compression,
        format: &InputFormat,
    ) -> io::Result<Records> {
        Ok(Records(Some(Source::new(bytes, compression, format)?)))
    }
}

impl Iterator for Records {
    type Item = io::Result<Result<Record, String>>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = self.0.as_mut()?.advance().transpose();
        if !matches!(found, Some(Ok(_))) {
            self.0 = None;
        }
        Some(found?.map(|found| found.record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_breaks_off_ends_with_an_error() {
        let text = b"{\"Item\":{\"a\":{\"S\":\"x\"}}}\nnonsense\n".as_slice();
        let records = Records::new(text, Compression::None, &InputFormat::DynamoDbJson).unwrap();
        let good: Vec<bool> = records.map(|record| record.unwrap().is_ok()).collect();
        assert_eq!(good, [true, false]);
        let mut records = Records::new(text, Compression::Gzip, &InputFormat::DynamoDbJson).unwrap();
        assert!(records.next().unwrap().is_err());
        assert!(records.next().is_none());
    }
}
