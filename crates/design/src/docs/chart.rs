//! The drawing of a table: entities on the left, grouped by partition, the table and its indexes on the right.
//! Draws SVG; works nothing out itself.

use super::facts::{Reach, TableFacts, collections, reach};
use super::html::escape;

const ROW: usize = 44;
const BOX: usize = 34;
const LEFT_WIDTH: usize = 380;
const RIGHT_X: usize = 640;
const RIGHT_WIDTH: usize = 240;
const HEAD: usize = 24;
const WIDTH: usize = RIGHT_X + RIGHT_WIDTH + 10;

/// The drawing.
pub(super) fn draw(facts: &TableFacts<'_>) -> String {
    let mut boxes = String::new();
    let mut places: Vec<(String, usize)> = Vec::new();
    let mut y = 10;
    for (template, members) in collections(&facts.entities) {
        let height = HEAD + members.len() * ROW + 4;
        boxes.push_str(&format!(
            "<rect class=\"group\" x=\"6\" y=\"{y}\" width=\"{}\" height=\"{height}\" rx=\"10\"/><text class=\"mono dim\" x=\"18\" y=\"{}\">{}</text>",
            LEFT_WIDTH + 20,
            y + 17,
            escape(&short(&template, 44))
        ));
        for (place, entity) in members.iter().enumerate() {
            let top = y + HEAD + place * ROW;
            places.push((entity.name.value.clone(), top + BOX / 2));
            let sort = entity.sk.as_ref().map(|sk| short(&sk.text, 30)).unwrap_or_default();
            boxes.push_str(&format!(
                "<rect class=\"entity\" x=\"16\" y=\"{top}\" width=\"{LEFT_WIDTH}\" height=\"{BOX}\" rx=\"7\"/>\
                 <text class=\"name\" x=\"28\" y=\"{}\">{}</text><text class=\"mono dim\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                top + 22,
                escape(&short(&entity.name.value, 24)),
                LEFT_WIDTH + 6,
                top + 22,
                escape(&sort)
            ));
        }
        y += height + 12;
    }
    let stores = facts.table.indexes.len() + 1;
    let height = y.max(10 + stores * (ROW + 16));
    let step = height / stores;
    let center = |place: usize| place * step + step / 2;
    let mut lines = String::new();
    for (entity, from) in &places {
        lines.push_str(&line(*from, center(0), "line base", ""));
        let Some(found) = facts.entities.iter().find(|known| known.name.value == *entity) else { continue };
        for (place, index) in facts.table.indexes.iter().enumerate() {
            match reach(found, index) {
                Reach::Never => {}
                Reach::Always => {
                    lines.push_str(&line(*from, center(place + 1), &format!("line hue{}", place % 6), ""))
                }
                Reach::When(when) => {
                    lines.push_str(&line(
                        *from,
                        center(place + 1),
                        &format!("line dashed hue{}", place % 6),
                        &when,
                    ));
                }
            }
        }
    }
    for place in 0..stores {
        boxes.push_str(&store(facts, place, center(place)));
    }
    format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Entities and the keys they reach\">{lines}{boxes}</svg>"
    )
}

fn store(facts: &TableFacts<'_>, place: usize, center: usize) -> String {
    let index = place.checked_sub(1).and_then(|place| facts.table.indexes.get(place));
    let (title, key, class) = match index {
        None => (facts.name.clone(), keys(&facts.table.key), "store".to_owned()),
        Some(index) => (index.name.value.clone(), keys(&index.key), format!("store edge{}", (place - 1) % 6)),
    };
    let top = center.saturating_sub(24);
    format!(
        "<rect class=\"{class}\" x=\"{RIGHT_X}\" y=\"{top}\" width=\"{RIGHT_WIDTH}\" height=\"48\" rx=\"9\"/>\
         <text class=\"name\" x=\"{}\" y=\"{}\">{}</text><text class=\"mono dim\" x=\"{}\" y=\"{}\">{}</text>",
        RIGHT_X + 14,
        top + 20,
        escape(&short(&title, 28)),
        RIGHT_X + 14,
        top + 38,
        escape(&short(&key, 30))
    )
}

fn keys(key: &[crate::model::KeyAttribute]) -> String {
    key.iter().map(|key| key.name.value.as_str()).collect::<Vec<_>>().join(" + ")
}

fn line(from: usize, to: usize, class: &str, title: &str) -> String {
    let start = LEFT_WIDTH + 16;
    let middle = (start + RIGHT_X) / 2;
    let title = if title.is_empty() { String::new() } else { format!("<title>{}</title>", escape(title)) };
    format!(
        "<path class=\"{class}\" d=\"M{start} {from} C{middle} {from} {middle} {to} {RIGHT_X} {to}\">{title}</path>"
    )
}

fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
