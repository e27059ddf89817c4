//! Operations on tables, and how a table is described.

use crate::{RestoreSummary, Tag};

/// Makes a table.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateTable {
    /// Its name.
    pub name: String,
    /// The types of key attributes.
    pub attributes: Vec<AttributeDefinition>,
    /// The primary key.
    pub key_schema: Vec<KeyElement>,
    /// Local indexes.
    pub local_indexes: Vec<IndexSpec>,
    /// Global indexes.
    pub global_indexes: Vec<IndexSpec>,
    /// How it is billed; provisioned if absent.
    pub billing: Option<BillingMode>,
    /// Provisioned units.
    pub throughput: Option<Throughput>,
    /// Bounds of units on demand.
    pub on_demand: Option<OnDemand>,
    /// Units it is to be ready for.
    pub warm: Option<WarmThroughput>,
    /// Its stream.
    pub stream: Option<StreamSpec>,
    /// Its encryption.
    pub sse: Option<SseSpec>,
    /// Its tags.
    pub tags: Vec<Tag>,
    /// Its class.
    pub class: Option<TableClass>,
    /// Whether it may not be deleted.
    pub deletion_protection: bool,
}

/// Changes a table. Absent fields stay as they are.
#[derive(Debug, Clone)]
pub struct UpdateTable {
    /// Its name.
    pub name: String,
    /// The types of key attributes; empty if absent.
    pub attributes: Vec<AttributeDefinition>,
    /// How it is billed.
    pub billing: Option<BillingMode>,
    /// Provisioned units.
    pub throughput: Option<Throughput>,
    /// Bounds of units on demand.
    pub on_demand: Option<OnDemand>,
    /// Units it is to be ready for.
    pub warm: Option<WarmThroughput>,
    /// Changes of global indexes.
    pub index_updates: Vec<IndexUpdate>,
    /// Its stream.
    pub stream: Option<StreamSpec>,
    /// Its encryption.
    pub sse: Option<SseSpec>,
    /// Its class.
    pub class: Option<TableClass>,
    /// Whether it may not be deleted.
    pub deletion_protection: Option<bool>,
}

/// One change of a global index.
#[derive(Debug, Clone)]
pub enum IndexUpdate {
    /// Adds an index and fills it.
    Create(IndexSpec),
    /// Changes an index's units.
    Update {
        /// The index.
        name: String,
        /// Provisioned units.
        throughput: Option<Throughput>,
        /// Bounds of units on demand.
        on_demand: Option<OnDemand>,
        /// Units it is to be ready for.
        warm: Option<WarmThroughput>,
    },
    /// Drops an index.
    Delete(String),
}

/// Removes a table.
#[derive(Debug, Clone)]
pub struct DeleteTable {
    /// Its name.
    pub name: String,
}

/// Asks what a table is like.
#[derive(Debug, Clone)]
pub struct DescribeTable {
    /// Its name.
    pub name: String,
}

/// Lists tables in the order of their names.
#[derive(Debug, Clone)]
pub struct ListTables {
    /// The name after which to go on.
    pub start: Option<String>,
    /// How many names.
    pub limit: usize,
}

/// The answer of ListTables.
#[derive(Debug, Clone, Default)]
pub struct TableNames {
    /// The names.
    pub names: Vec<String>,
    /// The last one, if there are more.
    pub last: Option<String>,
}

/// The type of a key attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeDefinition {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: ScalarType,
}

/// The types a key may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the type of its name")]
pub enum ScalarType {
    S,
    N,
    B,
}

impl ScalarType {
    /// The same as a type of values.
    pub fn value_type(self) -> item::Type {
        match self {
            ScalarType::S => item::Type::S,
            ScalarType::N => item::Type::N,
            ScalarType::B => item::Type::B,
        }
    }
}

/// One attribute of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyElement {
    /// Its name.
    pub name: String,
    /// Its part in the key.
    pub kind: KeyKind,
}

/// The parts of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// Partition key.
    Hash,
    /// Sort key.
    Range,
}

/// A secondary index as it is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexSpec {
    /// Its name.
    pub name: String,
    /// Its key.
    pub key_schema: Vec<KeyElement>,
    /// What it carries.
    pub projection: IndexProjection,
    /// Provisioned units, of a global index.
    pub throughput: Option<Throughput>,
    /// Bounds of units on demand, of a global index.
    pub on_demand: Option<OnDemand>,
    /// Units it is to be ready for, of a global index.
    pub warm: Option<WarmThroughput>,
}

/// What an index carries of the items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexProjection {
    /// Everything.
    All,
    /// The keys of table and index.
    KeysOnly,
    /// The keys and these attributes.
    Include(Vec<String>),
}

/// How a table is billed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the mode of its name")]
pub enum BillingMode {
    Provisioned,
    PayPerRequest,
}

/// Provisioned units a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Throughput {
    /// Read units.
    pub read: u64,
    /// Write units.
    pub write: u64,
}

/// Bounds of units on demand; none and -1 are no bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OnDemand {
    /// Read units.
    pub read_max: Option<i64>,
    /// Write units.
    pub write_max: Option<i64>,
}

/// Units a second a table is ready for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WarmThroughput {
    /// Read units.
    pub read: Option<u64>,
    /// Write units.
    pub write: Option<u64>,
}

/// The stream of a table's changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamSpec {
    /// Whether there is one.
    pub enabled: bool,
    /// What its records carry.
    pub view: Option<StreamView>,
}

/// What stream records carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the view of its name")]
pub enum StreamView {
    KeysOnly,
    NewImage,
    OldImage,
    NewAndOldImages,
}

/// How a table is to be encrypted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseSpec {
    /// With a key of the account rather than the service's own.
    pub enabled: bool,
    /// Whether the type was named (`KMS` is the only one).
    pub kms: bool,
    /// Which key.
    pub key: Option<String>,
}

/// How a table is encrypted, where it is not the service's own key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseStatus {
    /// ENABLED, or UPDATING while it changes.
    pub enabled: bool,
    /// The key's ARN.
    pub key_arn: String,
}

/// What a table's storage costs against its requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the class of its name")]
pub enum TableClass {
    Standard,
    StandardInfrequentAccess,
}

/// States of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the state of its name")]
pub enum TableStatus {
    Creating,
    Updating,
    Deleting,
    Active,
}

/// States of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the state of its name")]
pub enum IndexStatus {
    Creating,
    Updating,
    Deleting,
    Active,
}

/// A table as it is described.
#[derive(Debug, Clone, PartialEq)]
pub struct TableDescription {
    /// Its name.
    pub name: String,
    /// Its id, a UUID.
    pub id: String,
    /// Its ARN.
    pub arn: String,
    /// Its state.
    pub status: TableStatus,
    /// When it was made, milliseconds since 1970.
    pub created_ms: u64,
    /// The types of key attributes.
    pub attributes: Vec<AttributeDefinition>,
    /// The primary key.
    pub key_schema: Vec<KeyElement>,
    /// How many items it has.
    pub item_count: u64,
    /// Their size.
    pub size_bytes: u64,
    /// How it is billed; none for a table that was always provisioned.
    pub billing: Option<BillingSummary>,
    /// Provisioned units; zeros on demand.
    pub throughput: ThroughputDescription,
    /// Bounds of units on demand.
    pub on_demand: Option<OnDemand>,
    /// Units it is ready for.
    pub warm: WarmThroughput,
    /// Local indexes.
    pub local_indexes: Vec<LocalIndexDescription>,
    /// Global indexes.
    pub global_indexes: Vec<GlobalIndexDescription>,
    /// Its stream, if it has one.
    pub stream: Option<StreamSpec>,
    /// The newest stream's label and ARN, also after it was disabled.
    pub latest_stream: Option<(String, String)>,
    /// Where it was restored from.
    pub restore: Option<RestoreSummary>,
    /// Its encryption, if not the service's own key.
    pub sse: Option<SseStatus>,
    /// Its class, if it was ever named.
    pub class: Option<TableClassSummary>,
    /// Whether it may not be deleted.
    pub deletion_protection: bool,
}

/// How a table is billed, and since when on demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BillingSummary {
    /// The mode.
    pub mode: BillingMode,
    /// When it last became on demand, milliseconds since 1970.
    pub on_demand_since_ms: Option<u64>,
}

/// A table's class, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableClassSummary {
    /// The class.
    pub class: TableClass,
    /// When it last changed, milliseconds since 1970.
    pub since_ms: Option<u64>,
}

/// Provisioned units and their history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThroughputDescription {
    /// The units.
    pub units: Throughput,
    /// When they last rose, milliseconds since 1970.
    pub increased_ms: Option<u64>,
    /// When they last fell, milliseconds since 1970.
    pub decreased_ms: Option<u64>,
    /// How often they fell today.
    pub decreases_today: u64,
}

/// A local index as it is described.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalIndexDescription {
    /// Its name.
    pub name: String,
    /// Its ARN.
    pub arn: String,
    /// Its key.
    pub key_schema: Vec<KeyElement>,
    /// What it carries.
    pub projection: IndexProjection,
    /// How many entries it has.
    pub item_count: u64,
    /// Their size.
    pub size_bytes: u64,
}

/// A global index as it is described.
#[derive(Debug, Clone, PartialEq)]
pub struct GlobalIndexDescription {
    /// Its name.
    pub name: String,
    /// Its ARN.
    pub arn: String,
    /// Its key.
    pub key_schema: Vec<KeyElement>,
    /// What it carries.
    pub projection: IndexProjection,
    /// Its state.
    pub status: IndexStatus,
    /// Whether it is being filled; told while it is made.
    pub backfilling: Option<bool>,
    /// Provisioned units; zeros on demand.
    pub throughput: ThroughputDescription,
    /// Bounds of units on demand.
    pub on_demand: Option<OnDemand>,
    /// Units it is ready for.
    pub warm: WarmThroughput,
    /// How many entries it has.
    pub item_count: u64,
    /// Their size.
    pub size_bytes: u64,
}
