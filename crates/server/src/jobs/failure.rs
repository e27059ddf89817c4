//! How the failures of buckets are told, and what they are asked for. Knows no job.

use op::{BucketSse, Failure, SseAlgorithm};
use transfer::{Encryption, Error, ErrorKind};

/// The code of a fault of ours.
const FAULT: &str = "InternalServerError";

/// Why a job cannot go on.
pub(super) enum Stopped {
    /// The server is to stop: the job goes on later.
    Later,
    /// It failed.
    Failed(Failure),
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Stopped {
        let code = match error.kind {
            ErrorKind::Cancelled => return Stopped::Later,
            ErrorKind::NoBucket => "S3NoSuchBucket",
            ErrorKind::NoObject => "S3NoSuchKey",
            ErrorKind::Denied => "S3AccessDenied",
            ErrorKind::BadName => "S3InvalidBucketName",
            ErrorKind::Store => "S3InternalError",
        };
        Stopped::Failed(Failure { code: code.to_owned(), message: error.message })
    }
}

impl From<op::Error> for Stopped {
    fn from(error: op::Error) -> Stopped {
        Stopped::failed(FAULT, error.message)
    }
}

impl Stopped {
    /// A failure of this name.
    pub(super) fn failed(code: &str, message: impl Into<String>) -> Stopped {
        Stopped::Failed(Failure { code: code.to_owned(), message: message.into() })
    }
}

/// How objects are to be encrypted, as buckets take it.
pub(super) fn encryption(sse: &BucketSse) -> Encryption {
    match sse.algorithm {
        None => Encryption::Default,
        Some(SseAlgorithm::Aes256) => Encryption::Aes256,
        Some(SseAlgorithm::Kms) => Encryption::Kms(sse.key.clone()),
    }
}
