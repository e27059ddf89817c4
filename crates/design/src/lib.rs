//! Design files: table designs that are checked, deployed, seeded, run, priced and written out again.
//! Knows DynamoDB only through requests and answers as JSON; whoever calls it gives it the way to send them.

pub mod check;
pub mod client;
pub mod clock;
pub mod diagnostic;
pub mod fmt;
pub mod init;
pub mod items;
pub mod json;
pub mod model;
pub mod moment;
pub mod read;
pub mod rule;
pub mod schema;
pub mod template;
pub mod values;
pub mod yaml;
pub mod deploy;
pub mod physical;
pub mod plan;
mod live;
pub mod request;
pub mod run;
pub mod seed;
pub mod cost;
pub mod export;
pub mod explain;
pub mod drift;
pub mod load;
pub mod import;
pub mod docs;
