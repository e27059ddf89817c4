//! A table as the engine holds it: its keys, its indexes, where they lie in the store. Knows no requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use op::{
    AttributeDefinition, BillingSummary, IndexProjection, IndexStatus, KeyElement, OnDemand, ScalarType,
    SseStatus, StreamSpec, TableClassSummary, TableStatus, Tag, ThroughputDescription, TtlStatus,
    WarmThroughput,
};
use storage::Space;

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
    pub(crate) stats: Arc<Stats>,
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
