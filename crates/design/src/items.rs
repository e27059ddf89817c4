//! Items of an entity: fields typed, computed and held against rules; keys, index keys and lifetimes worked out.
//! Knows no endpoint.

use item::{Item, Number, Value};
use serde_json::Value as Json;

use crate::diagnostic::{Diagnostic, suggest};
use crate::model::{At, Design, Entity, Field, KeyAttribute, Mapping, Place, Plain, Sample, Table};
use crate::template::Template;
use crate::{rule, values};
use moment::Moment;

mod compute;

pub use compute::{computed, seconds_of, slug};

/// An item and where it lies.
#[derive(Debug, Clone, Default)]
pub struct Built {
    /// The item as it is stored.
    pub item: Item,
    /// For each index it has an entry in: the index and its key as text, parts joined by ` | `.
    pub index_keys: Vec<(String, String)>,
}

/// Builds the item of a sample.
pub fn sample(design: &Design, sample: &Sample) -> Result<Built, Vec<Diagnostic>> {
    let found = design.entities.iter().find(|entity| entity.name.value == sample.entity.value);
    let Some(entity) = found else {
        let known: Vec<&str> = design.entities.iter().map(|entity| entity.name.value.as_str()).collect();
        let message = format!("sample {}: no entity `{}`", sample.name.value, sample.entity.value);
        let error = Diagnostic::error("S001", &design.file, sample.entity.place, message);
        return Err(vec![error.hint(suggest(&sample.entity.value, &known))]);
    };
    build(design, entity, &sample.values).map_err(|mut found| {
        for diagnostic in &mut found {
            diagnostic.message = format!("sample {}: {}", sample.name.value, diagnostic.message);
        }
        found
    })
}

/// Builds an item of an entity from plain values.
pub fn build(
    design: &Design,
    entity: &Entity,
    values: &[(At<String>, Plain)],
) -> Result<Built, Vec<Diagnostic>> {
    let place = values.first().map_or(entity.name.place, |(name, _)| name.place);
    let mut builder = Builder { design, entity, values, place, found: Vec::new() };
    let fields = builder.fields(values);
    builder.required(&fields);
    builder.rules(&fields);
    let table = design.tables.iter().find(|table| table.id.value == entity.table.value);
    let built = match table {
        Some(table) => builder.keys(table, fields),
        None => Built { item: fields, index_keys: Vec::new() },
    };
    if builder.found.iter().any(Diagnostic::is_error) { Err(builder.found) } else { Ok(built) }
}

/// The fields of an entity that follow from some of them: typed, with those computed that can be.
/// Nothing is required and no keys are made, so that the parameters of a query can be read with it.
pub fn partial(
    design: &Design,
    entity: &Entity,
    values: &[(At<String>, Plain)],
) -> Result<Item, Vec<Diagnostic>> {
    let place = values.first().map_or(entity.name.place, |(name, _)| name.place);
    let mut builder = Builder { design, entity, values, place, found: Vec::new() };
    let fields = builder.fields(values);
    if builder.found.iter().any(Diagnostic::is_error) { Err(builder.found) } else { Ok(fields) }
}

/// The value of a key attribute: the field itself if the template is that field alone, else text, typed as the key is.
pub fn key_value(attribute: &KeyAttribute, template: &Template, fields: &Item) -> Result<Value, String> {
    if let Some(value) = template.bare_field().and_then(|field| fields.get(field)) {
        match (attribute.kind.as_str(), value) {
            ("S", Value::S(_)) | ("N", Value::N(_)) | ("B", Value::B(_)) => return Ok(value.clone()),
            _ if attribute.name.value == template.text.trim_matches(['{', '}']) => {
                let kind = value.type_of().name();
                return Err(format!(
                    "`{}` is of type {kind} and the key is {}",
                    attribute.name.value, attribute.kind
                ));
            }
            _ => {}
        }
    }
    let text = template.render(fields)?;
    match attribute.kind.as_str() {
        "N" => Number::parse(&text).map(Value::N).map_err(|_| format!("`{text}` is not a number")),
        "B" => Ok(Value::B(text.into_bytes().into())),
        _ => Ok(Value::S(text)),
    }
}

/// Templates of a mapping paired with the key attributes of its index.
pub fn mapped<'a>(
    key: &'a [KeyAttribute],
    mapping: &'a Mapping,
) -> Vec<(&'a KeyAttribute, Option<&'a Template>)> {
    let mut pk = mapping.pk.iter();
    let mut sk = mapping.sk.iter();
    key.iter().map(|attribute| (attribute, if attribute.is_hash { pk.next() } else { sk.next() })).collect()
}

/// Whether an item of these fields has an entry by this mapping.
pub fn is_mapped(mapping: &Mapping, fields: &Item) -> bool {
    match &mapping.when {
        Some(when) => rule::parse(&when.value).ok().and_then(|rule| rule.holds(fields)).unwrap_or(false),
        None => true,
    }
}

struct Builder<'a> {
    design: &'a Design,
    entity: &'a Entity,
    values: &'a [(At<String>, Plain)],
    place: Place,
    found: Vec<Diagnostic>,
}

impl Builder<'_> {
    /// Where a field is given; the item as a whole if it is not.
    fn place_of(&self, name: &str) -> Place {
        let given = self.values.iter().find(|(known, _)| known.value == name);
        given.map_or(self.place, |(name, _)| name.place)
    }

    fn error(&mut self, code: &str, place: Place, message: String) {
        let message = format!("{}: {message}", self.entity.name.value);
        self.found.push(Diagnostic::error(code, &self.design.file, place, message));
    }

    /// What is given, typed; then what is computed from it.
    fn fields(&mut self, given: &[(At<String>, Plain)]) -> Item {
        let mut fields = Item::new();
        for (name, plain) in given {
            match self.entity.fields.iter().find(|field| field.name.value == name.value) {
                Some(field) => match values::value(field, plain) {
                    Ok(value) => {
                        fields.insert(name.value.clone(), value);
                    }
                    Err(problems) => {
                        for problem in problems {
                            self.error("S001", problem.place, problem.message);
                        }
                    }
                },
                None => self.unknown(name, plain, &mut fields),
            }
        }
        self.compute(&mut fields);
        fields
    }

    /// Key and TTL attributes may be given although no field describes them, to be held against what is computed.
    fn unknown(&mut self, name: &At<String>, plain: &Plain, fields: &mut Item) {
        let table = self.design.tables.iter().find(|table| table.id.value == self.entity.table.value);
        let is_key = table.is_some_and(|table| {
            let keys = table.key.iter().chain(table.indexes.iter().flat_map(|index| &index.key));
            keys.into_iter().any(|attribute| attribute.name.value == name.value)
        });
        let is_ttl = self.entity.ttl.as_ref().is_some_and(|ttl| ttl.field.value == name.value);
        if is_key || is_ttl {
            fields.insert(name.value.clone(), values::untyped(plain));
            return;
        }
        let known: Vec<&str> = self.entity.fields.iter().map(|field| field.name.value.as_str()).collect();
        let message = format!("{}: no field `{}`", self.entity.name.value, name.value);
        let error = Diagnostic::error("S001", &self.design.file, name.place, message);
        self.found.push(error.hint(suggest(&name.value, &known)));
    }

    fn compute(&mut self, fields: &mut Item) {
        // A computed field may be made from another one, in any order; as many rounds as fields settle all.
        for _ in 0..=self.entity.fields.len() {
            for field in self.entity.fields.iter().filter(|field| field.from.is_some()) {
                if !fields.contains_key(&field.name.value)
                    && let Some(value) = computed(self.entity, field, fields)
                {
                    fields.insert(field.name.value.clone(), value);
                }
            }
        }
        let computed_fields: Vec<&Field> =
            self.entity.fields.iter().filter(|field| field.from.is_some()).collect();
        for field in computed_fields {
            let (given, wanted) = (fields.get(&field.name.value), computed(self.entity, field, fields));
            match (given, wanted) {
                (Some(given), Some(wanted)) if *given != wanted => {
                    let from = field.from.as_ref().map_or("", |from| from.value.as_str());
                    let how = field.transform.as_ref().map_or("copy", |transform| transform.value.as_str());
                    let message = format!(
                        "`{}` is {}, but {how} of `{from}` gives {}",
                        field.name.value,
                        shown(given),
                        shown(&wanted)
                    );
                    self.error("S002", self.place_of(&field.name.value), message);
                }
                (Some(given), Some(_)) => {
                    let problems = values::hold(field, given, self.place);
                    for problem in problems {
                        self.error("S001", problem.place, problem.message);
                    }
                }
                (Some(_) | None, None) | (None, Some(_)) => {}
            }
        }
        self.lifetime(fields);
    }

    fn lifetime(&mut self, fields: &mut Item) {
        let Some(ttl) = &self.entity.ttl else { return };
        let Some(start) = fields.get(&ttl.from.value).and_then(seconds_of) else { return };
        let end = start.saturating_add(i64::try_from(ttl.after_seconds).unwrap_or(i64::MAX));
        let wanted = Value::N(Number::from(end));
        match fields.get(&ttl.field.value) {
            Some(given) if *given != wanted => {
                let at = Moment { seconds: end, millis: 0 }.to_text();
                let message = format!(
                    "`{}` is {}, but `{}` + {} is {end} ({at})",
                    ttl.field.value,
                    shown(given),
                    ttl.from.value,
                    ttl.after_text
                );
                self.error("S002", self.place_of(&ttl.field.value), message);
            }
            Some(_) => {}
            None => {
                fields.insert(ttl.field.value.clone(), wanted);
            }
        }
    }

    fn required(&mut self, fields: &Item) {
        for field in self.entity.fields.iter().filter(|field| field.required) {
            let failed =
                self.found.iter().any(|found| found.message.contains(&format!(" {}", field.name.value)));
            if !fields.contains_key(&field.name.value) && !failed {
                self.error("S001", self.place, format!("`{}` is required and missing", field.name.value));
            }
        }
    }

    fn rules(&mut self, fields: &Item) {
        for text in &self.entity.rules {
            if rule::parse(&text.value).is_ok_and(|rule| rule.holds(fields) == Some(false)) {
                self.error("S001", self.place, format!("rule broken: {}", text.value));
            }
        }
    }

    /// The stored item: fields, then keys over them.
    fn keys(&mut self, table: &Table, fields: Item) -> Built {
        let unstored =
            |name: &str| self.entity.fields.iter().any(|field| field.name.value == name && !field.store);
        let mut item: Item = fields
            .iter()
            .filter(|(name, _)| !unstored(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        for attribute in &table.key {
            let template = if attribute.is_hash { Some(&self.entity.pk) } else { self.entity.sk.as_ref() };
            match template.map(|template| key_value(attribute, template, &fields)) {
                Some(Ok(value)) => self.put(attribute, value, &mut item),
                Some(Err(message)) => {
                    self.error("S001", self.place, format!("{}: {message}", attribute.name.value))
                }
                None => {
                    let message = format!(
                        "the table has sort key {} and the entity no sk_template",
                        attribute.name.value
                    );
                    self.error("K001", self.entity.name.place, message);
                }
            }
        }
        let mut index_keys = Vec::new();
        for mapping in &self.entity.mappings {
            let index = table.indexes.iter().find(|index| index.name.value == mapping.index.value);
            if let Some(index) = index.filter(|_| is_mapped(mapping, &fields)) {
                let texts = self.index_entry(&index.key, mapping, &fields, &mut item);
                if texts.len() == index.key.len() {
                    index_keys.push((index.name.value.clone(), texts.join(" | ")));
                }
            }
        }
        Built { item, index_keys }
    }

    /// Puts the key of one index into the item; what is missing makes the index sparse.
    fn index_entry(
        &mut self,
        key: &[KeyAttribute],
        mapping: &Mapping,
        fields: &Item,
        item: &mut Item,
    ) -> Vec<String> {
        let mut texts = Vec::new();
        for (attribute, template) in mapped(key, mapping) {
            let Some(template) = template else { continue };
            if template.fields().iter().any(|field| !fields.contains_key(*field)) {
                continue;
            }
            match key_value(attribute, template, fields) {
                Ok(value) => {
                    texts.push(shown(&value));
                    self.put(attribute, value, item);
                }
                Err(message) => {
                    let message = format!("{}.{}: {message}", mapping.index.value, attribute.name.value);
                    self.error("S001", self.place, message);
                }
            }
        }
        texts
    }

    fn put(&mut self, attribute: &KeyAttribute, value: Value, item: &mut Item) {
        let name = &attribute.name.value;
        if let Some(given) = item.get(name).filter(|given| **given != value) {
            let message = format!("`{name}` is {}, but its template gives {}", shown(given), shown(&value));
            self.error("S002", self.place_of(name), message);
        }
        let empty = matches!(&value, Value::S(text) if text.is_empty());
        if empty {
            self.error("I001", self.place, format!("`{name}` is a key attribute and may not be empty"));
        }
        item.insert(name.clone(), value);
    }
}

/// A value for a message: text and numbers bare, the rest as DynamoDB JSON.
pub fn shown(value: &Value) -> String {
    match value {
        Value::S(text) => text.clone(),
        Value::N(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Null => "null".to_owned(),
        Value::B(_) | Value::L(_) | Value::M(_) | Value::Ss(_) | Value::Ns(_) | Value::Bs(_) => {
            let json: Json = crate::json::value_to_json(value);
            json.to_string()
        }
    }
}

#[cfg(test)]
#[path = "items/tests.rs"]
mod tests;
