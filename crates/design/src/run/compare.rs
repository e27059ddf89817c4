//! What was returned beside what was expected: samples named, differences listed.
//! Knows samples as items; knows no endpoint.

use item::Item;
use serde_json::Value as Json;

use super::Report;
use crate::items;
use crate::json::{from_json, value_to_json};
use crate::model::{At, Design, Expect, Pattern, Plain};
use crate::values;

/// The samples of a design as items.
pub(crate) struct Samples<'a> {
    items: Vec<(&'a str, Item, Vec<&'a str>)>,
}

impl<'a> Samples<'a> {
    pub(crate) fn new(design: &'a Design) -> Samples<'a> {
        let items = design.samples.iter().filter_map(|sample| {
            let built = items::sample(design, sample).ok()?;
            let (_, table) = crate::seed::home(design, sample)?;
            let key = table.key.iter().map(|part| part.name.value.as_str()).collect();
            Some((sample.name.value.as_str(), built.item, key))
        });
        Samples { items: items.collect() }
    }

    fn get(&self, name: &str) -> Option<&Item> {
        self.items.iter().find(|(known, ..)| *known == name).map(|(_, item, _)| item)
    }

    /// The sample that an item is: by its key, or, where the key was not returned, by all that was. Of several that
    /// could be meant, a wished one is preferred.
    fn name_of(&self, item: &Item, wished: &[&str]) -> Option<&'a str> {
        let is_same = |sample: &Item, key: &[&str]| {
            let has_key = key.iter().all(|name| item.contains_key(*name));
            if has_key {
                return key.iter().all(|name| sample.get(*name) == item.get(*name));
            }
            !item.is_empty() && item.iter().all(|(name, value)| sample.get(name) == Some(value))
        };
        let mut found =
            self.items.iter().filter(|(_, sample, key)| is_same(sample, key)).map(|(name, ..)| *name);
        let first = found.next()?;
        Some(std::iter::once(first).chain(found).find(|name| wished.contains(name)).unwrap_or(first))
    }
}

/// Compares the items returned with what the pattern expects.
pub(super) fn compare(
    design: &Design,
    pattern: &Pattern,
    samples: &Samples<'_>,
    items: &[Json],
    report: &mut Report,
) {
    let items: Vec<Item> = items.iter().filter_map(|item| from_json(item).ok()).collect();
    let wished: Vec<&str> = match &pattern.expect {
        Some(Expect::InOrder(names) | Expect::AnyOrder(names)) => {
            names.iter().map(|name| name.value.as_str()).collect()
        }
        _ => Vec::new(),
    };
    let mut left = wished.clone();
    let named: Vec<Option<&str>> = items
        .iter()
        .map(|item| {
            let name = samples.name_of(item, &left);
            left.retain(|wish| Some(*wish) != name);
            name
        })
        .collect();
    report.got = words(&items, &named);
    let Some(expect) = &pattern.expect else { return };
    match expect {
        Expect::Nothing(_) => {
            report.expected = "nothing".to_owned();
            if !items.is_empty() {
                report.differences.push(format!("nothing was expected; got {}", report.got));
            }
        }
        Expect::Count(count, _) => {
            report.expected = plural(*count);
            if items.len() != *count {
                report.differences.push(format!("{} expected; got {}", report.expected, report.got));
            }
        }
        Expect::Attributes(wanted, _) => {
            report.expected = "attributes".to_owned();
            match items.first() {
                Some(item) => attributes(design, pattern, wanted, item, report),
                None => report.differences.push("an item was expected; got nothing".to_owned()),
            }
        }
        Expect::InOrder(_) | Expect::AnyOrder(_) => {
            report.expected = wished.join(", ");
            sets(&wished, &named, &items, report);
            let in_order = named.iter().map(|name| name.unwrap_or_default()).eq(wished.iter().copied());
            if report.differences.is_empty() && matches!(expect, Expect::InOrder(_)) && !in_order {
                report.differences.push(format!("the order is {}; expected {}", report.got, report.expected));
            }
            let is_whole = returns_all(design, pattern);
            for (item, name) in items.iter().zip(&named) {
                if let Some((name, sample)) = name.and_then(|name| Some((name, samples.get(name)?))) {
                    content(name, sample, item, is_whole, report);
                }
            }
        }
    }
}

/// What is missing and what is more.
fn sets(wished: &[&str], named: &[Option<&str>], items: &[Item], report: &mut Report) {
    for name in wished.iter().filter(|name| !named.contains(&Some(**name))) {
        report.differences.push(format!("{name} was expected and is missing"));
    }
    for (item, name) in items.iter().zip(named) {
        match name {
            Some(name) if wished.contains(name) => {}
            Some(name) => report.differences.push(format!("{name} was not expected")),
            None => report.differences.push(format!("an item that is no sample: {}", short(item))),
        }
    }
}

/// Whether a read returns whole items: not by a projection, and not from an index with less.
fn returns_all(design: &Design, pattern: &Pattern) -> bool {
    let Some(step) = pattern.steps.last() else { return false };
    let index = step.index.as_ref().and_then(|name| {
        let mut indexes = design.tables.iter().flat_map(|table| &table.indexes);
        indexes.find(|index| index.name.value == name.value)
    });
    step.projection.is_empty() && index.is_none_or(|index| index.projection.value == "ALL")
}

/// The attributes of an item beside those of its sample.
fn content(name: &str, sample: &Item, item: &Item, is_whole: bool, report: &mut Report) {
    for (attribute, value) in item {
        match sample.get(attribute) {
            Some(wanted) if wanted == value => {}
            Some(wanted) => report.differences.push(format!(
                "{name}.{attribute} is {}, the sample has {}",
                value_to_json(value),
                value_to_json(wanted)
            )),
            None => report
                .differences
                .push(format!("{name}.{attribute} is {}, the sample has none", value_to_json(value))),
        }
    }
    for attribute in sample.keys().filter(|attribute| is_whole && !item.contains_key(*attribute)) {
        report.differences.push(format!("{name}.{attribute} is missing"));
    }
}

/// Attributes by name, each typed by its field.
fn attributes(
    design: &Design,
    pattern: &Pattern,
    wanted: &[(At<String>, Plain)],
    item: &Item,
    report: &mut Report,
) {
    let entity = pattern.steps.last().and_then(|step| step.entity.as_ref());
    let entity = design.entities.iter().find(|one| entity.is_some_and(|name| one.name.value == name.value));
    for (name, plain) in wanted {
        let field =
            entity.and_then(|entity| entity.fields.iter().find(|field| field.name.value == name.value));
        let value = field
            .and_then(|field| values::value(field, plain).ok())
            .unwrap_or_else(|| values::untyped(plain));
        match item.get(&name.value) {
            Some(found) if *found == value => {}
            found => report.differences.push(format!(
                "{} is {}, expected {}",
                name.value,
                found.map_or_else(|| "not there".to_owned(), |found| value_to_json(found).to_string()),
                value_to_json(&value)
            )),
        }
    }
}

fn words(items: &[Item], named: &[Option<&str>]) -> String {
    if items.is_empty() {
        return "nothing".to_owned();
    }
    let names = items.iter().zip(named).map(|(item, name)| name.map_or_else(|| short(item), str::to_owned));
    names.collect::<Vec<_>>().join(", ")
}

fn plural(count: usize) -> String {
    if count == 1 { "1 item".to_owned() } else { format!("{count} items") }
}

/// An item as one short line.
fn short(item: &Item) -> String {
    const LETTERS: usize = 80;
    let whole = crate::json::to_json(item).to_string();
    if whole.chars().count() <= LETTERS {
        whole
    } else {
        whole.chars().take(LETTERS).chain(['…']).collect()
    }
}
