//! The checks that need a table: does it take requests, do keys and items fit its schema.

use bytes::Bytes;
use expr::Path;
use item::{Item, Value, item_bytes, value_bytes};
use op::{Error, TableStatus, limits};

use crate::layout;
use crate::schema::{Index, KeyPart, KeySchema, Table};

/// The text for an item over the limit.
pub(crate) const ITEM_TOO_LARGE: &str = "Item size has exceeded the maximum allowed size";
const EMPTY_KEY: &str = "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty";
const NO_MATCH: &str = "The provided key element does not match the schema";

/// Refuses a table that is not there yet or not there any more.
pub(crate) fn usable(table: &Table) -> Result<(), Error> {
    match table.status {
        TableStatus::Active | TableStatus::Updating => Ok(()),
        TableStatus::Creating | TableStatus::Deleting => Err(Error::no_table()),
    }
}

/// The place of a key in the table: every attribute of the schema in its type, and no other.
pub(crate) fn key(table: &Table, key: &Item) -> Result<Bytes, Error> {
    if key.len() != table.key.parts().count() {
        return Err(Error::validation(NO_MATCH));
    }
    for part in table.key.parts() {
        let value = key.get(&part.name).ok_or_else(|| Error::validation(NO_MATCH))?;
        if value.type_of() != part.kind.value_type() {
            return Err(Error::validation(NO_MATCH));
        }
    }
    key_values(table, key)?;
    layout::table_key(&table.key, key).ok_or_else(|| Error::validation(NO_MATCH))
}

/// The place of a whole item in the table, and the item's size.
pub(crate) fn item(table: &Table, item: &Item) -> Result<(Bytes, usize), Error> {
    for part in table.key.parts() {
        let Some(value) = item.get(&part.name) else {
            return Err(Error::invalid(format_args!("Missing the key {} in the item", part.name)));
        };
        type_matches(part, value)?;
    }
    key_values(table, item)?;
    index_keys(table, item)?;
    let bytes = item_bytes(item);
    if bytes > limits::ITEM_BYTES_MAX {
        return Err(Error::validation(ITEM_TOO_LARGE));
    }
    let key = layout::table_key(&table.key, item).ok_or_else(|| Error::validation(NO_MATCH))?;
    Ok((key, bytes))
}

/// An item of a batch. OBSERVED: a batch answers a key that is missing or of another type as one that does not match.
pub(crate) fn batch_item(table: &Table, item: &Item) -> Result<(), Error> {
    let fits =
        |part: &KeyPart| item.get(&part.name).is_some_and(|value| value.type_of() == part.kind.value_type());
    if table.key.parts().all(fits) { Ok(()) } else { Err(Error::validation(NO_MATCH)) }
}

/// What an update made of an item: the index keys it touched must be of their types, its size within the limit. What
/// was there before an index was made and does not fit it may stay: it has no entry.
pub(crate) fn updated_item(table: &Table, item: &Item, touched: &[Path]) -> Result<usize, Error> {
    let is_touched = |part: &&KeyPart| touched.iter().any(|path| path.root == part.name);
    for index in table.indexes().filter(|index| index.key.parts().any(|part| is_touched(&part))) {
        for part in index.key.parts().filter(is_touched) {
            let Some(value) = item.get(&part.name) else { continue };
            // As in a put, a value of another type is told as that, empty or not.
            let of_its_type = Some(value).filter(|value| value.type_of() == part.kind.value_type());
            if let Some(kind) = of_its_type.and_then(empty) {
                return Err(Error::validation(format!(
                    "One or more parameter values are not valid. The update expression attempted to update a \
                     secondary index key to a value that is not supported. The AttributeValue for a key attribute \
                     cannot contain an empty {kind} value."
                )));
            }
            index_key_value(index, part, value)?;
        }
        key_sizes(&index.key, item)?;
    }
    let bytes = item_bytes(item);
    if bytes > limits::ITEM_BYTES_MAX {
        return Err(Error::validation("Item size to update has exceeded the maximum allowed size"));
    }
    Ok(bytes)
}

/// An update may not name an attribute of the primary key.
pub(crate) fn update_targets<'a>(table: &Table, roots: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    for root in roots {
        if table.key.has(root) {
            return Err(Error::invalid(format_args!(
                "Cannot update attribute {root}. This attribute is part of the key"
            )));
        }
    }
    Ok(())
}

/// Keys of a table and of its indexes are no lists and no maps, so that no path leads into one.
pub(crate) fn flat_keys<'a>(table: &Table, paths: impl Iterator<Item = &'a Path>) -> Result<(), Error> {
    let deep: Vec<&str> =
        paths.filter(|path| !path.steps.is_empty()).map(|path| path.root.as_str()).collect();
    if deep.is_empty() {
        return Ok(());
    }
    let of_table = table.key.parts().map(|part| ("Key", part));
    let of_indexes = table.indexes().flat_map(|index| index.key.parts()).map(|part| ("IndexKey", part));
    match of_table.chain(of_indexes).find(|(_, part)| deep.contains(&part.name.as_str())) {
        None => Ok(()),
        Some((kind, part)) => Err(Error::validation(format!(
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: {kind}: {}",
            part.name
        ))),
    }
}

fn type_matches(part: &KeyPart, value: &Value) -> Result<(), Error> {
    let (expected, actual) = (part.kind.value_type(), value.type_of());
    if expected == actual {
        return Ok(());
    }
    Err(Error::invalid(format_args!(
        "Type mismatch for key {} expected: {} actual: {}",
        part.name,
        expected.name(),
        actual.name()
    )))
}

/// Key values may not be empty and not too long.
fn key_values(table: &Table, item: &Item) -> Result<(), Error> {
    for part in table.key.parts() {
        if let Some(kind) = item.get(&part.name).and_then(empty) {
            return Err(empty_key(kind, &part.name));
        }
    }
    key_sizes(&table.key, item)
}

/// An attribute that is a key of an index has the index's type and is not empty, or is not there.
fn index_keys(table: &Table, item: &Item) -> Result<(), Error> {
    for index in table.indexes() {
        for part in index.key.parts() {
            if let Some(value) = item.get(&part.name) {
                index_key_value(index, part, value)?;
            }
        }
        key_sizes(&index.key, item)?;
    }
    Ok(())
}

fn index_key_value(index: &Index, part: &KeyPart, value: &Value) -> Result<(), Error> {
    let (expected, actual) = (part.kind.value_type(), value.type_of());
    if expected != actual {
        return Err(Error::invalid(format_args!(
            "Type mismatch for Index Key {} Expected: {} Actual: {} IndexName: {}",
            part.name,
            expected.name(),
            actual.name(),
            index.name
        )));
    }
    if let Some(kind) = empty(value) {
        return Err(Error::validation(format!(
            "One or more parameter values are not valid. A value specified for a secondary index key is not \
             supported. The AttributeValue for a key attribute cannot contain an empty {kind} value. IndexName: {}, \
             IndexKey: {}",
            index.name, part.name
        )));
    }
    Ok(())
}

/// A partition key and a sort key have a size each, over all their attributes. What the item lacks counts nothing.
pub(crate) fn key_sizes(key: &KeySchema, item: &Item) -> Result<(), Error> {
    let size = |parts: &[KeyPart]| {
        parts.iter().filter_map(|part| item.get(&part.name)).map(value_bytes).sum::<usize>()
    };
    if size(&key.hash) > limits::PARTITION_KEY_BYTES_MAX {
        return Err(Error::invalid("Size of hashkey has exceeded the maximum size limit of2048 bytes"));
    }
    if size(&key.range) > limits::SORT_KEY_BYTES_MAX {
        return Err(Error::invalid(
            "Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
        ));
    }
    Ok(())
}

/// Whether an error is about an empty value of the primary key.
pub(crate) fn is_empty_key(error: &Error) -> bool {
    error.message.starts_with(EMPTY_KEY)
}

/// The error for an empty key value.
pub(crate) fn empty_key(kind: &str, name: &str) -> Error {
    Error::validation(format!("{EMPTY_KEY} {kind} value. Key: {name}"))
}

/// What an empty key value is called; none if it is not empty.
pub(crate) fn empty(value: &Value) -> Option<&'static str> {
    match value {
        Value::S(text) if text.is_empty() => Some("string"),
        Value::B(bytes) if bytes.is_empty() => Some("binary"),
        Value::S(_)
        | Value::B(_)
        | Value::N(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_)
        | Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_) => None,
    }
}
