//! Entities, samples and first access patterns of a table from its items. Whatever cannot be made again from the
//! templates falls back to keys that are fields themselves. Knows no source.

use std::collections::BTreeMap;

use item::{Item, Value};
use serde_json::{Map, Value as Json, json};

use super::group::{Shape, shape};
use super::kinds;
use crate::items;

/// A sort key has at most 1024 bytes; this leaves room for the words around an address.
const ADDRESS_BYTES_MAX: usize = 960;

/// What was inferred of a table.
#[derive(Debug, Default, Clone)]
pub(super) struct Inferred {
    pub(super) entities: Vec<EntityDraft>,
    pub(super) samples: Vec<SampleDraft>,
    /// Names and bodies of access patterns.
    pub(super) patterns: Vec<(String, String)>,
}

/// An entity in the making.
#[derive(Debug, Default, Clone)]
pub(super) struct EntityDraft {
    pub(super) name: String,
    pub(super) table: String,
    pub(super) pk: String,
    pub(super) sk: Option<String>,
    pub(super) mappings: Vec<Json>,
    pub(super) ttl: Option<Json>,
    pub(super) fields: Map<String, Json>,
}

/// A sample in the making.
#[derive(Debug, Clone)]
pub(super) struct SampleDraft {
    pub(super) name: String,
    pub(super) entity: String,
    /// Fields and their values as a design writes them.
    pub(super) values: Vec<(String, String)>,
    /// The item it must be made into again.
    pub(super) item: Item,
}

/// What the inference needs to know of a table.
#[derive(Debug, Default)]
pub(super) struct Keys {
    pub(super) table: String,
    pub(super) key: Vec<String>,
    /// Name, partition key attributes, sort key attributes.
    pub(super) indexes: Vec<(String, Vec<String>, Vec<String>)>,
    pub(super) ttl: Option<String>,
    /// Entity names by key templates, if the source has any.
    pub(super) names: Vec<(String, String)>,
}

/// Infers from items; `bare` names entities whose keys are to be fields themselves.
pub(super) fn infer(keys: &Keys, items: &[Item], bare: &[String]) -> Inferred {
    let mut inferred = Inferred::default();
    if items.is_empty() {
        inferred.entities.push(without_items(keys));
        return inferred;
    }
    let mut groups: Vec<(String, Vec<Member<'_>>)> = Vec::new();
    for item in items {
        let shapes = key_shapes(keys, item);
        let signature = shapes.iter().map(|shape| shape.template.as_str()).collect::<Vec<_>>().join(" | ");
        match groups.iter_mut().find(|(known, _)| *known == signature) {
            Some((_, members)) => members.push((item, shapes)),
            None => groups.push((signature, vec![(item, shapes)])),
        }
    }
    for (signature, members) in &groups {
        let name = entity_name(keys, signature, &inferred.entities);
        let is_bare = bare.contains(&name);
        let builder = Builder { keys, name: &name, members, is_bare };
        builder.build(&mut inferred);
    }
    inferred
}

/// The attributes that the key of a table or an index is made for, rather than named after what they hold.
fn is_generic(attribute: &str) -> bool {
    let lower = attribute.to_ascii_lowercase().replace(['_', '-'], "");
    let rest = lower
        .trim_start_matches("gsi")
        .trim_start_matches("lsi")
        .trim_start_matches(|letter: char| letter.is_ascii_digit());
    matches!(rest, "pk" | "sk" | "partitionkey" | "sortkey" | "hashkey" | "rangekey" | "hash" | "range")
}

/// The generic key attributes of a table: they are made from templates and are no fields.
fn generic(keys: &Keys) -> Vec<&String> {
    let of_indexes = keys.indexes.iter().flat_map(|(_, hash, range)| hash.iter().chain(range));
    keys.key.iter().chain(of_indexes).filter(|attribute| is_generic(attribute)).collect()
}

fn attributes(keys: &Keys, item: &Item) -> Item {
    let generic = generic(keys);
    item.iter()
        .filter(|(name, _)| !generic.contains(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn key_shapes(keys: &Keys, item: &Item) -> Vec<Shape> {
    let plain = attributes(keys, item);
    let mut known: Vec<(String, String)> = Vec::new();
    let mut shapes = Vec::new();
    for attribute in &keys.key {
        let shape = match item.get(attribute) {
            Some(Value::S(text)) if is_generic(attribute) => shape(text, &plain, &known, attribute),
            _ => bare_shape(attribute),
        };
        known.extend(shape.hidden.iter().cloned());
        shapes.push(shape);
    }
    shapes
}

fn bare_shape(attribute: &str) -> Shape {
    Shape { template: format!("{{{attribute}}}"), ..Shape::default() }
}

/// A name from the words of the key templates, or from the source.
fn entity_name(keys: &Keys, signature: &str, taken: &[EntityDraft]) -> String {
    let given = keys.names.iter().find(|(known, _)| known == signature).map(|(_, name)| name.clone());
    let mut words: Vec<String> = Vec::new();
    for part in signature.split(['#', '|', ' ', '{', '}']).filter(|part| !part.is_empty()) {
        let is_slot = signature.contains(&format!("{{{part}}}"));
        let word: String = part.chars().filter(|letter| letter.is_ascii_alphanumeric()).collect();
        if is_slot || word.is_empty() {
            continue;
        }
        let (first, rest) = word.split_at(1);
        let title = format!("{}{}", first.to_uppercase(), rest.to_lowercase());
        if words.last() != Some(&title) {
            words.push(title);
        }
    }
    let plain = if words.is_empty() { format!("{}Item", keys.table) } else { words.concat() };
    let wish = given.unwrap_or(plain);
    let numbered = (2..1000).map(|number| format!("{wish}{number}"));
    let mut wishes = std::iter::once(wish.clone()).chain(numbered);
    wishes.find(|name| !taken.iter().any(|entity| entity.name == *name)).unwrap_or(wish)
}

fn without_items(keys: &Keys) -> EntityDraft {
    let slot = |attribute: &String| format!("{{{attribute}}}");
    let mut fields = Map::new();
    for attribute in &keys.key {
        fields.insert(attribute.clone(), json!({"type": "string", "required": true}));
    }
    let mut mappings = Vec::new();
    for (index, hash, range) in &keys.indexes {
        for attribute in hash.iter().chain(range) {
            fields.entry(attribute.clone()).or_insert_with(|| json!({"type": "string"}));
        }
        mappings.push(bare_mapping(index, hash, range, keys));
    }
    let mut key = keys.key.iter();
    EntityDraft {
        name: format!("{}Item", keys.table),
        table: keys.table.clone(),
        pk: key.next().map(slot).unwrap_or_default(),
        sk: key.next().map(slot),
        mappings,
        ttl: None,
        fields,
    }
}

/// A mapping whose key attributes are fields themselves.
fn bare_mapping(index: &str, hash: &[String], range: &[String], keys: &Keys) -> Json {
    let slots = |attributes: &[String]| match attributes {
        [one] => json!(format!("{{{one}}}")),
        several => several.iter().map(|one| json!(format!("{{{one}}}"))).collect(),
    };
    let mut mapping = json!({"name": index, "pk_template": slots(hash)});
    let tests: Vec<String> = hash
        .iter()
        .chain(range)
        .filter(|attribute| !keys.key.contains(attribute))
        .map(|attribute| format!("attribute_exists({attribute})"))
        .collect();
    if let Some(fields) = mapping.as_object_mut() {
        if !range.is_empty() {
            fields.insert("sk_template".into(), slots(range));
        }
        if !tests.is_empty() {
            fields.insert("when".into(), json!(tests.join(" and ")));
        }
    }
    mapping
}

/// An item and the shapes of its key.
type Member<'a> = (&'a Item, Vec<Shape>);

struct Builder<'a> {
    keys: &'a Keys,
    name: &'a str,
    members: &'a [Member<'a>],
    is_bare: bool,
}

impl Builder<'_> {
    fn build(&self, inferred: &mut Inferred) {
        let Some((_, first)) = self.members.first() else { return };
        let template = |place: usize| match (self.is_bare, self.keys.key.get(place), first.get(place)) {
            (true, Some(attribute), _) => Some(format!("{{{attribute}}}")),
            (false, _, Some(shape)) => Some(shape.template.clone()),
            _ => None,
        };
        let mut computed: BTreeMap<String, Json> = BTreeMap::new();
        for shape in self.members.iter().flat_map(|(_, shapes)| shapes).filter(|_| !self.is_bare) {
            add_computed(&mut computed, shape);
        }
        let mappings = self.mappings(&mut computed);
        let stored: Vec<Item> = self.members.iter().map(|(item, _)| self.stored(item)).collect();
        let mut fields = kinds::fields(&stored.iter().collect::<Vec<_>>());
        let mut hidden_first = Map::new();
        for (name, _) in first.iter().flat_map(|shape| &shape.hidden).filter(|_| !self.is_bare) {
            hidden_first.insert(name.clone(), json!({"type": "string", "required": true, "store": false}));
        }
        hidden_first.append(&mut fields);
        hidden_first.extend(computed);
        self.limit_addresses(template(1).as_deref().unwrap_or_default(), &mut hidden_first);
        let entity = EntityDraft {
            name: self.name.into(),
            table: self.keys.table.clone(),
            pk: template(0).unwrap_or_default(),
            sk: template(1),
            mappings,
            ttl: self.ttl(),
            fields: hidden_first,
        };
        let ttl =
            entity.ttl.as_ref().and_then(|ttl| ttl.get("field")).and_then(Json::as_str).map(str::to_owned);
        for (place, (item, shapes)) in self.members.iter().enumerate() {
            let sample = self.sample(place, item, shapes, ttl.as_deref());
            if place == 0 {
                inferred.patterns.push(self.pattern(&entity, &sample));
            }
            inferred.samples.push(sample);
        }
        inferred.entities.push(entity);
    }

    /// Addresses may be of any length and sort keys may not, so a field that stands in one gets a limit.
    fn limit_addresses(&self, sk: &str, fields: &mut Map<String, Json>) {
        for slot in slots(sk) {
            let is_address =
                |item: &Item| matches!(item.get(slot), Some(Value::S(text)) if text.contains("://"));
            let field = fields.get_mut(slot).and_then(Json::as_object_mut);
            if let (true, Some(field)) = (self.members.iter().any(|(item, _)| is_address(item)), field) {
                field.insert("maxLength".into(), json!(ADDRESS_BYTES_MAX));
            }
        }
    }

    /// What is stored as fields: everything but the keys that templates make.
    fn stored(&self, item: &Item) -> Item {
        if self.is_bare { item.clone() } else { attributes(self.keys, item) }
    }

    fn mappings(&self, computed: &mut BTreeMap<String, Json>) -> Vec<Json> {
        let mut mappings = Vec::new();
        for (index, hash, range) in &self.keys.indexes {
            let is_in = |item: &Item| hash.iter().chain(range).all(|attribute| item.contains_key(attribute));
            if !self.members.iter().any(|(item, _)| is_in(item)) {
                continue;
            }
            let shapes = if self.is_bare { None } else { self.index_shapes(hash, range) };
            let Some(shapes) = shapes else {
                mappings.push(bare_mapping(index, hash, range, self.keys));
                continue;
            };
            shapes.iter().for_each(|shape| add_computed(computed, shape));
            let list = |from: usize, count: usize| -> Json {
                match shapes.get(from..from + count).unwrap_or_default() {
                    [one] => json!(one.template),
                    several => several.iter().map(|shape| json!(shape.template)).collect(),
                }
            };
            let mut mapping = json!({"name": index, "pk_template": list(0, hash.len())});
            if let Some(fields) = mapping.as_object_mut() {
                if !range.is_empty() {
                    fields.insert("sk_template".into(), list(hash.len(), range.len()));
                }
                if let Some(when) = self.when(&is_in) {
                    fields.insert("when".into(), json!(when));
                }
            }
            mappings.push(mapping);
        }
        mappings
    }

    /// Templates of an index's key, if they are the same for all items in it and hide nothing.
    fn index_shapes(&self, hash: &[String], range: &[String]) -> Option<Vec<Shape>> {
        let mut found: Option<Vec<Shape>> = None;
        for (item, shapes) in self.members {
            let plain = attributes(self.keys, item);
            let known: Vec<(String, String)> = shapes.iter().flat_map(|shape| shape.hidden.clone()).collect();
            let mut own = Vec::new();
            for attribute in hash.iter().chain(range) {
                match item.get(attribute) {
                    Some(Value::S(text)) if is_generic(attribute) => {
                        own.push(shape(text, &plain, &known, attribute))
                    }
                    Some(_) => own.push(bare_shape(attribute)),
                    None => break,
                }
            }
            if own.len() != hash.len() + range.len() {
                continue;
            }
            if own.iter().any(|shape| !shape.hidden.is_empty()) {
                return None;
            }
            match &found {
                Some(known) if *known != own => return None,
                _ => found = Some(own),
            }
        }
        found
    }

    /// What the items in an index have in common that the others have not.
    fn when(&self, is_in: &dyn Fn(&Item) -> bool) -> Option<String> {
        if self.members.iter().all(|(item, _)| is_in(item)) {
            return None;
        }
        let mut names: Vec<&String> = self.members.iter().flat_map(|(item, _)| item.keys()).collect();
        names.sort();
        names.dedup();
        let generic = generic(self.keys);
        names.retain(|name| !generic.contains(name));
        let tells =
            |test: &dyn Fn(&Item) -> bool| self.members.iter().all(|(item, _)| test(item) == is_in(item));
        for name in names {
            if tells(&|item| matches!(item.get(name), Some(Value::Bool(true)))) {
                return Some(format!("{name} = true"));
            }
            if tells(&|item| item.contains_key(name)) {
                return Some(format!("attribute_exists({name})"));
            }
        }
        None
    }

    /// The lifetime, if TTL is always the same time after another field.
    fn ttl(&self) -> Option<Json> {
        let attribute = self.keys.ttl.as_ref()?;
        let (first, _) = self.members.first()?;
        let end = |item: &Item| items::seconds_of(item.get(attribute)?);
        for name in first.keys().filter(|name| *name != attribute) {
            let after = |item: &Item| Some(end(item)? - items::seconds_of(item.get(name)?)?);
            let Some(seconds) = after(first).filter(|seconds| *seconds > 0 && *seconds < 400 * 86_400) else {
                continue;
            };
            if self.members.iter().all(|(item, _)| after(item) == Some(seconds)) {
                let text = if seconds % 86_400 == 0 {
                    format!("P{}D", seconds / 86_400)
                } else {
                    format!("PT{seconds}S")
                };
                return Some(json!({"field": attribute, "from": name, "after": text}));
            }
        }
        None
    }

    fn sample(&self, place: usize, item: &Item, shapes: &[Shape], ttl: Option<&str>) -> SampleDraft {
        let mut values = Vec::new();
        for (name, value) in shapes.iter().flat_map(|shape| &shape.hidden).filter(|_| !self.is_bare) {
            values.push((name.clone(), kinds::plain(&Value::S(value.clone()))));
        }
        for (name, value) in &self.stored(item) {
            if Some(name.as_str()) != ttl {
                values.push((name.clone(), kinds::plain(value)));
            }
        }
        let name = format!("{}_{}", self.name.to_lowercase(), place + 1);
        SampleDraft { name, entity: self.name.into(), values, item: item.clone() }
    }

    /// Reading one item by its key.
    fn pattern(&self, entity: &EntityDraft, sample: &SampleDraft) -> (String, String) {
        let templates = [Some(&entity.pk), entity.sk.as_ref()];
        let slots: Vec<&str> = templates.into_iter().flatten().flat_map(|template| slots(template)).collect();
        let mut parameters: Vec<String> = Vec::new();
        for slot in slots {
            let source = entity
                .fields
                .get(slot)
                .and_then(|field| field.get("from"))
                .and_then(Json::as_str)
                .unwrap_or(slot);
            let value = sample.values.iter().find(|(name, _)| name == source);
            let pair = value.map(|(name, value)| format!("{name}: {value}"));
            parameters.extend(pair.filter(|pair| !parameters.contains(pair)));
        }
        let parameters = if parameters.is_empty() {
            String::new()
        } else {
            format!("parameters: {{{}}}, ", parameters.join(", "))
        };
        let body =
            format!("operation: GetItem, entity: {}, {parameters}expect: [{}]", entity.name, sample.name);
        (format!("Get{}", entity.name), body)
    }
}

fn add_computed(computed: &mut BTreeMap<String, Json>, shape: &Shape) {
    for (field, source, transform) in &shape.computed {
        computed.insert(
            field.clone(),
            json!({"type": "string", "from": source, "transform": transform, "store": false}),
        );
    }
}

fn slots(template: &str) -> Vec<&str> {
    let inside = template.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    inside.filter_map(|(slot, _)| slot.split(':').next()).collect()
}
