//! Rules of TTL: that something sets it, that it is seconds, that readers know deletion is late.
//! Knows no clock.

use super::{Check, field, is_number};
use crate::model::{Entity, Pattern, Place, Table, Ttl};

/// Deletion may come this long after the time.
const DELETION_SECONDS: u64 = 48 * 3600;
/// Below this almost everything that is read could be out of date.
const SHORT_SECONDS: u64 = 3600;

pub(super) fn check(check: &mut Check<'_>, table: &Table, entity: &Entity) {
    let name = &entity.name.value;
    if let Some(attribute) = &table.ttl_attribute
        && let Some(field) = field(entity, &attribute.value)
        && !is_number(field)
    {
        let message = format!(
            "{name}: the TTL attribute `{}` is of type {}, and TTL reads only a Number of seconds since 1970",
            attribute.value, field.kind.value
        );
        let hint = format!("keep it and add ttl: {{field: ttl, from: {}, after: PT0S}}", attribute.value);
        check.error("L002", field.name.place, message, &hint);
    }
    let Some(ttl) = &entity.ttl else { return };
    match &table.ttl_attribute {
        None => {
            let message = format!("{name}: sets `{}`, but TTL is off on {}", ttl.field.value, table.id.value);
            let hint =
                format!("add TimeToLiveSpecification: {{AttributeName: {}, Enabled: true}}", ttl.field.value);
            check.warning("L001", ttl.field.place, message, &hint);
        }
        Some(attribute) if attribute.value != ttl.field.value => {
            let message =
                format!("{name}: sets `{}`, but the TTL attribute is `{}`", ttl.field.value, attribute.value);
            check.error("L001", ttl.field.place, message, "use the same attribute in both");
        }
        Some(_) => {}
    }
    if field(entity, &ttl.field.value).is_some_and(|field| !is_number(field)) {
        let message = format!("{name}: `{}` is a lifetime and not a number", ttl.field.value);
        check.error("L002", ttl.field.place, message, "make it {type: integer, format: epoch-seconds}");
    }
    late(check, entity, ttl);
}

/// Tables whose TTL nothing feeds, and tables that keep backups of what expires.
pub(super) fn tables(check: &mut Check<'_>) {
    for table in &check.design.tables {
        let Some(attribute) = &table.ttl_attribute else { continue };
        let entities: Vec<&Entity> =
            check.design.entities.iter().filter(|entity| entity.table.value == table.id.value).collect();
        let feeds = |entity: &&Entity| {
            entity.ttl.as_ref().is_some_and(|ttl| ttl.field.value == attribute.value)
                || field(entity, &attribute.value).is_some_and(|field| field.store)
        };
        if !entities.is_empty() && !entities.iter().any(feeds) {
            let message = format!("{}: TTL is on but no entity sets {}", table.id.value, attribute.value);
            let hint = format!(
                "add ttl: {{field: {}, from: …, after: P30D}} to what should expire",
                attribute.value
            );
            check.warning("L001", attribute.place, message, &hint);
        }
        let recovers =
            table.resource.pointer("/Properties/PointInTimeRecoverySpecification/PointInTimeRecoveryEnabled");
        let expires = !entities.is_empty() && entities.iter().all(|entity| entity.ttl.is_some());
        if expires && recovers.and_then(serde_json::Value::as_bool) == Some(true) {
            let message = format!(
                "{}: every entity expires, and point-in-time recovery is paid for all the same",
                table.id.value
            );
            check.note("L004", table.id.place, message, "turn it off if the items can be made again");
        }
    }
}

/// Expired items are readable until they are deleted, so somebody must look at the time.
fn late(check: &mut Check<'_>, entity: &Entity, ttl: &Ttl) {
    if ttl.after_seconds >= DELETION_SECONDS {
        return;
    }
    let readers: Vec<&Pattern> =
        check.design.patterns.iter().filter(|pattern| reads(pattern, &entity.name.value)).collect();
    let careful = |pattern: &Pattern| {
        let filters = pattern.steps.iter().filter_map(|step| step.filter.as_ref());
        pattern.freshness.is_some()
            || filters.into_iter().any(|filter| filter.value.contains(&ttl.field.value))
    };
    let is_thought_of = readers.iter().any(|pattern| careful(pattern));
    let name = &entity.name.value;
    for pattern in readers.iter().filter(|pattern| !careful(pattern)) {
        let message = format!(
            "{}: {name} lives {} but may be deleted up to 48 hours late, and nothing here looks at `{}`",
            pattern.name.value, ttl.after_text, ttl.field.value
        );
        let hint = format!("add freshness: {} > now, or a filter on it", ttl.field.value);
        let place: Place = pattern.name.place;
        match (is_thought_of, ttl.after_seconds < SHORT_SECONDS) {
            (false, true) => check.error("L003", place, message, &hint),
            (false, false) => check.warning("L003", place, message, &hint),
            (true, _) => check.note("L003", place, message, &hint),
        }
    }
}

/// Whether a pattern reads an entity that it has not just written itself.
fn reads(pattern: &Pattern, entity: &str) -> bool {
    for step in &pattern.steps {
        let is_meant = step.entity.as_ref().is_some_and(|name| name.value == entity);
        match step.operation.value.as_str() {
            "PutItem" | "UpdateItem" if is_meant => return false,
            "GetItem" | "Query" | "Scan" if is_meant => return true,
            _ => {}
        }
    }
    false
}
