//! Operations on the data streams of another service that a table's changes are delivered to.

/// Begins to deliver a table's changes to a data stream.
#[derive(Debug, Clone)]
pub struct EnableKinesisStreamingDestination {
    /// The table's plain name.
    pub table: String,
    /// The data stream's ARN.
    pub stream: String,
    /// How exact times are to be, if it was said.
    pub precision: Option<Precision>,
}

/// Ends the delivery to a data stream.
#[derive(Debug, Clone)]
pub struct DisableKinesisStreamingDestination {
    /// The table's plain name.
    pub table: String,
    /// The data stream's ARN.
    pub stream: String,
}

/// Changes how a table's changes are delivered.
#[derive(Debug, Clone)]
pub struct UpdateKinesisStreamingDestination {
    /// The table's plain name.
    pub table: String,
    /// The data stream's ARN.
    pub stream: String,
    /// How exact times are to be.
    pub precision: Precision,
}

/// Asks where a table's changes are delivered.
#[derive(Debug, Clone)]
pub struct DescribeKinesisStreamingDestination {
    /// The table's plain name.
    pub table: String,
}

/// How exact the times of delivered changes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the unit of its name")]
pub enum Precision {
    Millisecond,
    Microsecond,
}

/// The answer of the operations that change a destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KinesisDestinationChange {
    /// The table's plain name.
    pub table: String,
    /// The data stream's ARN.
    pub stream: String,
    /// The state the change led to.
    pub status: DestinationStatus,
    /// How exact times are, if it was said.
    pub precision: Option<Precision>,
}

/// States of a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the state of its name")]
pub enum DestinationStatus {
    Enabling,
    Active,
    Disabling,
    Disabled,
    EnableFailed,
    Updating,
}

/// The answer of DescribeKinesisStreamingDestination.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KinesisDestinations {
    /// The table's plain name.
    pub table: String,
    /// The destinations.
    pub destinations: Vec<KinesisDestination>,
}

/// A data stream that a table's changes are delivered to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KinesisDestination {
    /// The data stream's ARN.
    pub stream: String,
    /// Its state.
    pub status: DestinationStatus,
    /// The state in words, where it needs them.
    pub description: Option<String>,
    /// How exact times are.
    pub precision: Option<Precision>,
}
