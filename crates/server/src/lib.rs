//! Serves the API over HTTP: sockets in, answers out, background work beside them, a graceful stop.
//! Knows no JSON but that of the clock, no tables and no options of the command line; `pipeline` is the file to read first.

mod about;
mod answer;
mod body;
mod clock;
mod connection;
mod date;
mod delivery;
mod habit;
mod jobs;
mod lane;
mod pages;
mod pipeline;
mod request_id;
mod serve;
mod socket;
mod stop;
mod welcome;
mod work;

pub use serve::{Listener, Server, Settings};
