//! A design from a CloudFormation template: its tables word for word. Knows no running tables.

use serde_json::{Value as Json, json};

use super::draft::Draft;
use super::infer::infer;
use super::running::keys;

/// Parameters that mean what a design calls an environment.
const ENVIRONMENTS: [&str; 6] =
    ["Environment", "EnvironmentName", "Env", "Stage", "StageName", "DeploymentEnvironment"];

/// The design of a template.
pub(super) fn import(stem: &str, template: &Json) -> Result<String, String> {
    let resources = template.get("Resources").and_then(Json::as_object).ok_or("`Resources` is no map")?;
    let mut draft = Draft { name: stem.to_owned(), ..Draft::default() };
    draft.description = template.get("Description").and_then(Json::as_str).map(str::to_owned);
    let mut left_out = Vec::new();
    for (id, resource) in resources {
        let kind = resource.get("Type").and_then(Json::as_str).unwrap_or_default();
        if matches!(kind, "AWS::DynamoDB::Table" | "AWS::DynamoDB::GlobalTable") {
            draft.tables.push((id.clone(), with_environment(resource)));
        } else {
            left_out.push(format!("{id} ({kind})"));
        }
    }
    if draft.tables.is_empty() {
        return Err("the template has no AWS::DynamoDB::Table".into());
    }
    draft.notes.push("Written from a CloudFormation template: the tables word for word.".into());
    if !left_out.is_empty() {
        draft.notes.push(format!("Left out, because they are no tables: {}.", left_out.join(", ")));
    }
    draft.environments = environments(template);
    match template.pointer("/Metadata/Design").and_then(Json::as_object) {
        Some(design) => {
            let own = ["design", "name", "description", "tables", "environments"];
            draft.sections = design
                .iter()
                .filter(|(name, _)| !own.contains(&name.as_str()))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
        }
        None => {
            draft.notes.push("A template does not say what the items are: describe the entities.".into());
            for (id, resource) in &draft.tables {
                let properties = resource.get("Properties").cloned().unwrap_or_default();
                let mut inferred = infer(&keys(id, &properties), &[], &[]);
                for entity in &mut inferred.entities {
                    typed(entity, &properties);
                }
                draft.inferred.push(inferred);
            }
        }
    }
    Ok(draft.text())
}

/// Key fields have the types of the attribute definitions.
fn typed(entity: &mut super::infer::EntityDraft, properties: &Json) {
    for definition in properties.get("AttributeDefinitions").and_then(Json::as_array).into_iter().flatten() {
        let name = definition.get("AttributeName").and_then(Json::as_str).unwrap_or_default();
        let kind = match definition.get("AttributeType").and_then(Json::as_str) {
            Some("N") => "number",
            Some("B") => "binary",
            _ => "string",
        };
        if let Some(field) = entity.fields.get_mut(name).and_then(Json::as_object_mut) {
            field.insert("type".into(), json!(kind));
        }
    }
}

/// The values an environment parameter may have.
fn environments(template: &Json) -> Vec<String> {
    let parameter = |name: &&str| template.pointer(&format!("/Parameters/{name}"));
    let Some(found) = ENVIRONMENTS.iter().find_map(parameter) else { return Vec::new() };
    let allowed = found.get("AllowedValues").and_then(Json::as_array).into_iter().flatten();
    let mut names: Vec<String> = allowed.filter_map(Json::as_str).map(str::to_owned).collect();
    let default = found.get("Default").and_then(Json::as_str).map(str::to_owned);
    if names.is_empty() {
        names.extend(default);
    } else if let Some(place) = default.and_then(|default| names.iter().position(|name| *name == default)) {
        // The first environment is the one that is meant when none is named.
        names.swap(0, place);
    }
    names
}

/// `!Sub name-${Env}` becomes plain text with `${Environment}`; other functions stay as they are.
fn with_environment(json: &Json) -> Json {
    match json {
        Json::Object(fields) => {
            if let (1, Some(Json::String(text))) = (fields.len(), fields.get("Fn::Sub"))
                && let Some(plain) = substituted(text)
            {
                return Json::String(plain);
            }
            Json::Object(fields.iter().map(|(name, value)| (name.clone(), with_environment(value))).collect())
        }
        Json::Array(values) => values.iter().map(with_environment).collect(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => json.clone(),
    }
}

/// The text with environment parameters renamed, if it has no others.
fn substituted(text: &str) -> Option<String> {
    let mut out = text.to_owned();
    for name in ENVIRONMENTS {
        out = out.replace(&format!("${{{name}}}"), "${Environment}");
    }
    let without = out.replace("${Environment}", "");
    (!without.contains("${")).then_some(out)
}
