//! Feeds `proof_fuzz::bodies`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| proof_fuzz::bodies::check(bytes));
