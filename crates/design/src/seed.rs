//! Writes the samples of a design into its tables, keys worked out and values held against the rules.
//! Knows no files.

use item::item_bytes;
use serde_json::{Map, json};

use crate::diagnostic::Diagnostic;
use crate::items;
use crate::json::to_json;
use crate::model::{Design, Entity, Environment, Sample, Table};
use crate::physical;
use client::{Endpoint, Failure};

/// Whether samples may replace what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Samples replace items of the same key.
    Replace,
    /// Items that are there stay as they are.
    Keep,
}

/// A sample that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seeded {
    /// Its name.
    pub sample: String,
    /// Its entity.
    pub entity: String,
    /// The table it is in.
    pub table: String,
    /// Its size as the service counts it.
    pub bytes: usize,
    /// Its key in words.
    pub key: String,
    /// The indexes it is in, each with its key.
    pub index_keys: Vec<(String, String)>,
    /// Whether it was written; false if an item was there and was to be kept.
    pub is_written: bool,
}

/// Why the samples are not all there.
#[derive(Debug)]
pub enum Unseeded {
    /// Samples are wrong; nothing was written.
    Wrong(Vec<Diagnostic>),
    /// A write failed.
    Failed {
        /// The sample.
        sample: String,
        /// Why.
        failure: Failure,
    },
}

/// Writes all samples. Nothing is written if any of them is wrong.
pub fn seed(
    design: &Design,
    environment: &Environment,
    endpoint: &dyn Endpoint,
    over: Over,
) -> Result<Vec<Seeded>, Unseeded> {
    let mut built = Vec::new();
    let mut wrong = Vec::new();
    for sample in &design.samples {
        match items::sample(design, sample) {
            Ok(item) => built.push((sample, item)),
            Err(found) => wrong.extend(found),
        }
    }
    if !wrong.is_empty() {
        return Err(Unseeded::Wrong(wrong));
    }
    let mut seeded = Vec::new();
    for (sample, item) in built {
        let Some((entity, table)) = home(design, sample) else { continue };
        let name = physical::table_name(design, environment, table);
        let mut body = Map::new();
        body.insert("TableName".to_owned(), json!(name));
        body.insert("Item".to_owned(), to_json(&item.item));
        if let (Over::Keep, Some(first)) = (over, table.key.first()) {
            body.insert("ConditionExpression".to_owned(), json!("attribute_not_exists(#key)"));
            body.insert("ExpressionAttributeNames".to_owned(), json!({ "#key": first.name.value }));
        }
        let is_written = match endpoint.call("PutItem", &body.into()) {
            Ok(_) => true,
            Err(failure) if failure.kind == "ConditionalCheckFailedException" => false,
            Err(failure) => return Err(Unseeded::Failed { sample: sample.name.value.clone(), failure }),
        };
        let key = table.key.iter().filter_map(|part| item.item.get(&part.name.value)).map(items::shown);
        seeded.push(Seeded {
            sample: sample.name.value.clone(),
            entity: entity.name.value.clone(),
            table: name,
            bytes: item_bytes(&item.item),
            key: key.collect::<Vec<_>>().join(" | "),
            index_keys: item.index_keys,
            is_written,
        });
    }
    Ok(seeded)
}

/// The entity and the table of a sample.
pub(crate) fn home<'a>(design: &'a Design, sample: &Sample) -> Option<(&'a Entity, &'a Table)> {
    let entity = design.entities.iter().find(|entity| entity.name.value == sample.entity.value)?;
    let table = design.tables.iter().find(|table| table.id.value == entity.table.value)?;
    Some((entity, table))
}
