//! The sorted files of a room: `lsm-tree`, without its memory tables and without its log. Nothing outside this file knows
//! that there is an lsm-tree.
//!
//! OBSERVED: lsm-tree 3.1.10 holds its list of files while it syncs a new one, for milliseconds, and whoever reads would wait.
//! So readers do not ask the tree: they have a look at its files as they were, which stay as long as anybody has it.

use super::failure::{guarded, translate};
use super::memtable::Entry;
use super::pace::{Leisure, Merging, Pace, Pacing};
use crate::error::Error;
use crate::range::{Direction, Range};
use bytes::Bytes;
use lsm_tree::compaction::Leveled;
use lsm_tree::config::{
    BloomConstructionPolicy, CompressionPolicy, FilterPolicy, FilterPolicyEntry, PartitioningPolicy,
    PinningPolicy, RestartIntervalPolicy,
};
use lsm_tree::table::filter::standard_bloom::Builder as Filter;
use lsm_tree::{
    AbstractTree, AnyTree, Cache, CompressionType, Config, DescriptorTable, InternalValue, SeqNo,
    SequenceNumberCounter, Tree, ValueType,
};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Open files of tables. It leaves room for connections under the usual limit of 1,024 of a process.
const OPEN_FILES_MAX: usize = 256;
/// The tree writes this file when it is set up.
const CURRENT: &str = "current";
/// The tree has its files in this folder.
pub(super) const TABLES: &str = "tables";

/// What all rooms share: where their files are, and the memory for blocks of them.
pub(super) struct Files {
    folder: PathBuf,
    blocks: Arc<Cache>,
    descriptors: Arc<DescriptorTable>,
    leisure: Arc<Leisure>,
}

/// The files of one room, to be changed.
pub(super) struct Sorter {
    tree: Tree,
    path: PathBuf,
    strategy: Arc<Leveled>,
    merging: Arc<Merging>,
    /// Whoever has a look at the files has a share of this.
    readers: Arc<()>,
    /// The greatest number that a file in use had.
    newest: AtomicU64,
}

/// The files of one room as they were at one moment.
pub(super) struct Sorted {
    path: PathBuf,
    get: Get,
    walk: Walk,
    bytes: u64,
    _reader: Arc<()>,
}

type Get = Box<dyn Fn(&[u8]) -> lsm_tree::Result<Option<InternalValue>> + Send + Sync>;
type Walk = Box<dyn Fn(&Range) -> Walked + Send + Sync>;
type Walked = Box<dyn DoubleEndedIterator<Item = lsm_tree::Result<InternalValue>>>;

impl Files {
    pub(super) fn new(folder: &Path, cache_bytes: u64) -> Files {
        Files {
            folder: folder.to_path_buf(),
            blocks: Arc::new(Cache::with_capacity_bytes(cache_bytes)),
            descriptors: Arc::new(DescriptorTable::new(OPEN_FILES_MAX)),
            leisure: Arc::default(),
        }
    }

    /// How long merges may rest, from now on.
    pub(super) fn merge_leisure(&self) -> &Leisure {
        &self.leisure
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where a room has its files.
    pub(super) fn path(&self, room: u64) -> PathBuf {
        self.folder.join(room.to_string())
    }

    /// Opens the files of a room that has some.
    pub(super) fn open(&self, room: u64) -> Result<Sorter, Error> {
        let path = self.path(room);
        if !path.join(CURRENT).exists() {
            return Err(Error::Corrupt { file: path, detail: "the files of a space are missing".into() });
        }
        self.tree(path)
    }

    /// Sets up the files of a room that has none. What a crash left of an earlier try is removed.
    pub(super) fn create(&self, room: u64) -> Result<Sorter, Error> {
        let path = self.path(room);
        if path.exists() {
            fs::remove_dir_all(&path)
                .map_err(|error| Error::io(format!("clear {}", path.display()), error))?;
        }
        let sorter = self.tree(path)?;
        // The tree syncs what is in its folder, but not the folder's own name.
        super::folder::sync_folder(&self.folder).map_err(|error| Error::io("sync a new space", error))?;
        Ok(sorter)
    }

    /// Lets go of the open files of a room whose folder is about to be removed: the system gives their room back after that.
    pub(super) fn close(&self, sorter: &Sorter) {
        for table in sorter.tree.current_version().iter_tables() {
            self.descriptors.remove_for_table(&(sorter.tree.id(), table.id()).into());
        }
    }

    fn tree(&self, path: PathBuf) -> Result<Sorter, Error> {
        let counter = SequenceNumberCounter::default;
        let merging = Arc::new(Merging::default());
        let pacing = Pacing::new(&path.join(TABLES), &merging, &self.leisure);
        let bloom = |policy| FilterPolicyEntry::Bloom(policy);
        let config = Config::new(&path, counter(), counter())
            .use_cache(Arc::clone(&self.blocks))
            .with_compaction_filter_factory(Some(Arc::new(pacing)))
            .use_descriptor_table(Some(Arc::clone(&self.descriptors)))
            .data_block_restart_interval_policy(RestartIntervalPolicy::new([10, 16]))
            .data_block_compression_policy(CompressionPolicy::new([
                CompressionType::None,
                CompressionType::None,
                CompressionType::Lz4,
            ]))
            // A read finds out in memory which block of which file to look into, however many files there are.
            .index_block_partitioning_policy(PartitioningPolicy::all(false))
            .filter_block_partitioning_policy(PartitioningPolicy::all(false))
            .index_block_pinning_policy(PinningPolicy::all(true))
            .filter_block_pinning_policy(PinningPolicy::all(true))
            .filter_policy(FilterPolicy::new([
                bloom(BloomConstructionPolicy::FalsePositiveRate(0.0001)),
                bloom(BloomConstructionPolicy::BitsPerKey(10.0)),
            ]));
        let opened = guarded(&path, || config.open().map_err(|error| translate(error, &path, "open files")))?;
        match opened {
            AnyTree::Standard(tree) => {
                let sorter = Sorter {
                    tree,
                    path,
                    strategy: Arc::new(Leveled::default()),
                    merging,
                    readers: Arc::default(),
                    newest: AtomicU64::new(0),
                };
                sorter.note_newest();
                Ok(sorter)
            }
            AnyTree::Blob(_) => {
                Err(Error::Corrupt { file: path, detail: "the files are of another kind".into() })
            }
        }
    }
}

impl Sorter {
    /// Writes entries, in order and each key once, to a new file. Durable on return. `leisure` says how long to rest when
    /// so many bytes were written.
    pub(super) fn add(
        &self,
        entries: impl Iterator<Item = (Entry, u64)>,
        leisure: impl Fn(u64) -> u32,
    ) -> Result<(), Error> {
        let mut pace = Pace::new(&self.path.join(TABLES), self.tree.next_table_id(), leisure);
        let items = entries.map(|((key, value), commit)| {
            pace.note(key.len() + value.as_ref().map_or(0, Bytes::len));
            Ok(match value {
                Some(value) => InternalValue::from_components(key, value, commit, ValueType::Value),
                None => InternalValue::new_tombstone(key, commit),
            })
        });
        let failure = |error| translate(error, &self.path, "write a file");
        guarded(&self.path, || {
            let Some((tables, _)) = self.tree.flush_to_tables(items).map_err(failure)? else { return Ok(()) };
            self.tree.register_tables(&tables, None, None, &[], SeqNo::MAX).map_err(failure)?;
            self.note_newest();
            Ok(())
        })
    }

    /// Merges some files, if any should be; tells whether it did.
    pub(super) fn merge(&self) -> Result<bool, Error> {
        let before = self.tree.current_version().id();
        self.merging.begin(self.tree.next_table_id());
        let merged = guarded(&self.path, || {
            // Readers have their own look at the files, so nothing old must be kept for them.
            let strategy = Arc::clone(&self.strategy);
            self.tree
                .compact(strategy, SeqNo::MAX)
                .map_err(|error| translate(error, &self.path, "merge files"))
        });
        self.note_newest();
        match merged {
            Ok(()) => Ok(self.tree.current_version().id() != before),
            Err(_) if self.merging.is_stopped() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Ends a merge that is under way: what it has written so far goes at the next start.
    pub(super) fn stop_merging(&self) {
        self.merging.stop();
    }

    /// Removes files that a write or a merge left which failed. Nobody else may write meanwhile.
    pub(super) fn remove_leftovers(&self) {
        let newest = self.newest.load(Ordering::SeqCst);
        for entry in fs::read_dir(self.path.join(TABLES)).into_iter().flatten().flatten() {
            let number = entry.file_name().to_str().and_then(|name| name.parse::<u64>().ok());
            // What is older than the newest file that was ever in use may still be read by somebody.
            if number.is_some_and(|number| number > newest) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    fn note_newest(&self) {
        self.newest.fetch_max(self.numbers().last().copied().unwrap_or(0), Ordering::SeqCst);
    }

    /// The numbers of the files, which are also their names.
    pub(super) fn numbers(&self) -> BTreeSet<u64> {
        self.tree.current_version().iter_tables().map(lsm_tree::Table::id).collect()
    }

    /// Runs of files that are not merged yet.
    pub(super) fn runs(&self) -> usize {
        self.tree.l0_run_count()
    }

    /// The newest commit that is in a file.
    pub(super) fn last_commit(&self) -> u64 {
        self.tree.get_highest_persisted_seqno().unwrap_or(0)
    }

    /// Whether anybody may still read files of it.
    pub(super) fn is_read(&self) -> bool {
        Arc::strong_count(&self.readers) > 1
    }

    /// The files as they are now.
    pub(super) fn look(&self) -> Sorted {
        let bytes = self.tree.disk_space();
        let version = self.tree.current_version();
        let get = move |key: &[u8]| {
            let hash = Filter::get_hash(key);
            let runs = version.iter_levels().flat_map(|level| level.iter());
            for table in runs.filter_map(|run| run.get_for_key(key)) {
                if let Some(item) = table.get(key, SeqNo::MAX, hash)? {
                    return Ok((!item.is_tombstone()).then_some(item));
                }
            }
            Ok(None)
        };
        let version = self.tree.get_version_history_lock().latest_version();
        let walk = move |range: &Range| -> Walked {
            let bounds = (range.from.clone(), range.to.clone());
            Box::new(Tree::create_internal_range(version.clone(), &bounds, SeqNo::MAX, None))
        };
        Sorted {
            path: self.path.clone(),
            get: Box::new(get),
            walk: Box::new(walk),
            bytes,
            _reader: Arc::clone(&self.readers),
        }
    }
}

impl Sorted {
    pub(super) fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        guarded(&self.path, || {
            let found = (self.get)(key).map_err(|error| translate(error, &self.path, "read a value"))?;
            Ok(found.map(|item| Bytes::from(item.value)))
        })
    }

    /// Every key of a range with its value.
    pub(super) fn walk(
        &self,
        range: &Range,
        direction: Direction,
    ) -> Result<impl Iterator<Item = Result<Entry, Error>>, Error> {
        let mut items = guarded(&self.path, || Ok((self.walk)(range)))?;
        Ok(std::iter::from_fn(move || {
            let next = guarded(&self.path, || {
                let item = match direction {
                    Direction::Forward => items.next(),
                    Direction::Backward => items.next_back(),
                };
                item.transpose().map_err(|error| translate(error, &self.path, "scan"))
            });
            let entry = |item: InternalValue| (Bytes::from(item.key.user_key), Some(Bytes::from(item.value)));
            next.map(|item| item.map(entry)).transpose()
        }))
    }

    /// How much room the files take.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}
