//! The JSON Schema of design files, for editors: made from the same lists of names that reading uses.
//! Draft 7, because the YAML language server knows it best.

use serde_json::{Map, Value as Json, json};

use crate::read::{
    ACTION_KEYS, DELETION_POLICIES, DESIGN_KEYS, ENTITY_KEYS, FIELD_KEYS, FIELD_KINDS, FORMATS, INDEX_KEYS,
    MAPPING_KEYS, OPERATIONS, PATTERN_KEYS, RANGE_CONDITIONS, TABLE_KEYS, TABLE_PROPERTIES, TRANSFORMS,
    TTL_KEYS,
};

/// The schema as text, ready to be kept in a file.
pub fn text() -> String {
    let mut text = serde_json::to_string_pretty(&schema()).unwrap_or_default();
    text.push('\n');
    text
}

/// The schema.
pub fn schema() -> Json {
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A table design, version 1",
        "type": "object",
        "additionalProperties": false,
        "required": ["design", "tables"],
        "properties": properties(&DESIGN_KEYS, design_key),
        "definitions": {
            "environment": object(&["Properties", "DeletionPolicy", "region", "description"], environment_key),
            "table": with_required(object(&TABLE_KEYS, table_key), &["Properties"]),
            "keySchema": key_schema(),
            "projection": projection(),
            "index": with_required(object(&INDEX_KEYS, index_key), &["IndexName", "KeySchema", "Projection"]),
            "template": {
                "type": "string",
                "pattern": "^[^{}]*(\\{[A-Za-z_][A-Za-z0-9_-]*(:[^{}]+)?\\}[^{}]*)*$",
                "description": "Text with {field} slots; {week:02} pads and {rating:.1f} fixes decimals."
            },
            "templates": { "anyOf": [reference("template"), { "type": "array", "maxItems": 4, "items": reference("template") }] },
            "entity": with_required(object(&ENTITY_KEYS, entity_key), &["table", "pk_template"]),
            "mapping": with_required(object(&MAPPING_KEYS, mapping_key), &["name"]),
            "ttl": with_required(object(&TTL_KEYS, ttl_key), &TTL_KEYS),
            "field": { "anyOf": [{ "enum": FIELD_KINDS }, with_required(object(&FIELD_KEYS, field_key), &["type"])] },
            "sample": { "type": "object", "required": ["entity"], "properties": { "entity": { "type": "string" } } },
            "pattern": with_required(object(&PATTERN_KEYS, pattern_key), &["operation"]),
            "action": with_required(object(&ACTION_KEYS, pattern_key), &["operation"]),
            "alarm": { "type": "object", "properties": { "description": text_of("What it is for."), "Properties": { "type": "object" } } }
        }
    })
}

fn design_key(key: &str) -> Json {
    match key {
        "design" => json!({ "const": 1, "description": "The version of the format." }),
        "name" => text_of("The design's name; the file's without it."),
        "region" => text_of("Where it lives, such as eu-north-1."),
        "environments" => {
            map_of("environment", "Differences for each deployment; ${Environment} is its name.")
        }
        "tables" => map_of("table", "CloudFormation resources by logical id, word for word."),
        "entities" => map_of("entity", "Kinds of items."),
        "samples" => map_of("sample", "Items as plain values; keys and computed fields are worked out."),
        "access_patterns" => map_of("pattern", "What the design must answer."),
        "volume" => json!({
            "type": "object",
            "description": "How many items of an entity there will be.",
            "additionalProperties": { "type": "integer", "minimum": 0 }
        }),
        "alarms" => map_of("alarm", "CloudWatch alarms, word for word."),
        "iam" => json!({
            "description": "Statements, or a policy document.",
            "anyOf": [{ "type": "array", "items": { "type": "object" } }, { "type": "object" }]
        }),
        "budget_thresholds" => json!({
            "type": "array",
            "description": "Dollars a month at which cost raises a flag.",
            "items": { "type": "number", "minimum": 0 }
        }),
        _ => text_of("What it is for."),
    }
}

fn environment_key(key: &str) -> Json {
    match key {
        "Properties" => properties_schema(&[]),
        "DeletionPolicy" => json!({ "enum": DELETION_POLICIES }),
        "region" => text_of("Its region, if it differs."),
        _ => text_of("What it is for."),
    }
}

fn table_key(key: &str) -> Json {
    match key {
        "Type" => json!({ "enum": ["AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"] }),
        "Properties" => properties_schema(&["KeySchema"]),
        "DeletionPolicy" | "UpdateReplacePolicy" => json!({ "enum": DELETION_POLICIES }),
        _ => json!({}),
    }
}

fn properties_schema(required: &[&str]) -> Json {
    with_required(object(&TABLE_PROPERTIES, table_property), required)
}

fn table_property(key: &str) -> Json {
    match key {
        "TableName" => json!({ "type": ["string", "object"], "description": "${Environment} is filled in." }),
        "KeySchema" => reference("keySchema"),
        "BillingMode" => json!({ "enum": ["PAY_PER_REQUEST", "PROVISIONED"] }),
        "GlobalSecondaryIndexes" => json!({ "type": "array", "maxItems": 20, "items": reference("index") }),
        "LocalSecondaryIndexes" => json!({ "type": "array", "maxItems": 5, "items": reference("index") }),
        "AttributeDefinitions" => {
            json!({ "type": "array", "description": "May be left out: derived from keys and fields." })
        }
        "DeletionProtectionEnabled" => json!({ "type": "boolean" }),
        "Tags" => json!({ "type": "array" }),
        "TableClass" => json!({ "enum": ["STANDARD", "STANDARD_INFREQUENT_ACCESS"] }),
        _ => json!({}),
    }
}

fn index_key(key: &str) -> Json {
    match key {
        "IndexName" => json!({ "type": "string", "pattern": "^[a-zA-Z0-9_.-]{3,255}$" }),
        "KeySchema" => reference("keySchema"),
        "Projection" => reference("projection"),
        _ => json!({}),
    }
}

fn key_schema() -> Json {
    let element = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["AttributeName", "KeyType"],
        "properties": { "AttributeName": { "type": "string" }, "KeyType": { "enum": ["HASH", "RANGE"] } }
    });
    json!({ "type": "array", "minItems": 1, "maxItems": 8, "items": element })
}

fn projection() -> Json {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["ProjectionType"],
        "properties": {
            "ProjectionType": { "enum": ["ALL", "KEYS_ONLY", "INCLUDE"] },
            "NonKeyAttributes": { "type": "array", "maxItems": 100, "items": { "type": "string" } }
        },
        "if": { "properties": { "ProjectionType": { "const": "INCLUDE" } } },
        "then": { "required": ["NonKeyAttributes"] },
        "else": { "not": { "required": ["NonKeyAttributes"] } }
    })
}

fn entity_key(key: &str) -> Json {
    match key {
        "table" => text_of("The logical id of its table."),
        "pk_template" | "sk_template" => reference("template"),
        "gsi_mappings" => {
            json!({ "type": "array", "description": "How it reaches indexes.", "items": reference("mapping") })
        }
        "ttl" => reference("ttl"),
        "fields" => map_of("field", "Its fields, in the words of JSON Schema."),
        "rules" => json!({
            "type": "array",
            "description": "Rules between fields, such as len(lunches) = lunchCount.",
            "items": { "type": "string" }
        }),
        _ => text_of("What it is for."),
    }
}

fn mapping_key(key: &str) -> Json {
    match key {
        "name" => text_of("The index."),
        "pk_template" | "sk_template" => reference("templates"),
        "when" => text_of("Which items have an entry, such as favorite = true."),
        _ => text_of("What it is for."),
    }
}

fn ttl_key(key: &str) -> Json {
    match key {
        "field" => text_of("The attribute that says when."),
        "from" => text_of("The field it is counted from."),
        _ => json!({ "type": "string", "pattern": "^P", "description": "A duration: P14D, PT24H, PT45S." }),
    }
}

fn field_key(key: &str) -> Json {
    match key {
        "type" => json!({ "enum": FIELD_KINDS }),
        "required" | "nullable" => json!({ "type": "boolean" }),
        "store" => {
            json!({ "type": "boolean", "description": "false: used in keys, but no attribute of its own." })
        }
        "enum" => json!({ "type": "array", "minItems": 1 }),
        "pattern" => text_of("A regular expression."),
        "format" => json!({ "enum": FORMATS }),
        "minimum" | "exclusiveMinimum" | "maximum" => json!({ "type": "number" }),
        "minLength" | "maxLength" => {
            json!({ "type": "integer", "minimum": 0, "description": "Bytes, or elements." })
        }
        "items" => reference("field"),
        "properties" => map_of("field", "What the object holds."),
        "from" => text_of("A field, a template of fields, or a constant it is computed from."),
        "transform" => json!({ "enum": TRANSFORMS }),
        "example" | "default" => json!({}),
        _ => text_of("What it is for."),
    }
}

fn pattern_key(key: &str) -> Json {
    match key {
        "operation" => json!({ "enum": OPERATIONS }),
        "parameters" => {
            json!({ "type": "object", "description": "Values of fields, or $.Items[0].PK of the answer before." })
        }
        "range_condition" => json!({ "enum": RANGE_CONDITIONS }),
        "filter" | "condition" | "update" => text_of("An expression; names are aliased for you."),
        "filter_expression" | "condition_expression" | "update_expression" => {
            text_of("An expression as the service reads it: reserved words need a #.")
        }
        "projection" => json!({ "type": "array", "items": { "type": "string" } }),
        "samples" => json!({ "type": "array", "items": { "type": "string" } }),
        "actions" | "then" => json!({ "type": "array", "items": reference("action") }),
        "consistent_read" | "scan_index_forward" | "full_key" => json!({ "type": "boolean" }),
        "limit" => json!({ "type": "integer", "minimum": 1 }),
        "rps" | "per_day" => json!({ "type": "number", "minimum": 0 }),
        "expect" => {
            json!({ "description": "Samples in order, a count, nothing, or {count, any_order, attributes}." })
        }
        "expect_any_order" => json!({ "type": "array", "items": { "type": "string" } }),
        "seed" | "implied" | "pattern_id" => json!({ "type": ["string", "integer", "boolean"] }),
        "freshness" => text_of("What the reader checks, such as ttl > now."),
        _ => json!({ "type": "string" }),
    }
}

fn text_of(description: &str) -> Json {
    json!({ "type": "string", "description": description })
}

fn reference(name: &str) -> Json {
    json!({ "$ref": format!("#/definitions/{name}") })
}

fn map_of(name: &str, description: &str) -> Json {
    json!({ "type": ["object", "null"], "description": description, "additionalProperties": reference(name) })
}

fn properties(keys: &[&str], schema: fn(&str) -> Json) -> Json {
    Json::Object(keys.iter().map(|key| ((*key).to_owned(), schema(key))).collect::<Map<String, Json>>())
}

fn object(keys: &[&str], schema: fn(&str) -> Json) -> Json {
    json!({ "type": "object", "additionalProperties": false, "properties": properties(keys, schema) })
}

fn with_required(mut schema: Json, required: &[&str]) -> Json {
    if let Json::Object(entries) = &mut schema
        && !required.is_empty()
    {
        entries.insert("required".to_owned(), json!(required));
    }
    schema
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// `BLESS=1` writes the file anew.
    #[test]
    fn the_file_beside_the_designs_is_up_to_date() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../designs/design.schema.json");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&file, text()).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(kept == text(), "{} is out of date: run this test with BLESS=1", file.display());
    }

    #[test]
    fn every_reference_has_a_definition() {
        let text = text();
        let schema = schema();
        for part in text.split("#/definitions/").skip(1) {
            let name = part.split('"').next().unwrap();
            assert!(schema["definitions"].get(name).is_some(), "{name}");
        }
    }
}
