//! Samples: each can be built, no two have the same key, every entity has one. Knows no patterns.

use std::collections::BTreeMap;

use super::Check;
use crate::diagnostic::Diagnostic;
use crate::items;
use crate::json::to_json;

/// Bytes an item may have.
const ITEM_BYTES_MAX: usize = 400 * 1024;

pub(super) fn check(check: &mut Check<'_>) {
    let mut keys: BTreeMap<String, String> = BTreeMap::new();
    for sample in &check.design.samples {
        let built = match items::sample(check.design, sample) {
            Ok(built) => built,
            Err(found) => {
                let placed = found.into_iter().map(|found| mended(found, sample.name.place));
                check.found.extend(placed);
                continue;
            }
        };
        let bytes = item::item_bytes(&built.item);
        if bytes > ITEM_BYTES_MAX {
            let message = format!(
                "sample {}: {bytes} bytes, and an item has at most {ITEM_BYTES_MAX}",
                sample.name.value
            );
            check.error("S001", sample.name.place, message, "split it into several items");
        }
        let entity = check.entity(&sample.entity.value);
        let Some(table) = entity.and_then(|entity| check.table_of(entity)) else { continue };
        let names = table.key.iter().map(|attribute| attribute.name.value.clone());
        let key = names.filter_map(|name| built.item.get(&name).map(|value| (name, value.clone()))).collect();
        let key = format!("{} {}", table.id.value, to_json(&key));
        if let Some(other) = keys.insert(key, sample.name.value.clone()) {
            let message = format!(
                "samples {other} and {} have the same key: the later replaces the earlier",
                sample.name.value
            );
            check.warning("S003", sample.name.place, message, "change a field that is in the key");
        }
    }
    if check.design.samples.is_empty() {
        return;
    }
    for entity in &check.design.entities {
        if !check.design.samples.iter().any(|sample| sample.entity.value == entity.name.value) {
            let message = format!("{}: no sample, so nothing shows that it works", entity.name.value);
            check.note("S004", entity.name.place, message, "add one under samples");
        }
    }
}

/// A finding without a hint of its own says what to do about samples in general.
fn mended(found: Diagnostic, place: crate::model::Place) -> Diagnostic {
    let place = if found.place.line == 0 { place } else { found.place };
    let hint = match (found.code.as_str(), &found.hint) {
        (_, Some(hint)) => hint.clone(),
        ("S002", None) => "leave it out: it is computed".to_owned(),
        (_, None) => "change the sample, or the rules of its entity".to_owned(),
    };
    Diagnostic { place, hint: Some(hint), ..found }
}
