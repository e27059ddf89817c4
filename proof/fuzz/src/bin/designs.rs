//! Feeds `proof_fuzz::designs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| proof_fuzz::designs::check(bytes));
