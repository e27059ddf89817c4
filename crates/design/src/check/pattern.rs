//! Rules of access patterns: whether each can return what it promises. Knows no endpoint.

use super::projection;
use super::{Check, field, field_names, find_index, is_half_mapped};
use crate::diagnostic::suggest;
use crate::items::seconds_of;
use crate::model::{At, Entity, Expect, Index, Pattern, Plain, Step, Table};
use crate::template::Template;
use moment::Moment;

pub(super) fn check(check: &mut Check<'_>, pattern: &Pattern) {
    for step in &pattern.steps {
        step_of(check, pattern, step);
    }
    let names: &[At<String>] = match &pattern.expect {
        Some(Expect::InOrder(names) | Expect::AnyOrder(names)) => names,
        Some(Expect::Count(..) | Expect::Attributes(..) | Expect::Nothing(_)) | None => &[],
    };
    samples_exist(check, pattern, names);
    if let Some(freshness) = &pattern.freshness
        && let Err(message) = crate::rule::parse(&freshness.value)
    {
        let message = format!("{}: freshness `{}`: {message}", pattern.name.value, freshness.value);
        check.error("K003", freshness.place, message, "write a comparison such as ttl > now");
    }
}

fn step_of(check: &mut Check<'_>, pattern: &Pattern, step: &Step) {
    samples_exist(check, pattern, &step.samples);
    for action in &step.actions {
        step_of(check, pattern, action);
    }
    shape(check, pattern, step);
    if step.operation.value == "Scan" {
        let message = format!("{}: Scan reads and pays for every item of the table", pattern.name.value);
        check.warning(
            "P006",
            step.operation.place,
            message,
            "an index with the right key reads only what is wanted",
        );
    }
    if let Some(id) = &step.table
        && !check.design.tables.iter().any(|table| table.id.value == id.value)
    {
        let known: Vec<&str> = check.design.tables.iter().map(|table| table.id.value.as_str()).collect();
        let message = format!("{}: no table `{}`", pattern.name.value, id.value);
        check.error("P001", id.place, message, &suggest(&id.value, &known));
    }
    let Some(name) = &step.entity else { return };
    let Some(entity) = check.entity(&name.value) else {
        let known: Vec<&str> =
            check.design.entities.iter().map(|entity| entity.name.value.as_str()).collect();
        let message = format!("{}: no entity `{}`", pattern.name.value, name.value);
        check.error("P001", name.place, message, &suggest(&name.value, &known));
        return;
    };
    let Some(table) = check.table_of(entity) else { return };
    let about = About { pattern, step, entity, table };
    parameters(check, &about);
    ranges(check, &about);
    match step.operation.value.as_str() {
        "Query" => query(check, &about),
        "GetItem" | "DeleteItem" | "UpdateItem" | "ConditionCheck" if step.samples.is_empty() => {
            whole_key(check, &about);
        }
        _ => {}
    }
    projection::check(check, &about);
}

/// A step with everything it speaks of.
pub(super) struct About<'a> {
    pub(super) pattern: &'a Pattern,
    pub(super) step: &'a Step,
    pub(super) entity: &'a Entity,
    pub(super) table: &'a Table,
}

impl About<'_> {
    /// The fields that are given, and those that are computed from them.
    fn given(&self) -> Vec<&str> {
        let mut given: Vec<&str> = self.step.parameters.iter().map(|(name, _)| name.value.as_str()).collect();
        for _ in 0..=self.entity.fields.len() {
            for field in &self.entity.fields {
                let Some(from) = &field.from else { continue };
                let template = Template::parse(&from.value, from.place).ok();
                let sources = template.as_ref().map(Template::fields).unwrap_or_default();
                let is_field = self.entity.fields.iter().any(|field| field.name.value == from.value);
                let is_given = if sources.is_empty() {
                    !is_field || given.contains(&from.value.as_str())
                } else {
                    sources.iter().all(|source| given.contains(source))
                };
                if is_given && !given.contains(&field.name.value.as_str()) {
                    given.push(&field.name.value);
                }
            }
        }
        given
    }

    fn missing<'t>(&self, template: &'t Template) -> Vec<&'t str> {
        let given = self.given();
        template.fields().into_iter().filter(|slot| !given.contains(slot)).collect()
    }
}

fn samples_exist(check: &mut Check<'_>, pattern: &Pattern, names: &[At<String>]) {
    for name in names {
        if !check.design.samples.iter().any(|sample| sample.name.value == name.value) {
            let known: Vec<&str> =
                check.design.samples.iter().map(|sample| sample.name.value.as_str()).collect();
            let message = format!("{}: no sample `{}`", pattern.name.value, name.value);
            check.error("P012", name.place, message, &suggest(&name.value, &known));
        }
    }
}

/// What each operation needs to be one.
fn shape(check: &mut Check<'_>, pattern: &Pattern, step: &Step) {
    let name = &pattern.name.value;
    let place = step.operation.place;
    let operation = step.operation.value.as_str();
    let many = step.samples.len() + step.actions.len();
    let needs = match operation {
        "UpdateItem" if step.update.is_none() => Some("`update`, such as SET favorite = :yes"),
        "PutItem" if step.samples.is_empty() && step.parameters.is_empty() => {
            Some("`sample`, the item to put")
        }
        "Query" | "GetItem" if step.entity.is_none() && step.samples.is_empty() => Some("`entity`"),
        "BatchGetItem" | "BatchWriteItem" | "TransactGetItems" | "TransactWriteItems"
            if many == 0 && step.parameters.is_empty() =>
        {
            Some("`samples` or `actions`")
        }
        "ConditionCheck" if step.condition.is_none() => Some("`condition`"),
        _ => None,
    };
    if let Some(needs) = needs {
        check.error("P013", place, format!("{name}: {operation} needs {needs}"), "add it to the pattern");
    }
    let most = match operation {
        "BatchWriteItem" => 25,
        _ => 100,
    };
    if many > most {
        let message = format!("{name}: {operation} takes at most {most} items, and here are {many}");
        check.error("P014", place, message, "split it");
    }
    if step.range_condition.as_ref().is_some_and(|condition| condition.value == "between")
        && !step
            .parameters
            .iter()
            .any(|(_, plain)| matches!(plain, Plain::List(bounds, _) if bounds.len() == 2))
    {
        let message = format!("{name}: between needs two bounds");
        check.error(
            "P013",
            place,
            message,
            "give the field as a list: last_crawled: [\"2023-01-01\", \"2023-02-01\"]",
        );
    }
}

/// Parameters are fields or values of an expression; every value of an expression is a parameter.
fn parameters(check: &mut Check<'_>, about: &About<'_>) {
    let step = about.step;
    let name = &about.pattern.name.value;
    let texts: Vec<&At<String>> =
        [&step.filter, &step.condition, &step.update].into_iter().flatten().collect();
    let used: Vec<&str> = texts.iter().flat_map(|text| values_of(&text.value)).collect();
    for (parameter, _) in &step.parameters {
        let is_value = used.contains(&parameter.value.as_str());
        if !is_value && field(about.entity, &parameter.value).is_none() {
            let message = format!(
                "{name}: `{}` is neither a field of {} nor a value of an expression",
                parameter.value, about.entity.name.value
            );
            check.error(
                "P009",
                parameter.place,
                message,
                &suggest(&parameter.value, &field_names(about.entity)),
            );
        }
    }
    let given = about.given();
    for value in used {
        if value != "now" && !given.contains(&value) {
            let place = texts.first().map_or(step.operation.place, |text| text.place);
            let message = format!("{name}: `:{value}` has no value");
            check.error("P009", place, message, &format!("add {value} to parameters"));
        }
    }
}

/// The names behind colons in an expression.
fn values_of(text: &str) -> Vec<&str> {
    let ends = |letter: char| !(letter.is_ascii_alphanumeric() || letter == '_');
    let names = text.split(':').skip(1).map(|rest| rest.split(ends).next().unwrap_or_default());
    names.filter(|name| !name.is_empty()).collect()
}

/// A range of days over full timestamps loses the last day: "2023-01-31T10:00" is after "2023-01-31".
fn ranges(check: &mut Check<'_>, about: &About<'_>) {
    let upper = match about.step.range_condition.as_ref().map(|condition| condition.value.as_str()) {
        Some("between") => 1,
        Some("<=") => 0,
        Some(_) | None => return,
    };
    for (name, plain) in &about.step.parameters {
        let bound = match plain {
            Plain::List(bounds, _) => bounds.get(upper),
            Plain::Scalar { .. } if upper == 0 => Some(plain),
            Plain::Scalar { .. } | Plain::Map(..) => None,
        };
        let Some(Plain::Scalar { text, place, .. }) = bound else { continue };
        if Moment::parse_date(text).is_some() && holds_timestamps(check, about.entity, &name.value) {
            let message = format!(
                "{}: `{}` holds full timestamps, so the range up to `{text}` drops everything after midnight of that day",
                about.pattern.name.value, name.value
            );
            let hint = format!("end at {text}T23:59:59.999Z, or at the next day");
            check.error("P005", *place, message, &hint);
        }
    }
}

fn holds_timestamps(check: &Check<'_>, entity: &Entity, name: &str) -> bool {
    let Some(field) = field(entity, name) else { return false };
    let format = field.format.as_ref().map(|format| format.value.as_str());
    let mut samples = check.design.samples.iter().filter(|sample| sample.entity.value == entity.name.value);
    format == Some("date-time")
        || samples.any(|sample| {
            let mut values = sample.values.iter().filter(|(known, _)| known.value == name);
            values.any(|(_, plain)| {
                let value = crate::values::untyped(plain);
                matches!(&value, item::Value::S(text) if text.contains('T')) && seconds_of(&value).is_some()
            })
        })
}

fn query(check: &mut Check<'_>, about: &About<'_>) {
    let About { pattern, step, entity, table } = about;
    let name = &pattern.name.value;
    let Some(index_name) = &step.index else {
        partition_key(check, about, std::slice::from_ref(&entity.pk));
        let sort_key = entity.sk.as_ref();
        let is_whole =
            sort_key.is_none_or(|sk| about.missing(sk).is_empty()) && step.range_condition.is_none();
        let is_listed = step.parameters.iter().any(|(_, plain)| matches!(plain, Plain::List(..)));
        if step.full_key || (is_whole && about.missing(&entity.pk).is_empty() && !is_listed) {
            let message = format!("{name}: full primary key given: use GetItem");
            check.warning(
                "P010",
                step.operation.place,
                message,
                "GetItem says what is meant, and answers with the item itself",
            );
        }
        return;
    };
    let Some(index) = find_index(table, &index_name.value) else {
        let known: Vec<&str> = table.indexes.iter().map(|index| index.name.value.as_str()).collect();
        let message = format!("{name}: {} has no index `{}`", table.id.value, index_name.value);
        check.error("P001", index_name.place, message, &suggest(&index_name.value, &known));
        return;
    };
    if step.consistent && !index.is_local {
        let message = format!("{name}: a global index has no consistent reads");
        check.error("P011", step.operation.place, message, "drop consistent_read, or read the table");
    }
    reaches(check, about, index);
}

/// A query of an index finds an entity only if the entity is in it.
fn reaches(check: &mut Check<'_>, about: &About<'_>, index: &Index) {
    let About { pattern, step, entity, table } = about;
    let name = &pattern.name.value;
    let what = format!("{}.{}", entity.name.value, index.name.value);
    let place = step.index.as_ref().map_or(pattern.name.place, |index| index.place);
    let mapping = entity.mappings.iter().find(|mapping| mapping.index.value == index.name.value);
    match mapping {
        None => {
            let message = format!(
                "{name}: {} is not mapped to {}: the answer is empty",
                entity.name.value, index.name.value
            );
            let hint = format!("add a gsi_mapping for {} to {}", index.name.value, entity.name.value);
            check.error("P002", place, message, &hint);
        }
        Some(_) if is_half_mapped(table, entity, &index.name.value) => {
            let message = format!("{name}: depends on {what}, which K002 leaves empty");
            check.error("P003", place, message, "mend K002 first");
        }
        Some(mapping) => partition_key(check, about, &mapping.pk),
    }
}

fn partition_key(check: &mut Check<'_>, about: &About<'_>, templates: &[Template]) {
    for template in templates {
        for slot in about.missing(template) {
            let message = format!(
                "{}: the partition key `{}` needs `{slot}`, which is not given",
                about.pattern.name.value, template.text
            );
            check.error("P007", about.step.operation.place, message, &format!("add {slot} to parameters"));
        }
    }
}

fn whole_key(check: &mut Check<'_>, about: &About<'_>) {
    let About { pattern, step, entity, .. } = about;
    if step.index.is_some() {
        let message = format!("{}: {} cannot read an index", pattern.name.value, step.operation.value);
        check.error("P001", step.operation.place, message, "use Query");
    }
    partition_key(check, about, std::slice::from_ref(&entity.pk));
    let Some(sk) = &entity.sk else { return };
    for slot in about.missing(sk) {
        let message = format!(
            "{}: {} needs the full key, and the sort key `{}` lacks `{slot}`",
            pattern.name.value, step.operation.value, sk.text
        );
        check.error(
            "K001",
            step.operation.place,
            message,
            &format!("add {slot} to parameters, or use Query"),
        );
    }
}
