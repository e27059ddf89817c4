//! Feeds `proof_fuzz::expressions`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| proof_fuzz::expressions::check(bytes));
