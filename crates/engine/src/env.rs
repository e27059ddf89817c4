//! Clock, ids and chance: the only way the engine learns of them, so that a simulation or a user can turn them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// What the engine takes from the world around it.
pub trait Env: Send + Sync {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> u64;
    /// Sixty-four random bits.
    fn random(&self) -> u64;
    /// How many items one step of background work takes, where it may take so many. A simulation takes fewer, so that more
    /// can happen between two steps.
    fn step_items(&self, most: usize) -> usize {
        most
    }
}

/// The real clock, and chance seeded by the system.
#[derive(Debug)]
pub struct SystemEnv {
    state: AtomicU64,
}

impl SystemEnv {
    /// An environment with a seed of its own.
    pub fn new() -> SystemEnv {
        use std::hash::{BuildHasher, Hasher};
        // The standard library's hash keys are seeded by the system.
        let seed = std::collections::hash_map::RandomState::new().build_hasher().finish();
        SystemEnv { state: AtomicU64::new(seed) }
    }
}

impl Default for SystemEnv {
    fn default() -> SystemEnv {
        SystemEnv::new()
    }
}

impl Env for SystemEnv {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the system's clock")]
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn random(&self) -> u64 {
        // SplitMix64: a counter by an odd step, mixed.
        let step = self.state.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
        mix(step.wrapping_add(0x9E37_79B9_7F4A_7C15))
    }
}

/// Spreads the bits of a number over all of it.
pub(crate) fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// A random UUID, version 4.
pub(crate) fn uuid(env: &dyn Env) -> String {
    let (high, low) = (env.random(), env.random());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xFFFF,
        high & 0xFFF,
        ((low >> 48) & 0x3FFF) | 0x8000,
        low & 0xFFFF_FFFF_FFFF
    )
}
