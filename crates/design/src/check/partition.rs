//! Partitions that many items share. Knows no rates.

use super::{Check, field};
use crate::model::{Entity, Table};
use crate::template::Template;

pub(super) fn check(check: &mut Check<'_>, table: &Table, entity: &Entity) {
    // A table's own constant key with nothing behind it is one item, not a crowd.
    let is_single = entity.pk.is_constant() && entity.sk.as_ref().is_none_or(Template::is_constant);
    if !is_single {
        heat(check, entity, &entity.pk, &entity.name.value);
    }
    for mapping in &entity.mappings {
        let is_local = super::find_index(table, &mapping.index.value).is_some_and(|index| index.is_local);
        let [pk] = mapping.pk.as_slice() else { continue };
        if !is_local && !is_single {
            heat(check, entity, pk, &format!("{}.{}", entity.name.value, mapping.index.value));
        }
    }
}

fn heat(check: &mut Check<'_>, entity: &Entity, pk: &Template, what: &str) {
    let name = &entity.name.value;
    if pk.is_constant() {
        let message = format!(
            "{what}: constant partition key '{}': all {name} items share one partition (1,000 WCU / 3,000 RCU ceiling)",
            pk.text
        );
        check.warning(
            "H001",
            pk.place,
            message,
            "add a slot that spreads them, such as a shard number or the first letter",
        );
        return;
    }
    let is_time = |slot: &&str| {
        field(entity, slot).is_some_and(|field| {
            let transform = field.transform.as_ref().map(|transform| transform.value.as_str());
            let format = field.format.as_ref().map(|format| format.value.as_str());
            matches!(transform, Some("year-month" | "date")) || matches!(format, Some("date" | "date-time"))
        })
    };
    if pk.fields().iter().all(is_time) {
        let message =
            format!("{what}: {} groups by time: every write of the period hits one partition", pk.text);
        check.warning(
            "H002",
            pk.place,
            message,
            "add a slot that spreads the writes, such as a shard number",
        );
    }
}
