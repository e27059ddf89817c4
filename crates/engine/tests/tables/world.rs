//! A database with a clock that can be turned, and short ways to ask it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{Engine, Env, LifeCycle, Rest, Settings};
use item::{Item, Number, Value};
use op::{
    AttributeDefinition, BillingMode, CapacityDetail, CreateTable, DeleteItem, DeleteTable, DescribeTable,
    Error, IndexProjection, IndexSpec, IndexUpdate, KeyElement, KeyKind, ListTables, MetricsDetail,
    OnFailure, Operation, Output, PutItem, Returns, ScalarType, Scan, TableDescription, Throughput,
    UpdateTable,
};
use storage::{Config, Durability};

pub(crate) const START_MS: u64 = 1_794_776_861_241;

#[derive(Debug)]
pub(crate) struct Clock {
    now_ms: AtomicU64,
    chance: AtomicU64,
}

impl Clock {
    pub(crate) fn advance(&self, ms: u64) {
        self.now_ms.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Env for Clock {
    fn now_ms(&self) -> u64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    fn random(&self) -> u64 {
        self.chance.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::SeqCst)
    }
}

pub(crate) struct World {
    pub(crate) engine: Arc<Engine>,
    pub(crate) clock: Arc<Clock>,
}

impl World {
    pub(crate) fn in_memory(life_cycle: LifeCycle) -> World {
        World::open(Config::Memory, life_cycle)
    }

    pub(crate) fn on_disk(dir: &Path) -> World {
        World::open(disk(dir), LifeCycle::Immediate)
    }

    pub(crate) fn open(store: Config, life_cycle: LifeCycle) -> World {
        let clock = Arc::new(Clock { now_ms: AtomicU64::new(START_MS), chance: AtomicU64::new(1) });
        let env = Arc::clone(&clock) as Arc<dyn Env>;
        let engine = Engine::open(Settings { store, life_cycle }, env).unwrap();
        World { engine: Arc::new(engine), clock }
    }

    pub(crate) fn run(&self, operation: Operation) -> Result<Output, Error> {
        self.engine.run(operation).wait()
    }

    /// Does all background work there is.
    pub(crate) fn work(&self) {
        while self.engine.work() == Rest::Again {}
    }

    pub(crate) fn create(&self, request: CreateTable) -> Result<TableDescription, Error> {
        self.run(Operation::CreateTable(Box::new(request))).map(table_changed)
    }

    pub(crate) fn update(&self, request: UpdateTable) -> Result<TableDescription, Error> {
        self.run(Operation::UpdateTable(Box::new(request))).map(table_changed)
    }

    pub(crate) fn delete(&self, name: &str) -> Result<TableDescription, Error> {
        self.run(Operation::DeleteTable(DeleteTable { name: name.into() })).map(table_changed)
    }

    pub(crate) fn describe(&self, name: &str) -> Result<TableDescription, Error> {
        match self.run(Operation::DescribeTable(DescribeTable { name: name.into() }))? {
            Output::Table(table) => Ok(*table),
            other => panic!("DescribeTable answered {other:?}"),
        }
    }

    pub(crate) fn names(&self, start: Option<&str>, limit: usize) -> (Vec<String>, Option<String>) {
        let request = ListTables { start: start.map(Into::into), limit };
        match self.run(Operation::ListTables(request)).unwrap() {
            Output::TableNames(names) => (names.names, names.last),
            other => panic!("ListTables answered {other:?}"),
        }
    }

    pub(crate) fn put(&self, table: &str, item: Item) -> Result<(), Error> {
        self.run(Operation::PutItem(PutItem {
            table: table.into(),
            item,
            condition: None,
            returns: Returns::None,
            on_failure: OnFailure::None,
            capacity: CapacityDetail::None,
            metrics: MetricsDetail::None,
        }))
        .map(|_| ())
    }

    pub(crate) fn remove(&self, table: &str, key: Item) -> Result<(), Error> {
        self.run(Operation::DeleteItem(DeleteItem {
            table: table.into(),
            key,
            condition: None,
            returns: Returns::None,
            on_failure: OnFailure::None,
            capacity: CapacityDetail::None,
            metrics: MetricsDetail::None,
        }))
        .map(|_| ())
    }

    /// All items of a table or an index, ordered by the table's partition key.
    pub(crate) fn items(&self, table: &str, index: Option<&str>) -> Vec<Item> {
        let mut items = Vec::new();
        let mut start = None;
        loop {
            let page = match self.run(Operation::Scan(Box::new(scan(table, index, start)))).unwrap() {
                Output::Page(page) => page,
                other => panic!("Scan answered {other:?}"),
            };
            items.extend(page.items.unwrap_or_default().iter().map(|stored| stored.decode().unwrap()));
            start = page.last;
            if start.is_none() {
                items.sort_by_key(|item: &Item| format!("{:?}", item.get("pk")));
                return items;
            }
        }
    }
}

fn scan(table: &str, index: Option<&str>, start: Option<Item>) -> Scan {
    Scan {
        table: table.into(),
        index: index.map(Into::into),
        filter: None,
        projection: None,
        select: None,
        limit: None,
        start,
        segment: None,
        consistent: false,
        capacity: CapacityDetail::None,
    }
}

pub(crate) fn disk(dir: &Path) -> Config {
    Config::Disk { dir: dir.into(), durability: Durability::Relaxed, cache_bytes: 8 << 20 }
}

fn table_changed(output: Output) -> TableDescription {
    match output {
        Output::TableChanged(table) => *table,
        other => panic!("an operation on a table answered {other:?}"),
    }
}

/// A table with a partition key `pk`, on demand.
pub(crate) fn table(name: &str) -> CreateTable {
    CreateTable {
        name: name.into(),
        attributes: vec![attribute("pk", ScalarType::S)],
        key_schema: vec![hash("pk")],
        local_indexes: Vec::new(),
        global_indexes: Vec::new(),
        billing: Some(BillingMode::PayPerRequest),
        throughput: None,
        on_demand: None,
        warm: None,
        stream: None,
        sse: None,
        tags: Vec::new(),
        class: None,
        deletion_protection: false,
    }
}

/// The same with provisioned units.
pub(crate) fn provisioned(name: &str, read: u64, write: u64) -> CreateTable {
    CreateTable { billing: None, throughput: Some(Throughput { read, write }), ..table(name) }
}

/// A change of nothing.
pub(crate) fn change(name: &str) -> UpdateTable {
    UpdateTable {
        name: name.into(),
        attributes: Vec::new(),
        billing: None,
        throughput: None,
        on_demand: None,
        warm: None,
        index_updates: Vec::new(),
        stream: None,
        sse: None,
        class: None,
        deletion_protection: None,
    }
}

/// Adds an index on a string attribute.
pub(crate) fn add_index(table: &str, name: &str, attribute_name: &str) -> UpdateTable {
    UpdateTable {
        attributes: vec![attribute(attribute_name, ScalarType::S)],
        index_updates: vec![IndexUpdate::Create(index(name, attribute_name))],
        ..change(table)
    }
}

pub(crate) fn drop_index(table: &str, name: &str) -> UpdateTable {
    UpdateTable { index_updates: vec![IndexUpdate::Delete(name.into())], ..change(table) }
}

pub(crate) fn index(name: &str, attribute_name: &str) -> IndexSpec {
    IndexSpec {
        name: name.into(),
        key_schema: vec![hash(attribute_name)],
        projection: IndexProjection::All,
        throughput: None,
        on_demand: None,
        warm: None,
    }
}

pub(crate) fn attribute(name: &str, kind: ScalarType) -> AttributeDefinition {
    AttributeDefinition { name: name.into(), kind }
}

pub(crate) fn hash(name: &str) -> KeyElement {
    KeyElement { name: name.into(), kind: KeyKind::Hash }
}

pub(crate) fn range(name: &str) -> KeyElement {
    KeyElement { name: name.into(), kind: KeyKind::Range }
}

/// An item with a partition key and, if it is in the index, a group.
pub(crate) fn item(number: u64, group: Option<u64>, version: u64) -> Item {
    let mut item = key(number);
    item.insert("version".into(), Value::N(Number::from_parts(version.into(), 0).unwrap()));
    if let Some(group) = group {
        item.insert("group".into(), Value::S(format!("group {group}")));
    }
    item
}

pub(crate) fn key(number: u64) -> Item {
    Item::from([("pk".to_string(), Value::S(format!("item {number:06}")))])
}
