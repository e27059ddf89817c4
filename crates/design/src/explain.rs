//! A request as somebody would type it: AWS CLI, boto3, JavaScript, Rust.
//! Knows the spelling of each; the requests come ready.

mod rust;

use std::fmt::Write;

use serde_json::Value as Json;

use crate::request::Request;

/// A request in every spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The body.
    pub json: String,
    /// The AWS command line.
    pub cli: String,
    /// Python with boto3.
    pub python: String,
    /// JavaScript with the SDK, version 3.
    pub javascript: String,
    /// Rust with the SDK.
    pub rust: String,
}

/// Spells a request out.
pub fn explain(request: &Request) -> Explained {
    Explained {
        json: pretty(&request.body),
        cli: cli(request),
        python: python(request),
        javascript: javascript(request),
        rust: rust::spell(request),
    }
}

fn pretty(value: &Json) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}

fn members(body: &Json) -> impl Iterator<Item = (&String, &Json)> {
    body.as_object().into_iter().flatten()
}

/// `KeyConditionExpression` is `key-condition-expression` or `key_condition_expression`.
fn spelled(name: &str, between: char) -> String {
    let mut out = String::new();
    for (place, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && place > 0 {
            out.push(between);
        }
        out.extend(letter.to_lowercase());
    }
    out
}

fn cli(request: &Request) -> String {
    let mut out = format!("aws dynamodb {}", spelled(&request.operation, '-'));
    for (name, value) in members(&request.body) {
        let flag = spelled(name, '-');
        // Writing to a string cannot fail.
        let _written = match value {
            Json::Bool(true) => write!(out, " \\\n  --{flag}"),
            Json::Bool(false) => write!(out, " \\\n  --no-{flag}"),
            Json::String(text) => write!(out, " \\\n  --{flag} {}", quoted(text)),
            Json::Null | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
                write!(out, " \\\n  --{flag} {}", quoted(&value.to_string()))
            }
        };
    }
    out
}

/// A word of a shell.
fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=@%+,".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn python(request: &Request) -> String {
    let mut out = format!(
        "import boto3\n\nclient = boto3.client(\"dynamodb\")\nanswer = client.{}(\n",
        spelled(&request.operation, '_')
    );
    for (name, value) in members(&request.body) {
        let _written = writeln!(out, "    {name}={},", literal(value, 1));
    }
    out.push(')');
    out
}

/// A Python literal. JSON and Python differ only in three words.
fn literal(value: &Json, depth: usize) -> String {
    let indent = "    ".repeat(depth + 1);
    let end = "    ".repeat(depth);
    match value {
        Json::Null => "None".to_owned(),
        Json::Bool(true) => "True".to_owned(),
        Json::Bool(false) => "False".to_owned(),
        Json::Number(_) | Json::String(_) => value.to_string(),
        Json::Array(list) if list.is_empty() => "[]".to_owned(),
        Json::Object(map) if map.is_empty() => "{}".to_owned(),
        Json::Array(list) => {
            let lines: String =
                list.iter().map(|one| format!("{indent}{},\n", literal(one, depth + 1))).collect();
            format!("[\n{lines}{end}]")
        }
        Json::Object(map) if is_value(value) => {
            let inside = map.iter().map(|(name, one)| format!("\"{name}\": {}", literal(one, depth)));
            format!("{{{}}}", inside.collect::<String>())
        }
        Json::Object(map) => {
            let line = |(name, one): (&String, &Json)| {
                format!("{indent}{}: {},\n", Json::String(name.clone()), literal(one, depth + 1))
            };
            format!("{{\n{}{end}}}", map.iter().map(line).collect::<String>())
        }
    }
}

/// Whether this is an attribute value such as `{"S": "x"}`.
fn is_value(value: &Json) -> bool {
    const TYPES: &[&str] = &["S", "N", "B", "SS", "NS", "BS", "BOOL", "NULL", "L", "M"];
    let only = value.as_object().filter(|map| map.len() == 1).and_then(|map| map.keys().next());
    only.is_some_and(|name| TYPES.contains(&name.as_str()))
}

fn javascript(request: &Request) -> String {
    let operation = &request.operation;
    format!(
        "import {{ DynamoDBClient, {operation}Command }} from \"@aws-sdk/client-dynamodb\";\n\n\
         const client = new DynamoDBClient({{}});\n\
         const answer = await client.send(new {operation}Command({}));",
        pretty(&request.body)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request() -> Request {
        Request {
            operation: "Query".to_owned(),
            body: json!({
                "TableName": "data",
                "KeyConditionExpression": "#PK = :PK",
                "ScanIndexForward": false,
                "Limit": 2,
                "ExpressionAttributeNames": { "#PK": "PK" },
                "ExpressionAttributeValues": { ":PK": { "S": "it's" } },
            }),
            index: None,
            table: "data".to_owned(),
            words: String::new(),
            writes: Vec::new(),
        }
    }

    #[test]
    fn every_spelling_of_a_query() {
        let explained = explain(&request());
        assert_eq!(
            explained.cli,
            "aws dynamodb query \\\n  --table-name data \\\n  --key-condition-expression '#PK = :PK' \\\n  \
             --no-scan-index-forward \\\n  --limit 2 \\\n  --expression-attribute-names '{\"#PK\":\"PK\"}' \\\n  \
             --expression-attribute-values '{\":PK\":{\"S\":\"it'\\''s\"}}'"
        );
        assert_eq!(
            explained.python,
            "import boto3\n\nclient = boto3.client(\"dynamodb\")\nanswer = client.query(\n    TableName=\"data\",\n    \
             KeyConditionExpression=\"#PK = :PK\",\n    ScanIndexForward=False,\n    Limit=2,\n    \
             ExpressionAttributeNames={\n        \"#PK\": \"PK\",\n    },\n    \
             ExpressionAttributeValues={\n        \":PK\": {\"S\": \"it's\"},\n    },\n)"
        );
        assert!(explained.javascript.contains("new QueryCommand({\n"));
        assert_eq!(
            explained.rust,
            "let answer = client\n    .query()\n    .table_name(\"data\")\n    \
             .key_condition_expression(\"#PK = :PK\")\n    .scan_index_forward(false)\n    .limit(2)\n    \
             .expression_attribute_names(\"#PK\", \"PK\")\n    \
             .expression_attribute_values(\":PK\", AttributeValue::S(\"it's\".into()))\n    .send()\n    .await?;"
        );
    }
}
