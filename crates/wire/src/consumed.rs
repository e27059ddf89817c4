//! What operations consumed and how large item collections are, as JSON. Knows no operations.

use std::collections::BTreeMap;

use op::{Capacity, CollectionMetrics, ConsumedCapacity};

use crate::value::write_value;
use crate::write::{Object, decimal, list};

pub(crate) fn write(consumed: &ConsumedCapacity, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.text("TableName", &consumed.table_name);
    write_units(&consumed.total, &mut object);
    if let Some(table) = &consumed.table {
        write_capacity(table, object.key("Table"));
    }
    write_indexes("LocalSecondaryIndexes", &consumed.local_indexes, &mut object);
    write_indexes("GlobalSecondaryIndexes", &consumed.global_indexes, &mut object);
    object.end();
}

/// One entry a table, where it was asked for.
pub(crate) fn write_all(consumed: &[ConsumedCapacity], object: &mut Object<'_>) {
    if !consumed.is_empty() {
        object.list("ConsumedCapacity", consumed, write);
    }
}

fn write_indexes(name: &'static str, indexes: &BTreeMap<String, Capacity>, object: &mut Object<'_>) {
    if indexes.is_empty() {
        return;
    }
    let mut map = Object::begin(object.key(name));
    for (index, capacity) in indexes {
        write_capacity(capacity, map.any_key(index));
    }
    map.end();
}

fn write_capacity(capacity: &Capacity, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    write_units(capacity, &mut object);
    object.end();
}

fn write_units(capacity: &Capacity, object: &mut Object<'_>) {
    if let Some(read) = capacity.read {
        object.decimal("ReadCapacityUnits", read);
    }
    if let Some(write) = capacity.write {
        object.decimal("WriteCapacityUnits", write);
    }
    object.decimal("CapacityUnits", capacity.units);
}

pub(crate) fn write_metrics(metrics: &CollectionMetrics, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    let mut key = Object::begin(object.key("ItemCollectionKey"));
    write_value(&metrics.key, key.any_key(&metrics.key_name));
    key.end();
    let (low, high) = metrics.size_range_gb;
    object.list("SizeEstimateRangeGB", [low, high], decimal);
    object.end();
}

/// Sizes by table, where they were asked for.
pub(crate) fn write_metrics_of_tables(
    tables: &BTreeMap<String, Vec<CollectionMetrics>>,
    object: &mut Object<'_>,
) {
    if tables.is_empty() {
        return;
    }
    let mut map = Object::begin(object.key("ItemCollectionMetrics"));
    for (table, metrics) in tables {
        list(metrics, map.any_key(table), write_metrics);
    }
    map.end();
}
