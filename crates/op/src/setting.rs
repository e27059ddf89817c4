//! Operations on what surrounds a table: tags, expiry, limits.

use crate::Tag;

/// Adds or replaces tags.
#[derive(Debug, Clone)]
pub struct TagResource {
    /// The table's ARN.
    pub arn: String,
    /// The tags.
    pub tags: Vec<Tag>,
}

/// Removes tags.
#[derive(Debug, Clone)]
pub struct UntagResource {
    /// The table's ARN.
    pub arn: String,
    /// Their keys.
    pub keys: Vec<String>,
}

/// Lists tags.
#[derive(Debug, Clone)]
pub struct ListTagsOfResource {
    /// The table's ARN.
    pub arn: String,
    /// Where to go on.
    pub next: Option<String>,
}

/// The answer of ListTagsOfResource.
#[derive(Debug, Clone, Default)]
pub struct Tags {
    /// The tags.
    pub tags: Vec<Tag>,
    /// Where the next page begins.
    pub next: Option<String>,
}

/// Asks for the account's limits.
#[derive(Debug, Clone, Copy)]
pub struct DescribeLimits;

/// The answer of DescribeLimits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Read units of all tables.
    pub account_read_max: u64,
    /// Write units of all tables.
    pub account_write_max: u64,
    /// Read units of one table.
    pub table_read_max: u64,
    /// Write units of one table.
    pub table_write_max: u64,
}

/// Asks which endpoint to use.
#[derive(Debug, Clone, Default)]
pub struct DescribeEndpoints {
    /// The host the request came to, which is the endpoint.
    pub host: String,
}

/// The answer of DescribeEndpoints.
#[derive(Debug, Clone)]
pub struct Endpoints {
    /// The endpoint's host and port.
    pub address: String,
    /// How long the answer holds.
    pub cache_period_minutes: u64,
}

/// Sets or clears the attribute by which items expire.
#[derive(Debug, Clone)]
pub struct UpdateTimeToLive {
    /// The table's plain name.
    pub table: String,
    /// Whether items expire.
    pub enabled: bool,
    /// The attribute that says when.
    pub attribute: String,
}

/// Asks by which attribute items expire.
#[derive(Debug, Clone)]
pub struct DescribeTimeToLive {
    /// The table's plain name.
    pub table: String,
}

/// How items expire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeToLive {
    /// Whether they do.
    pub status: TtlStatus,
    /// The attribute that says when.
    pub attribute: Option<String>,
}

/// The states of expiry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the state of its name")]
pub enum TtlStatus {
    Enabling,
    Enabled,
    Disabling,
    Disabled,
}
