//! What exports, imports and bulk operations have in common: buckets, tokens, compression, failures. Knows no operation.

use op::{BucketPlace, BucketSse, Compression, ExportFormat, Failure, SseAlgorithm};

use crate::fault::Fault;
use crate::fields::Fields;
use crate::rule::{Rule, Test, rule};
use crate::write::Object;

/// How many exports, imports or bulk operations one answer has at most.
pub(crate) const PAGE_MAX: usize = 25;
pub(crate) const SSE_NAMES: &[&str] = &["AES256", "KMS"];
/// OBSERVED: the order in which the service prints them.
pub(crate) const COMPRESSION_NAMES: &[&str] = &["ZSTD", "NONE", "GZIP"];
pub(crate) const FORMAT_NAMES: &[&str] = &["DYNAMODB_JSON", "ION"];

const ALGORITHMS: &[(&str, SseAlgorithm)] = &[("AES256", SseAlgorithm::Aes256), ("KMS", SseAlgorithm::Kms)];
const COMPRESSIONS: &[(&str, Compression)] =
    &[("GZIP", Compression::Gzip), ("ZSTD", Compression::Zstd), ("NONE", Compression::None)];
const FORMATS: &[(&str, ExportFormat)] =
    &[("DYNAMODB_JSON", ExportFormat::DynamoDbJson), ("ION", ExportFormat::Ion)];

/// A client's token.
pub(crate) const TOKEN: Test = Test::Form(is_token, r"^[^\$]+$");
/// A bucket's name.
pub(crate) const BUCKET: Test = Test::Form(is_bucket, r"^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$");
/// An account.
pub(crate) const OWNER: Test = Test::Form(is_account, "[0-9]{12}");
/// Where a page begins.
pub(crate) const PAGE_TOKEN: Test = Test::Form(is_page_token, "([0-9a-f]{16})+");
/// What the model says of a bucket and what lies in it.
pub(crate) const PLACE_RULES: &[Rule] = &[
    rule("S3Bucket", Test::Required),
    rule("S3Bucket", BUCKET),
    rule("S3Bucket", Test::LengthMax(255)),
    rule("S3BucketOwner", OWNER),
    rule("S3KeyPrefix", Test::LengthMax(1024)),
    rule("S3SseAlgorithm", Test::OneOf(SSE_NAMES)),
    rule("S3SseKmsKeyId", Test::LengthMin(1)),
    rule("S3SseKmsKeyId", Test::LengthMax(2048)),
];

fn is_token(text: &str) -> bool {
    !text.is_empty() && !text.contains('$')
}

fn is_bucket(text: &str) -> bool {
    let bytes = text.as_bytes();
    let ends = bytes.first().zip(bytes.last());
    bytes.len() >= 2
        && ends.is_some_and(|(first, last)| first.is_ascii_alphanumeric() && last.is_ascii_alphanumeric())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte))
}

fn is_account(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_page_token(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    !text.is_empty() && text.len().is_multiple_of(16) && text.bytes().all(is_digit)
}

/// A bucket with the prefix of this name.
pub(crate) fn place(fields: Fields<'_, '_>, prefix: &str) -> Result<BucketPlace, Fault> {
    Ok(BucketPlace {
        bucket: fields.required_text("S3Bucket")?.to_owned(),
        owner: fields.owned("S3BucketOwner")?,
        prefix: fields.owned(prefix)?,
    })
}

/// How objects are to be encrypted. A key goes with one of the algorithms only.
pub(crate) fn sse(fields: Fields<'_, '_>) -> Result<BucketSse, Fault> {
    let algorithm = fields.choice("S3SseAlgorithm", ALGORITHMS)?;
    let key = fields.owned("S3SseKmsKeyId")?;
    if key.is_some() && algorithm != Some(SseAlgorithm::Kms) {
        return Err(Fault::invalid("Invalid Request: KMS Key Id is not supported for this encryption type"));
    }
    Ok(BucketSse { algorithm, key })
}

pub(crate) fn compression(fields: Fields<'_, '_>) -> Result<Compression, Fault> {
    Ok(fields.choice("InputCompressionType", COMPRESSIONS)?.unwrap_or_default())
}

/// A format of exports, which bulk operations take too.
pub(crate) fn format(fields: Fields<'_, '_>, name: &str) -> Result<Option<ExportFormat>, Fault> {
    fields.choice(name, FORMATS)
}

/// Writes a bucket with its prefix under this name.
pub(crate) fn write_place(place: &BucketPlace, prefix: &'static str, object: &mut Object<'_>) {
    if let Some(owner) = &place.owner {
        object.text("S3BucketOwner", owner);
    }
    object.text("S3Bucket", &place.bucket);
    if let Some(text) = &place.prefix {
        object.text(prefix, text);
    }
}

pub(crate) fn write_sse(sse: &BucketSse, object: &mut Object<'_>) {
    if let Some(algorithm) = sse.algorithm {
        object.text(
            "S3SseAlgorithm",
            match algorithm {
                SseAlgorithm::Aes256 => "AES256",
                SseAlgorithm::Kms => "KMS",
            },
        );
    }
    if let Some(key) = &sse.key {
        object.text("S3SseKmsKeyId", key);
    }
}

pub(crate) fn compression_name(compression: Compression) -> &'static str {
    match compression {
        Compression::Gzip => "GZIP",
        Compression::Zstd => "ZSTD",
        Compression::None => "NONE",
    }
}

pub(crate) fn format_name(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::DynamoDbJson => "DYNAMODB_JSON",
        ExportFormat::Ion => "ION",
    }
}

pub(crate) fn write_token(token: Option<&str>, object: &mut Object<'_>) {
    if let Some(token) = token {
        object.text("ClientToken", token);
    }
}

/// When long work began and ended.
pub(crate) fn write_times(start_ms: u64, end_ms: Option<u64>, object: &mut Object<'_>) {
    object.time("StartTime", start_ms);
    if let Some(end) = end_ms {
        object.time("EndTime", end);
    }
}

pub(crate) fn write_failure(failure: Option<&Failure>, object: &mut Object<'_>) {
    if let Some(failure) = failure {
        object.text("FailureCode", &failure.code);
        object.text("FailureMessage", &failure.message);
    }
}
