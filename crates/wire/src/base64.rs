//! Base64 as the service takes and gives it: the standard alphabet, padded. Knows no JSON.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// What a byte that is no digit stands for in [`DIGITS`].
const NONE: u8 = 0xFF;
/// The value of each digit, by its byte.
const DIGITS: [u8; 256] = digits();

#[expect(clippy::indexing_slicing, reason = "runs while compiling, where a bad index fails the build")]
const fn digits() -> [u8; 256] {
    let mut table = [NONE; 256];
    let mut value = 0;
    while value < 64 {
        table[ALPHABET[value] as usize] = value as u8;
        value += 1;
    }
    table
}

/// Why a text is not base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base64Error {
    /// Not a multiple of four bytes long.
    Length(usize),
    /// A character that is no digit, or one after the padding began.
    Character(char),
    /// Bits that stand for nothing are not zero.
    LastDigit,
}

/// The bytes that a text stands for.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, Base64Error> {
    let bytes = text.as_bytes();
    if !bytes.len().is_multiple_of(4) {
        return Err(Base64Error::Length(bytes.len()));
    }
    let padding = bytes.iter().rev().take(2).take_while(|&&byte| byte == b'=').count();
    let digits = bytes.get(..bytes.len() - padding).unwrap_or_default();
    let mut out = Vec::with_capacity(bytes.len() / 4 * 3);
    let mut pending: u32 = 0;
    let mut bits = 0;
    for &byte in digits {
        let digit = DIGITS.get(usize::from(byte)).copied().unwrap_or(NONE);
        if digit == NONE {
            return Err(Base64Error::Character(text.chars().find(|&c| !is_digit(c)).unwrap_or('=')));
        }
        pending = pending << 6 | u32::from(digit);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((pending >> bits) as u8);
            pending &= (1 << bits) - 1;
        }
    }
    if pending == 0 { Ok(out) } else { Err(Base64Error::LastDigit) }
}

fn is_digit(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '+' || character == '/'
}

/// Appends the text that stands for these bytes.
pub(crate) fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let mut group: u32 = 0;
        for place in 0..3 {
            group = group << 8 | u32::from(chunk.get(place).copied().unwrap_or(0));
        }
        for place in 0..4 {
            let value = (group >> (18 - 6 * place)) & 0x3F;
            let digit = ALPHABET.get(value as usize).copied().unwrap_or(b'=');
            out.push(if place <= chunk.len() { digit } else { b'=' });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg=="),
            (&[0, 255, 254, 62, 63], "AP/+Pj8="),
        ] {
            let mut out = Vec::new();
            encode(bytes, &mut out);
            assert_eq!(out, text.as_bytes());
            assert_eq!(decode(text).as_deref(), Ok(bytes));
        }
    }

    #[test]
    fn refusals() {
        for (text, error) in [
            ("a", Base64Error::Length(1)),
            ("abc", Base64Error::Length(3)),
            ("ab!=", Base64Error::Character('!')),
            ("a=bc", Base64Error::Character('=')),
            ("====", Base64Error::Character('=')),
            ("ab==", Base64Error::LastDigit),
            ("é==", Base64Error::Character('é')),
        ] {
            assert_eq!(decode(text), Err(error), "{text}");
        }
    }
}
