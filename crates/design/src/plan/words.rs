//! Keys and projections as a person would say them, so that two of them can be compared and shown.

use serde_json::Value as Json;

use client::live::text;

/// A key in words: `PK (S) + SK (S)`.
pub(crate) fn key(holder: &Json, definitions: &Json) -> String {
    let kinds = definitions.get("AttributeDefinitions").and_then(Json::as_array);
    let kind = |name: &str| {
        let found = kinds.into_iter().flatten().find(|one| text(one, "AttributeName") == name);
        found.map_or("?", |one| text(one, "AttributeType")).to_owned()
    };
    let parts = schema(holder).iter().map(|part| {
        let name = text(part, "AttributeName");
        format!("{name} ({})", kind(name))
    });
    parts.collect::<Vec<_>>().join(" + ")
}

/// A projection in words, its attributes in order, because their order means nothing.
pub(crate) fn projection(index: &Json) -> String {
    let said = index.get("Projection");
    let kind = said.map_or("ALL", |said| text(said, "ProjectionType"));
    let included = said.and_then(|said| said.get("NonKeyAttributes")?.as_array());
    let mut included: Vec<&str> = included.into_iter().flatten().filter_map(Json::as_str).collect();
    included.sort_unstable();
    if included.is_empty() { kind.to_owned() } else { format!("{kind} {}", included.join(", ")) }
}

/// The parts of a key.
pub(crate) fn schema(holder: &Json) -> &[Json] {
    holder.get("KeySchema").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default()
}
