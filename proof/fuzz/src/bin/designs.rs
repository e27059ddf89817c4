//! Design files: whatever the text, reading, checking, laying out and exporting end with a diagnosis, not a panic.
#![no_main]

use design::check::check as check_design;
use design::fmt::format;
use design::read::read;

/// Reads the bytes as a design file.
fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (design, found) = read("fuzzed.yaml", &text);
    let checked = design.iter().flat_map(check_design);
    for finding in found.iter().cloned().chain(checked) {
        assert!(!finding.message.is_empty() && finding.place.line > 0, "{finding}");
    }
    assert!(design.is_some() || !found.is_empty(), "nothing was read and nothing was said");
    if let Ok(laid_out) = format(&text) {
        assert_eq!(format(&laid_out).ok().as_ref(), Some(&laid_out), "laying out twice is laying out once");
    }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check(bytes));
