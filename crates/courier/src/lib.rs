//! Moves tables: from one endpoint to another, into files and out of them.
//! Knows endpoints by requests and answers as JSON; knows no command line and no terminal.

pub mod copy;
mod definition;
mod digest;
pub mod dump;
mod error;
pub mod load;
mod make;
mod page;
mod parallel;
mod patience;
mod rate;
mod state;
mod verify;
mod watch;
mod write;

pub use definition::Definition;
pub use dump::Format;
pub use error::Error;
pub use watch::Watch;
