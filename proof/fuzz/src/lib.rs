//! One function for each thing that reads what others wrote: it is given bytes, and must neither panic nor break a
//! promise. The programs in `bin` hand them to libFuzzer, one each.

pub mod bodies;
pub mod designs;
pub mod expressions;
pub mod items;
mod requests;
mod source;
