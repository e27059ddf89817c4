//! The binary from outside: how it starts, refuses, answers over HTTP and stops.
//! Knows nothing of the crates behind it; requests are bytes, answers are bytes.

#![expect(clippy::unwrap_used, reason = "a test that panics is a test that failed")]

mod client;
mod clock;
mod console;
mod design;
mod failures;
mod http;
mod jobs;
mod moving;
mod process;
mod start;
mod stop;
