//! Request units of an access pattern, from the sizes of samples. Knows no prices and no traffic.

use item::{Item, item_bytes};

use super::sizes::{self, Weight};
use crate::model::{Design, Entity, Expect, Index, Pattern, Step, Table};

const READ_UNIT_BYTES: f64 = 4096.0;
const WRITE_UNIT_BYTES: f64 = 1024.0;

/// Units that one execution of a pattern uses in one table or one of its indexes.
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    /// The logical id of the table.
    pub table: String,
    /// The index, or nothing for the table itself.
    pub index: Option<String>,
    /// Read units.
    pub read: f64,
    /// Write units.
    pub write: f64,
}

/// What one execution of a pattern uses, and what had to be assumed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Units {
    /// By table and index, each once.
    pub uses: Vec<Use>,
    /// Sentences on what was assumed.
    pub notes: Vec<String>,
}

impl Units {
    /// All read units.
    pub fn read(&self) -> f64 {
        self.uses.iter().map(|used| used.read).sum()
    }

    /// All write units.
    pub fn write(&self) -> f64 {
        self.uses.iter().map(|used| used.write).sum()
    }

    fn add(&mut self, table: &Table, index: Option<&str>, read: f64, write: f64) {
        let same = |used: &&mut Use| used.table == table.id.value && used.index.as_deref() == index;
        if let Some(used) = self.uses.iter_mut().find(same) {
            used.read += read;
            used.write += write;
        } else {
            self.uses.push(Use { table: table.id.value.clone(), index: index.map(Into::into), read, write });
        }
    }

    fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }
}

/// The units of a pattern.
pub(crate) fn units(design: &Design, pattern: &Pattern, live_bytes: &dyn Fn(&Table) -> f64) -> Units {
    let mut units = Units::default();
    let last = pattern.steps.len().saturating_sub(1);
    for (place, step) in pattern.steps.iter().enumerate() {
        let expect = if place == last { pattern.expect.as_ref() } else { None };
        let scene = Scene { design, step, expect, live_bytes, factor: 1.0 };
        scene.count(&mut units);
    }
    units
}

struct Scene<'a> {
    design: &'a Design,
    step: &'a Step,
    expect: Option<&'a Expect>,
    live_bytes: &'a dyn Fn(&Table) -> f64,
    /// 2 inside a transaction.
    factor: f64,
}

impl<'a> Scene<'a> {
    fn count(&self, units: &mut Units) {
        match self.step.operation.value.as_str() {
            "GetItem" => self.get(units),
            "Query" => self.query(units),
            "Scan" => self.scan(units),
            "PutItem" | "DeleteItem" | "ConditionCheck" => self.write(units),
            "UpdateItem" => self.update(units),
            "BatchGetItem" => self.actions(units, "GetItem", 1.0),
            "BatchWriteItem" => self.actions(units, "PutItem", 1.0),
            "TransactGetItems" => self.actions(units, "GetItem", 2.0),
            "TransactWriteItems" => self.actions(units, "PutItem", 2.0),
            other => units.note(format!("{other} is not priced")),
        }
    }

    /// The actions of a batch or a transaction; samples without actions count as `default` each.
    fn actions(&self, units: &mut Units, default: &str, factor: f64) {
        for action in &self.step.actions {
            let mut action = action.clone();
            if action.operation.value.is_empty() {
                action.operation.value = default.into();
            }
            Scene { step: &action, expect: None, factor, ..*self }.count(units);
        }
        if !self.step.actions.is_empty() {
            return;
        }
        let mut one = Step { actions: Vec::new(), ..self.step.clone() };
        one.operation.value = default.into();
        if self.step.samples.is_empty() {
            let several = self.expected_names().map_or(1, |names| names.len().max(1));
            for _ in 0..several {
                Scene { step: &one, expect: None, factor, ..*self }.count(units);
            }
        }
        for sample in &self.step.samples {
            let found = self.design.samples.iter().find(|known| known.name.value == sample.value);
            one.samples = vec![sample.clone()];
            one.entity = found.map(|found| found.entity.clone()).or_else(|| self.step.entity.clone());
            Scene { step: &one, expect: None, factor, ..*self }.count(units);
        }
    }

    fn entity(&self) -> Option<&'a Entity> {
        let named = self.step.entity.as_ref().map(|name| name.value.as_str());
        let by_sample = || {
            let first = self.step.samples.first()?;
            let sample = self.design.samples.iter().find(|sample| sample.name.value == first.value)?;
            Some(sample.entity.value.as_str())
        };
        let name = named.or_else(by_sample)?;
        self.design.entities.iter().find(|entity| entity.name.value == name)
    }

    fn table(&self) -> Option<&'a Table> {
        if let Some(entity) = self.entity() {
            return sizes::table_of(self.design, entity);
        }
        match &self.step.table {
            Some(id) => self.design.tables.iter().find(|table| table.id.value == id.value),
            None => self.design.tables.first(),
        }
    }

    fn index(&self, table: &'a Table) -> Option<&'a Index> {
        let name = self.step.index.as_ref()?;
        table.indexes.iter().find(|index| index.name.value == name.value)
    }

    /// The samples that the pattern must return, by name.
    fn expected_names(&self) -> Option<Vec<&'a str>> {
        match self.expect? {
            Expect::InOrder(names) | Expect::AnyOrder(names) => {
                Some(names.iter().map(|name| name.value.as_str()).collect())
            }
            Expect::Nothing(_) => Some(Vec::new()),
            Expect::Count(..) | Expect::Attributes(..) => None,
        }
    }

    fn read_factor(&self) -> f64 {
        if self.factor > 1.0 {
            return self.factor;
        }
        if self.step.consistent { 1.0 } else { 0.5 }
    }

    fn get(&self, units: &mut Units) {
        let Some(table) = self.table() else { return units.note("its table is not known") };
        let named = self.step.samples.first().and_then(|name| sizes::sample_item(self.design, &name.value));
        let expected =
            self.expected_names().and_then(|names| sizes::sample_item(self.design, names.first()?));
        let bytes = match (named.or(expected), self.entity()) {
            (Some(item), _) => item_bytes(&item) as f64,
            (None, Some(entity)) => self.weight(units, entity).bytes,
            (None, None) => 1.0,
        };
        units.add(table, None, self.read_factor() * whole(bytes, READ_UNIT_BYTES), 0.0);
    }

    fn query(&self, units: &mut Units) {
        let Some(table) = self.table() else { return units.note("its table is not known") };
        let index = self.index(table);
        let items = self.items_read(table, index);
        let sizes: Vec<f64> = items.iter().filter_map(|item| self.read_bytes(table, index, item)).collect();
        let bytes = match (self.expect, sizes.is_empty(), self.entity()) {
            (Some(Expect::Count(count, _)), _, Some(entity)) => {
                *count as f64 * self.weight_in(&self.weight(units, entity), index)
            }
            (_, true, Some(entity)) if !matches!(self.expect, Some(Expect::Nothing(_))) => {
                units.note("no expected samples: one item of the average size is assumed");
                self.weight_in(&self.weight(units, entity), index)
            }
            _ => sizes.iter().sum(),
        };
        let name = index.map(|index| index.name.value.as_str());
        units.add(table, name, self.read_factor() * whole(bytes, READ_UNIT_BYTES), 0.0);
        self.fetches(units, table, index, items.len().max(1));
    }

    /// A local index fetches from the table what it does not hold: a read of the whole item each time.
    fn fetches(&self, units: &mut Units, table: &Table, index: Option<&Index>, items: usize) {
        let Some(index) = index.filter(|index| index.is_local) else { return };
        let missing =
            self.step.projection.iter().find(|wanted| !sizes::projects(table, index, root(&wanted.value)));
        let (Some(missing), Some(entity)) = (missing, self.entity()) else { return };
        let bytes = self.weight(units, entity).bytes;
        let reads = items as f64 * self.read_factor() * whole(bytes, READ_UNIT_BYTES);
        units.add(table, None, reads, 0.0);
        let name = &index.name.value;
        units.note(format!("{name} does not hold {}: each item is fetched from the table", missing.value));
    }

    /// The samples a query reads: those it returns, or its whole partition when a filter drops some of them.
    fn items_read(&self, table: &Table, index: Option<&Index>) -> Vec<Item> {
        let names = self.expected_names().unwrap_or_default();
        let expected: Vec<Item> =
            names.iter().filter_map(|name| sizes::sample_item(self.design, name)).collect();
        let Some(first) = expected.first().filter(|_| self.step.filter.is_some()) else { return expected };
        let key = index.map_or(&table.key, |index| &index.key);
        let hash = key.iter().filter(|key| key.is_hash);
        let parts: Vec<_> = hash.map(|key| (&key.name.value, first.get(&key.name.value))).collect();
        let same = |item: &Item| {
            parts.iter().all(|(name, value)| {
                format!("{:?}", item.get(name.as_str())) == format!("{value:?}") && value.is_some()
            })
        };
        let all = self
            .design
            .samples
            .iter()
            .filter_map(|sample| sizes::sample_item(self.design, &sample.name.value));
        all.filter(same).collect()
    }

    fn read_bytes(&self, table: &Table, index: Option<&Index>, item: &Item) -> Option<f64> {
        let bytes = match index {
            Some(index) => sizes::entry_bytes(table, index, item)?,
            None => item_bytes(item),
        };
        Some(bytes as f64)
    }

    fn scan(&self, units: &mut Units) {
        let Some(table) = self.table() else { return units.note("its table is not known") };
        let bytes = (self.live_bytes)(table);
        let name = self.index(table).map(|index| index.name.value.as_str());
        units.add(table, name, self.read_factor() * whole(bytes, READ_UNIT_BYTES), 0.0);
        units.note("reads the whole table, whatever the filter keeps");
    }

    /// PutItem and DeleteItem: the item, and its entry in each index it reaches.
    fn write(&self, units: &mut Units) {
        let (Some(table), Some(entity)) = (self.table(), self.entity()) else {
            return units.note("its entity is not known");
        };
        let is_check = self.step.operation.value == "ConditionCheck";
        let sample = self.step.samples.first().and_then(|name| sizes::sample_item(self.design, &name.value));
        let Some(item) = sample else {
            let weight = self.weight(units, entity);
            units.add(table, None, 0.0, self.factor * whole(weight.bytes, WRITE_UNIT_BYTES));
            for entry in weight.entries.iter().filter(|_| !is_check) {
                let write = self.factor * entry.share * whole(entry.bytes, WRITE_UNIT_BYTES);
                units.add(table, Some(&entry.index), 0.0, write);
            }
            return;
        };
        units.add(table, None, 0.0, self.factor * whole(item_bytes(&item) as f64, WRITE_UNIT_BYTES));
        for index in table.indexes.iter().filter(|_| !is_check) {
            if let Some(bytes) = sizes::entry_bytes(table, index, &item) {
                let write = self.factor * whole(bytes as f64, WRITE_UNIT_BYTES);
                units.add(table, Some(&index.name.value), 0.0, write);
            }
        }
    }

    /// An update pays for the whole item, once for an index that holds what changes and twice if its key changes.
    fn update(&self, units: &mut Units) {
        let (Some(table), Some(entity)) = (self.table(), self.entity()) else {
            return units.note("its entity is not known");
        };
        let weight = self.weight(units, entity);
        units.add(table, None, 0.0, self.factor * whole(weight.bytes, WRITE_UNIT_BYTES));
        let update = self.step.update.as_ref().map_or("", |update| update.value.as_str());
        let changed = updated(update);
        let removed = updated(removals(update));
        for entry in &weight.entries {
            let Some(index) = table.indexes.iter().find(|index| index.name.value == entry.index) else {
                continue;
            };
            let is_key = |name: &String| index.key.iter().any(|key| key.name.value == *name);
            let is_sparse = entity
                .mappings
                .iter()
                .any(|mapping| mapping.index.value == entry.index && mapping.when.is_some());
            // Whoever removes or sets the key of a sparse index takes the item out of it or puts it in: one entry.
            let writes = if removed.iter().any(is_key) || (is_sparse && changed.iter().any(is_key)) {
                units.note(format!("takes the item out of {} or puts it in: one entry", entry.index));
                1.0
            } else if changed.iter().any(is_key) {
                units.note(format!("changes the key of {}: an entry is deleted and one is put", entry.index));
                2.0
            } else if changed.iter().any(|name| sizes::projects(table, index, name)) {
                entry.share
            } else {
                0.0
            };
            let write = self.factor * writes * whole(entry.bytes, WRITE_UNIT_BYTES);
            if write > 0.0 {
                units.add(table, Some(&entry.index), 0.0, write);
            }
        }
    }

    fn weight(&self, units: &mut Units, entity: &Entity) -> Weight {
        let weight = sizes::weigh(self.design, entity);
        if weight.samples == 0 {
            units.note(format!("{} has no samples: its size is assumed from its fields", entity.name.value));
        }
        weight
    }

    fn weight_in(&self, weight: &Weight, index: Option<&Index>) -> f64 {
        let Some(index) = index else { return weight.bytes };
        let entry = weight.entries.iter().find(|entry| entry.index == index.name.value);
        entry.map_or(weight.bytes, |entry| entry.bytes)
    }
}

/// The attributes an update expression changes, without what they are changed to.
pub(crate) fn updated(expression: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0;
    let mut is_target = true;
    let mut word = String::new();
    for letter in expression.chars().chain([' ']) {
        let is_name = letter.is_alphanumeric() || matches!(letter, '_' | '-' | ':' | '#' | '.' | '[' | ']');
        if is_name {
            word.push(letter);
            continue;
        }
        let found = std::mem::take(&mut word);
        if matches!(found.to_ascii_uppercase().as_str(), "SET" | "REMOVE" | "ADD" | "DELETE") && depth == 0 {
            is_target = true;
        } else if !found.is_empty() && is_target && depth == 0 && !found.starts_with(':') {
            names.push(root(&found).to_string());
        }
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            '=' => is_target = false,
            ',' if depth == 0 => is_target = true,
            _ => {}
        }
    }
    names
}

/// The part of an update expression from its REMOVE to its end or to the next clause.
fn removals(expression: &str) -> &str {
    let upper = expression.to_ascii_uppercase();
    let Some(start) = upper.find("REMOVE ") else { return "" };
    let rest = upper.get(start + 7..).unwrap_or_default();
    let next = ["SET ", "ADD ", "DELETE "].iter().filter_map(|clause| rest.find(clause)).min();
    let end = next.map_or(expression.len(), |next| start + 7 + next);
    expression.get(start..end).unwrap_or_default()
}

/// The attribute a path begins with.
fn root(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or(path)
}

/// So many units, at least one.
fn whole(bytes: f64, unit: f64) -> f64 {
    (bytes / unit).ceil().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_changes_what_stands_on_the_left() {
        let cases: [(&str, &[&str]); 4] = [
            ("SET a = :a, b.c = if_not_exists(d, :zero) REMOVE e", &["a", "b", "e"]),
            ("ADD n :one", &["n"]),
            ("SET Foods[0].Name = :n", &["Foods"]),
            ("SET a = b + :x, c = :y", &["a", "c"]),
        ];
        for (expression, expected) in cases {
            assert_eq!(updated(expression), expected, "{expression}");
        }
    }

    #[test]
    fn units_are_whole_and_at_least_one() {
        for (bytes, unit, expected) in
            [(0.0, 1024.0, 1.0), (1024.0, 1024.0, 1.0), (1025.0, 1024.0, 2.0), (4097.0, 4096.0, 2.0)]
        {
            assert_eq!(whole(bytes, unit), expected);
        }
    }
}
