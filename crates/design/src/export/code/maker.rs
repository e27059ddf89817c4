//! Access patterns become calls: which operation, which key, which expressions with every name aliased.
//! Knows no programming language.

use item::Value;

use super::call::{Call, Operation, empty};
use super::condition::{Bound, add_value, given, sort_part, templates};
use super::expression::{add_name, aliased, neighbour, placeholders};
use super::term::{self, Term};
use super::{Example, Function, Parameter, Role, table_of, typed};
use crate::cost::sizes;
use crate::diagnostic::Diagnostic;
use crate::model::{At, Design, Entity, Field, Index, Pattern, Place, Plain, Sample, Step, Table};
use crate::template::Template;

/// A pattern as a function.
pub(super) fn function<'a>(design: &'a Design, pattern: &'a Pattern) -> Result<Function<'a>, Diagnostic> {
    let mut maker = Maker { design, pattern, parameters: Vec::new() };
    let mut calls = Vec::new();
    for step in &pattern.steps {
        let call = maker.call(step)?;
        calls.push(call);
    }
    if let (Some(freshness), Some(last)) = (&pattern.freshness, calls.last_mut()) {
        last.fresh = freshness.value.split_once('>').map(|(attribute, _)| attribute.trim().to_owned());
    }
    Ok(Function { pattern, parameters: maker.parameters, calls })
}

struct Maker<'a> {
    design: &'a Design,
    pattern: &'a Pattern,
    parameters: Vec<Parameter<'a>>,
}

impl<'a> Maker<'a> {
    fn call(&mut self, step: &'a Step) -> Result<Call<'a>, Diagnostic> {
        let operation = self.operation(step)?;
        let entity = self.entity(step);
        let table = self.table(step, entity)?;
        let mut call = empty(operation, table);
        call.is_consistent = step.consistent;
        call.is_forward = step.forward;
        call.limit = step.limit;
        if matches!(
            operation,
            Operation::BatchGet | Operation::BatchWrite | Operation::TransactGet | Operation::TransactWrite
        ) {
            return self.several(step, call);
        }
        let Some(entity) = entity else {
            return self.without_entity(step, call);
        };
        if operation == Operation::Put {
            let name = self.add_item(step, entity);
            call.item = Some((name, entity));
            let bound = self.bind(step, Some(entity));
            self.express(step, &bound, &mut call)?;
            return Ok(call);
        }
        let mut bound = self.bind(step, Some(entity));
        match operation {
            Operation::Query => self.query(step, entity, &bound, &mut call)?,
            Operation::Scan => call.index = step.index.as_ref().map(|index| index.value.clone()),
            Operation::Get
            | Operation::Put
            | Operation::Update
            | Operation::Delete
            | Operation::Check
            | Operation::BatchGet
            | Operation::BatchWrite
            | Operation::TransactGet
            | Operation::TransactWrite => self.key(step, entity, &mut bound, &mut call)?,
        }
        self.express(step, &bound, &mut call)?;
        let index = table.indexes.iter().find(|index| Some(&index.name.value) == call.index.as_ref());
        let is_whole =
            step.projection.is_empty() && index.is_none_or(|index| index.projection.value == "ALL");
        if is_whole && matches!(operation, Operation::Get | Operation::Query) {
            call.returns = Some(entity);
        }
        Ok(call)
    }

    /// A scan of a whole table has no entity.
    fn without_entity(&mut self, step: &'a Step, mut call: Call<'a>) -> Result<Call<'a>, Diagnostic> {
        if call.operation != Operation::Scan {
            return Err(self.error(step.operation.place, "names no entity".into()));
        }
        let bound = self.bind(step, None);
        call.index = step.index.as_ref().map(|index| index.value.clone());
        self.express(step, &bound, &mut call)?;
        Ok(call)
    }

    fn several(&mut self, step: &'a Step, mut call: Call<'a>) -> Result<Call<'a>, Diagnostic> {
        for action in &step.actions {
            call.actions.push(self.call(action)?);
        }
        if !call.actions.is_empty() {
            return Ok(call);
        }
        if let (Some(entity), true) = (self.entity(step), step.samples.is_empty()) {
            return self.each(step, entity, call);
        }
        let samples: Vec<&'a Sample> =
            step.samples.iter().filter_map(|name| self.sample(&name.value)).collect();
        let is_write = matches!(call.operation, Operation::BatchWrite | Operation::TransactWrite);
        let (name, role) = if is_write { ("items", Role::Items) } else { ("keys", Role::Keys) };
        self.parameters.push(Parameter { name: name.into(), role, example: Example::Samples(samples) });
        call.several = Some(name.into());
        Ok(call)
    }

    /// Keys made of parameters of which one is a list, or refers to every item that was found.
    fn each(
        &mut self,
        step: &'a Step,
        entity: &'a Entity,
        mut call: Call<'a>,
    ) -> Result<Call<'a>, Diagnostic> {
        let mut bound = Vec::new();
        for (name, plain) in &step.parameters {
            let field = entity.fields.iter().find(|field| field.name.value == name.value);
            let term = match plain {
                Plain::Scalar { text, .. } if text.starts_with("$.") && text.contains("[*]") => {
                    call.is_each = true;
                    Term::Each { attribute: text.rsplit('.').next().map(str::to_owned) }
                }
                Plain::Scalar { text, .. } if text.starts_with("$.") => found(text),
                Plain::List(several, _) if call.several.is_none() && !call.is_each => {
                    call.is_each = true;
                    let values = several.iter().map(|one| typed(field, one)).collect();
                    let known = self.add_value(&format!("{}_list", name.value), None, Value::L(values));
                    if let Term::Variable { name, .. } = known {
                        call.several = Some(name);
                    }
                    Term::Each { attribute: None }
                }
                Plain::Scalar { .. } | Plain::List(..) | Plain::Map(..) => {
                    self.add(&name.value, field, plain)
                }
            };
            bound.push((name.value.clone(), vec![term]));
        }
        self.key(step, entity, &mut bound, &mut call)?;
        Ok(call)
    }

    fn operation(&self, step: &Step) -> Result<Operation, Diagnostic> {
        Ok(match step.operation.value.as_str() {
            "GetItem" | "Get" => Operation::Get,
            "PutItem" | "Put" => Operation::Put,
            "UpdateItem" | "Update" => Operation::Update,
            "DeleteItem" | "Delete" => Operation::Delete,
            "ConditionCheck" => Operation::Check,
            "Query" => Operation::Query,
            "Scan" => Operation::Scan,
            "BatchGetItem" => Operation::BatchGet,
            "BatchWriteItem" => Operation::BatchWrite,
            "TransactGetItems" => Operation::TransactGet,
            "TransactWriteItems" => Operation::TransactWrite,
            other => {
                return Err(self.error(step.operation.place, format!("{other} cannot be exported as code")));
            }
        })
    }

    fn entity(&self, step: &Step) -> Option<&'a Entity> {
        let by_sample =
            || self.sample(&step.samples.first()?.value).map(|sample| sample.entity.value.as_str());
        let name = step.entity.as_ref().map(|name| name.value.as_str()).or_else(by_sample)?;
        self.design.entities.iter().find(|entity| entity.name.value == name)
    }

    fn table(&self, step: &Step, entity: Option<&Entity>) -> Result<&'a Table, Diagnostic> {
        if let Some(entity) = entity {
            return table_of(self.design, entity);
        }
        let named = step.table.as_ref().map(|name| name.value.as_str());
        let found = self.design.tables.iter().find(|table| named.is_none_or(|name| table.id.value == name));
        found.ok_or_else(|| self.error(step.operation.place, "names no table of the design".into()))
    }

    fn sample(&self, name: &str) -> Option<&'a Sample> {
        self.design.samples.iter().find(|sample| sample.name.value == name)
    }

    /// Adds the parameter with an item to put.
    fn add_item(&mut self, step: &Step, entity: &'a Entity) -> String {
        let sample = step.samples.first().and_then(|name| self.sample(&name.value));
        let name = self.free(&super::snake(&entity.name.value));
        let example = sample.map_or(Example::Samples(Vec::new()), Example::Sample);
        self.parameters.push(Parameter { name: name.clone(), role: Role::Item(entity), example });
        name
    }

    /// Adds the parameters of a step, and says what each field is bound to.
    fn bind(&mut self, step: &'a Step, entity: Option<&'a Entity>) -> Vec<Bound> {
        let mut bound = Vec::new();
        let is_query = step.operation.value == "Query";
        for (name, plain) in &step.parameters {
            let of = |name: &str| entity?.fields.iter().find(|field| field.name.value == name);
            let field = of(&name.value);
            let neighbour = neighbour(step, &name.value).and_then(|attribute| of(&attribute));
            let is_list = field.is_none_or(|field| {
                matches!(
                    field.kind.value.as_str(),
                    "array" | "string-set" | "number-set" | "binary-set" | "any"
                )
            });
            let terms = match plain {
                Plain::List(ends, _) if is_query && ends.len() == 2 && !is_list => {
                    let sides = ["from", "to"].into_iter().zip(ends);
                    sides.map(|(side, end)| self.add(&format!("{}_{side}", name.value), field, end)).collect()
                }
                Plain::Scalar { text, .. } if text.starts_with("$.") => vec![found(text)],
                Plain::Scalar { .. } | Plain::List(..) | Plain::Map(..) => {
                    vec![self.add(&name.value, field.or(neighbour), plain)]
                }
            };
            bound.push((name.value.clone(), terms));
        }
        bound
    }

    fn add(&mut self, name: &str, field: Option<&'a Field>, plain: &Plain) -> Term {
        let value = typed(field, plain);
        self.add_value(name, field, value)
    }

    /// Adds a parameter, or finds the one that an earlier step has for the same value.
    fn add_value(&mut self, name: &str, field: Option<&'a Field>, value: Value) -> Term {
        let role = match field {
            Some(field) if field.kind.value != "any" => Role::Field(field),
            Some(_) | None => Role::Untyped(value.type_of()),
        };
        let kind = field.map_or_else(|| untyped_kind(&value).to_owned(), |field| field.kind.value.clone());
        let same = |known: &&Parameter<'_>| {
            known.name == name
                && matches!(&known.example, Example::Value(other) if format!("{other:?}") == format!("{value:?}"))
        };
        if self.parameters.iter().any(|known| same(&known)) {
            return Term::Variable { name: name.into(), kind };
        }
        let name = self.free(name);
        self.parameters.push(Parameter { name: name.clone(), role, example: Example::Value(value) });
        Term::Variable { name, kind }
    }

    fn free(&self, name: &str) -> String {
        let is_taken = |name: &str| self.parameters.iter().any(|known| known.name == name);
        if !is_taken(name) {
            return name.into();
        }
        (2..).map(|number| format!("{name}_{number}")).find(|name| !is_taken(name)).unwrap_or_default()
    }

    /// The full primary key; from the sample if no parameters are given.
    fn key(
        &mut self,
        step: &'a Step,
        entity: &'a Entity,
        bound: &mut Vec<Bound>,
        call: &mut Call<'a>,
    ) -> Result<(), Diagnostic> {
        let templates: Vec<&Template> = std::iter::once(&entity.pk).chain(&entity.sk).collect();
        if let (true, Some(name)) = (step.parameters.is_empty(), step.samples.first()) {
            let item = sizes::sample_item(self.design, &name.value);
            for slot in templates.iter().flat_map(|template| template.fields()) {
                let field = entity.fields.iter().find(|field| field.name.value == slot);
                let plain = self.sample(&name.value).and_then(|sample| plain_of(sample, slot));
                let stored = item.as_ref().and_then(|item| item.get(slot).cloned());
                if let Some(value) = plain.map(|plain| typed(field, plain)).or(stored) {
                    let term = self.add_value(slot, field, value);
                    bound.push((slot.to_owned(), vec![term]));
                }
            }
        }
        let given = given(bound);
        for (key, template) in call.table.key.iter().zip(templates) {
            let (pieces, is_complete) = term::prefix(entity, template, &given);
            if !is_complete {
                let message = format!("does not give all of {}", template.text);
                return Err(self.error(step.operation.place, message));
            }
            call.key.push((key.name.value.clone(), term::one(pieces)));
        }
        Ok(())
    }

    fn query(
        &mut self,
        step: &'a Step,
        entity: &'a Entity,
        bound: &[Bound],
        call: &mut Call<'a>,
    ) -> Result<(), Diagnostic> {
        let index = match &step.index {
            None => None,
            Some(name) => Some(self.index(call.table, name)?),
        };
        call.index = index.map(|index| index.name.value.clone());
        let key = index.map_or(&call.table.key, |index| &index.key);
        let (hash, range): (Vec<_>, Vec<_>) = key.iter().partition(|key| key.is_hash);
        let (hash_templates, range_templates) = templates(entity, index);
        let given = given(bound);
        let mut parts = Vec::new();
        for (key, template) in hash.iter().zip(&hash_templates) {
            let (pieces, is_complete) = term::prefix(entity, template, &given);
            if !is_complete {
                return Err(
                    self.error(step.operation.place, format!("does not give all of {}", template.text))
                );
            }
            let value = add_value(call, term::one(pieces));
            parts.push(format!("{} = {value}", add_name(call, &key.name.value)));
        }
        let wanted = step.range_condition.as_ref().map(|range| range.value.as_str());
        for (key, template) in range.iter().zip(&range_templates) {
            let Some((part, is_whole)) = sort_part(call, entity, key, template, wanted, bound) else { break };
            parts.push(part);
            if !is_whole {
                break;
            }
        }
        call.expressions.push(("KeyConditionExpression", parts.join(" AND ")));
        Ok(())
    }

    fn index(&self, table: &'a Table, name: &At<String>) -> Result<&'a Index, Diagnostic> {
        let found = table.indexes.iter().find(|index| index.name.value == name.value);
        found.ok_or_else(|| self.error(name.place, format!("there is no index {}", name.value)))
    }

    /// Filter, condition, update and projection, with every name aliased.
    fn express(&mut self, step: &Step, bound: &[Bound], call: &mut Call<'a>) -> Result<(), Diagnostic> {
        let given = given(bound);
        for (field, text) in [
            ("FilterExpression", &step.filter),
            ("ConditionExpression", &step.condition),
            ("UpdateExpression", &step.update),
        ] {
            let Some(text) = text else { continue };
            let expression = aliased(call, &text.value);
            for placeholder in placeholders(&text.value) {
                let known = given(&placeholder).or_else(|| (placeholder == "now").then_some(Term::Now));
                let term = known.ok_or_else(|| {
                    self.error(text.place, format!("`:{placeholder}` is not among its parameters"))
                })?;
                let name = format!(":{placeholder}");
                if !call.values.iter().any(|(known, _)| *known == name) {
                    call.values.push((name, term));
                }
            }
            call.expressions.push((field, expression));
        }
        if !step.projection.is_empty() {
            let paths: Vec<String> = step.projection.iter().map(|path| aliased(call, &path.value)).collect();
            call.expressions.push(("ProjectionExpression", paths.join(", ")));
        }
        Ok(())
    }

    fn error(&self, place: Place, message: String) -> Diagnostic {
        let message = format!("{}: {message}", self.pattern.name.value);
        Diagnostic::error("X003", &self.design.file, place, message)
    }
}

/// `$.Items[0].PK` or `$.Item.PK`.
fn found(text: &str) -> Term {
    let attribute = text.rsplit('.').next().unwrap_or_default().to_owned();
    // A reference without a place means the one item there is.
    let place = text
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .and_then(|(place, _)| place.parse().ok());
    Term::Found { place: place.unwrap_or_default(), attribute }
}

fn plain_of<'s>(sample: &'s Sample, name: &str) -> Option<&'s Plain> {
    sample.values.iter().find(|(known, _)| known.value == name).map(|(_, plain)| plain)
}

fn untyped_kind(value: &Value) -> &'static str {
    match value {
        Value::S(_) => "string",
        Value::N(_) => "number",
        Value::Bool(_) => "boolean",
        Value::B(_) => "binary",
        Value::Null => "any",
        Value::L(_) => "array",
        Value::M(_) => "object",
        Value::Ss(_) => "string-set",
        Value::Ns(_) => "number-set",
        Value::Bs(_) => "binary-set",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_name_a_place_and_an_attribute() {
        assert_eq!(found("$.Items[1].PK"), Term::Found { place: 1, attribute: "PK".into() });
        assert_eq!(found("$.Item.GroupId"), Term::Found { place: 0, attribute: "GroupId".into() });
    }
}
