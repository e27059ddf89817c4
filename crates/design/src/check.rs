//! Whether a design works: every rule that can be told from the file alone. Knows no endpoint, no YAML.

use crate::diagnostic::{Diagnostic, suggest};
use crate::model::{Design, Entity, Field, Index, Place, Table};

mod alarm;
mod cost;
mod index;
mod key;
mod lifetime;
mod partition;
mod pattern;
mod policy;
mod projection;
mod region;
mod sample;
mod table;

/// Everything there is to say about a design, in the order of the file.
pub fn check(design: &Design) -> Vec<Diagnostic> {
    let mut check = Check { design, found: Vec::new() };
    table::check(&mut check);
    for entity in &design.entities {
        match check.table_of(entity) {
            Some(table) => {
                key::check(&mut check, table, entity);
                index::check(&mut check, table, entity);
                partition::check(&mut check, table, entity);
                lifetime::check(&mut check, table, entity);
                cost::check(&mut check, entity);
            }
            // A missing name is told when the file is read.
            None if entity.table.value.is_empty() => {}
            None => {
                let known: Vec<&str> = design.tables.iter().map(|table| table.id.value.as_str()).collect();
                let name = &entity.table.value;
                let message = format!("{}: no table `{name}`", entity.name.value);
                check.error("F004", entity.table.place, message, &suggest(name, &known));
            }
        }
    }
    key::shapes(&mut check);
    lifetime::tables(&mut check);
    sample::check(&mut check);
    for pattern in &design.patterns {
        pattern::check(&mut check, pattern);
    }
    volume(&mut check);
    alarm::check(&mut check);
    policy::check(&mut check);
    region::check(&mut check);
    check.found.sort_by(|left, right| (left.place, &left.code).cmp(&(right.place, &right.code)));
    check.found.dedup();
    check.found
}

/// A design under examination and what was found so far.
struct Check<'a> {
    design: &'a Design,
    found: Vec<Diagnostic>,
}

impl<'a> Check<'a> {
    fn error(&mut self, code: &str, place: Place, message: String, hint: &str) {
        self.found.push(Diagnostic::error(code, &self.design.file, place, message).hint(hint));
    }

    fn warning(&mut self, code: &str, place: Place, message: String, hint: &str) {
        self.found.push(Diagnostic::warning(code, &self.design.file, place, message).hint(hint));
    }

    fn note(&mut self, code: &str, place: Place, message: String, hint: &str) {
        self.found.push(Diagnostic::note(code, &self.design.file, place, message).hint(hint));
    }

    fn table_of(&self, entity: &Entity) -> Option<&'a Table> {
        self.design.tables.iter().find(|table| table.id.value == entity.table.value)
    }

    fn entity(&self, name: &str) -> Option<&'a Entity> {
        self.design.entities.iter().find(|entity| entity.name.value == name)
    }
}

fn field<'a>(entity: &'a Entity, name: &str) -> Option<&'a Field> {
    entity.fields.iter().find(|field| field.name.value == name)
}

fn find_index<'a>(table: &'a Table, name: &str) -> Option<&'a Index> {
    table.indexes.iter().find(|index| index.name.value == name)
}

fn is_number(field: &Field) -> bool {
    matches!(field.kind.value.as_str(), "number" | "integer")
}

fn field_names(entity: &Entity) -> Vec<&str> {
    entity.fields.iter().map(|field| field.name.value.as_str()).collect()
}

/// Whether an entity sets only part of the key of an index it is mapped to, so that the index leaves it out.
fn is_half_mapped(table: &Table, entity: &Entity, index: &str) -> bool {
    let Some(index) = find_index(table, index) else { return false };
    let mut mappings = entity.mappings.iter().filter(|mapping| mapping.index.value == index.name.value);
    mappings.any(|mapping| {
        crate::items::mapped(&index.key, mapping).iter().any(|(attribute, template)| {
            // A stored field of the same name fills the key attribute without a template.
            let filled = field(entity, &attribute.name.value).is_some_and(|field| field.store);
            template.is_none() && !filled
        })
    })
}

fn volume(check: &mut Check<'_>) {
    for (name, _) in &check.design.volume {
        if check.entity(&name.value).is_none() {
            let known: Vec<&str> =
                check.design.entities.iter().map(|entity| entity.name.value.as_str()).collect();
            let message = format!("volume: no entity `{}`", name.value);
            check.error("F004", name.place, message, &suggest(&name.value, &known));
        }
    }
}
