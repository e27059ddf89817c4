//! The id every answer carries: 52 letters and digits that look like the service's own.
//! Knows nothing of requests; the ids are for finding one's way in logs, not for keeping secrets.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};

/// How many characters an id has.
pub(crate) const LENGTH: usize = 52;

/// The characters of base 32 that the service uses.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";
const BITS_PER_LETTER: u32 = 5;
const LETTERS_PER_WORD: usize = 12;

thread_local! {
    static STATE: Cell<u64> = Cell::new(seed());
}

/// A new id. Ids of one thread never repeat before 2^64 words are drawn.
pub(crate) fn next() -> [u8; LENGTH] {
    let mut id = [0; LENGTH];
    for part in id.chunks_mut(LETTERS_PER_WORD) {
        let mut word = draw();
        for place in part {
            *place = letter(word);
            word >>= BITS_PER_LETTER;
        }
    }
    id
}

/// The standard library's hasher keys come from the system's chance; nothing else here needs any.
fn seed() -> u64 {
    RandomState::new().hash_one(std::thread::current().id())
}

/// SplitMix64: an odd step around the ring of 64-bit words, then a mix that spreads every bit.
fn draw() -> u64 {
    let state = STATE.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
    STATE.set(state);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[expect(clippy::indexing_slicing, reason = "five bits never leave a table of 32")]
fn letter(word: u64) -> u8 {
    LETTERS[(word & 31) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_upper_case_letters_and_digits_and_differ() {
        let ids: BTreeSet<[u8; LENGTH]> = (0..1000).map(|_| next()).collect();
        assert_eq!(ids.len(), 1000);
        for id in ids {
            assert!(id.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()));
        }
    }
}
