//! Operations on the data streams that a table's changes are delivered to. Each file has the request's model, `decode`,
//! and `encode` where the answer is its own.

mod change;
pub(crate) mod describe_kinesis_streaming_destination;
pub(crate) mod disable_kinesis_streaming_destination;
pub(crate) mod enable_kinesis_streaming_destination;
pub(crate) mod put_records;
#[cfg(test)]
mod tests;
pub(crate) mod update_kinesis_streaming_destination;
