//! Pages of lists of jobs. The place where the next page begins is told as digits, as the API wants it.

use std::fmt::Write as _;

use op::Error;

/// Digits come in groups of this many bytes.
const GROUP_BYTES: usize = 8;
/// The shortest that the API takes.
const LEAST_BYTES: usize = 56;

/// The page of what is listed, the last first, that begins after `next`; and where the one after it begins.
pub(super) fn of<T>(
    mut listed: Vec<T>,
    name: impl Fn(&T) -> String,
    next: Option<&str>,
    limit: usize,
) -> Result<(Vec<T>, Option<String>), Error> {
    listed.sort_by_cached_key(|one| std::cmp::Reverse(name(one)));
    if let Some(next) = next {
        let invalid = || Error::validation(format!("Invalid Request: Provided nextToken is invalid: {next}"));
        let after = read(next).ok_or_else(invalid)?;
        listed.retain(|one| name(one) < after);
    }
    let more = listed.len() > limit;
    listed.truncate(limit);
    let next = listed.last().filter(|_| more).map(|one| write(&name(one)));
    Ok((listed, next))
}

/// A name as digits, filled up with zeros.
fn write(name: &str) -> String {
    let length = name.len().max(LEAST_BYTES).next_multiple_of(GROUP_BYTES);
    let mut out = String::with_capacity(2 * length);
    for byte in name.bytes().chain(std::iter::repeat(0)).take(length) {
        let _infallible = write!(out, "{byte:02x}");
    }
    out
}

fn read(digits: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(digits.len() / 2);
    for pair in digits.as_bytes().chunks(2) {
        bytes.push(u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?);
    }
    let end = bytes.iter().rposition(|byte| *byte != 0)? + 1;
    bytes.truncate(end);
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_each_other_without_a_gap() {
        let listed: Vec<String> = (0..7).map(|number| format!("arn:{number}")).collect();
        let (mut next, mut seen) = (None, Vec::new());
        loop {
            let (page, more) = of(listed.clone(), String::clone, next.as_deref(), 3).unwrap();
            seen.extend(page);
            next = more;
            match &next {
                Some(digits) => assert!(digits.len() >= 112 && digits.len() % 16 == 0, "{digits}"),
                None => break,
            }
        }
        let backwards: Vec<String> = listed.into_iter().rev().collect();
        assert_eq!(seen, backwards);
    }

    #[test]
    fn what_was_not_told_is_refused() {
        for wrong in ["zz", "00", "ff".repeat(56).as_str(), "é"] {
            assert!(of(vec![String::new()], String::clone, Some(wrong), 1).is_err(), "{wrong}");
        }
    }
}
