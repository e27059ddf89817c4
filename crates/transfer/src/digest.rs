//! MD5 sums in the two notations of the service. Knows no files.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest as _, Md5};

/// A sum in the making.
#[derive(Default)]
pub(crate) struct Md5Sum(Md5);

/// A sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Md5Digest(pub(crate) [u8; 16]);

impl Md5Sum {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> Md5Digest {
        Md5Digest(self.0.finalize().into())
    }
}

impl Md5Digest {
    pub(crate) fn of(bytes: &[u8]) -> Md5Digest {
        let mut sum = Md5Sum::default();
        sum.update(bytes);
        sum.finish()
    }

    /// As entity tags have it.
    pub(crate) fn hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// As manifests have it.
    pub(crate) fn base64(self) -> String {
        STANDARD.encode(self.0)
    }

    /// Twenty-six letters and digits, the form of the names of data files.
    pub(crate) fn name(self) -> String {
        const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
        let bits = u128::from_be_bytes(self.0);
        (0..26)
            .map(|place| {
                let shifted = if place == 25 { bits << 2 } else { bits >> (123 - place * 5) };
                LETTERS.get((shifted & 31) as usize).copied().map_or('a', char::from)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_their_known_forms() {
        let sum = Md5Digest::of(b"abc");
        assert_eq!(sum.hex(), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(sum.base64(), "kAFQmDzST7DWlj99KOF/cg==");
        assert_eq!(sum.name(), "saavbgb42jh3bvuwh56sryl7oi");
        assert_eq!(Md5Digest([0xff; 16]).name(), format!("{}4", "7".repeat(25)));
    }
}
