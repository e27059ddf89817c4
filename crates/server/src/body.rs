//! A request's body, read whole and under a limit.
//! Knows no operations; slow senders are the socket's business, it ends their reads with an error.

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use op::limits::BODY_BYTES_MAX;
use std::time::Duration;

/// What is reserved before a body has arrived; a length that was only announced buys no memory.
const RESERVED_BYTES_MAX: u64 = 256 * 1024;
/// How much of a body that is too large is read away, so that its sender gets to see the answer.
const DISCARDED_BYTES_MAX: usize = 128 * 1024 * 1024;
const DISCARD_TIME_MAX: Duration = Duration::from_secs(10);

/// Why there is no body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// More than the limit.
    TooLarge,
    /// The sender went away or sent bytes that are no body.
    Broken,
    /// The sender stopped in the middle.
    TooSlow,
}

/// What the sender does before it sends a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sender {
    /// Sends it at once.
    Eager,
    /// Waits for leave (`Expect: 100-continue`), which the first read gives.
    Waits,
}

/// The whole body.
pub(crate) async fn read(mut body: Incoming, sender: Sender) -> Result<Bytes, Refusal> {
    if body.size_hint().lower() > BODY_BYTES_MAX as u64 {
        if sender == Sender::Eager {
            discard(body).await;
        }
        return Err(Refusal::TooLarge);
    }
    let Some(first) = next(&mut body).await? else {
        return Ok(Bytes::new());
    };
    // Nearly every body arrives in one piece and is used where it lies.
    if body.is_end_stream() && first.len() <= BODY_BYTES_MAX {
        return Ok(first);
    }
    let expected = body.size_hint().lower().min(RESERVED_BYTES_MAX);
    let mut whole = BytesMut::with_capacity(first.len() + expected as usize);
    whole.extend_from_slice(&first);
    while let Some(part) = next(&mut body).await? {
        if whole.len() + part.len() > BODY_BYTES_MAX {
            discard(body).await;
            return Err(Refusal::TooLarge);
        }
        whole.extend_from_slice(&part);
    }
    Ok(whole.freeze())
}

/// The next piece, or none at the end. Trailers say nothing we need.
async fn next(body: &mut Incoming) -> Result<Option<Bytes>, Refusal> {
    loop {
        match body.frame().await {
            None => return Ok(None),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
            Some(Err(error)) => return Err(refusal(&error)),
        }
    }
}

fn refusal(error: &hyper::Error) -> Refusal {
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        if inner.downcast_ref::<std::io::Error>().is_some_and(|io| io.kind() == std::io::ErrorKind::TimedOut)
        {
            return Refusal::TooSlow;
        }
        cause = inner.source();
    }
    Refusal::Broken
}

/// Many clients read no answer before they have sent everything, and see a broken connection instead of it.
async fn discard(mut body: Incoming) {
    let reading = async {
        let mut bytes = 0;
        while let Ok(Some(part)) = next(&mut body).await {
            bytes += part.len();
            if bytes > DISCARDED_BYTES_MAX {
                break;
            }
        }
    };
    // Whether the end was reached makes no difference: the answer is the same.
    let _in_time = tokio::time::timeout(DISCARD_TIME_MAX, reading).await;
}
