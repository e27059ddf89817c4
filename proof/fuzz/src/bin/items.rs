//! Feeds `proof_fuzz::items`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| proof_fuzz::items::check(bytes));
