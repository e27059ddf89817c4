//! Key values as bytes that sort as the service sorts them. Knows no tables.

use crate::{Number, Value};

const NEGATIVE: u8 = 1;
const ZERO: u8 = 2;
const POSITIVE: u8 = 3;

/// Appends a key value (string, number or binary) so that byte order is value order and no encoding is a prefix of
/// another. Other types have no order; they append nothing.
pub fn append_ordered(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::S(text) => {
            escape(out, text.as_bytes());
            out.extend_from_slice(&[0, 0]);
        }
        Value::B(bytes) => {
            escape(out, bytes);
            out.extend_from_slice(&[0, 0]);
        }
        Value::N(number) => append_number(out, *number),
        Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_)
        | Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_) => {}
    }
}

/// Appends what all strings or binaries that begin with this value begin with.
pub fn append_ordered_prefix(out: &mut Vec<u8>, prefix: &[u8]) {
    escape(out, prefix);
}

/// Zero bytes become `00 FF`, so that the end mark `00 00` sorts before everything that follows in a longer text.
fn escape(out: &mut Vec<u8>, bytes: &[u8]) {
    if !bytes.contains(&0) {
        out.extend_from_slice(bytes);
        return;
    }
    for &byte in bytes {
        out.push(byte);
        if byte == 0 {
            out.push(0xFF);
        }
    }
}

/// Sign, biased magnitude, pairs of digits (each plus one), end mark; all inverted below zero.
fn append_number(out: &mut Vec<u8>, number: Number) {
    let (mantissa, _) = number.parts();
    if mantissa == 0 {
        out.push(ZERO);
        return;
    }
    out.push(if mantissa < 0 { NEGATIVE } else { POSITIVE });
    let start = out.len();
    // The magnitude lies between -130 and 125, so that it fits a byte with this bias.
    out.push((number.magnitude() + 130) as u8);
    let digits = mantissa.unsigned_abs().to_string();
    let mut digits = digits.bytes().map(|digit| digit - b'0');
    while let Some(first) = digits.next() {
        out.push(first * 10 + digits.next().unwrap_or(0) + 1);
    }
    out.push(0);
    if mantissa < 0 {
        for byte in out.iter_mut().skip(start) {
            *byte = !*byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(value: &Value) -> Vec<u8> {
        let mut out = Vec::new();
        append_ordered(&mut out, value);
        out
    }

    #[test]
    fn numbers_sort_by_value() {
        let texts = [
            "-9.9E125", "-1E125", "-123", "-12", "-11.5", "-1", "-0.1", "-1E-130", "0", "1E-130", "0.01",
            "0.1", "0.11", "1", "1.01", "9", "10", "11", "99", "100", "1E125",
        ];
        for pair in texts.windows(2) {
            let [a, b] = [0, 1].map(|i| ordered(&Value::N(Number::parse(pair[i]).unwrap())));
            assert!(a < b, "{pair:?}");
        }
    }

    #[test]
    fn strings_sort_by_bytes_even_with_zeros_in_them() {
        let texts = ["", "\0", "\0\0", "\0a", "a", "a\0", "a\0b", "aa", "b", "é", "\u{10FFFF}"];
        for pair in texts.windows(2) {
            let [a, b] = [0, 1].map(|i| ordered(&Value::S(pair[i].to_string())));
            assert!(a < b, "{pair:?}");
            assert!(!b.starts_with(&a), "{pair:?}");
        }
    }
}
