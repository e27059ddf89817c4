//! A DynamoDB of a few hundred lines over ordered maps: slow, plain, and written without the engine's code, so that
//! both can be wrong only in different ways. It speaks JSON as a client sees it.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

/// An item as JSON: attribute names to typed values.
pub(crate) type Item = Map<String, Json>;

/// All tables.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    pub(crate) tables: BTreeMap<String, Table>,
}

/// A table: its schema and its items by key.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) schema: Schema,
    /// Whether items expire by their attribute `ttl`.
    pub(crate) expires: bool,
    items: BTreeMap<Vec<Key>, Item>,
}

/// What is needed of a table's definition.
#[derive(Debug, Clone)]
pub(crate) struct Schema {
    /// Partition key, then the sort key if there is one: names and types.
    pub(crate) key: Vec<(String, char)>,
    pub(crate) indexes: Vec<Index>,
}

/// What is needed of an index's definition.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    pub(crate) name: String,
    pub(crate) is_local: bool,
    pub(crate) key: Vec<(String, char)>,
    /// None for all attributes, else those beside the keys.
    pub(crate) included: Option<Vec<String>>,
}

/// A key value in the order of the service.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    N(i64),
    S(Vec<u8>),
}

/// A condition of a generated request: simple enough to be judged here without a parser.
#[derive(Debug, Clone)]
pub(crate) enum Condition {
    Exists(String),
    NotExists(String),
    Equals(String, Json),
    Below(String, i64),
}

impl Condition {
    /// As an expression with its values.
    pub(crate) fn text(&self, values: &mut Item) -> String {
        match self {
            Condition::Exists(name) => format!("attribute_exists({name})"),
            Condition::NotExists(name) => format!("attribute_not_exists({name})"),
            Condition::Equals(name, value) => {
                values.insert(":equal".into(), value.clone());
                format!("{name} = :equal")
            }
            Condition::Below(name, bound) => {
                values.insert(":below".into(), json!({"N": bound.to_string()}));
                format!("{name} < :below")
            }
        }
    }

    pub(crate) fn holds(&self, item: Option<&Item>) -> bool {
        let value = |name: &String| item.and_then(|item| item.get(name));
        match self {
            Condition::Exists(name) => value(name).is_some(),
            Condition::NotExists(name) => value(name).is_none(),
            Condition::Equals(name, wanted) => value(name) == Some(wanted),
            Condition::Below(name, bound) => {
                value(name).and_then(number).is_some_and(|number| number < *bound)
            }
        }
    }
}

impl Table {
    pub(crate) fn new(schema: Schema) -> Table {
        Table { schema, expires: false, items: BTreeMap::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn get(&self, key: &Item) -> Option<&Item> {
        self.items.get(&keys(&self.schema.key, key)?)
    }

    pub(crate) fn put(&mut self, item: Item) -> Option<Item> {
        let key = keys(&self.schema.key, &item).expect("generated items have their keys");
        self.items.insert(key, item)
    }

    pub(crate) fn delete(&mut self, key: &Item) -> Option<Item> {
        self.items.remove(&keys(&self.schema.key, key)?)
    }

    /// Removes what has expired by now.
    pub(crate) fn expire(&mut self, now_seconds: i64) {
        if self.expires {
            self.items.retain(|_, item| !is_over(item, now_seconds));
        }
    }

    /// Whether there is anything that has expired by now.
    pub(crate) fn has_expired(&self, now_seconds: i64) -> bool {
        self.expires && self.items.values().any(|item| is_over(item, now_seconds))
    }

    /// The keys of what has expired by now.
    pub(crate) fn expired(&self, now_seconds: i64) -> Vec<Item> {
        let over = self.items.values().filter(|item| self.expires && is_over(item, now_seconds));
        over.map(|item| self.key_of(item)).collect()
    }

    /// The key attributes of an item.
    pub(crate) fn key_of(&self, item: &Item) -> Item {
        cut(item, self.schema.key.iter().map(|(name, _)| name.as_str()))
    }

    /// Whether an item may be written: key attributes of indexes have their types.
    pub(crate) fn accepts(&self, item: &Item) -> bool {
        let parts = self.schema.indexes.iter().flat_map(|index| &index.key);
        parts
            .into_iter()
            .all(|(name, kind)| item.get(name).is_none_or(|value| value.get(kind.to_string()).is_some()))
    }

    /// All entries of the table or an index, in the order of sort keys inside each partition, with what the source
    /// carries. Partitions stand in the order of their keys, which the service does not promise.
    pub(crate) fn entries(&self, index: Option<&Index>) -> Vec<Item> {
        let Some(index) = index else { return self.items.values().cloned().collect() };
        let mut entries: Vec<(Vec<Key>, Vec<Key>, Item)> = self
            .items
            .iter()
            .filter_map(|(key, item)| {
                Some((keys(&index.key, item)?, key.clone(), self.projected(index, item)))
            })
            .collect();
        entries.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        entries.into_iter().map(|(_, _, item)| item).collect()
    }

    fn projected(&self, index: &Index, item: &Item) -> Item {
        let Some(included) = &index.included else { return item.clone() };
        let names = self.schema.key.iter().chain(&index.key).map(|(name, _)| name);
        cut(item, names.chain(included).map(String::as_str))
    }
}

/// Whether an item has expired by now, but not more than five years ago.
fn is_over(item: &Item, now_seconds: i64) -> bool {
    let oldest = now_seconds - 5 * 365 * 24 * 60 * 60;
    let is_due = |seconds: i64| seconds > 0 && seconds >= oldest && seconds <= now_seconds;
    item.get("ttl").and_then(number).is_some_and(is_due)
}

/// The values of key attributes; none if one is missing or of another type.
pub(crate) fn keys(schema: &[(String, char)], item: &Item) -> Option<Vec<Key>> {
    schema.iter().map(|(name, kind)| key(item.get(name)?, *kind)).collect()
}

fn key(value: &Json, kind: char) -> Option<Key> {
    let text = value.get(kind.to_string())?.as_str()?;
    Some(if kind == 'N' { Key::N(text.parse().ok()?) } else { Key::S(text.as_bytes().to_vec()) })
}

pub(crate) fn number(value: &Json) -> Option<i64> {
    value.get("N")?.as_str()?.parse().ok()
}

fn cut<'a>(item: &Item, names: impl Iterator<Item = &'a str>) -> Item {
    names.filter_map(|name| Some((name.to_string(), item.get(name)?.clone()))).collect()
}

/// Whether a sort key lies where a test wants it.
pub(crate) fn passes(test: &str, key: &Key, low: &Key, high: &Key) -> bool {
    match test {
        "=" => key == low,
        "<" => key < low,
        "<=" => key <= low,
        ">" => key > low,
        ">=" => key >= low,
        "BETWEEN" => key.cmp(low) != Ordering::Less && key.cmp(high) != Ordering::Greater,
        _ => matches!((key, low), (Key::S(text), Key::S(prefix)) if text.starts_with(prefix)),
    }
}
