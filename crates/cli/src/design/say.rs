//! Words and columns of what verbs print. Knows no verb.

use serde_json::Value as Json;
use std::io::{IsTerminal, Write};

/// Prints a JSON document.
pub(crate) fn json(value: &Json) {
    let text = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
    crate::say(&format!("{text}\n"));
}

/// A line about progress, which the next one replaces; only where a person watches.
pub(crate) fn progress(text: &str) {
    let mut out = std::io::stderr().lock();
    if out.is_terminal() {
        let _unseen = write!(out, "\r\x1b[K{text}").and_then(|()| out.flush());
    }
}

/// Takes the line about progress away.
pub(crate) fn progress_ends() {
    progress("");
}

/// `1 table`, `2 tables`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    match number {
        1 => format!("1 {thing}"),
        _ if thing.ends_with("index") => format!("{number} {thing}es"),
        _ => format!("{number} {thing}s"),
    }
}

/// Lines of columns, each as wide as its widest cell.
pub(crate) fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_must_be() {
        let rows = [vec!["a".to_owned(), "bb".to_owned()], vec!["åäö".to_owned(), String::new()]];
        assert_eq!(columns(&rows), "a    bb\nåäö\n");
        assert_eq!(
            (count(1, "index"), count(2, "index"), count(0, "error")),
            ("1 index".to_owned(), "2 indexes".to_owned(), "0 errors".to_owned())
        );
    }
}
