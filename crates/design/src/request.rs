//! The exact requests of an access pattern: keys worked out from templates, conditions put together, names aliased.
//! Knows no endpoint; what an earlier step answered is handed in.

mod bind;
mod expression;
mod key;
mod many;

use item::Item;
use serde_json::{Map, Value as Json, json};

use crate::diagnostic::Diagnostic;
use crate::items;
use crate::json::to_json;
use crate::model::{Design, Environment, Pattern, Place, Step, Table};
use crate::physical;
use bind::Bound;
use expression::Placeholders;

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The operation.
    pub operation: String,
    /// Its body.
    pub body: Json,
    /// The index it reads.
    pub index: Option<String>,
    /// The table it goes to; of a batch or a transaction the first one.
    pub table: String,
    /// The condition on the key as a person would say it.
    pub words: String,
    /// The keys of the items it writes, with their tables.
    pub writes: Vec<(String, Json)>,
}

/// The requests of a pattern. References to the answer before stand as they are written.
pub fn requests(
    design: &Design,
    environment: &Environment,
    pattern: &Pattern,
) -> Result<Vec<Request>, Diagnostic> {
    pattern.steps.iter().map(|step| request(design, environment, step, None)).collect()
}

/// The request of one step, after this answer of the step before.
pub(crate) fn request(
    design: &Design,
    environment: &Environment,
    step: &Step,
    before: Option<&Json>,
) -> Result<Request, Diagnostic> {
    let maker = Maker { design, environment, before };
    maker.request(step).map_err(|problem| problem.diagnose(design, step))
}

/// Why a request cannot be made.
#[derive(Debug)]
struct Problem {
    message: String,
    place: Option<Place>,
    whole: Option<Box<Diagnostic>>,
}

impl From<String> for Problem {
    fn from(message: String) -> Problem {
        Problem { message, place: None, whole: None }
    }
}

impl From<Vec<Diagnostic>> for Problem {
    fn from(found: Vec<Diagnostic>) -> Problem {
        let whole = found.into_iter().next().map(Box::new);
        Problem { message: "the item cannot be built".to_owned(), place: None, whole }
    }
}

impl Problem {
    fn at(message: String, place: Place) -> Problem {
        Problem { message, place: Some(place), whole: None }
    }

    fn diagnose(self, design: &Design, step: &Step) -> Diagnostic {
        if let Some(whole) = self.whole {
            return *whole;
        }
        Diagnostic::error("P020", &design.file, self.place.unwrap_or(step.operation.place), self.message)
            .hint(
                "`parameters` must give every field of the partition key, and of the whole key for one item",
            )
    }
}

struct Maker<'a> {
    design: &'a Design,
    environment: &'a Environment,
    before: Option<&'a Json>,
}

impl Maker<'_> {
    fn request(&self, step: &Step) -> Result<Request, Problem> {
        let operation = step.operation.value.as_str();
        match operation {
            "BatchGetItem" | "BatchWriteItem" | "TransactGetItems" | "TransactWriteItems" => {
                many::request(self, step)
            }
            "Query" | "Scan" => self.page(step),
            "GetItem" | "PutItem" | "UpdateItem" | "DeleteItem" | "ConditionCheck" => {
                let (table, body, key) = self.single(step)?;
                let words = self.words(&table, &key);
                let writes = match operation {
                    "GetItem" | "ConditionCheck" => Vec::new(),
                    _ => vec![(table.clone(), to_json(&key))],
                };
                let mut whole = Map::new();
                whole.insert("TableName".to_owned(), json!(table));
                whole.extend(body);
                let body = Json::Object(whole);
                Ok(Request { operation: operation.to_owned(), body, index: None, table, words, writes })
            }
            other => Err(Problem::at(format!("there is no operation {other}"), step.operation.place)),
        }
    }

    /// An operation on one item: its table, its body without the table, and the key.
    fn single(&self, step: &Step) -> Result<(String, Map<String, Json>, Item), Problem> {
        let bound = Bound::new(self, step)?;
        let table = physical::table_name(self.design, self.environment, bound.table);
        let mut placeholders = Placeholders::default();
        let mut body = Map::new();
        if step.operation.value == "PutItem" {
            let item = self.item(step, &bound)?;
            let key = bound.table.key.iter().filter_map(|part| item.get_key_value(&part.name.value));
            let key: Item = key.map(|(name, value)| (name.clone(), value.clone())).collect();
            body.insert("Item".to_owned(), to_json(&item));
            self.conditions(step, &bound, &mut placeholders, &mut body)?;
            placeholders.finish(&mut body);
            return Ok((table, body, key));
        }
        let key = self.key(step, &bound)?;
        body.insert("Key".to_owned(), to_json(&key));
        if let Some(update) = &step.update {
            let text = bound.translate(&mut placeholders, &update.value, update.place)?;
            body.insert("UpdateExpression".to_owned(), json!(text));
        }
        self.conditions(step, &bound, &mut placeholders, &mut body)?;
        projection(step, &mut placeholders, &mut body);
        consistency(step, &mut body);
        placeholders.finish(&mut body);
        Ok((table, body, key))
    }

    /// The item to put: a sample, a sample with some values changed, or an item made of the parameters alone.
    fn item(&self, step: &Step, bound: &Bound<'_>) -> Result<Item, Problem> {
        let Some(name) = step.samples.first() else {
            let entity = bound.entity()?;
            return Ok(items::build(self.design, entity, &step.parameters)?.item);
        };
        let mut sample = bind::sample(self.design, name)?.clone();
        let entity = bind::entity(self.design, &sample.entity)?;
        for (field, value) in &step.parameters {
            if !entity.fields.iter().any(|known| known.name.value == field.value) {
                continue;
            }
            sample.values.retain(|(name, _)| name.value != field.value);
            sample.values.push((field.clone(), value.clone()));
        }
        Ok(items::sample(self.design, &sample)?.item)
    }

    /// The key of one item: a sample's, or from the parameters.
    fn key(&self, step: &Step, bound: &Bound<'_>) -> Result<Item, Problem> {
        match step.samples.first() {
            Some(name) if step.parameters.is_empty() || bound.entity.is_none() => {
                let sample = bind::sample(self.design, name)?;
                let item = items::sample(self.design, sample)?.item;
                Ok(item
                    .into_iter()
                    .filter(|(name, _)| bound.table.key.iter().any(|part| part.name.value == *name))
                    .collect())
            }
            _ => key::whole(bound.entity()?, bound.table, &bound.values).map_err(Problem::from),
        }
    }

    fn conditions(
        &self,
        step: &Step,
        bound: &Bound<'_>,
        placeholders: &mut Placeholders,
        body: &mut Map<String, Json>,
    ) -> Result<(), Problem> {
        for (expression, name) in
            [(&step.condition, "ConditionExpression"), (&step.filter, "FilterExpression")]
        {
            if let Some(expression) = expression {
                let text = bound.translate(placeholders, &expression.value, expression.place)?;
                body.insert(name.to_owned(), json!(text));
            }
        }
        Ok(())
    }

    /// A key as a person would say it, the partition key first.
    fn words(&self, table: &str, key: &Item) -> String {
        let is_named = |one: &&Table| physical::table_name(self.design, self.environment, one) == table;
        let order =
            self.design.tables.iter().find(is_named).map(|table| table.key.as_slice()).unwrap_or_default();
        let parts = order.iter().filter_map(|part| Some((&part.name.value, key.get(&part.name.value)?)));
        parts.map(|(name, value)| format!("{name} = {}", key::said(value))).collect::<Vec<_>>().join(" AND ")
    }

    /// A Query or a Scan.
    fn page(&self, step: &Step) -> Result<Request, Problem> {
        let bound = Bound::new(self, step)?;
        let table = physical::table_name(self.design, self.environment, bound.table);
        let mut placeholders = Placeholders::default();
        let mut body = Map::new();
        body.insert("TableName".to_owned(), json!(table));
        let index = step.index.as_ref().map(|index| index.value.clone());
        if let Some(index) = &index {
            body.insert("IndexName".to_owned(), json!(index));
        }
        let mut words = String::new();
        if step.operation.value == "Query" {
            let condition = key::condition(step, &bound)?;
            body.insert("KeyConditionExpression".to_owned(), json!(condition.text(&mut placeholders)));
            words = condition.words();
        }
        self.conditions(step, &bound, &mut placeholders, &mut body)?;
        projection(step, &mut placeholders, &mut body);
        if step.operation.value == "Query" && !step.forward {
            body.insert("ScanIndexForward".to_owned(), json!(false));
        }
        if let Some(limit) = step.limit {
            body.insert("Limit".to_owned(), json!(limit));
        }
        consistency(step, &mut body);
        placeholders.finish(&mut body);
        let operation = step.operation.value.clone();
        Ok(Request { operation, body: Json::Object(body), index, table, words, writes: Vec::new() })
    }
}

fn projection(step: &Step, placeholders: &mut Placeholders, body: &mut Map<String, Json>) {
    if step.projection.is_empty() {
        return;
    }
    let path = |placeholders: &mut Placeholders, path: &str| {
        let parts = path.split('.').map(|part| {
            let (name, index) = part.split_at(part.find('[').unwrap_or(part.len()));
            format!("{}{index}", placeholders.name(name))
        });
        parts.collect::<Vec<_>>().join(".")
    };
    let paths: Vec<String> = step.projection.iter().map(|name| path(placeholders, &name.value)).collect();
    body.insert("ProjectionExpression".to_owned(), json!(paths.join(", ")));
}

fn consistency(step: &Step, body: &mut Map<String, Json>) {
    if step.consistent {
        body.insert("ConsistentRead".to_owned(), json!(true));
    }
}

#[cfg(test)]
mod tests;
