//! What is wrong with a design: a code, a message, how to mend it, and where it stands.
//! Knows no rules.

use std::fmt;

use crate::model::Place;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The design does not work as written.
    Error,
    /// It works, but not as somebody would expect, or at a price.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its code, such as `K002`.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub hint: Option<String>,
    /// The file, as it was named.
    pub file: String,
    /// Where in it.
    pub place: Place,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: &str, file: &str, place: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, file, place, message.into())
    }

    /// A warning.
    pub fn warning(code: &str, file: &str, place: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, file, place, message.into())
    }

    /// A note.
    pub fn note(code: &str, file: &str, place: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Note, code, file, place, message.into())
    }

    /// The same with a way to mend it.
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    fn new(severity: Severity, code: &str, file: &str, place: Place, message: String) -> Diagnostic {
        Diagnostic { code: code.to_owned(), severity, message, hint: None, file: file.to_owned(), place }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column } = self.place;
        let severity = self.severity.name();
        write!(out, "{}:{line}:{column}: {severity} {}: {}", self.file, self.code, self.message)?;
        match &self.hint {
            Some(hint) => write!(out, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

/// The name among `known` that is nearest to `name`, if any is near enough to have been meant.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let reach = (name.chars().count() / 3).clamp(1, 4);
    let near = known.into_iter().map(|other| (distance(&wanted, &other.to_lowercase()), other));
    near.filter(|(distance, _)| *distance <= reach)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, other)| other)
}

/// A hint that suggests the nearest of `known`, or lists them all if none is near.
pub fn suggest(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(other) => format!("did you mean `{other}`?"),
        None if known.is_empty() => "there is none here yet".to_owned(),
        None => format!("known here: {}", known.join(", ")),
    }
}

/// How many letters must be added, dropped or changed to make one text of the other.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (above, letter) in left.chars().enumerate() {
        let mut next = vec![above + 1];
        for (other, (diagonal, straight)) in right.iter().zip(row.iter().zip(row.iter().skip(1))) {
            let changed = diagonal + usize::from(letter != *other);
            let added = next.last().copied().unwrap_or_default() + 1;
            next.push(changed.min(added).min(straight + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnostic_reads_as_file_line_column_code() {
        let place = Place { line: 3, column: 7 };
        let found = Diagnostic::error("K002", "a.yaml", place, "half a key").hint("add sk_template");
        assert_eq!(found.to_string(), "a.yaml:3:7: error K002: half a key\n  hint: add sk_template");
    }

    #[test]
    fn the_nearest_name_is_found_whatever_its_case() {
        assert_eq!(nearest("GroupID", ["GroupId", "UserId"]), Some("GroupId"));
        assert_eq!(nearest("pk_tmplate", ["sk_template", "pk_template"]), Some("pk_template"));
        assert_eq!(nearest("zebra", ["pk_template"]), None);
    }
}
