//! A bounded cache of visible values in front of the engine. Knows no queue: the committer tells it what is written.
//!
//! INVARIANT: the cache never holds a value that is no longer the visible one. Before a batch becomes visible its keys
//! leave the cache and are marked as in flight; a reader may store what it read only if its key was not in flight when
//! the read began, is not in flight now, and no batch of the shard has ended in between.

use super::queue::Ordered;
use bytes::Bytes;
use parking_lot::Mutex;
use quick_cache::unsync::Cache;
use quick_cache::{Equivalent, Weighter};
use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};

const SHARDS: usize = 16;
/// A greater value would push many others out.
const VALUE_BYTES_MAX: usize = 64 * 1024;
/// What an entry costs beside its bytes.
const ENTRY_BYTES: u64 = 128;

/// The cache, in shards.
pub(super) struct Hot {
    shards: Vec<Mutex<Shard>>,
    hasher: RandomState,
}

struct Shard {
    values: Cache<Name, Bytes, Weight, RandomState>,
    /// Hashes of the keys that the committer is about to make visible.
    in_flight: HashSet<u64>,
    /// How many batches with keys of this shard have become visible.
    version: u64,
}

/// What a lookup answers.
pub(super) enum Lookup {
    /// The visible value.
    Hit(Bytes),
    /// Nothing; whoever reads the value elsewhere may offer it.
    Miss(Permit),
}

/// Remembers the state of a shard at the time of a miss; without a version the key was in flight.
pub(super) struct Permit {
    hash: u64,
    version: Option<u64>,
}

#[derive(PartialEq, Eq)]
struct Name {
    generation: u64,
    key: Bytes,
}

/// The borrowed form of a name; it must hash alike.
#[derive(Hash)]
struct Borrowed<'a> {
    generation: u64,
    key: &'a [u8],
}

#[derive(Clone)]
struct Weight;

impl Hot {
    pub(super) fn new(bytes: u64) -> Hot {
        let shard_bytes = bytes / SHARDS as u64;
        let hasher = RandomState::new();
        let shard = || Shard {
            values: Cache::with(
                (shard_bytes / 1024) as usize,
                shard_bytes,
                Weight,
                hasher.clone(),
                Default::default(),
            ),
            in_flight: HashSet::new(),
            version: 0,
        };
        Hot { shards: (0..SHARDS).map(|_| Mutex::new(shard())).collect(), hasher }
    }

    pub(super) fn get(&self, generation: u64, key: &[u8]) -> Lookup {
        let name = Borrowed { generation, key };
        let hash = self.hasher.hash_one(&name);
        self.with_shard(hash, |shard| match shard.values.get(&name) {
            Some(value) => Lookup::Hit(value.clone()),
            None => {
                let version = (!shard.in_flight.contains(&hash)).then_some(shard.version);
                Lookup::Miss(Permit { hash, version })
            }
        })
    }

    /// Stores a value that was read after the permit was given, unless a commit came in between.
    pub(super) fn offer(&self, permit: Permit, generation: u64, key: &[u8], value: &Bytes) {
        if permit.version.is_none() || value.len() > VALUE_BYTES_MAX {
            return;
        }
        // A value from the engine is a slice of its whole block: the copy keeps only what is asked for.
        let name = Name { generation, key: Bytes::copy_from_slice(key) };
        let value = Bytes::copy_from_slice(value);
        self.with_shard(permit.hash, |shard| {
            if permit.version == Some(shard.version) && !shard.in_flight.contains(&permit.hash) {
                shard.values.insert(name, value);
            }
        });
    }

    /// These writes are about to become visible. Answers for each whether its key was hot.
    pub(super) fn begin(&self, writes: &[&Ordered]) -> Vec<bool> {
        let was_hot = |ordered: &&Ordered| {
            let name = borrowed(ordered);
            let hash = self.hasher.hash_one(&name);
            self.with_shard(hash, |shard| {
                shard.in_flight.insert(hash);
                shard.values.remove(&name).is_some()
            })
        };
        writes.iter().map(was_hot).collect()
    }

    /// These writes are visible. Keys that were hot stay so, with their new values.
    pub(super) fn end(&self, writes: &[&Ordered], was_hot: &[bool]) {
        for (ordered, was_hot) in writes.iter().zip(was_hot) {
            let hash = self.hasher.hash_one(borrowed(ordered));
            let value = ordered.write.value.as_ref();
            self.with_shard(hash, |shard| {
                shard.in_flight.remove(&hash);
                shard.version += 1;
                if let (true, Some(value)) = (*was_hot, value.filter(|value| value.len() <= VALUE_BYTES_MAX))
                {
                    let name = Name { generation: ordered.room.id(), key: ordered.write.key.bytes.clone() };
                    shard.values.insert(name, value.clone());
                }
            });
        }
    }

    fn with_shard<T>(&self, hash: u64, call: impl FnOnce(&mut Shard) -> T) -> T {
        // The high bits choose the shard, because the tables inside use the low ones.
        let at = (hash >> 32) as usize % SHARDS;
        let shard = self.shards.get(at).expect("there are as many shards as the remainder can name");
        call(&mut shard.lock())
    }
}

fn borrowed(ordered: &Ordered) -> Borrowed<'_> {
    Borrowed { generation: ordered.room.id(), key: &ordered.write.key.bytes }
}

impl Hash for Name {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        Borrowed { generation: self.generation, key: &self.key }.hash(state);
    }
}

impl Equivalent<Name> for Borrowed<'_> {
    fn equivalent(&self, name: &Name) -> bool {
        self.generation == name.generation && self.key == name.key
    }
}

impl Weighter<Name, Bytes> for Weight {
    fn weight(&self, name: &Name, value: &Bytes) -> u64 {
        (name.key.len() + value.len()) as u64 + ENTRY_BYTES
    }
}
