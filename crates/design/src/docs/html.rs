//! The frame of the HTML page: one file with its style and its few lines of script inside. Works nothing out itself.

use super::facts::Facts;
use super::sections;
use crate::cost::report::dollars;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page.
pub(super) fn write(facts: &Facts<'_>) -> String {
    let design = facts.design;
    let name = escape(&design.name);
    let description =
        design.description.as_deref().map(|text| format!("<p class=\"lead\">{}</p>", escape(text)));
    let mut body = String::new();
    let mut links = String::new();
    for (place, table) in facts.tables.iter().enumerate() {
        links.push_str(&format!("<a href=\"#table-{place}\">{}</a>", escape(&table.table.id.value)));
        body.push_str(&sections::table(place, table));
    }
    links.push_str("<a href=\"#patterns\">Access patterns</a><a href=\"#cost\">Cost</a>");
    body.push_str(&sections::patterns(facts));
    body.push_str(&sections::cost(facts));
    if !design.alarms.is_empty() {
        links.push_str("<a href=\"#alarms\">Alarms</a>");
        body.push_str(&sections::alarms(facts));
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{name}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<div class=\"brand\"><span class=\"dot\"></span>{name}</div>\n\
         <nav>{links}</nav>\n<button id=\"theme\" type=\"button\" aria-label=\"Light or dark\" title=\"Light or dark\">◐</button>\n</header>\n<main>\n\
         <section class=\"hero\">\n<h1>{name}</h1>\n{}\n{}\n</section>\n{body}</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        description.unwrap_or_default(),
        figures(facts)
    )
}

fn figures(facts: &Facts<'_>) -> String {
    let design = facts.design;
    let indexes: usize = design.tables.iter().map(|table| table.indexes.len()).sum();
    let cards = [
        (design.tables.len().to_string(), "tables"),
        (indexes.to_string(), "indexes"),
        (design.entities.len().to_string(), "entities"),
        (design.patterns.len().to_string(), "access patterns"),
        (dollars(facts.bill.total()), "a month"),
        (facts.environment.name.value.clone(), facts.bill.prices.region.as_str()),
    ];
    let card = |(value, label): &(String, &str)| {
        let label = if value == "1" {
            label.trim_end_matches('s').replace("indexe", "index").replace("entitie", "entity")
        } else {
            (*label).to_owned()
        };
        format!("<div class=\"figure\"><b>{}</b><span>{}</span></div>", escape(value), escape(&label))
    };
    format!("<div class=\"figures\">{}</div>", cards.iter().map(card).collect::<String>())
}

/// Text that may stand in HTML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
