//! Which names of buckets and keys of objects can be used. Knows no store.

use crate::error::{Error, ErrorKind, Result};

/// The longest key a store takes.
const KEY_BYTES_MAX: usize = 1024;

/// Refuses a bucket's name that is not of the service's form, and so every name that is not a plain folder name.
pub(super) fn check_bucket(name: &str) -> Result<()> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let ends = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = name.as_bytes();
    if (2..=255).contains(&bytes.len())
        && ends(bytes.first())
        && ends(bytes.last())
        && bytes.iter().all(|byte| allowed(*byte))
    {
        return Ok(());
    }
    Err(Error::new(ErrorKind::BadName, format!("The specified bucket is not valid: {name:?}")))
}

/// Refuses a key that a folder could not hold or that would lead out of it.
pub(super) fn check_key(key: &str) -> Result<()> {
    let plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    let clean = !key.bytes().any(|byte| byte < 0x20 || byte == 0x7f || byte == b'\\');
    if clean && key.len() <= KEY_BYTES_MAX && key.split('/').all(plain) && !drive(key) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::BadName, format!("The key {key:?} cannot be used")))
}

/// Whether the key begins like a path with a drive letter.
fn drive(key: &str) -> bool {
    cfg!(windows) && key.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_in_their_folder() {
        for key in ["a", "a/b.json.gz", "year=2024/x y", "…/é", "..a", "a..", "_started"] {
            assert!(check_key(key).is_ok(), "{key}");
        }
        for key in
            ["", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "../b", "a/..", "./a", "a\\b", "a\0b", "a\nb"]
        {
            assert!(check_key(key).is_err(), "{key:?}");
        }
        assert!(check_key(&"k".repeat(1025)).is_err());
    }

    #[test]
    fn names_of_buckets_are_plain() {
        for name in ["my-bucket", "my.bucket", "B_1"] {
            assert!(check_bucket(name).is_ok(), "{name}");
        }
        for name in ["", "a", "..", ".hidden", "a/b", "a\\b", "-a", "a-", "bücket", "a\0b"] {
            assert!(check_bucket(name).is_err(), "{name:?}");
        }
    }
}
