//! What the fuzzers in `bin` share: choices and values that follow the bytes of an input. Each fuzzer is given bytes by
//! libFuzzer, and must neither panic nor break a promise. A fuzzer links only what it feeds: libFuzzer looks at all code
//! that is there after each input.

pub mod source;
pub mod values;
