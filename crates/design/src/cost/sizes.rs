//! What items weigh, measured on the samples of a design: in the table and in each index. Knows no prices.

use item::{Item, item_bytes};

use crate::items;
use crate::model::{Design, Entity, Field, Index, Sample, Table};

/// What the service adds to an item, and to an index entry, when it counts storage.
pub(crate) const OVERHEAD_BYTES: f64 = 100.0;

/// How items of an entity weigh, on average.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Weight {
    /// The samples it was measured on; none if it is assumed from the fields.
    pub(crate) samples: usize,
    /// Bytes of an item.
    pub(crate) bytes: f64,
    /// Entries in each index that some item reaches, in the order of the table.
    pub(crate) entries: Vec<EntryWeight>,
}

/// How an entity's entries in one index weigh.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EntryWeight {
    /// The index.
    pub(crate) index: String,
    /// The share of items that have an entry, 0 to 1.
    pub(crate) share: f64,
    /// Bytes of an entry, on average over those there are.
    pub(crate) bytes: f64,
}

/// The samples of an entity as items. Samples that cannot be built are left to `check`.
pub(crate) fn built_samples<'a>(design: &'a Design, entity: &str) -> Vec<(&'a Sample, Item)> {
    let of_entity = design.samples.iter().filter(|sample| sample.entity.value == entity);
    of_entity.filter_map(|sample| Some((sample, built(design, sample)?))).collect()
}

/// A sample by its name, as an item.
pub(crate) fn sample_item(design: &Design, name: &str) -> Option<Item> {
    built(design, design.samples.iter().find(|sample| sample.name.value == name)?)
}

/// The table an entity lives in.
pub(crate) fn table_of<'a>(design: &'a Design, entity: &Entity) -> Option<&'a Table> {
    design.tables.iter().find(|table| table.id.value == entity.table.value)
}

/// The weight of an entity's items.
pub(crate) fn weigh(design: &Design, entity: &Entity) -> Weight {
    let samples = built_samples(design, &entity.name.value);
    let Some(table) = table_of(design, entity) else {
        return Weight { samples: 0, bytes: assumed_bytes(entity), entries: Vec::new() };
    };
    if samples.is_empty() {
        return assumed(table, entity);
    }
    let items: Vec<&Item> = samples.iter().map(|(_, item)| item).collect();
    let bytes = mean(items.iter().map(|item| item_bytes(item)));
    let mut entries = Vec::new();
    for index in &table.indexes {
        let found: Vec<usize> = items.iter().filter_map(|item| entry_bytes(table, index, item)).collect();
        if !found.is_empty() {
            let share = found.len() as f64 / items.len() as f64;
            entries.push(EntryWeight {
                index: index.name.value.clone(),
                share,
                bytes: mean(found.into_iter()),
            });
        }
    }
    Weight { samples: items.len(), bytes, entries }
}

/// The bytes of an item's entry in an index, or nothing if it has none there.
pub(crate) fn entry_bytes(table: &Table, index: &Index, item: &Item) -> Option<usize> {
    if !index.key.iter().all(|key| item.contains_key(&key.name.value)) {
        return None;
    }
    let projected = item.iter().filter(|(name, _)| projects(table, index, name));
    Some(projected.map(|(name, value)| item::attribute_bytes(name, value)).sum())
}

/// Whether an index holds an attribute.
pub(crate) fn projects(table: &Table, index: &Index, attribute: &str) -> bool {
    index.projection.value == "ALL"
        || table.key.iter().chain(&index.key).any(|key| key.name.value == attribute)
        || index.included.iter().any(|name| name.value == attribute)
}

fn built(design: &Design, sample: &Sample) -> Option<Item> {
    items::sample(design, sample).ok().map(|built| built.item)
}

fn mean(sizes: impl ExactSizeIterator<Item = usize>) -> f64 {
    let count = sizes.len().max(1);
    sizes.sum::<usize>() as f64 / count as f64
}

fn assumed(table: &Table, entity: &Entity) -> Weight {
    let bytes = assumed_bytes(entity);
    let of = |index: &&Index| entity.mappings.iter().any(|mapping| mapping.index.value == index.name.value);
    let entry = |index: &Index| {
        let bytes = if index.projection.value == "ALL" { bytes } else { bytes.min(150.0) };
        EntryWeight { index: index.name.value.clone(), share: 1.0, bytes }
    };
    Weight { samples: 0, bytes, entries: table.indexes.iter().filter(of).map(entry).collect() }
}

/// Without samples: names and the usual width of each type, keys at twice their template.
fn assumed_bytes(entity: &Entity) -> f64 {
    let templates = entity.sk.iter().chain([&entity.pk]);
    let mapped = entity.mappings.iter().flat_map(|mapping| mapping.pk.iter().chain(&mapping.sk));
    let keys: usize = templates.chain(mapped).map(|template| 6 + 2 * template.text.len()).sum();
    let fields: usize = entity.fields.iter().filter(|field| field.store).map(assumed_field).sum();
    (keys + fields) as f64
}

fn assumed_field(field: &Field) -> usize {
    let value = match field.kind.value.as_str() {
        "boolean" => 1,
        "number" | "integer" => 6,
        "uuid" => 36,
        "array" => 3 + 3 * field.items.as_ref().map_or(20, |items| 1 + assumed_field(items)),
        "object" => 3 + field.properties.iter().map(|inner| 1 + assumed_field(inner)).sum::<usize>(),
        "string-set" | "number-set" | "binary-set" => 60,
        _ => 24,
    };
    field.name.value.len() + value
}
