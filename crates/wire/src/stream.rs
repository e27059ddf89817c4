//! Operations on streams. Each file has the request's model, `decode` and `encode`.

pub(crate) mod describe_stream;
pub(crate) mod get_records;
pub(crate) mod get_shard_iterator;
pub(crate) mod list_streams;
#[cfg(test)]
mod tests;

use crate::arn;
use crate::fault::Fault;

/// How many streams or shards one answer has at most.
const PAGE_MAX: usize = 100;
const SHARD_ID_MIN: usize = 28;
const SHARD_ID_MAX: usize = 65;

/// A stream's ARN. OBSERVED: whatever else it is, it is refused with these words rather than with a constraint's.
fn stream_arn(named: &str) -> Result<String, Fault> {
    match arn::part(named, "stream") {
        Some(_) => Ok(named.to_owned()),
        None => Err(Fault::invalid("Invalid StreamArn")),
    }
}
