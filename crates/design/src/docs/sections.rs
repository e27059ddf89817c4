//! The sections of the HTML page. Works nothing out itself.

use super::chart;
use super::facts::{Facts, PatternFacts, Reach, TableFacts, View, projection_words, reach};
use super::html::escape;
use super::markdown::{kind_words, returns, rule_words, units};
use crate::cost::report::{amplification, bytes, dollars, figure};
use crate::model::{Entity, KeyAttribute};

/// A table: settings, drawing, keys, coverage, items.
pub(super) fn table(place: usize, facts: &TableFacts<'_>) -> String {
    let settings: String = facts
        .settings
        .iter()
        .map(|(name, value)| format!("<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(value)))
        .collect();
    let views: String = facts.views.iter().map(view).collect();
    let entities: String = facts.entities.iter().map(|entity| self::entity(entity)).collect();
    format!(
        "<section id=\"table-{place}\">\n<h2>Table <code>{}</code></h2>\n<dl class=\"settings\"><div><dt>Key</dt><dd>{}</dd></div>{settings}</dl>\n\
         <h3>How entities reach keys</h3>\n<div class=\"card scroll\">{}</div>\n{}\
         <h3>Entities</h3>\n<div class=\"stack\">{entities}</div>\n\
         <h3>Item collections</h3>\n<p class=\"dim\">The samples, as the table and each index hold them.</p>\n{views}</section>\n",
        escape(&facts.name),
        key(&facts.table.key),
        chart::draw(facts),
        coverage(facts)
    )
}

fn key(key: &[KeyAttribute]) -> String {
    let part = |key: &KeyAttribute| {
        let class = if key.is_hash { "hash" } else { "range" };
        let kind = if key.kind.is_empty() { "S" } else { &key.kind };
        format!("<span class=\"chip {class}\">{}<i>{kind}</i></span>", escape(&key.name.value))
    };
    key.iter().map(part).collect()
}

fn coverage(facts: &TableFacts<'_>) -> String {
    if facts.table.indexes.is_empty() {
        return String::new();
    }
    let head: String = facts
        .table
        .indexes
        .iter()
        .map(|index| {
            let kind = if index.is_local { "local" } else { "global" };
            format!(
                "<th><div>{}</div><div class=\"keys\">{}</div><small>{kind}, {}</small></th>",
                escape(&index.name.value),
                key(&index.key),
                escape(&projection_words(index))
            )
        })
        .collect();
    let row = |entity: &&Entity| {
        let cells: String = facts
            .table
            .indexes
            .iter()
            .map(|index| match reach(entity, index) {
                Reach::Never => "<td class=\"mark never\" title=\"never\">–</td>".to_owned(),
                Reach::Always => "<td class=\"mark always\" title=\"every item\">●</td>".to_owned(),
                Reach::When(when) => {
                    format!("<td class=\"mark when\">◐<small>{}</small></td>", escape(&when))
                }
            })
            .collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>", escape(&entity.name.value))
    };
    format!(
        "<h3>Index coverage</h3>\n<div class=\"card scroll\"><table class=\"matrix\"><thead><tr><th></th>{head}</tr></thead><tbody>{}</tbody></table></div>\n",
        facts.entities.iter().map(row).collect::<String>()
    )
}

fn entity(entity: &Entity) -> String {
    let sort = entity.sk.as_ref().map(|sk| template("range", &sk.text)).unwrap_or_default();
    let mappings: String = entity
        .mappings
        .iter()
        .map(|mapping| {
            let hash: String = mapping.pk.iter().map(|one| template("hash", &one.text)).collect();
            let range: String = mapping.sk.iter().map(|one| template("range", &one.text)).collect();
            let when =
                mapping.when.as_ref().map(|when| format!(" <small>when {}</small>", escape(&when.value)));
            format!(
                "<div class=\"mapping\"><b>{}</b>{hash}{range}{}</div>",
                escape(&mapping.index.value),
                when.unwrap_or_default()
            )
        })
        .collect();
    let field = |field: &crate::model::Field| {
        format!(
            "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td class=\"dim\">{}</td></tr>",
            escape(&field.name.value),
            escape(&kind_words(field)),
            escape(&rule_words(field)),
            escape(field.description.as_deref().unwrap_or_default())
        )
    };
    let ttl = entity.ttl.as_ref().map(|ttl| {
        format!("<p>Expires {} after <code>{}</code>.</p>", escape(&ttl.after_text), escape(&ttl.from.value))
    });
    let rules: String =
        entity.rules.iter().map(|rule| format!("<li><code>{}</code></li>", escape(&rule.value))).collect();
    let rules = if rules.is_empty() { rules } else { format!("<ul>{rules}</ul>") };
    format!(
        "<details class=\"card entity-card\"><summary><b>{}</b>{}{sort}</summary>\n<p>{}</p>{mappings}{}\
         <div class=\"scroll\"><table><thead><tr><th>Field</th><th>Type</th><th>Rules</th><th></th></tr></thead><tbody>{}</tbody></table></div>{rules}</details>\n",
        escape(&entity.name.value),
        template("hash", &entity.pk.text),
        escape(entity.description.as_deref().unwrap_or_default()),
        ttl.unwrap_or_default(),
        entity.fields.iter().map(field).collect::<String>()
    )
}

/// A template with its slots in another colour.
fn template(class: &str, text: &str) -> String {
    let inner = escape(text).replace('{', "<em>{").replace('}', "}</em>");
    format!("<span class=\"chip {class}\">{inner}</span>")
}

/// Items in partitions, as NoSQL designers draw them.
fn view(view: &View) -> String {
    let title = view.index.as_deref().unwrap_or("Table");
    let open = if view.index.is_none() { " open" } else { "" };
    if view.partitions.is_empty() {
        return format!(
            "<details class=\"card\"><summary><b>{}</b> <span class=\"dim\">no sample reaches it</span></summary></details>\n",
            escape(title)
        );
    }
    let mut rows = String::new();
    for (partition, items) in &view.partitions {
        for (place, row) in items.iter().enumerate() {
            let first = match place {
                0 => format!(
                    "<th class=\"partition\" rowspan=\"{}\" scope=\"rowgroup\">{}</th>",
                    items.len(),
                    escape(partition)
                ),
                _ => String::new(),
            };
            let sort = row.sort.as_ref().map(|sort| format!("<td class=\"sort\">{}</td>", escape(sort)));
            let attributes: String = row
                .attributes
                .iter()
                .map(|(name, value)| {
                    format!("<span class=\"attribute\"><i>{}</i>{}</span>", escape(name), escape(value))
                })
                .collect();
            rows.push_str(&format!(
                "<tr>{first}{}<td><span class=\"badge\" title=\"{}\">{}</span></td><td class=\"attributes\">{attributes}</td><td class=\"number dim\">{} B</td></tr>",
                sort.unwrap_or_default(),
                escape(&row.sample),
                escape(&row.entity),
                row.bytes
            ));
        }
    }
    let head: String = view.key.iter().map(|name| format!("<th>{}</th>", escape(name))).collect();
    let count: usize = view.partitions.iter().map(|(_, items)| items.len()).sum();
    format!(
        "<details class=\"card\"{open}><summary><b>{}</b> <span class=\"dim\">{count} items in {} partitions</span></summary>\
         <div class=\"scroll\"><table class=\"items\"><thead><tr>{head}<th>Entity</th><th>Attributes</th><th></th></tr></thead><tbody>{rows}</tbody></table></div></details>\n",
        escape(title),
        view.partitions.len()
    )
}

/// The access patterns with their requests.
pub(super) fn patterns(facts: &Facts<'_>) -> String {
    let cards: String = facts.patterns.iter().map(pattern).collect();
    format!(
        "<section id=\"patterns\">\n<h2>Access patterns</h2>\n<input id=\"filter\" type=\"search\" placeholder=\"Filter patterns\" aria-label=\"Filter patterns\">\n<div class=\"stack\">{cards}</div>\n</section>\n"
    )
}

fn pattern(facts: &PatternFacts<'_>) -> String {
    let pattern = facts.pattern;
    let steps: String = facts
        .steps
        .iter()
        .map(|(operation, place, words)| {
            let class = if operation.contains("Get") || operation == "Query" { "read" } else { "write" };
            let class = if operation == "Scan" { "scan" } else { class };
            format!(
                "<div class=\"step\"><span class=\"badge {class}\">{}</span><span class=\"where\">{}</span><code>{}</code></div>",
                escape(operation),
                escape(place),
                escape(words)
            )
        })
        .collect();
    let requests: String = facts
        .requests
        .iter()
        .map(|(operation, body)| {
            let text = serde_json::to_string_pretty(body).unwrap_or_default();
            format!("<p class=\"dim\">{}</p><pre>{}</pre>", escape(operation), escape(&text))
        })
        .collect();
    let returned = returns(facts);
    let returned = match (returned.is_empty(), pattern.expect_error.is_some()) {
        (true, _) => String::new(),
        (false, true) => format!("<span class=\"expect error\">ends in {}</span>", escape(&returned)),
        (false, false) => format!("<span class=\"expect\">→ {}</span>", escape(&returned)),
    };
    let price = facts
        .cost
        .map(|cost| format!("<span class=\"price\">{}<small> a month</small></span>", dollars(cost.dollars)));
    let more = facts.cost.map(amplification).unwrap_or_default();
    format!(
        "<details class=\"card pattern\"><summary><b>{}</b><span class=\"units\">{}{}</span>{}</summary>\n<p>{}</p>{steps}{returned}{requests}</details>\n",
        escape(&pattern.name.value),
        escape(&units(facts)),
        escape(&more),
        price.unwrap_or_default(),
        escape(pattern.description.as_deref().unwrap_or_default())
    )
}

/// The bill.
pub(super) fn cost(facts: &Facts<'_>) -> String {
    let bill = facts.bill;
    let most = bill.patterns.iter().map(|pattern| pattern.dollars).fold(0.0, f64::max).max(1e-9);
    let mut sorted: Vec<_> = bill.patterns.iter().filter(|pattern| pattern.dollars > 0.0).collect();
    sorted.sort_by(|left, right| right.dollars.total_cmp(&left.dollars));
    let bars: String = sorted
        .iter()
        .map(|pattern| {
            let class = if pattern.units.write() > 0.0 { "write" } else { "read" };
            format!(
                "<tr><th scope=\"row\">{}</th><td class=\"bar\"><span class=\"{class}\" style=\"width:{:.1}%\"></span></td><td class=\"number\">{}</td></tr>",
                escape(&pattern.name),
                (100.0 * pattern.dollars / most).max(0.5),
                dollars(pattern.dollars)
            )
        })
        .collect();
    let tables: String = bill
        .tables
        .iter()
        .map(|table| {
            format!(
                "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>",
                escape(&table.id),
                figure(table.items),
                bytes(table.gigabytes),
                dollars(table.storage),
                table.recovery.map_or("off".into(), dollars),
                dollars(table.on_demand),
                dollars(table.provisioned)
            )
        })
        .collect();
    let thresholds: String = bill
        .thresholds
        .iter()
        .map(|(limit, is_reached)| {
            let class = if *is_reached { "reached" } else { "free" };
            format!("<span class=\"threshold {class}\">${limit}</span>")
        })
        .collect();
    let notes: String = bill.notes.iter().map(|note| format!("<li>{}</li>", escape(note))).collect();
    format!(
        "<section id=\"cost\">\n<h2>Cost</h2>\n<div class=\"figures\"><div class=\"figure\"><b>{}</b><span>a month as designed</span></div><div class=\"figure\"><b>{}</b><span>on demand</span></div>\
         <div class=\"figure\"><b>{}</b><span>provisioned</span></div><div class=\"figure\"><b>{thresholds}</b><span>billing thresholds</span></div></div>\n\
         <div class=\"card scroll\"><table class=\"bars\"><tbody>{bars}</tbody></table></div>\n\
         <div class=\"card scroll\"><table><thead><tr><th>Table</th><th>Items</th><th>Stored</th><th>Storage</th><th>Recovery</th><th>Requests</th><th>or provisioned</th></tr></thead><tbody>{tables}</tbody></table></div>\n\
         <p class=\"dim\">{} prices of {} in {}, free tier not applied.</p>\n<ul class=\"dim notes\">{notes}</ul>\n</section>\n",
        dollars(bill.total()),
        dollars(bill.total_on_demand()),
        dollars(bill.total_provisioned()),
        if bill.prices.basis == "listed" { "List" } else { "Scaled" },
        escape(&bill.prices.date),
        escape(&bill.prices.region)
    )
}

/// The alarms.
pub(super) fn alarms(facts: &Facts<'_>) -> String {
    let alarm = |alarm: &crate::model::Alarm| {
        let note = escape(alarm.description.as_deref().unwrap_or_default());
        format!("<li><b>{}</b> {note}</li>", escape(&alarm.name.value))
    };
    let list: String = facts.design.alarms.iter().map(alarm).collect();
    format!("<section id=\"alarms\">\n<h2>Alarms</h2>\n<ul>{list}</ul>\n</section>\n")
}
