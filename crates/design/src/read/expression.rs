//! Expressions of a pattern. `filter`, `condition` and `update` name attributes as they are and are aliased when
//! they are sent; `filter_expression`, `condition_expression` and `update_expression` keep the service's rules, so a
//! reserved word must stand there as `#word`. Both come out with plain names. Knows no attributes.

use super::nodes::Nodes;
use crate::model::At;
use crate::yaml::Node;

/// Words of the expression language itself, which are no attributes although most are reserved.
const LANGUAGE: [&str; 11] =
    ["and", "or", "not", "between", "in", "set", "remove", "add", "delete", "size", "contains"];

pub(super) fn read(nodes: &mut Nodes<'_>, node: &Node, free: &str, strict: &str) -> Option<At<String>> {
    if let Some(text) = nodes.text_at(node, free) {
        return Some(At { value: text.value.replace('#', ""), place: text.place });
    }
    let text = nodes.text_at(node, strict)?;
    for word in bare_words(&text.value) {
        if expr::is_reserved(word) && !LANGUAGE.contains(&word.to_lowercase().as_str()) {
            let message =
                format!("{strict}: `{word}` is a reserved word: the service refuses the whole request");
            let hint = format!("write `#{word}`, or use `{free}:`, whose names are aliased for you");
            nodes.error_hint("R001", text.place, &message, &hint);
        }
    }
    Some(At { value: text.value.replace('#', ""), place: text.place })
}

/// Names without `#` or `:` in front.
fn bare_words(text: &str) -> Vec<&str> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '#' | ':');
    let words = text.split(|letter: char| !is_word(letter)).filter(|word| !word.is_empty());
    words
        .filter(|word| word.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_'))
        .collect()
}
