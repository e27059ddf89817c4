//! A design as JSON for a page: tables, entities, patterns, costs, and what the check found.
//! Works nothing out that the design crate can tell.

use super::open::Opened;
use design::cost::{self, PatternCost, TableCost};
use design::diagnostic::Diagnostic;
use design::model::{Design, Entity, Environment, Index, KeyAttribute, Pattern, Table};
use design::template::Template;
use design::{explain, physical, request};
use serde_json::{Value as Json, json};

/// A file with everything that is known of it.
pub(crate) fn opened(opened: &Opened) -> Json {
    let found: Vec<Json> = opened.found.iter().map(diagnostic).collect();
    let mut told = json!({
        "file": opened.file,
        "name": opened.file,
        "failure": opened.failure,
        "wrong": opened.is_wrong(),
        "found": found,
        "environments": [],
    });
    let Some(design) = &opened.design else { return told };
    if let Some(members) = told.as_object_mut() {
        members.insert("name".to_owned(), json!(design.name));
        members.insert("description".to_owned(), json!(design.description));
        if !opened.is_wrong() {
            let all = design.environments.iter().map(|environment| deployed(design, environment));
            members.insert("environments".to_owned(), all.collect());
        }
        members.insert("entities".to_owned(), design.entities.iter().map(entity).collect());
    }
    told
}

fn diagnostic(found: &Diagnostic) -> Json {
    json!({
        "code": found.code,
        "severity": found.severity.name(),
        "message": found.message,
        "hint": found.hint,
        "line": found.place.line,
    })
}

/// What follows from a design in one environment.
fn deployed(design: &Design, environment: &Environment) -> Json {
    let tables: Vec<Json> = design.tables.iter().map(|one| table(design, environment, one)).collect();
    let bill = cost::cost(design, environment, None).ok();
    let costs = bill.as_ref().map_or(&[][..], |bill| &bill.patterns);
    let patterns: Vec<Json> =
        design.patterns.iter().map(|one| pattern(design, environment, one, costs)).collect();
    json!({
        "name": environment.name.value,
        "tables": tables,
        "patterns": patterns,
        "cost": bill.as_ref().map(|bill| json!({
            "total": bill.total(),
            "onDemand": bill.total_on_demand(),
            "provisioned": bill.total_provisioned(),
            "region": bill.prices.region,
            "date": bill.prices.date,
            "tables": bill.tables.iter().map(table_cost).collect::<Vec<_>>(),
            "thresholds": bill.thresholds,
            "notes": bill.notes,
        })),
    })
}

fn table(design: &Design, environment: &Environment, table: &Table) -> Json {
    json!({
        "id": table.id.value,
        "name": physical::table_name(design, environment, table),
        "key": key(&table.key),
        "indexes": table.indexes.iter().map(index).collect::<Vec<_>>(),
        "ttl": table.ttl_attribute.as_ref().map(|attribute| &attribute.value),
    })
}

fn index(index: &Index) -> Json {
    json!({
        "name": index.name.value,
        "local": index.is_local,
        "key": key(&index.key),
        "projection": index.projection.value,
        "included": index.included.iter().map(|name| name.value.as_str()).collect::<Vec<_>>(),
    })
}

fn key(key: &[KeyAttribute]) -> Json {
    let part =
        |part: &KeyAttribute| json!({ "name": part.name.value, "hash": part.is_hash, "type": part.kind });
    key.iter().map(part).collect()
}

fn entity(entity: &Entity) -> Json {
    let texts = |templates: &[Template]| -> Vec<String> {
        templates.iter().map(|template| template.text.clone()).collect()
    };
    let mappings = entity.mappings.iter().map(|mapping| {
        json!({
            "index": mapping.index.value,
            "pk": texts(&mapping.pk),
            "sk": texts(&mapping.sk),
            "when": mapping.when.as_ref().map(|when| &when.value),
        })
    });
    let fields = entity.fields.iter().map(|field| {
        json!({
            "name": field.name.value,
            "type": field.kind.value,
            "required": field.required,
            "stored": field.store,
            "description": field.description,
        })
    });
    json!({
        "name": entity.name.value,
        "table": entity.table.value,
        "description": entity.description,
        "pk": entity.pk.text,
        "sk": entity.sk.as_ref().map(|template| &template.text),
        "mappings": mappings.collect::<Vec<_>>(),
        "fields": fields.collect::<Vec<_>>(),
        "ttl": entity.ttl.as_ref().map(|ttl| json!({ "field": ttl.field.value, "after": ttl.after_text })),
    })
}

fn pattern(design: &Design, environment: &Environment, pattern: &Pattern, costs: &[PatternCost]) -> Json {
    let requests = request::requests(design, environment, pattern).unwrap_or_default();
    let steps = requests.iter().map(|request| {
        let spelled = explain::explain(request);
        json!({
            "operation": request.operation,
            "table": request.table,
            "index": request.index,
            "words": request.words,
            "body": request.body,
            "code": {
                "cli": spelled.cli,
                "python": spelled.python,
                "javascript": spelled.javascript,
                "rust": spelled.rust,
            },
        })
    });
    let cost = costs.iter().find(|cost| cost.name == pattern.name.value);
    json!({
        "name": pattern.name.value,
        "description": pattern.description,
        "origin": pattern.origin,
        "entities": pattern.steps.iter().filter_map(|step| Some(&step.entity.as_ref()?.value)).collect::<Vec<_>>(),
        "steps": steps.collect::<Vec<_>>(),
        "cost": cost.map(|cost| json!({
            "rate": cost.rate,
            "read": cost.units.uses.iter().map(|used| used.read).sum::<f64>(),
            "write": cost.units.uses.iter().map(|used| used.write).sum::<f64>(),
            "dollars": cost.dollars,
        })),
    })
}

fn table_cost(cost: &TableCost) -> Json {
    json!({
        "id": cost.id,
        "provisionedMode": cost.is_provisioned,
        "items": cost.items,
        "gigabytes": cost.gigabytes,
        "onDemand": cost.on_demand,
        "provisioned": cost.provisioned,
        "storage": cost.storage,
        "recovery": cost.recovery,
    })
}
