//! Rules of key templates: slots, separators, widths, lengths, shapes. Knows no patterns.

use regex_lite::Regex;

use super::{Check, field, field_names, is_number};
use crate::diagnostic::{Severity, nearest, suggest};
use crate::model::{Entity, Field, Table};
use crate::rule;
use crate::template::{Part, Template};

/// Bytes of a sort key.
const SORT_KEY_BYTES_MAX: usize = 1024;
/// Bytes of a partition key.
const PARTITION_KEY_BYTES_MAX: usize = 2048;

pub(super) fn check(check: &mut Check<'_>, table: &Table, entity: &Entity) {
    let name = &entity.name.value;
    let sort_key = table.key.iter().find(|attribute| !attribute.is_hash);
    match (sort_key, &entity.sk) {
        (Some(attribute), None) => {
            let message = format!(
                "{name}: {} has sort key {} and there is no sk_template",
                table.id.value, attribute.name.value
            );
            check.error(
                "K001",
                entity.name.place,
                message,
                "add sk_template, if only a constant such as METADATA",
            );
        }
        (None, Some(template)) => {
            let message = format!("{name}: {} has no sort key, so sk_template goes nowhere", table.id.value);
            check.error(
                "K001",
                template.place,
                message,
                "remove sk_template, or add a RANGE attribute to KeySchema",
            );
        }
        (Some(_), Some(_)) | (None, None) => {}
    }
    template(check, entity, &entity.pk, Side::Partition, "");
    if let Some(sk) = &entity.sk {
        template(check, entity, sk, Side::Sort, "");
    }
    for mapping in &entity.mappings {
        let index = format!(".{}", mapping.index.value);
        let is_base = |template: &Template| template.place == entity.pk.place;
        for pk in mapping.pk.iter().filter(|template| !is_base(template)) {
            template(check, entity, pk, Side::Partition, &index);
        }
        for sk in &mapping.sk {
            template(check, entity, sk, Side::Sort, &index);
        }
    }
    sources(check, entity);
    rules(check, entity);
}

/// Two entities of a table whose keys look alike can overwrite each other.
pub(super) fn shapes(check: &mut Check<'_>) {
    let shape = |entity: &Entity| {
        let sk = entity.sk.as_ref().map(skeleton).unwrap_or_default();
        (entity.table.value.clone(), skeleton(&entity.pk), sk)
    };
    for (position, entity) in check.design.entities.iter().enumerate() {
        let mut before = check.design.entities.iter().take(position);
        if let Some(other) = before.find(|other| shape(other) == shape(entity)) {
            let message = format!(
                "{} and {} have keys of the same shape: one can overwrite the other",
                other.name.value, entity.name.value
            );
            check.warning(
                "K005",
                entity.pk.place,
                message,
                "give each a prefix of its own, such as USER#{id}",
            );
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Partition,
    Sort,
}

fn template(check: &mut Check<'_>, entity: &Entity, template: &Template, side: Side, index: &str) {
    let what = format!("{}{index}", entity.name.value);
    for slot in template.fields() {
        if field(entity, slot).is_none() {
            let message = format!("{what}: `{{{slot}}}` in `{}` is no field", template.text);
            check.error("K003", template.place, message, &suggest(slot, &field_names(entity)));
        }
    }
    separators(check, entity, template, &what);
    widths(check, entity, template, side, &what);
    lengths(check, entity, template, side, &what);
}

/// A field that may contain the separator after it makes the key ambiguous.
fn separators(check: &mut Check<'_>, entity: &Entity, template: &Template, what: &str) {
    for (position, part) in template.parts.iter().enumerate() {
        let Part::Slot { field: name, .. } = part else { continue };
        let mut after = template.parts.iter().skip(position + 1);
        let separator = match after.next() {
            Some(Part::Literal(text)) => text.chars().next(),
            Some(Part::Slot { .. }) => {
                let message =
                    format!("{what}: nothing separates `{name}` from the next slot in `{}`", template.text);
                check.warning("K006", template.place, message, "put a separator such as # between them");
                continue;
            }
            None => None,
        };
        let more = after.any(|part| matches!(part, Part::Slot { .. }));
        let (Some(separator), Some(field)) = (separator.filter(|_| more), field(entity, name)) else {
            continue;
        };
        if may_contain(field, separator) {
            let message = format!(
                "{what}: `{name}` may contain `{separator}`, which separates it in `{}`",
                template.text
            );
            let hint = format!("give `{name}` a pattern without `{separator}`, such as \"^[a-z0-9]+$\"");
            match separator {
                '#' | '|' => check.note("K006", template.place, message, &hint),
                _ => check.warning("K006", template.place, message, &hint),
            }
        }
    }
}

fn may_contain(field: &Field, separator: char) -> bool {
    if field.kind.value != "string" || field.format.is_some() {
        return false;
    }
    if !field.choices.is_empty() {
        return field.choices.iter().any(|choice| choice.value.contains(separator));
    }
    if field.from.is_some() && separator != '-' {
        return false;
    }
    match field.pattern.as_ref().and_then(|pattern| Regex::new(&pattern.value).ok()) {
        Some(regex) => ["a", "A", "1", "aa", "11", ""].iter().any(|text| {
            regex.is_match(&format!("{text}{separator}{text}"))
                || regex.is_match(&format!("{text}{separator}"))
        }),
        None => true,
    }
}

/// Text is ordered letter by letter, so numbers need the same width: 10 comes before 9.
fn widths(check: &mut Check<'_>, entity: &Entity, template: &Template, side: Side, what: &str) {
    if template.bare_field().is_some() {
        return;
    }
    for part in &template.parts {
        let Part::Slot { field: name, format } = part else { continue };
        let Some(field) = field(entity, name).filter(|field| is_number(field)) else { continue };
        if has_one_width(field, format) {
            continue;
        }
        let message = format!(
            "{what}: the number `{name}` has no fixed width in `{}`: as text 10 comes before 9",
            template.text
        );
        let hint = if field.kind.value == "integer" {
            format!("write {{{name}:02}} with as many digits as the largest has")
        } else {
            format!("write {{{name}:.1f}}, or {{{name}:06.2f}} if it may have more digits before the point")
        };
        match side {
            Side::Sort => check.warning("K007", template.place, message, &hint),
            Side::Partition => check.note("K007", template.place, message, &hint),
        }
    }
}

fn has_one_width(field: &Field, format: &str) -> bool {
    let digits = |bound: &Option<crate::model::At<String>>| {
        bound.as_ref().map(|bound| bound.value.split('.').next().unwrap_or_default().len())
    };
    let negative = field.minimum.as_ref().is_some_and(|bound| bound.value.starts_with('-'));
    let same =
        !negative && digits(&field.minimum).is_some() && digits(&field.minimum) == digits(&field.maximum);
    let padded = format.starts_with('0');
    let fixed = format.contains('.') || field.kind.value == "integer";
    match format {
        "" => same && field.kind.value == "integer",
        _ => fixed && (padded || same || field.maximum.is_none()),
    }
}

fn lengths(check: &mut Check<'_>, entity: &Entity, template: &Template, side: Side, what: &str) {
    let (most, kind) = match side {
        Side::Sort => (SORT_KEY_BYTES_MAX, "sort"),
        Side::Partition => (PARTITION_KEY_BYTES_MAX, "partition"),
    };
    let mut bytes = 0;
    for part in &template.parts {
        match part {
            Part::Literal(text) => bytes += text.len(),
            Part::Slot { field: name, .. } => {
                let Some(field) = field(entity, name) else { continue };
                bytes += field.max_length.unwrap_or_default();
                if side == Side::Sort && is_long(field) {
                    let message = format!(
                        "{what}: `{name}` is an address of any length, and a {kind} key has at most {most} bytes"
                    );
                    let hint = format!(
                        "give `{name}` a maxLength of {}, or put a computed sha256 of it into the key",
                        most.saturating_sub(template.text.len())
                    );
                    check.error("K008", template.place, message, &hint);
                }
            }
        }
    }
    if bytes > most {
        let message = format!(
            "{what}: `{}` may have {bytes} bytes, and a {kind} key has at most {most}",
            template.text
        );
        check.error("K008", template.place, message, "lower maxLength of its fields");
    }
}

/// Addresses are known to exceed every limit sooner or later.
fn is_long(field: &Field) -> bool {
    let is_address = field.format.as_ref().is_some_and(|format| format.value == "uri") || {
        let name = field.name.value.to_lowercase();
        name == "url" || name == "uri" || name.ends_with("_url") || name.ends_with("_uri")
    };
    is_address
        && field.max_length.is_none()
        && field.pattern.is_none()
        && field.from.is_none()
        && field.choices.is_empty()
}

/// What computed fields and lifetimes are made from.
fn sources(check: &mut Check<'_>, entity: &Entity) {
    let names = field_names(entity);
    for one in &entity.fields {
        let Some(from) = &one.from else { continue };
        if from.value.contains('{') {
            match Template::parse(&from.value, from.place) {
                Ok(template) => {
                    for slot in template.fields().into_iter().filter(|slot| !names.contains(slot)) {
                        let message =
                            format!("{}.{}: `{{{slot}}}` is no field", entity.name.value, one.name.value);
                        check.error("K003", from.place, message, &suggest(slot, &names));
                    }
                }
                Err(message) => {
                    let message = format!("{}.{}: {message}", entity.name.value, one.name.value);
                    check.error(
                        "K003",
                        from.place,
                        message,
                        "write a field, a template of fields, or a constant",
                    );
                }
            }
        } else if !names.contains(&from.value.as_str())
            && (one.transform.is_some() || nearest(&from.value, names.iter().copied()).is_some())
        {
            let message = format!("{}.{}: `{}` is no field", entity.name.value, one.name.value, from.value);
            let hint = suggest(&from.value, &names);
            let severity = if one.transform.is_some() { Severity::Error } else { Severity::Warning };
            match severity {
                Severity::Error => check.error("K003", from.place, message, &hint),
                Severity::Warning | Severity::Note => check.warning("K003", from.place, message, &hint),
            }
        }
    }
    if let Some(ttl) = &entity.ttl
        && !names.contains(&ttl.from.value.as_str())
    {
        let message = format!("{}.ttl: `{}` is no field", entity.name.value, ttl.from.value);
        check.error("K003", ttl.from.place, message, &suggest(&ttl.from.value, &names));
    }
}

/// `when` and `rules` must be readable and speak of fields.
fn rules(check: &mut Check<'_>, entity: &Entity) {
    let whens = entity.mappings.iter().filter_map(|mapping| mapping.when.as_ref());
    for text in whens.chain(&entity.rules) {
        let what = format!("{}: `{}`", entity.name.value, text.value);
        match rule::parse(&text.value) {
            Ok(rule) => {
                for name in rule.fields() {
                    let is_ttl = entity.ttl.as_ref().is_some_and(|ttl| ttl.field.value == name);
                    if field(entity, name).is_none() && !is_ttl {
                        let hint =
                            format!("{}; text needs quotes: '{name}'", suggest(name, &field_names(entity)));
                        check.error("K003", text.place, format!("{what}: `{name}` is no field"), &hint);
                    }
                }
            }
            Err(message) => {
                let hint =
                    "write a comparison such as favorite = true, len(lunches) = count or type in ('a', 'b')";
                check.error("K003", text.place, format!("{what}: {message}"), hint);
            }
        }
    }
}

/// A template with its slots emptied.
fn skeleton(template: &Template) -> String {
    let part = |part: &Part| match part {
        Part::Literal(text) => text.clone(),
        Part::Slot { .. } => "{}".to_owned(),
    };
    template.parts.iter().map(part).collect()
}
