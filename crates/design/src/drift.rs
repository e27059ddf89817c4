//! What a running table has that the design has not: keys, indexes and settings, and items of no entity.
//! Asks an endpoint; changes nothing.

use item::Item;
use serde_json::{Value as Json, json};

use crate::json::from_json;
use crate::model::{Design, Entity, Environment, Table};
use crate::physical;
use crate::plan::words::{key, projection};
use crate::template::{Part, Template};
use client::live::{self, Live, text};
use client::{Endpoint, Failure};

/// One thing that is not the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// The table.
    pub table: String,
    /// What it is about, such as `index GSI1` or `item attribute nickname`.
    pub what: String,
    /// How the design has it; none if it has not.
    pub design: Option<String>,
    /// How the table has it; none if it has not.
    pub table_has: Option<String>,
}

/// Compares every table of a design, and this many of its items, with what an endpoint has.
pub fn drift(
    design: &Design,
    environment: &Environment,
    endpoint: &dyn Endpoint,
    items: u64,
) -> Result<Vec<Drift>, Failure> {
    let mut found = Vec::new();
    for table in &design.tables {
        let name = physical::table_name(design, environment, table);
        let Some(live) = live::look(endpoint, &name)? else {
            found.push(Drift {
                table: name,
                what: "table".to_owned(),
                design: Some("there".to_owned()),
                table_has: None,
            });
            continue;
        };
        let create = physical::create_table(design, environment, table);
        let properties = physical::properties(design, environment, table);
        let mut both = Both { table: name.clone(), found: &mut found };
        both.definition(&create, &live);
        both.settings(&properties, &create, &live);
        if items > 0 {
            let read = scan(endpoint, &name, items)?;
            both.items(design, table, &properties, &read);
        }
    }
    Ok(found)
}

struct Both<'a> {
    table: String,
    found: &'a mut Vec<Drift>,
}

impl Both<'_> {
    fn same(&mut self, what: impl Into<String>, design: Option<String>, table_has: Option<String>) {
        if design != table_has {
            self.found.push(Drift { table: self.table.clone(), what: what.into(), design, table_has });
        }
    }

    fn definition(&mut self, create: &Json, live: &Live) {
        self.same("key", Some(key(create, create)), Some(key(&live.description, &live.description)));
        for kind in ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"] {
            let asked = physical::list(create, kind).map(Vec::as_slice).unwrap_or_default();
            let there = live.list(kind);
            let mut names: Vec<&str> =
                asked.iter().chain(there).map(|index| text(index, "IndexName")).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                let said = |list: &[Json], holder: &Json| {
                    let index = list.iter().find(|index| text(index, "IndexName") == name)?;
                    Some(format!("{}, projects {}", key(index, holder), projection(index)))
                };
                self.same(format!("index {name}"), said(asked, create), said(there, &live.description));
            }
        }
    }

    fn settings(&mut self, properties: &Json, create: &Json, live: &Live) {
        let found = &live.description;
        let mode = found.get("BillingModeSummary").map(|summary| text(summary, "BillingMode").to_owned());
        let mode = mode.unwrap_or_else(|| "PROVISIONED".to_owned());
        self.same("billing mode", Some(physical::billing_mode(properties).to_owned()), Some(mode));
        let view = |stream: Option<&Json>| {
            let stream =
                stream.filter(|stream| stream.get("StreamEnabled").and_then(Json::as_bool) != Some(false))?;
            Some(text(stream, "StreamViewType").to_owned())
        };
        self.same(
            "stream",
            view(physical::stream(properties).as_ref()),
            view(found.get("StreamSpecification")),
        );
        let protection =
            |holder: &Json| holder.get("DeletionProtectionEnabled").and_then(Json::as_bool).unwrap_or(false);
        self.same(
            "deletion protection",
            Some(protection(create).to_string()),
            Some(protection(found).to_string()),
        );
        if let Ok(expiry) = &live.expiry {
            let asked =
                physical::time_to_live(properties).map(|said| text(&said, "AttributeName").to_owned());
            self.same("TTL attribute", asked, expiry.clone());
        }
        if let Ok((is_on, _)) = &live.recovery {
            let asked = physical::recovery(properties).is_some_and(|said| {
                said.get("PointInTimeRecoveryEnabled").and_then(Json::as_bool) == Some(true)
            });
            self.same("recovery", Some(asked.to_string()), Some(is_on.to_string()));
        }
        if let Ok(tags) = &live.tags {
            self.tags(properties, tags);
        }
    }

    fn tags(&mut self, properties: &Json, tags: &[(String, String)]) {
        let asked = physical::list(properties, "Tags").map(Vec::as_slice).unwrap_or_default();
        let asked: Vec<(&str, &str)> =
            asked.iter().map(|tag| (text(tag, "Key"), text(tag, "Value"))).collect();
        let mut names: Vec<&str> =
            asked.iter().map(|(key, _)| *key).chain(tags.iter().map(|(key, _)| key.as_str())).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let design = asked.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
            let there = tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
            self.same(format!("tag {name}"), design, there);
        }
    }

    /// Items whose key fits no entity, and attributes that no field of the entity names.
    fn items(&mut self, design: &Design, table: &Table, properties: &Json, items: &[Item]) {
        let expiry = physical::time_to_live(properties).map(|said| text(&said, "AttributeName").to_owned());
        let keys = table.key.iter().chain(table.indexes.iter().flat_map(|index| &index.key));
        let keys: Vec<&str> = keys.map(|part| part.name.value.as_str()).chain(expiry.as_deref()).collect();
        let mut unknown: Vec<(String, usize)> = Vec::new();
        let mut count = |what: String| match unknown.iter_mut().find(|(known, _)| *known == what) {
            Some((_, times)) => *times += 1,
            None => unknown.push((what, 1)),
        };
        for item in items {
            let fits = |entity: &&Entity| entity.table.value == table.id.value && is_of(entity, table, item);
            let Some(entity) = design.entities.iter().find(fits) else {
                count(format!("item of no entity: {}", said(table, item)));
                continue;
            };
            let is_field = |name: &str| entity.fields.iter().any(|field| field.name.value == name);
            for name in item.keys().filter(|name| !keys.contains(&name.as_str()) && !is_field(name)) {
                count(format!("attribute {}.{name}", entity.name.value));
            }
        }
        for (what, times) in unknown {
            let times = if times == 1 { "in 1 item".to_owned() } else { format!("in {times} items") };
            self.same(what, None, Some(times));
        }
    }
}

/// Whether an item's key could have been made by an entity's templates.
fn is_of(entity: &Entity, table: &Table, item: &Item) -> bool {
    let templates = std::iter::once(&entity.pk).chain(&entity.sk);
    table.key.iter().zip(templates).all(|(part, template)| {
        item.get(&part.name.value).is_some_and(|value| fits(template, &crate::items::shown(value)))
    })
}

/// Whether a text could have been made by a template: its literals stand there in order, with something between.
fn fits(template: &Template, text: &str) -> bool {
    let mut rest = text;
    let mut is_open = false;
    for part in &template.parts {
        match part {
            Part::Slot { .. } => is_open = true,
            Part::Literal(literal) => {
                // A slot is never empty, so the literal after it begins behind one letter at least.
                let skipped = if is_open { rest.chars().next().map_or(0, char::len_utf8) } else { 0 };
                let place = match is_open {
                    true => rest
                        .get(skipped..)
                        .and_then(|tail| tail.find(literal.as_str()))
                        .map(|at| at + skipped),
                    false => rest.starts_with(literal.as_str()).then_some(0),
                };
                let Some(place) = place else { return false };
                rest = rest.get(place + literal.len()..).unwrap_or_default();
                is_open = false;
            }
        }
    }
    is_open && !rest.is_empty() || rest.is_empty() && !is_open
}

fn said(table: &Table, item: &Item) -> String {
    let parts = table.key.iter().filter_map(|part| item.get(&part.name.value)).map(crate::items::shown);
    parts.collect::<Vec<_>>().join(" | ")
}

fn scan(endpoint: &dyn Endpoint, table: &str, items: u64) -> Result<Vec<Item>, Failure> {
    let answer = endpoint.call("Scan", &json!({ "TableName": table, "Limit": items }))?;
    let list = answer.get("Items").and_then(Json::as_array).into_iter().flatten();
    Ok(list.filter_map(|item| from_json(item).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Place;

    #[test]
    fn a_key_fits_the_template_that_could_have_made_it() {
        for (template, text, expected) in [
            ("USER#{id}", "USER#1", true),
            ("USER#{id}", "USER#", false),
            ("USER#{id}", "RECIPE#1", false),
            ("PROFILE", "PROFILE", true),
            ("PROFILE", "PROFILES", false),
            ("COOKING#{date}#{id}", "COOKING#2025#7", true),
            ("COOKING#{date}#{id}", "COOKING#2025", false),
            ("{restaurant}-{year}-{week:02}", "niagara-2025-03", true),
            ("{symbol}", "AAPL", true),
            ("META#", "META#", true),
        ] {
            let template = Template::parse(template, Place::default()).unwrap();
            assert_eq!(fits(&template, text), expected, "{} {text}", template.text);
        }
    }
}
