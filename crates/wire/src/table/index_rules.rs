//! What must hold between a table's keys, its indexes and the attributes it defines. Knows no JSON.

use std::collections::BTreeSet;

use op::{AttributeDefinition, IndexProjection, IndexSpec, KeyElement, KeyKind, limits};

use crate::fault::Fault;

fn invalid<T>(detail: impl std::fmt::Display) -> Result<T, Fault> {
    Err(Fault::invalid(format!("One or more parameter values were invalid: {detail}")))
}

/// The partition key and the sort key of a table or a local index.
pub(crate) fn check_pair(schema: &[KeyElement]) -> Result<(), Fault> {
    check_first(schema)?;
    if let [hash, range] = schema {
        if hash.name == range.name {
            return Err(Fault::invalid(
                "Both the Hash Key and the Range Key element in the KeySchema have the same name",
            ));
        }
        if range.kind != KeyKind::Range {
            return Err(Fault::invalid(
                "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type",
            ));
        }
    }
    Ok(())
}

pub(crate) fn check_first(schema: &[KeyElement]) -> Result<(), Fault> {
    match schema.first() {
        Some(first) if first.kind == KeyKind::Hash => Ok(()),
        Some(_) | None => {
            Err(Fault::invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type"))
        }
    }
}

/// The key of a global index: up to four attributes of either kind, partition key first.
pub(crate) fn check_many(schema: &[KeyElement]) -> Result<(), Fault> {
    check_first(schema)?;
    let mut names = BTreeSet::new();
    if !schema.iter().all(|element| names.insert(&element.name)) {
        let is_pair = matches!(schema, [hash, range] if hash.kind != range.kind);
        return Err(Fault::invalid(if is_pair {
            "Both the Hash Key and the Range Key element in the KeySchema have the same name"
        } else {
            "The KeySchema contains multiple key attributes with the same name"
        }));
    }
    for (kind, name) in [(KeyKind::Hash, "HASH"), (KeyKind::Range, "RANGE")] {
        let count = schema.iter().filter(|element| element.kind == kind).count();
        if count > limits::INDEX_KEY_ATTRIBUTES_MAX {
            return invalid(format!(
                "The KeySchema exceeds the maximum allowed number of {name} key attributes"
            ));
        }
    }
    let hashes = schema.iter().take_while(|element| element.kind == KeyKind::Hash).count();
    if schema.iter().skip(hashes).any(|element| element.kind == KeyKind::Hash) {
        return invalid("All HASH key attributes must precede RANGE key attributes in the KeySchema");
    }
    Ok(())
}

/// Every attribute of a key is defined.
pub(crate) fn check_defined(schema: &[KeyElement], definitions: &[AttributeDefinition]) -> Result<(), Fault> {
    let is_defined = |name: &str| definitions.iter().any(|definition| definition.name == name);
    if schema.iter().all(|element| is_defined(&element.name)) {
        return Ok(());
    }
    let keys: Vec<&str> = schema.iter().map(|element| element.name.as_str()).collect();
    let defined: Vec<&str> = definitions.iter().map(|definition| definition.name.as_str()).collect();
    invalid(format!(
        "Some index key attributes are not defined in AttributeDefinitions. Keys: [{}], AttributeDefinitions: [{}]",
        keys.join(", "),
        defined.join(", ")
    ))
}

/// The local indexes of a table share its partition key and have a sort key of their own.
pub(crate) fn check_local(
    indexes: &[IndexSpec],
    table: &[KeyElement],
    definitions: &[AttributeDefinition],
) -> Result<(), Fault> {
    let (Some(table_hash), true) = (table.first(), table.len() == 2) else {
        return invalid(
            "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
        );
    };
    for index in indexes {
        check_defined(&index.key_schema, definitions)?;
        check_pair(&index.key_schema)?;
        if index.key_schema.len() < 2 {
            return invalid(format!("Index KeySchema does not have a range key for index: {}", index.name));
        }
        match index.key_schema.first() {
            Some(hash) if hash.name != table_hash.name => {
                return invalid(format!(
                    "Index KeySchema does not have the same leading hash key as table KeySchema for index: {}. index \
                     hash key: {}, table hash key: {}",
                    index.name, hash.name, table_hash.name
                ));
            }
            Some(_) | None => {}
        }
    }
    Ok(())
}

/// No two indexes of a table share a name.
pub(crate) fn check_names<'i>(indexes: impl Iterator<Item = &'i IndexSpec>) -> Result<(), Fault> {
    let mut names = BTreeSet::new();
    for index in indexes {
        if !names.insert(&index.name) {
            return invalid(format!("Duplicate index name: {}", index.name));
        }
    }
    Ok(())
}

/// Indexes together do not name too many attributes besides keys, and none of them twice.
pub(crate) fn check_projected<'i>(indexes: impl Iterator<Item = &'i IndexSpec>) -> Result<(), Fault> {
    let mut count = 0;
    for index in indexes {
        let IndexProjection::Include(names) = &index.projection else { continue };
        let mut seen = BTreeSet::new();
        for name in names {
            if !seen.insert(name) {
                return invalid(format!("Duplicate element in NonKeyAttributes: {name}"));
            }
        }
        count += names.len();
    }
    if count > limits::PROJECTED_ATTRIBUTES_MAX {
        return invalid(format!(
            "Number of projected attributes exceeds the per-table limit of {}",
            limits::PROJECTED_ATTRIBUTES_MAX
        ));
    }
    Ok(())
}
