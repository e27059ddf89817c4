//! Whether an index holds the attributes that a pattern promises or filters by. Knows no endpoint.

use super::pattern::About;
use super::{Check, field, field_names, find_index};
use crate::diagnostic::suggest;
use crate::model::Index;

pub(super) fn check(check: &mut Check<'_>, about: &About<'_>) {
    let About { pattern, step, entity, table } = about;
    let name = &pattern.name.value;
    let index = step.index.as_ref().and_then(|index| find_index(table, &index.value));
    for promised in &step.projection {
        let root = root(&promised.value);
        if !exists(about, root) {
            let message = format!("{name}: {} has no attribute `{root}`", entity.name.value);
            check.error("P004", promised.place, message, &suggest(root, &field_names(entity)));
            continue;
        }
        let Some(index) = index.filter(|index| !holds(about, index, root)) else { continue };
        let message = format!("{name}: promises `{root}`, which {} does not project", index.name.value);
        if index.is_local {
            let hint =
                "it is fetched from the table, one read an item; add it to NonKeyAttributes to save that";
            check.warning("P004", promised.place, message, hint);
        } else {
            let hint = "add it to the projection, or read the items in a second step (then: GetItem or BatchGetItem)";
            check.error("P004", promised.place, message, hint);
        }
    }
    let (Some(index), Some(filter)) = (index, &step.filter) else { return };
    for field in &entity.fields {
        let attribute = &field.name.value;
        if mentions(&filter.value, attribute) && field.store && !holds(about, index, attribute) {
            let message = format!(
                "{name}: filters by `{attribute}`, which {} does not project: it is never there",
                index.name.value
            );
            check.error("P004", filter.place, message, "add it to the projection");
        }
    }
}

fn root(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or(path)
}

fn exists(about: &About<'_>, name: &str) -> bool {
    let table = about.table;
    let mut keys = table.key.iter().chain(table.indexes.iter().flat_map(|index| &index.key));
    let is_ttl = about.entity.ttl.as_ref().is_some_and(|ttl| ttl.field.value == name);
    is_ttl
        || keys.any(|attribute| attribute.name.value == name)
        || field(about.entity, name).is_some_and(|field| field.store)
}

fn holds(about: &About<'_>, index: &Index, name: &str) -> bool {
    let mut keys = about.table.key.iter().chain(&index.key);
    index.projection.value == "ALL"
        || index.included.iter().any(|included| included.value == name)
        || keys.any(|attribute| attribute.name.value == name)
}

/// Whether an expression names an attribute, as a word of its own at the beginning of a path.
fn mentions(text: &str, name: &str) -> bool {
    let is_word =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.' | ':' | '[' | ']');
    text.split(|letter: char| !is_word(letter)).any(|word| root(word) == name)
}
