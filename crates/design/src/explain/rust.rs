//! A request as builders of the Rust SDK.

use serde_json::Value as Json;

use super::{members, spelled};
use crate::request::Request;

pub(super) fn spell(request: &Request) -> String {
    let mut out = format!("let answer = client\n    .{}()\n", spelled(&request.operation, '_'));
    for (name, value) in members(&request.body) {
        for line in calls(name, value) {
            out.push_str(&format!("    {line}\n"));
        }
    }
    out.push_str("    .send()\n    .await?;");
    out
}

/// The builder calls for one member: maps and lists are given one entry at a time.
fn calls(name: &str, value: &Json) -> Vec<String> {
    let method = spelled(name, '_');
    match (name, value) {
        ("Key" | "Item" | "ExpressionAttributeValues", Json::Object(map)) => {
            map.iter().map(|(name, one)| format!(".{method}({}, {})", text(name), attribute(one))).collect()
        }
        ("ExpressionAttributeNames", Json::Object(map)) => {
            map.iter().map(|(name, one)| format!(".{method}({}, {one})", text(name))).collect()
        }
        ("RequestItems", Json::Object(tables)) => tables
            .iter()
            .map(|(table, one)| format!(".{method}({}, {})", text(table), table_requests(one)))
            .collect(),
        ("TransactItems", Json::Array(list)) => {
            list.iter().map(|one| format!(".{method}({})", transact_item(one))).collect()
        }
        ("Keys", Json::Array(list)) => list.iter().map(|key| format!(".{method}({})", map(key))).collect(),
        (_, value) => vec![format!(".{method}({value})")],
    }
}

/// What a batch does to one table.
fn table_requests(value: &Json) -> String {
    let Some(list) = value.as_array() else {
        return format!("KeysAndAttributes::builder(){}.build()?", chain(value));
    };
    let requests: Vec<String> = list.iter().map(write_request).collect();
    format!("vec![{}]", requests.join(", "))
}

fn write_request(value: &Json) -> String {
    let inner = members(value).next().map(|(name, body)| {
        let finish =
            if matches!(name.as_str(), "PutRequest" | "DeleteRequest") { ".build()?" } else { ".build()" };
        format!(".{}({name}::builder(){}{finish})", spelled(name, '_'), chain(body))
    });
    format!("WriteRequest::builder(){}.build()", inner.unwrap_or_default())
}

fn transact_item(value: &Json) -> String {
    let Some((name, body)) = members(value).next() else { return String::new() };
    let holder = if name == "Get" { "TransactGetItem" } else { "TransactWriteItem" };
    let method = spelled(name, '_');
    format!("{holder}::builder().{method}({name}::builder(){}.build()?).build()", chain(body))
}

fn chain(body: &Json) -> String {
    members(body).flat_map(|(name, value)| calls(name, value)).collect()
}

fn map(value: &Json) -> String {
    let entries = members(value).map(|(name, one)| format!("({}.into(), {})", text(name), attribute(one)));
    format!("HashMap::from([{}])", entries.collect::<Vec<_>>().join(", "))
}

/// An attribute value.
fn attribute(value: &Json) -> String {
    let Some((kind, inside)) = members(value).next() else { return "AttributeValue::Null(true)".to_owned() };
    let list = |one: &dyn Fn(&Json) -> String| {
        let parts = inside.as_array().into_iter().flatten().map(one);
        format!("vec![{}]", parts.collect::<Vec<_>>().join(", "))
    };
    match kind.as_str() {
        "S" | "N" => format!("AttributeValue::{kind}({inside}.into())"),
        "B" => format!("AttributeValue::B(Blob::new(base64_decode({inside})))"),
        "BOOL" => format!("AttributeValue::Bool({inside})"),
        "NULL" => "AttributeValue::Null(true)".to_owned(),
        "SS" => format!("AttributeValue::Ss({})", list(&|one| format!("{one}.into()"))),
        "NS" => format!("AttributeValue::Ns({})", list(&|one| format!("{one}.into()"))),
        "BS" => format!("AttributeValue::Bs({})", list(&|one| format!("Blob::new(base64_decode({one}))"))),
        "L" => format!("AttributeValue::L({})", list(&attribute)),
        _ => format!("AttributeValue::M({})", map(inside)),
    }
}

fn text(name: &str) -> Json {
    Json::String(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_and_wrapped_requests() {
        assert_eq!(
            attribute(&json!({ "NS": ["1", "2"] })),
            "AttributeValue::Ns(vec![\"1\".into(), \"2\".into()])"
        );
        assert_eq!(
            attribute(&json!({ "M": { "a": { "BOOL": true } } })),
            "AttributeValue::M(HashMap::from([(\"a\".into(), AttributeValue::Bool(true))]))"
        );
        assert_eq!(
            calls(
                "TransactItems",
                &json!([{ "Delete": { "TableName": "t", "Key": { "k": { "S": "x" } } } }])
            ),
            [".transact_items(TransactWriteItem::builder().delete(Delete::builder().table_name(\"t\")\
              .key(\"k\", AttributeValue::S(\"x\".into())).build()?).build())"]
        );
        assert_eq!(
            calls("RequestItems", &json!({ "t": [{ "DeleteRequest": { "Key": { "k": { "N": "1" } } } }] })),
            [".request_items(\"t\", vec![WriteRequest::builder().delete_request(DeleteRequest::builder()\
              .key(\"k\", AttributeValue::N(\"1\".into())).build()?).build()])"]
        );
    }
}
