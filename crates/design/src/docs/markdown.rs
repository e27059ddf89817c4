//! The Markdown document. Works nothing out itself.

use super::facts::{Facts, PatternFacts, Reach, TableFacts, collections, key_words, projection_words, reach};
use crate::cost::report::{bytes, dollars, figure};
use crate::model::{Entity, Expect, Field};

/// The document.
pub(super) fn write(facts: &Facts<'_>) -> String {
    let design = facts.design;
    let mut out = format!("# {}\n\n", design.name);
    if let Some(description) = &design.description {
        out.push_str(&format!("{description}\n\n"));
    }
    let region = facts.bill.prices.region.as_str();
    out.push_str(&format!("Environment `{}`, region `{region}`.\n", facts.environment.name.value));
    for table in &facts.tables {
        write_table(&mut out, table);
    }
    write_patterns(&mut out, facts);
    write_cost(&mut out, facts);
    write_operation(&mut out, facts);
    out
}

fn write_table(out: &mut String, facts: &TableFacts<'_>) {
    let table = facts.table;
    out.push_str(&format!("\n## Table `{}`\n\n| | |\n|---|---|\n", facts.name));
    out.push_str(&format!("| Key | {} |\n", cell(&key_words(&table.key))));
    for (name, value) in &facts.settings {
        out.push_str(&format!("| {name} | {} |\n", cell(value)));
    }
    if !table.indexes.is_empty() {
        out.push_str("\n### Indexes\n\n| Index | Kind | Key | Projection |\n|---|---|---|---|\n");
    }
    for index in &table.indexes {
        let kind = if index.is_local { "local" } else { "global" };
        let key = cell(&key_words(&index.key));
        out.push_str(&format!(
            "| {} | {kind} | {key} | {} |\n",
            cell(&index.name.value),
            cell(&projection_words(index))
        ));
    }
    write_diagram(out, facts);
    write_keys(out, facts);
    write_coverage(out, facts);
    for entity in &facts.entities {
        write_entity(out, entity);
    }
    write_items(out, facts);
}

fn write_diagram(out: &mut String, facts: &TableFacts<'_>) {
    out.push_str("\n### How entities reach keys\n\n```mermaid\nflowchart LR\n");
    out.push_str(&format!("  table[(\"{}\")]\n", label(&facts.name)));
    for (place, index) in facts.table.indexes.iter().enumerate() {
        out.push_str(&format!("  index{place}{{{{\"{}\"}}}}\n", label(&index.name.value)));
    }
    for (number, (template, members)) in collections(&facts.entities).iter().enumerate() {
        out.push_str(&format!("  subgraph collection{number}[\"{}\"]\n", label(template)));
        for entity in members {
            let sort = entity.sk.as_ref().map(|sk| format!("<br/>{}", label(&sk.text))).unwrap_or_default();
            out.push_str(&format!("    {}[\"{}{sort}\"]\n", id(entity), label(&entity.name.value)));
        }
        out.push_str(&format!("  end\n  collection{number} --> table\n"));
    }
    for entity in &facts.entities {
        for (place, index) in facts.table.indexes.iter().enumerate() {
            match reach(entity, index) {
                Reach::Never => {}
                Reach::Always => out.push_str(&format!("  {} --> index{place}\n", id(entity))),
                Reach::When(when) => {
                    out.push_str(&format!("  {} -. \"{}\" .-> index{place}\n", id(entity), label(&when)))
                }
            }
        }
    }
    out.push_str("```\n");
}

fn write_keys(out: &mut String, facts: &TableFacts<'_>) {
    out.push_str("\n### Keys\n\n| Entity | Partition key | Sort key | Indexes |\n|---|---|---|---|\n");
    for entity in &facts.entities {
        let sort = entity.sk.as_ref().map(|sk| code(&sk.text)).unwrap_or_default();
        let indexes: Vec<String> = entity
            .mappings
            .iter()
            .map(|mapping| {
                let parts: Vec<String> =
                    mapping.pk.iter().chain(&mapping.sk).map(|template| code(&template.text)).collect();
                let when = mapping
                    .when
                    .as_ref()
                    .map(|when| format!(" when {}", code(&when.value)))
                    .unwrap_or_default();
                format!("{}: {}{when}", cell(&mapping.index.value), parts.join(" / "))
            })
            .collect();
        let name = cell(&entity.name.value);
        out.push_str(&format!(
            "| {name} | {} | {sort} | {} |\n",
            code(&entity.pk.text),
            indexes.join("<br/>")
        ));
    }
}

fn write_coverage(out: &mut String, facts: &TableFacts<'_>) {
    if facts.table.indexes.is_empty() {
        return;
    }
    out.push_str("\n### Index coverage\n\n| Entity |");
    for index in &facts.table.indexes {
        out.push_str(&format!(" {} |", cell(&index.name.value)));
    }
    out.push_str(&format!("\n|---|{}\n", ":-:|".repeat(facts.table.indexes.len())));
    for entity in &facts.entities {
        out.push_str(&format!("| {} |", cell(&entity.name.value)));
        for index in &facts.table.indexes {
            let mark = match reach(entity, index) {
                Reach::Never => "–".into(),
                Reach::Always => "●".into(),
                Reach::When(when) => format!("◐ {}", cell(&when)),
            };
            out.push_str(&format!(" {mark} |"));
        }
        out.push('\n');
    }
}

fn write_entity(out: &mut String, entity: &Entity) {
    out.push_str(&format!("\n### {}\n\n", entity.name.value));
    if let Some(description) = &entity.description {
        out.push_str(&format!("{description}\n\n"));
    }
    if let Some(ttl) = &entity.ttl {
        out.push_str(&format!(
            "Expires {} after `{}`, by `{}`.\n\n",
            ttl.after_text, ttl.from.value, ttl.field.value
        ));
    }
    out.push_str("| Field | Type | Rules | |\n|---|---|---|---|\n");
    for field in &entity.fields {
        let note = field.description.as_deref().unwrap_or_default();
        let row = (code(&field.name.value), cell(&kind_words(field)), cell(&rule_words(field)), cell(note));
        out.push_str(&format!("| {} | {} | {} | {} |\n", row.0, row.1, row.2, row.3));
    }
    if !entity.rules.is_empty() {
        out.push('\n');
    }
    for rule in &entity.rules {
        out.push_str(&format!("- `{}`\n", rule.value));
    }
}

fn write_items(out: &mut String, facts: &TableFacts<'_>) {
    let Some(view) = facts.views.first().filter(|view| !view.partitions.is_empty()) else { return };
    out.push_str(&format!(
        "\n### Item collections of the samples\n\n| {} | Entity | Attributes |\n",
        view.key.join(" | ")
    ));
    out.push_str(&format!("|{}\n", "---|".repeat(view.key.len() + 2)));
    for (partition, rows) in &view.partitions {
        for (place, row) in rows.iter().enumerate() {
            let first = if place == 0 { code(partition) } else { String::new() };
            let sort = row.sort.as_ref().map(|sort| format!(" {} |", code(sort))).unwrap_or_default();
            let attributes: Vec<String> = row
                .attributes
                .iter()
                .map(|(name, value)| format!("{}: {}", cell(name), cell(value)))
                .collect();
            out.push_str(&format!("| {first} |{sort} {} | {} |\n", cell(&row.entity), attributes.join(", ")));
        }
    }
}

fn write_patterns(out: &mut String, facts: &Facts<'_>) {
    out.push_str("\n## Access patterns\n\n| Pattern | Request | Where | Key | Returns | Units | $/month |\n|---|---|---|---|---|---|---|\n");
    for pattern in &facts.patterns {
        let column = |pick: &dyn Fn(&(String, String, String)) -> String| {
            pattern.steps.iter().map(|step| cell(&pick(step))).collect::<Vec<_>>().join("<br/>")
        };
        let note = pattern
            .pattern
            .description
            .as_ref()
            .map(|note| format!("<br/>{}", cell(note)))
            .unwrap_or_default();
        out.push_str(&format!(
            "| **{}**{note} | {} | {} | {} | {} | {} | {} |\n",
            cell(&pattern.pattern.name.value),
            column(&|step| step.0.clone()),
            column(&|step| step.1.clone()),
            column(&|step| step.2.clone()),
            cell(&returns(pattern)),
            units(pattern),
            pattern.cost.map(|cost| dollars(cost.dollars)).unwrap_or_default(),
        ));
    }
}

fn write_cost(out: &mut String, facts: &Facts<'_>) {
    let bill = facts.bill;
    out.push_str(&format!(
        "\n## Cost\n\n**{} a month** as designed: {} on demand, {} provisioned. {} prices of {} in {}, free tier not applied.\n\n",
        dollars(bill.total()),
        dollars(bill.total_on_demand()),
        dollars(bill.total_provisioned()),
        if bill.prices.basis == "listed" { "List" } else { "Scaled" },
        bill.prices.date,
        bill.prices.region
    ));
    out.push_str("| Table | Items | Stored | Storage | Recovery | Requests | or provisioned |\n|---|--:|--:|--:|--:|--:|--:|\n");
    for table in &bill.tables {
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} |\n",
            cell(&table.id),
            figure(table.items),
            bytes(table.gigabytes),
            dollars(table.storage),
            table.recovery.map_or("off".into(), dollars),
            dollars(table.on_demand),
            dollars(table.provisioned)
        ));
    }
    let reached: Vec<String> = bill
        .thresholds
        .iter()
        .filter(|(_, is_reached)| *is_reached)
        .map(|(limit, _)| format!("${limit}"))
        .collect();
    match reached.is_empty() {
        true => out.push_str("\nNo billing threshold is reached.\n"),
        false => out.push_str(&format!("\nReaches the billing threshold of {}.\n", reached.join(" and "))),
    }
    if !bill.notes.is_empty() {
        out.push('\n');
    }
    for note in &bill.notes {
        out.push_str(&format!("- {note}\n"));
    }
}

fn write_operation(out: &mut String, facts: &Facts<'_>) {
    if !facts.design.alarms.is_empty() {
        out.push_str("\n## Alarms\n\n");
    }
    for alarm in &facts.design.alarms {
        let note = alarm.description.as_deref().unwrap_or_default();
        out.push_str(&format!("- **{}**: {note}\n", alarm.name.value));
    }
}

/// What a pattern must return, in words.
pub(super) fn returns(pattern: &PatternFacts<'_>) -> String {
    if let Some(error) = &pattern.pattern.expect_error {
        return error.value.clone();
    }
    let names = |names: &[crate::model::At<String>]| {
        names.iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join(", ")
    };
    match &pattern.pattern.expect {
        Some(Expect::InOrder(list)) if list.is_empty() => "nothing".into(),
        Some(Expect::InOrder(list)) => names(list),
        Some(Expect::AnyOrder(list)) => format!("{} in any order", names(list)),
        Some(Expect::Count(count, _)) => format!("{count} items"),
        Some(Expect::Attributes(attributes, _)) => {
            attributes.iter().map(|(name, _)| name.value.as_str()).collect::<Vec<_>>().join(", ")
        }
        Some(Expect::Nothing(_)) => "nothing".into(),
        None => String::new(),
    }
}

/// Units of a pattern, in words.
pub(super) fn units(pattern: &PatternFacts<'_>) -> String {
    let Some(cost) = pattern.cost else { return String::new() };
    let (read, write) = (cost.units.read(), cost.units.write());
    let mut words = Vec::new();
    if read > 0.0 {
        words.push(format!("{} R", figure(read)));
    }
    if write > 0.0 {
        words.push(format!("{} W", figure(write)));
    }
    words.join(" + ")
}

/// The type of a field, in words.
pub(super) fn kind_words(field: &Field) -> String {
    let inner = match (&field.items, field.properties.is_empty()) {
        (Some(items), _) => format!(" of {}", kind_words(items)),
        (None, false) => {
            let names: Vec<&str> =
                field.properties.iter().map(|property| property.name.value.as_str()).collect();
            format!(" {{{}}}", names.join(", "))
        }
        (None, true) => String::new(),
    };
    let format = field.format.as_ref().map(|format| format!(", {}", format.value)).unwrap_or_default();
    let null = if field.nullable { " or null" } else { "" };
    format!("{}{inner}{format}{null}", field.kind.value)
}

/// The rules of a field, in words.
pub(super) fn rule_words(field: &Field) -> String {
    let mut words = Vec::new();
    if field.required {
        words.push("required".to_owned());
    }
    if !field.choices.is_empty() {
        let choices: Vec<&str> = field.choices.iter().map(|choice| choice.value.as_str()).collect();
        words.push(format!("one of {}", choices.join(", ")));
    }
    for (sign, limit) in [("≥", &field.minimum), (">", &field.exclusive_minimum), ("≤", &field.maximum)] {
        words.extend(limit.as_ref().map(|limit| format!("{sign} {}", limit.value)));
    }
    words.extend(field.min_length.map(|length| format!("at least {length} long")));
    words.extend(field.max_length.map(|length| format!("at most {length} long")));
    words.extend(field.pattern.as_ref().map(|pattern| format!("matches {}", pattern.value)));
    if let Some(from) = &field.from {
        let how = field.transform.as_ref().map_or("copy", |transform| transform.value.as_str());
        words.push(format!("{how} of {}", from.value));
    }
    if !field.store {
        words.push("not stored".into());
    }
    words.join("; ")
}

/// Text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace('\n', " ")
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|").replace('`', "'"))
}

/// Text for a Mermaid label.
fn label(text: &str) -> String {
    text.replace('"', "'").replace('#', "#35;").replace('<', "#lt;")
}

/// An identifier for Mermaid.
fn id(entity: &Entity) -> String {
    let plain: String = entity.name.value.chars().filter(|letter| letter.is_ascii_alphanumeric()).collect();
    format!("entity{plain}")
}
