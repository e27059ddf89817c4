//! Parts that the records of several kinds of jobs share.

use item::Item;
use op::{BucketPlace, BucketSse, Compression, ExportFormat, Failure, SseAlgorithm};

use crate::catalog::fields::{Fields, map, number, text, word};
use crate::catalog::words::Word;
use crate::transfer::Place;

/// A text, if there is one.
pub(super) fn maybe_text(out: &mut Fields, name: &str, value: Option<&String>) {
    if let Some(value) = value {
        out.text(name, value);
    }
}

pub(super) fn encode_bucket(out: &mut Fields, bucket: &BucketPlace) {
    out.text("bucket", &bucket.bucket);
    maybe_text(out, "owner", bucket.owner.as_ref());
    maybe_text(out, "prefix", bucket.prefix.as_ref());
}

pub(super) fn decode_bucket(record: &Item) -> Option<BucketPlace> {
    let bucket = text(record, "bucket")?;
    Some(BucketPlace { bucket, owner: text(record, "owner"), prefix: text(record, "prefix") })
}

pub(super) fn encode_sse(out: &mut Fields, sse: &BucketSse) {
    if let Some(algorithm) = sse.algorithm {
        out.word("algorithm", algorithm);
    }
    maybe_text(out, "key", sse.key.as_ref());
}

pub(super) fn decode_sse(record: &Item) -> Option<BucketSse> {
    Some(BucketSse { algorithm: word(record, "algorithm"), key: text(record, "key") })
}

pub(super) fn encode_failure(out: &mut Fields, failure: &Failure) {
    out.text("code", &failure.code);
    out.text("message", &failure.message);
}

pub(super) fn decode_failure(record: &Item) -> Option<Failure> {
    Some(Failure { code: text(record, "code")?, message: text(record, "message")? })
}

pub(super) fn encode_place(out: &mut Fields, place: &Place) {
    out.number("files", Some(place.files));
    out.number("records", Some(place.records));
}

pub(super) fn decode_place(record: &Item) -> Option<Place> {
    Some(Place { files: number(record, "files")?, records: number(record, "records")? })
}

/// A part that must be there.
pub(super) fn part<T>(record: &Item, name: &str, read: impl Fn(&Item) -> Option<T>) -> Option<T> {
    map(record, name, read)?
}

impl Word for SseAlgorithm {
    const WORDS: &'static [(SseAlgorithm, &'static str)] =
        &[(SseAlgorithm::Aes256, "AES256"), (SseAlgorithm::Kms, "KMS")];
}

impl Word for Compression {
    const WORDS: &'static [(Compression, &'static str)] =
        &[(Compression::Gzip, "GZIP"), (Compression::Zstd, "ZSTD"), (Compression::None, "NONE")];
}

impl Word for ExportFormat {
    const WORDS: &'static [(ExportFormat, &'static str)] =
        &[(ExportFormat::DynamoDbJson, "DYNAMODB_JSON"), (ExportFormat::Ion, "ION")];
}
