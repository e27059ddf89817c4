//! Costs that the shape of an entity makes. Knows no prices.

use super::Check;
use crate::model::Entity;

pub(super) fn check(check: &mut Check<'_>, entity: &Entity) {
    let is_open = |kind: &str, most: Option<usize>| kind == "array" && most.is_none();
    for field in entity.fields.iter().filter(|field| is_open(&field.kind.value, field.max_length)) {
        let holds_objects = field.items.as_ref().is_some_and(|items| items.kind.value == "object");
        let updates = |text: &str| text.contains(&field.name.value);
        let mut steps = check.design.patterns.iter().flat_map(|pattern| &pattern.steps);
        let is_updated = steps.any(|step| {
            step.entity.as_ref().is_some_and(|name| name.value == entity.name.value)
                && step.update.as_ref().is_some_and(|update| updates(&update.value))
        });
        if holds_objects && is_updated {
            let name = &field.name.value;
            let message = format!(
                "{}.{name}: one element is changed at a time, and every update is charged for the whole item: 100 elements of 160 bytes are 16 write units instead of 1",
                entity.name.value
            );
            let hint = format!(
                "an item per element (sort key {}#{{id}}) costs one unit, has no 400 KB limit and no races",
                name
            );
            check.warning("C002", field.name.place, message, &hint);
        }
    }
}
