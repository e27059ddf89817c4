//! Design files: table designs that are checked, deployed, seeded, run, priced and written out again.
//! Knows DynamoDB only through requests and answers as JSON; whoever calls it gives it the way to send them.

pub mod check;
pub mod cost;
pub mod deploy;
pub mod diagnostic;
pub mod docs;
pub mod drift;
pub mod explain;
pub mod export;
pub mod fmt;
pub mod import;
pub mod init;
pub mod items;
pub mod json;
pub mod load;
pub mod model;
pub mod physical;
pub mod plan;
pub mod read;
pub mod request;
pub mod rule;
pub mod run;
pub mod schema;
pub mod seed;
pub mod template;
pub mod values;
pub mod yaml;

/// The way to an endpoint, which the callers of this crate give it.
pub use client;
