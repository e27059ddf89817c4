//! A digest of a request's meaning, equal for requests that differ only in notation. Knows no operations.

use std::collections::BTreeMap;

use crate::fields::Pairs;
use crate::json::Json;

const FNV_OFFSET: u64 = 0xCBF2_9CE4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01B3;

/// A digest in the making. It stays the same across versions of the compiler, because tokens outlive the process.
pub(crate) struct Digest(u64);

impl Digest {
    /// The digest of an object without one of its members.
    pub(crate) fn without(pairs: &Pairs<'_>, left_out: &str) -> u64 {
        let mut digest = Digest(FNV_OFFSET);
        digest.map(pairs, Some(left_out));
        // The last step spreads the last bytes over all bits.
        let mixed = (digest.0 ^ (digest.0 >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        mixed ^ (mixed >> 33)
    }

    fn value(&mut self, value: &Json<'_>) {
        match value {
            Json::Null => self.bytes(b"z"),
            Json::Bool(flag) => self.bytes(if *flag { b"t" } else { b"f" }),
            Json::Number(digits) => self.text(b"n", digits),
            Json::Text(text) => self.text(b"s", text),
            Json::List(values) => {
                self.bytes(b"[");
                values.iter().for_each(|value| self.value(value));
                self.bytes(b"]");
            }
            Json::Map(pairs) => self.map(pairs, None),
        }
    }

    /// Sorted, so that the order of names does not count; of equal names the last one stays.
    fn map(&mut self, pairs: &Pairs<'_>, left_out: Option<&str>) {
        let sorted: BTreeMap<&str, &Json<'_>> =
            pairs.iter().map(|(name, value)| (name.as_ref(), value)).collect();
        self.bytes(b"{");
        for (name, value) in sorted {
            if !matches!(value, Json::Null) && left_out != Some(name) {
                self.text(b"k", name);
                self.value(value);
            }
        }
        self.bytes(b"}");
    }

    fn text(&mut self, kind: &[u8], text: &str) {
        self.bytes(kind);
        self.bytes(&text.len().to_le_bytes());
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(FNV_PRIME);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn notation_does_not_count_and_meaning_does() {
        let digest = |text: &str| match parse(text.as_bytes()) {
            Ok(Json::Map(pairs)) => Digest::without(&pairs, "t"),
            other => panic!("{other:?}"),
        };
        let base = digest(r#"{"a":{"S":"x"},"b":[1,2],"t":"u"}"#);
        assert_eq!(base, digest(r#" { "b":[1 , 2],"a" : {"S":"\u0078","N":null}}"#));
        for other in [r#"{"a":{"S":"x"},"b":[2,1]}"#, r#"{"a":{"S":"y"},"b":[1,2]}"#, r#"{"b":[1,2]}"#] {
            assert_ne!(base, digest(other), "{other}");
        }
        assert_ne!(digest(r#"{"a":["ab","c"]}"#), digest(r#"{"a":["a","bc"]}"#));
    }
}
