//! Repeatable chance: a small generator (SplitMix64) and a pool of letters to cut payloads from.
//!
//! It knows nothing about items or requests. Equal seeds give equal streams, so every server is loaded
//! with the same items.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A stream of numbers that depends on its seed only.
pub(crate) struct Random(u64);

impl Random {
    /// A stream of its own for each seed. Seeds are mixed first: streams that begin one step apart would be one stream, and
    /// a connection would write what another one has just written.
    pub(crate) fn new(seed: u64) -> Self {
        Self(mix(seed.wrapping_add(0x1234_5678_9ABC_DEF1)))
    }

    /// A stream that no other of this process is like: a server that is measured twice must not be asked to write what is
    /// there already, which may cost it nothing.
    pub(crate) fn fresh() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(1 << 32);
        Self::new(LAST.fetch_add(1, Ordering::Relaxed))
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// A number from zero up to, not including, `limit`; zero when the limit is zero.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        // The high half of a product is cheaper than a remainder and as even for limits this small.
        let product = u128::from(self.next()) * u128::from(limit);
        u64::try_from(product >> 64).unwrap_or(0)
    }
}

fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// A megabyte of letters. Payloads are windows into it, so they differ from request to request and do not
/// shrink to nothing in a store that compresses.
#[derive(Clone)]
pub(crate) struct Letters(Arc<[u8]>);

impl Letters {
    const POOL_BYTES: usize = 1 << 20;
    const ALPHABET: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .";

    /// The one pool; always the same letters.
    pub(crate) fn new() -> Self {
        let mut random = Random::new(7);
        let letter = |index: u64| {
            let index = usize::try_from(index).unwrap_or(0);
            Self::ALPHABET.get(index).copied().unwrap_or(b'a')
        };
        Self((0..Self::POOL_BYTES).map(|_| letter(random.below(64))).collect())
    }

    /// An empty pool, for requests without payloads.
    pub(crate) fn none() -> Self {
        Self(Arc::from([]))
    }

    /// Fills `into` with letters from a random place.
    pub(crate) fn cut(&self, random: &mut Random, into: &mut [u8]) {
        let last = self.0.len().saturating_sub(into.len());
        let start = usize::try_from(random.below(last as u64)).unwrap_or(0);
        if let Some(window) = self.0.get(start..start + into.len()) {
            into.copy_from_slice(window);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_stream_follows_another() {
        let streams = (0..64).map(Random::new).chain((0..64).map(|_| Random::fresh()));
        let numbers: Vec<u64> = streams.flat_map(|mut random| (0..100).map(move |_| random.next())).collect();
        assert_eq!(numbers.iter().collect::<HashSet<_>>().len(), numbers.len());
    }

    #[test]
    fn equal_seeds_give_equal_streams() {
        assert_eq!(Random::new(3).next(), Random::new(3).next());
    }
}
