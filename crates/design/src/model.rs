//! A design as types: what a file says, with the place where it says it. Knows no YAML, no endpoint.

use serde_json::Value as Json;

use crate::template::Template;

/// A place in a file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// Something and the place where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct At<T> {
    /// What stands there.
    pub value: T,
    /// Where.
    pub place: Place,
}

/// One design file.
#[derive(Debug, Clone, Default)]
pub struct Design {
    /// The file, as it was named.
    pub file: String,
    /// The design's name; the file's stem if it gives none.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Where it is to live, if it says so.
    pub region: Option<At<String>>,
    /// Environments in the order of the file; never empty: a file without any has one that is called `dev`.
    pub environments: Vec<Environment>,
    /// Tables in the order of the file.
    pub tables: Vec<Table>,
    /// Entities in the order of the file.
    pub entities: Vec<Entity>,
    /// Samples in the order of the file.
    pub samples: Vec<Sample>,
    /// Access patterns in the order of the file.
    pub patterns: Vec<Pattern>,
    /// How many items of an entity there will be.
    pub volume: Vec<(At<String>, u64)>,
    /// Alarms in the order of the file.
    pub alarms: Vec<Alarm>,
    /// IAM policy statements (as in a policy document), if the file has any.
    pub iam: Vec<At<Json>>,
    /// Monthly spend in dollars at which `cost` raises a flag.
    pub budget_thresholds: Vec<f64>,
    /// Outputs, Parameters, Conditions… of the CloudFormation template the design stands in, passed through.
    pub template: Option<Json>,
}

/// A set of differences for one deployment.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// Its name, which `${Environment}` stands for.
    pub name: At<String>,
    /// CloudFormation properties to merge over those of every table.
    pub properties: Json,
    /// Its deletion policy, if it differs.
    pub deletion_policy: Option<String>,
    /// Its region, if it differs.
    pub region: Option<String>,
}

/// A table: a CloudFormation resource word for word.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The logical id.
    pub id: At<String>,
    /// `DeletionPolicy`, if given.
    pub deletion_policy: Option<String>,
    /// The whole resource as it stands (`Type`, `Properties`…), numbers and booleans typed as CloudFormation has them.
    pub resource: Json,
    /// The name before the environment is put in.
    pub table_name: At<String>,
    /// The primary key.
    pub key: Vec<KeyAttribute>,
    /// All indexes, local ones first.
    pub indexes: Vec<Index>,
    /// The TTL attribute, if TTL is on.
    pub ttl_attribute: Option<At<String>>,
    /// Place of each property by its path, such as `GlobalSecondaryIndexes.0.Projection`.
    pub places: Vec<(String, Place)>,
}

/// An index.
#[derive(Debug, Clone, Default)]
pub struct Index {
    /// Its name.
    pub name: At<String>,
    /// Whether it is local.
    pub is_local: bool,
    /// Its key.
    pub key: Vec<KeyAttribute>,
    /// `ALL`, `KEYS_ONLY`, `INCLUDE`, or what the file says instead.
    pub projection: At<String>,
    /// `NonKeyAttributes`.
    pub included: Vec<At<String>>,
}

/// One attribute of a key.
#[derive(Debug, Clone, Default)]
pub struct KeyAttribute {
    /// Its name.
    pub name: At<String>,
    /// Whether it is part of the partition key.
    pub is_hash: bool,
    /// `S`, `N` or `B`: as AttributeDefinitions say, else as the field of that name, else `S`.
    pub kind: String,
}

/// A kind of item.
#[derive(Debug, Clone, Default)]
pub struct Entity {
    /// Its name.
    pub name: At<String>,
    /// The logical id of its table.
    pub table: At<String>,
    /// What it is for.
    pub description: Option<String>,
    /// The partition key's template. `{symbol}` alone means that the key attribute is the field itself.
    pub pk: Template,
    /// The sort key's template.
    pub sk: Option<Template>,
    /// How it reaches indexes.
    pub mappings: Vec<Mapping>,
    /// How it expires.
    pub ttl: Option<Ttl>,
    /// Its fields in the order of the file.
    pub fields: Vec<Field>,
    /// Rules between fields, such as `len(lunches) = lunchCount`, as text with their place.
    pub rules: Vec<At<String>>,
}

/// How an entity reaches an index.
#[derive(Debug, Clone, Default)]
pub struct Mapping {
    /// The index.
    pub index: At<String>,
    /// Templates of its partition key attributes.
    pub pk: Vec<Template>,
    /// Templates of its sort key attributes.
    pub sk: Vec<Template>,
    /// The condition under which an item has an entry, such as `favorite = true`.
    pub when: Option<At<String>>,
}

/// How an entity expires: `field = from + after`.
#[derive(Debug, Clone, Default)]
pub struct Ttl {
    /// The attribute that says when.
    pub field: At<String>,
    /// The field it is counted from.
    pub from: At<String>,
    /// The time after it, in seconds.
    pub after_seconds: u64,
    /// The time as it is written (ISO 8601 duration).
    pub after_text: String,
}

/// A field of an entity, or of an object inside it.
#[derive(Debug, Clone, Default)]
pub struct Field {
    /// Its name.
    pub name: At<String>,
    /// `string`, `number`, `integer`, `boolean`, `binary`, `array`, `object`, `string-set`, `number-set`, `binary-set`,
    /// `uuid`, `any`.
    pub kind: At<String>,
    /// Whether an item must have it.
    pub required: bool,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// The values it may have.
    pub choices: Vec<At<String>>,
    /// A regular expression it must match.
    pub pattern: Option<At<String>>,
    /// `date-time`, `date`, `email`, `uri`, `uuid`, `epoch-seconds`.
    pub format: Option<At<String>>,
    /// Least value.
    pub minimum: Option<At<String>>,
    /// Least value, itself not allowed.
    pub exclusive_minimum: Option<At<String>>,
    /// Greatest value.
    pub maximum: Option<At<String>>,
    /// Least length.
    pub min_length: Option<usize>,
    /// Greatest length in bytes.
    pub max_length: Option<usize>,
    /// What an array holds.
    pub items: Option<Box<Field>>,
    /// What an object holds.
    pub properties: Vec<Field>,
    /// The field or constant it is computed from.
    pub from: Option<At<String>>,
    /// `slug`, `lower`, `upper`, `year-month`, `date`, `sha256`, `md5`, `iso-datetime`, `count`.
    pub transform: Option<At<String>>,
    /// Whether it is an attribute of the item (true unless the file says `store: false`).
    pub store: bool,
    /// What it is for.
    pub description: Option<String>,
}

/// A sample item: plain values; keys, index keys and computed fields are worked out.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// Its name.
    pub name: At<String>,
    /// Its entity.
    pub entity: At<String>,
    /// Its values as they stand.
    pub values: Vec<(At<String>, Plain)>,
}

/// A value as a file writes it. Scalars stay text until a field gives them a type.
#[derive(Debug, Clone, PartialEq)]
pub enum Plain {
    /// A scalar; `quoted` if it stands in quotes.
    Scalar {
        /// Its text.
        text: String,
        /// Whether it is quoted, so that it is text whatever it looks like.
        quoted: bool,
        /// Where it stands.
        place: Place,
    },
    /// A list.
    List(Vec<Plain>, Place),
    /// A map.
    Map(Vec<(At<String>, Plain)>, Place),
}

/// A named access pattern.
#[derive(Debug, Clone, Default)]
pub struct Pattern {
    /// Its name.
    pub name: At<String>,
    /// What it is for.
    pub description: Option<String>,
    /// The number of the pattern in the document it comes from, or why it was added.
    pub origin: Option<String>,
    /// What it does, and what it does after that.
    pub steps: Vec<Step>,
    /// What it must return: names of samples, in order (Query, Scan) or in any order (`expect_any_order`).
    pub expect: Option<Expect>,
    /// The error it must end in.
    pub expect_error: Option<At<String>>,
    /// Requests a second.
    pub rps: Option<f64>,
    /// Requests a day.
    pub per_day: Option<f64>,
    /// How long an answer may be used after its time, checked by the caller: a filter such as `ttl > now`.
    pub freshness: Option<At<String>>,
}

/// What a pattern must return.
#[derive(Debug, Clone, PartialEq)]
pub enum Expect {
    /// These samples in this order.
    InOrder(Vec<At<String>>),
    /// These samples in any order.
    AnyOrder(Vec<At<String>>),
    /// So many items.
    Count(usize, Place),
    /// Attributes by name, of the one item returned.
    Attributes(Vec<(At<String>, Plain)>, Place),
    /// Nothing.
    Nothing(Place),
}

/// One request of a pattern.
#[derive(Debug, Clone, Default)]
pub struct Step {
    /// `GetItem`, `Query`, `PutItem`, `UpdateItem`, `DeleteItem`, `Scan`, `BatchGetItem`, `BatchWriteItem`,
    /// `TransactGetItems`, `TransactWriteItems`.
    pub operation: At<String>,
    /// The entity it is about.
    pub entity: Option<At<String>>,
    /// The table, for a Scan of everything.
    pub table: Option<At<String>>,
    /// The index it reads.
    pub index: Option<At<String>>,
    /// Values of fields, or references such as `$.Items[0].PK` to the answer before.
    pub parameters: Vec<(At<String>, Plain)>,
    /// The condition on the sort key: `begins_with`, `between`, `>=`, `<=`, `>`, `<`; unsaid it follows from what is given.
    pub range_condition: Option<At<String>>,
    /// A filter expression with names as they are (`ttl < :now`); names are aliased when it is sent.
    pub filter: Option<At<String>>,
    /// A condition expression, likewise.
    pub condition: Option<At<String>>,
    /// An update expression, likewise.
    pub update: Option<At<String>>,
    /// Attributes to return; what the document promises.
    pub projection: Vec<At<String>>,
    /// The samples to put, or whose keys to delete or get.
    pub samples: Vec<At<String>>,
    /// The actions of a transaction or a batch.
    pub actions: Vec<Step>,
    /// `ConsistentRead`.
    pub consistent: bool,
    /// `ScanIndexForward`.
    pub forward: bool,
    /// `Limit`.
    pub limit: Option<usize>,
    /// Whether the file claims that the full key is given.
    pub full_key: bool,
}

/// A CloudWatch alarm.
#[derive(Debug, Clone, Default)]
pub struct Alarm {
    /// Its name.
    pub name: At<String>,
    /// `AWS::CloudWatch::Alarm` properties word for word.
    pub properties: Json,
    /// What it is for.
    pub description: Option<String>,
}
