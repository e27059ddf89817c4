//! Rules of how entities reach indexes. Knows no patterns.

use super::{Check, field, find_index, is_number};
use crate::diagnostic::suggest;
use crate::items::mapped;
use crate::model::{Entity, Index, KeyAttribute, Mapping, Table};
use crate::template::Template;

pub(super) fn check(check: &mut Check<'_>, table: &Table, entity: &Entity) {
    for attribute in &table.key {
        let template = if attribute.is_hash { Some(&entity.pk) } else { entity.sk.as_ref() };
        if let Some(template) = template {
            kinds(check, entity, attribute, template, &entity.name.value);
        }
    }
    for mapping in &entity.mappings {
        let what = format!("{}.{}", entity.name.value, mapping.index.value);
        match find_index(table, &mapping.index.value) {
            Some(index) => {
                halves(check, entity, index, mapping, &what);
                same_key(check, entity, index, mapping, &what);
                for (attribute, template) in mapped(&index.key, mapping) {
                    if let Some(template) = template {
                        kinds(check, entity, attribute, template, &what);
                    }
                }
            }
            None => {
                let known: Vec<&str> = table.indexes.iter().map(|index| index.name.value.as_str()).collect();
                let message = format!("{what}: {} has no index `{}`", table.id.value, mapping.index.value);
                check.error("K004", mapping.index.place, message, &suggest(&mapping.index.value, &known));
            }
        }
    }
    for index in &table.indexes {
        leak(check, entity, index);
    }
}

fn halves(check: &mut Check<'_>, entity: &Entity, index: &Index, mapping: &Mapping, what: &str) {
    let hashes = index.key.iter().filter(|attribute| attribute.is_hash).count();
    let ranges = index.key.len() - hashes;
    if mapping.pk.len() > hashes || mapping.sk.len() > ranges {
        let message = format!("{what}: the mapping sets more key attributes than {} has", index.name.value);
        check.error("K002", mapping.index.place, message, "remove the templates that are too many");
    }
    for (attribute, template) in mapped(&index.key, mapping) {
        let filled = field(entity, &attribute.name.value).is_some_and(|field| field.store);
        if template.is_some() || filled {
            continue;
        }
        let (kind, set, key) =
            if attribute.is_hash { ("partition", "sort", "pk") } else { ("sort", "partition", "sk") };
        let message = format!(
            "{what}: {} has {kind} key {} but the mapping sets only the {set} key: DynamoDB will leave every {} OUT of {}",
            index.name.value, attribute.name.value, entity.name.value, index.name.value
        );
        let hint = format!("add {key}_template to the mapping, or drop the mapping");
        check.error("K002", mapping.index.place, message, &hint);
    }
}

fn same_key(check: &mut Check<'_>, entity: &Entity, index: &Index, mapping: &Mapping, what: &str) {
    let sk: Vec<&str> = entity.sk.iter().map(|template| template.text.as_str()).collect();
    let mapped_pk: Vec<&str> = mapping.pk.iter().map(|template| template.text.as_str()).collect();
    let mapped_sk: Vec<&str> = mapping.sk.iter().map(|template| template.text.as_str()).collect();
    if !index.is_local && mapped_pk == [entity.pk.text.as_str()] && mapped_sk == sk {
        let message =
            format!("{what}: index key equals the table key: pays a second write and finds nothing new");
        check.warning("C001", mapping.index.place, message, "drop the mapping and read the table");
    }
}

/// What cannot stand in a key: null, empty text, truth values, lists; or a type that is not the key's.
fn kinds(check: &mut Check<'_>, entity: &Entity, attribute: &KeyAttribute, template: &Template, what: &str) {
    let bare = template.bare_field();
    for name in template.fields() {
        let Some(field) = field(entity, name) else { continue };
        let kind = field.kind.value.as_str();
        let is_bare = bare == Some(name);
        let problem = if field.nullable {
            Some((
                "may be null, and a key attribute may not: leave the attribute out until it is known",
                "remove nullable: true; an item without the attribute is simply not in the index",
            ))
        } else if is_bare && kind == "boolean" {
            Some(("is a boolean, which no key can be", "make it {type: number, enum: [0, 1]}"))
        } else if matches!(kind, "array" | "object" | "string-set" | "number-set" | "binary-set") {
            Some(("is a collection, which no key can hold", "put a scalar field into the key"))
        } else if is_bare && field.min_length == Some(0) {
            Some(("may be empty text, which a key attribute may not", "remove minLength: 0"))
        } else if is_bare && name == attribute.name.value && is_number(field) != (attribute.kind == "N") {
            Some(("has another type than the key attribute", "make the field and AttributeDefinitions agree"))
        } else {
            None
        };
        if let Some((problem, hint)) = problem {
            let message = format!("{what}: `{name}` is key {} and {problem}", attribute.name.value);
            check.error("I001", field.name.place, message, hint);
        }
    }
}

/// An entity that stores all key attributes of an index is in it, mapped or not.
fn leak(check: &mut Check<'_>, entity: &Entity, index: &Index) {
    let is_mapped = entity.mappings.iter().any(|mapping| mapping.index.value == index.name.value);
    let stored = |name: &str| field(entity, name).is_some_and(|field| field.store);
    let own: Vec<&KeyAttribute> = index.key.iter().filter(|one| !index.is_local || !one.is_hash).collect();
    if is_mapped || !own.iter().all(|attribute| stored(&attribute.name.value)) {
        return;
    }
    let Some(name) = own.first().map(|attribute| &attribute.name.value) else { return };
    let place = field(entity, name).map_or(entity.name.place, |field| field.name.place);
    let message = format!(
        "{}: stores `{name}` and so appears in {}, to which it is not mapped",
        entity.name.value, index.name.value
    );
    let hint =
        "add a gsi_mapping if that is meant; else store: false, because the value is in the key already";
    check.error("I002", place, message, hint);
}
