//! A table as the engine holds it: its keys, its indexes, where they lie in the store. Knows no requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use op::{
    AttributeDefinition, BillingSummary, DestinationStatus, IndexProjection, IndexStatus, KeyElement,
    OnDemand, Precision, RestoreSummary, ScalarType, SseStatus, StreamSpec, StreamView, TableClassSummary,
    TableStatus, Tag, ThroughputDescription, TtlStatus, WarmThroughput,
};
use storage::{Space, Stamp};

/// A table's definition at one moment. A change makes a new one.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) arn: String,
    pub(crate) space: Space,
    pub(crate) status: TableStatus,
    /// When the state above ends by itself, where the life cycle has delays.
    pub(crate) status_until_ms: Option<u64>,
    pub(crate) created_ms: u64,
    pub(crate) attributes: Vec<AttributeDefinition>,
    pub(crate) key: KeySchema,
    pub(crate) local_indexes: Vec<Index>,
    pub(crate) global_indexes: Vec<Index>,
    pub(crate) billing: Option<BillingSummary>,
    pub(crate) throughput: ThroughputDescription,
    pub(crate) on_demand: Option<OnDemand>,
    pub(crate) warm: WarmThroughput,
    pub(crate) stream: Option<StreamSpec>,
    pub(crate) latest_stream: Option<(String, String)>,
    pub(crate) sse: Option<SseStatus>,
    pub(crate) class: Option<TableClassSummary>,
    pub(crate) deletion_protection: bool,
    pub(crate) tags: Vec<Tag>,
    pub(crate) ttl: Ttl,
    /// The changes of its items, if anybody follows them.
    pub(crate) log: Option<Log>,
    /// Where it came from, if it was restored.
    pub(crate) restore: Option<RestoreSummary>,
    pub(crate) stats: Arc<Stats>,
}

/// The changes of a table's items, in the order in which they were made.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    pub(crate) space: Space,
    /// The streams over it, the oldest first. At most the last one goes on.
    pub(crate) streams: Vec<Stream>,
    /// Recovery to a point in time, if it is on.
    pub(crate) recovery: Option<Recovery>,
    /// Copies that are being made and need to know what was there.
    pub(crate) holds: Vec<Hold>,
    /// Where changes are delivered, or were.
    pub(crate) destinations: Vec<Destination>,
    /// Bytes written since the open shard began, or since the database was opened.
    pub(crate) grown: Arc<AtomicU64>,
    /// Before this stamp all records are removed, as far as it is known.
    trimmed: Arc<AtomicU64>,
}

/// Recovery of a table to a point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Recovery {
    /// From here on the log tells of every change what was there before.
    pub(crate) since: Stamp,
    /// How many days it may reach back.
    pub(crate) days: u32,
}

/// A copy that is being made: until it is done, the log tells what was there from a stamp on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hold {
    /// The copy's number.
    pub(crate) copy: u64,
    pub(crate) from: Stamp,
}

/// A data stream of another service to which changes are delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Destination {
    pub(crate) stream: String,
    pub(crate) status: DestinationStatus,
    /// How exact times are, if it was said.
    pub(crate) precision: Option<Precision>,
    /// What was changed from here on is delivered.
    pub(crate) from: Stamp,
    /// Why it failed.
    pub(crate) note: Option<String>,
}

/// A stream: a part of a log that can be read, as long as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stream {
    pub(crate) label: String,
    pub(crate) arn: String,
    pub(crate) view: StreamView,
    pub(crate) created_ms: u64,
    /// When it was switched off.
    pub(crate) ended_ms: Option<u64>,
    /// Its shards, each the parent of the next. Only the last one may be open.
    pub(crate) shards: Vec<Shard>,
}

/// A part of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shard {
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
    pub(crate) created_ms: u64,
    pub(crate) from: Stamp,
    /// Where the next one begins, if it is closed.
    pub(crate) to: Option<Stamp>,
}

/// How items expire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ttl {
    pub(crate) status: TtlStatus,
    pub(crate) attribute: Option<String>,
    /// When the setting was last changed.
    pub(crate) changed_ms: Option<u64>,
    /// The entries by which items are found when their time is over; none if nothing expires.
    pub(crate) expiry: Option<Expiry>,
}

/// Where the times at which items expire lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expiry {
    pub(crate) space: Space,
    /// Whether the items that were there when expiry was switched on have their entries.
    pub(crate) is_filled: bool,
}

/// A secondary index.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    pub(crate) name: String,
    pub(crate) arn: String,
    pub(crate) space: Space,
    pub(crate) key: KeySchema,
    pub(crate) projection: IndexProjection,
    pub(crate) status: IndexStatus,
    /// While it is being filled: the last table key that was handled, empty at the start.
    pub(crate) backfill: Option<Vec<u8>>,
    pub(crate) throughput: ThroughputDescription,
    pub(crate) on_demand: Option<OnDemand>,
    pub(crate) warm: WarmThroughput,
    pub(crate) stats: Arc<Stats>,
}

/// The attributes of a key: one and at most one of a table, up to four and four of a global index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct KeySchema {
    pub(crate) hash: Vec<KeyPart>,
    pub(crate) range: Vec<KeyPart>,
}

/// One attribute of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyPart {
    pub(crate) name: String,
    pub(crate) kind: ScalarType,
}

/// How many items a table or an index has, and their size.
#[derive(Debug, Default)]
pub(crate) struct Stats {
    items: AtomicI64,
    bytes: AtomicI64,
}

impl KeySchema {
    /// The parts, partition key first.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &KeyPart> {
        self.hash.iter().chain(&self.range)
    }

    /// Whether an attribute is part of the key.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.parts().any(|part| part.name == name)
    }

    /// The key as the API writes it.
    pub(crate) fn elements(&self) -> Vec<KeyElement> {
        let element = |kind| move |part: &KeyPart| KeyElement { name: part.name.clone(), kind };
        let hash = self.hash.iter().map(element(op::KeyKind::Hash));
        hash.chain(self.range.iter().map(element(op::KeyKind::Range))).collect()
    }

    /// The key as the API writes it, typed by the definitions. An attribute without one is taken for a string; the
    /// request was refused before.
    pub(crate) fn new(elements: &[KeyElement], attributes: &[AttributeDefinition]) -> KeySchema {
        let mut schema = KeySchema::default();
        for element in elements {
            let definition = attributes.iter().find(|definition| definition.name == element.name);
            let kind = definition.map_or(ScalarType::S, |definition| definition.kind);
            let part = KeyPart { name: element.name.clone(), kind };
            match element.kind {
                op::KeyKind::Hash => schema.hash.push(part),
                op::KeyKind::Range => schema.range.push(part),
            }
        }
        schema
    }
}

impl Table {
    /// All indexes, the local ones first.
    pub(crate) fn indexes(&self) -> impl Iterator<Item = &Index> {
        self.local_indexes.iter().chain(&self.global_indexes)
    }
}

impl Destination {
    /// Whether changes are kept for it.
    pub(crate) fn is_served(&self) -> bool {
        match self.status {
            DestinationStatus::Enabling | DestinationStatus::Active | DestinationStatus::Updating => true,
            DestinationStatus::Disabling | DestinationStatus::Disabled | DestinationStatus::EnableFailed => {
                false
            }
        }
    }
}

impl Log {
    /// A log that nobody follows yet.
    pub(crate) fn new(space: Space) -> Log {
        Log {
            space,
            streams: Vec::new(),
            recovery: None,
            holds: Vec::new(),
            destinations: Vec::new(),
            grown: Arc::default(),
            trimmed: Arc::default(),
        }
    }

    /// The stream that goes on.
    pub(crate) fn stream(&self) -> Option<&Stream> {
        self.streams.last().filter(|stream| stream.ended_ms.is_none())
    }

    /// Whether changes are delivered to anybody.
    pub(crate) fn delivers(&self) -> bool {
        self.destinations.iter().any(Destination::is_served)
    }

    /// Whether an item as it was is to be written down.
    pub(crate) fn keeps_old(&self) -> bool {
        if self.recovery.is_some() || !self.holds.is_empty() {
            return true;
        }
        let view = self.stream().map(|stream| stream.view);
        matches!(view, Some(StreamView::OldImage | StreamView::NewAndOldImages)) || self.delivers()
    }

    /// Whether an item as it became is to be written down.
    pub(crate) fn keeps_new(&self) -> bool {
        let view = self.stream().map(|stream| stream.view);
        matches!(view, Some(StreamView::NewImage | StreamView::NewAndOldImages)) || self.delivers()
    }

    /// Whether there is anything in it that somebody may want.
    pub(crate) fn is_needed(&self) -> bool {
        !self.streams.is_empty()
            || !self.destinations.is_empty()
            || self.recovery.is_some()
            || !self.holds.is_empty()
    }

    /// Where the records begin, so that nobody looks through those that were removed.
    pub(crate) fn trimmed(&self) -> Stamp {
        Stamp(self.trimmed.load(Ordering::Relaxed))
    }

    /// All records before this stamp are removed.
    pub(crate) fn note_trimmed(&self, stamp: Stamp) {
        self.trimmed.fetch_max(stamp.0, Ordering::Relaxed);
    }

    /// Whether changes are written down.
    pub(crate) fn is_kept(&self) -> bool {
        self.stream().is_some() || self.delivers() || self.recovery.is_some() || !self.holds.is_empty()
    }
}

impl Stats {
    /// Stats that begin with these figures.
    pub(crate) fn new(items: u64, bytes: u64) -> Stats {
        Stats { items: AtomicI64::new(items as i64), bytes: AtomicI64::new(bytes as i64) }
    }

    /// Adds what a change added or took away.
    pub(crate) fn change(&self, items: i64, bytes: i64) {
        self.items.fetch_add(items, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Items and bytes. A moment between two parts of a change may not show below zero.
    pub(crate) fn figures(&self) -> (u64, u64) {
        let figure = |counter: &AtomicI64| u64::try_from(counter.load(Ordering::Relaxed)).unwrap_or(0);
        (figure(&self.items), figure(&self.bytes))
    }
}
