//! Every limit of the service, named with its unit.

/// An item: names and values.
pub const ITEM_BYTES_MAX: usize = 400 * 1024;
/// A partition key value.
pub const PARTITION_KEY_BYTES_MAX: usize = 2048;
/// A sort key value.
pub const SORT_KEY_BYTES_MAX: usize = 1024;
/// An attribute name that is a key.
pub const KEY_NAME_BYTES_MAX: usize = 255;
/// An attribute name.
pub const ATTRIBUTE_NAME_BYTES_MAX: usize = 65_535;
/// Lists and maps inside each other.
pub const NESTING_MAX: usize = 32;
/// The exponent of the first digit of the largest number.
pub const NUMBER_EXPONENT_MAX: i64 = 125;
/// The exponent of the first digit of the smallest positive number.
pub const NUMBER_EXPONENT_MIN: i64 = -130;
/// What a page of Query or Scan reads before it ends.
pub const PAGE_BYTES_MAX: usize = 1024 * 1024;
/// What BatchGetItem answers before the rest is left unprocessed.
pub const BATCH_GET_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Keys of one BatchGetItem.
pub const BATCH_GET_KEYS_MAX: usize = 100;
/// Requests of one BatchWriteItem.
pub const BATCH_WRITE_REQUESTS_MAX: usize = 25;
/// Actions of one transaction.
pub const TRANSACT_ACTIONS_MAX: usize = 100;
/// All items of one transaction together.
pub const TRANSACT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How long a client token makes a transaction idempotent.
pub const CLIENT_TOKEN_LIFE_MS: u64 = 10 * 60 * 1000;
/// A request's body.
pub const BODY_BYTES_MAX: usize = 16 * 1024 * 1024;
/// An expression's text.
pub const EXPRESSION_BYTES_MAX: usize = 4096;
/// Global secondary indexes of a table.
pub const GLOBAL_INDEXES_MAX: usize = 20;
/// Local secondary indexes of a table.
pub const LOCAL_INDEXES_MAX: usize = 5;
/// Attributes of an index's partition key, and as many of its sort key.
pub const INDEX_KEY_ATTRIBUTES_MAX: usize = 4;
/// Attributes that one INCLUDE projection may name.
pub const INDEX_PROJECTED_ATTRIBUTES_MAX: usize = 20;
/// Attributes that INCLUDE projections of a table may name in all.
pub const PROJECTED_ATTRIBUTES_MAX: usize = 100;
/// Tags of a table.
pub const TAGS_MAX: usize = 50;
/// Bytes of a read capacity unit.
pub const READ_UNIT_BYTES: usize = 4096;
/// Bytes of a write capacity unit.
pub const WRITE_UNIT_BYTES: usize = 1024;
