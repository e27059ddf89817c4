//! The parameters of a step as typed values: what the file says, or what the answer before holds.
//! Knows fields and references; knows no request.

use item::{Item, Value};
use serde_json::Value as Json;

use super::expression::Placeholders;
use super::{Maker, Problem};
use crate::items;
use crate::json::value_from_json;
use crate::model::{At, Design, Entity, Field, Place, Plain, Sample, Step, Table};
use crate::values;
use client::clock;

/// A step with its entity, its table and its parameters.
pub(super) struct Bound<'a> {
    pub(super) entity: Option<&'a Entity>,
    pub(super) table: &'a Table,
    /// Single values by field, computed fields among them.
    pub(super) values: Item,
    /// Fields with several values: two bounds, or one value an item.
    pub(super) lists: Vec<(String, Vec<Value>)>,
    parameters: &'a [(At<String>, Plain)],
    before: Option<&'a Json>,
}

impl<'a> Bound<'a> {
    pub(super) fn new(maker: &Maker<'a>, step: &'a Step) -> Result<Bound<'a>, Problem> {
        let design = maker.design;
        let entity = match (&step.entity, step.samples.first()) {
            (Some(name), _) => Some(entity(design, name)?),
            (None, Some(name)) => Some(entity(design, &sample(design, name)?.entity)?),
            (None, None) => None,
        };
        let table_id = step.table.as_ref().or(entity.map(|entity| &entity.table));
        let table = match table_id {
            Some(id) => table(design, id)?,
            None => design.tables.first().ok_or_else(|| "the design has no table".to_owned())?,
        };
        let mut bound = Bound {
            entity,
            table,
            values: Item::new(),
            lists: Vec::new(),
            parameters: &step.parameters,
            before: maker.before,
        };
        bound.read()?;
        Ok(bound)
    }

    pub(super) fn entity(&self) -> Result<&'a Entity, Problem> {
        self.entity.ok_or_else(|| "say which `entity` this is about".to_owned().into())
    }

    /// Types the parameters that are fields of the entity and works out the computed ones.
    fn read(&mut self) -> Result<(), Problem> {
        let Some(entity) = self.entity else { return Ok(()) };
        for (name, plain) in self.parameters {
            let Some(field) = entity.fields.iter().find(|field| field.name.value == name.value) else {
                continue;
            };
            match self.typed(field, plain)? {
                Typed::One(value) => {
                    self.values.insert(name.value.clone(), value);
                }
                Typed::Many(values) => self.lists.push((name.value.clone(), values)),
            }
        }
        derive(entity, &mut self.values);
        Ok(())
    }

    fn typed(&self, field: &Field, plain: &Plain) -> Result<Typed, Problem> {
        if let Plain::Scalar { text, place, .. } = plain
            && let Some(path) = text.strip_prefix("$.")
        {
            let Some(before) = self.before else { return Ok(Typed::One(Value::S(text.clone()))) };
            let found = follow(before, path).map_err(|message| Problem::at(message, *place))?;
            return Ok(match found.as_slice() {
                [one] if !path.contains("[*]") => Typed::One(one.clone()),
                _ => Typed::Many(found),
            });
        }
        let is_list = !matches!(
            field.kind.value.as_str(),
            "array" | "string-set" | "number-set" | "binary-set" | "any"
        );
        if let (Plain::List(list, _), true) = (plain, is_list) {
            let values: Result<Vec<Value>, Problem> = list.iter().map(|one| one_value(field, one)).collect();
            return Ok(Typed::Many(values?));
        }
        one_value(field, plain).map(Typed::One)
    }

    /// An expression ready to be sent.
    pub(super) fn translate(
        &self,
        placeholders: &mut Placeholders,
        text: &str,
        place: Place,
    ) -> Result<String, Problem> {
        let lookup = |name: &str, path: Option<&str>| self.parameter(name, path);
        placeholders.translate(text, &lookup).map_err(|message| Problem::at(message, place))
    }

    /// The value of `:name`: typed by the field of that name, else by the attribute it stands beside, else by its look.
    fn parameter(&self, name: &str, path: Option<&str>) -> Result<Value, String> {
        if let Some(value) = self.values.get(name) {
            return Ok(value.clone());
        }
        let Some((_, plain)) = self.parameters.iter().find(|(known, _)| known.value == name) else {
            if name == "now" {
                return Ok(Value::N(
                    item::Number::parse(&clock::now_seconds().to_string()).map_err(|_| "no time")?,
                ));
            }
            return Err(format!("`:{name}` has no value: give `{name}` among the parameters"));
        };
        if let (Plain::Scalar { text, .. }, Some(before)) = (plain, self.before)
            && let Some(path) = text.strip_prefix("$.")
        {
            return follow(before, path)?
                .into_iter()
                .next()
                .ok_or_else(|| format!("there is nothing at {text}"));
        }
        let field = path.and_then(|path| field_at(&self.entity?.fields, path));
        let typed = field.and_then(|field| values::value(field, plain).ok());
        Ok(typed.unwrap_or_else(|| values::untyped(plain)))
    }
}

/// Adds the computed fields that follow from those that are given. A computed field that is given stays as it is.
pub(super) fn derive(entity: &Entity, values: &mut Item) {
    // One field may be computed from another, in any order; as many rounds as fields settle all.
    for _ in 0..entity.fields.len() {
        for field in entity.fields.iter().filter(|field| field.from.is_some()) {
            if !values.contains_key(&field.name.value)
                && let Some(value) = items::computed(entity, field, values)
            {
                values.insert(field.name.value.clone(), value);
            }
        }
    }
}

enum Typed {
    One(Value),
    Many(Vec<Value>),
}

/// A value of a field. What is looked for need not be a valid value of the field: a beginning of a name, a bound.
fn one_value(field: &Field, plain: &Plain) -> Result<Value, Problem> {
    let loose = Field {
        name: field.name.clone(),
        kind: field.kind.clone(),
        nullable: field.nullable,
        ..Field::default()
    };
    values::value(&loose, plain).map_err(|problems| match problems.into_iter().next() {
        Some(problem) => Problem::at(problem.message, problem.place),
        None => Problem::from(format!("{} has no value", field.name.value)),
    })
}

/// The field at a path such as `Foods[].Quantity`.
fn field_at<'a>(fields: &'a [Field], path: &str) -> Option<&'a Field> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let name = first.trim_end_matches("[]");
    let mut field = fields.iter().find(|field| field.name.value == name)?;
    for _ in 0..(first.len() - name.len()) / 2 {
        field = field.items.as_deref()?;
    }
    match rest {
        Some(rest) => field_at(&field.properties, rest),
        None => Some(field),
    }
}

/// The values at a path such as `Items[0].PK` or `Items[*].ContainerId` of an answer.
fn follow(answer: &Json, path: &str) -> Result<Vec<Value>, String> {
    let mut found = vec![answer];
    let mut attributes = false;
    for part in path.split('.') {
        let (name, index) = part.split_at(part.find('[').unwrap_or(part.len()));
        // Inside an item, a map stands below its type.
        found = found.into_iter().filter_map(|value| member(value, name, attributes)).collect();
        let index = index.trim_start_matches('[').trim_end_matches(']');
        if index == "*" {
            found = found.into_iter().flat_map(|value| elements(value).iter()).collect();
        } else if let Ok(number) = index.parse::<usize>() {
            found = found.into_iter().filter_map(|value| elements(value).get(number)).collect();
        }
        attributes = true;
    }
    if found.is_empty() {
        return Err(format!("there is nothing at $.{path} in the answer before"));
    }
    found.into_iter().map(value_from_json).collect()
}

fn member<'a>(value: &'a Json, name: &str, is_attribute: bool) -> Option<&'a Json> {
    value.get("M").filter(|_| is_attribute).unwrap_or(value).get(name)
}

fn elements(value: &Json) -> &[Json] {
    value.get("L").unwrap_or(value).as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The sample of this name.
pub(crate) fn sample<'a>(design: &'a Design, name: &At<String>) -> Result<&'a Sample, Problem> {
    let found = design.samples.iter().find(|sample| sample.name.value == name.value);
    found.ok_or_else(|| Problem::at(format!("there is no sample {}", name.value), name.place))
}

/// The entity of this name.
pub(crate) fn entity<'a>(design: &'a Design, name: &At<String>) -> Result<&'a Entity, Problem> {
    let found = design.entities.iter().find(|entity| entity.name.value == name.value);
    found.ok_or_else(|| Problem::at(format!("there is no entity {}", name.value), name.place))
}

/// The table of this logical id.
pub(crate) fn table<'a>(design: &'a Design, id: &At<String>) -> Result<&'a Table, Problem> {
    let found = design.tables.iter().find(|table| table.id.value == id.value);
    found.ok_or_else(|| Problem::at(format!("there is no table {}", id.value), id.place))
}
