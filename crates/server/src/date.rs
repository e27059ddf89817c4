//! The date of an answer, as HTTP writes it. SDKs correct their clocks by it, so it is the machine's time, whatever time the
//! engine is told.

use std::cell::RefCell;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

thread_local! {
    /// The second that was written last, and its text.
    static LAST: RefCell<(u64, String)> = const { RefCell::new((0, String::new())) };
}

/// Appends the date.
#[expect(clippy::disallowed_methods, reason = "SDKs compare it with their machine's clock")]
pub(crate) fn write(out: &mut Vec<u8>) {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    LAST.with_borrow_mut(|(last, text)| {
        if *last != seconds || text.is_empty() {
            *last = seconds;
            *text = httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(seconds));
        }
        out.extend_from_slice(text.as_bytes());
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_machines_date() {
        let mut out = Vec::new();
        write(&mut out);
        let told = httpdate::parse_http_date(std::str::from_utf8(&out).unwrap()).unwrap();
        #[expect(clippy::disallowed_methods, reason = "that is what is tested")]
        let age = SystemTime::now().duration_since(told).unwrap();
        assert!(age < Duration::from_secs(5), "{age:?}");
    }
}
