//! Nodes of a file as what is expected of them, and a diagnostic where they are something else.
//! Knows no design.

use crate::diagnostic::{Diagnostic, suggest};
use crate::model::{At, Place};
use crate::template::Template;
use crate::yaml::{Content, Node};

/// Reads nodes and gathers what is wrong with them.
pub(super) struct Nodes<'a> {
    pub(super) file: &'a str,
    pub(super) found: Vec<Diagnostic>,
}

impl<'a> Nodes<'a> {
    pub(super) fn new(file: &'a str) -> Nodes<'a> {
        Nodes { file, found: Vec::new() }
    }

    pub(super) fn error(&mut self, code: &str, place: Place, message: String) {
        self.found.push(Diagnostic::error(code, self.file, place, message));
    }

    pub(super) fn error_hint(&mut self, code: &str, place: Place, message: &str, hint: &str) {
        self.found.push(Diagnostic::error(code, self.file, place, message).hint(hint));
    }

    /// The entries of a map; none of an empty value.
    pub(super) fn map<'n>(&mut self, node: &'n Node, what: &str) -> &'n [(At<String>, Node)] {
        match &node.content {
            Content::Map(entries) if node.tag.is_none() => entries,
            Content::Scalar { .. } if node.is_null() => &[],
            Content::Scalar { .. } | Content::List(_) | Content::Map(_) => {
                self.error("F003", node.place, format!("{what}: a map is expected"));
                &[]
            }
        }
    }

    /// The entries of the map under a key; none if there is no such key.
    pub(super) fn entries<'n>(&mut self, root: &'n Node, key: &str) -> &'n [(At<String>, Node)] {
        match root.get(key) {
            Some(node) => self.map(node, key),
            None => &[],
        }
    }

    pub(super) fn list<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Node] {
        match &node.content {
            Content::List(nodes) if node.tag.is_none() => nodes,
            Content::Scalar { .. } if node.is_null() => &[],
            Content::Scalar { .. } | Content::List(_) | Content::Map(_) => {
                self.error("F003", node.place, format!("{what}: a list is expected"));
                &[]
            }
        }
    }

    pub(super) fn text(&mut self, node: &Node, what: &str) -> Option<At<String>> {
        match node.text() {
            Some(text) => Some(At { value: text.to_owned(), place: node.place }),
            None => {
                self.error("F003", node.place, format!("{what}: text is expected"));
                None
            }
        }
    }

    /// The text under a key, if it is there.
    pub(super) fn text_at(&mut self, root: &Node, key: &str) -> Option<At<String>> {
        root.get(key).and_then(|node| self.text(node, key))
    }

    /// The text under a key that must be there.
    pub(super) fn required(
        &mut self,
        root: &Node,
        key: &str,
        what: &str,
        place: Place,
    ) -> Option<At<String>> {
        if root.get(key).is_none() {
            self.error("F002", place, format!("{what}: `{key}` is missing"));
        }
        self.text_at(root, key)
    }

    /// One text or a list of them.
    pub(super) fn texts(&mut self, node: Option<&Node>, what: &str) -> Vec<At<String>> {
        let Some(node) = node else { return Vec::new() };
        match &node.content {
            Content::List(nodes) => nodes.iter().filter_map(|node| self.text(node, what)).collect(),
            Content::Scalar { .. } | Content::Map(_) => self.text(node, what).into_iter().collect(),
        }
    }

    pub(super) fn flag(&mut self, root: &Node, key: &str, default: bool) -> bool {
        let Some(node) = root.get(key) else { return default };
        match node.text() {
            Some("true") => true,
            Some("false") => false,
            Some(_) | None => {
                self.error("F003", node.place, format!("{key}: `true` or `false` is expected"));
                default
            }
        }
    }

    pub(super) fn count(&mut self, node: &Node, what: &str) -> Option<u64> {
        let count = node.text().and_then(|text| text.replace('_', "").parse().ok());
        if count.is_none() {
            self.error("F003", node.place, format!("{what}: a whole number is expected"));
        }
        count
    }

    pub(super) fn count_at(&mut self, root: &Node, key: &str) -> Option<usize> {
        root.get(key).and_then(|node| self.count(node, key)).and_then(|count| usize::try_from(count).ok())
    }

    pub(super) fn decimal(&mut self, node: &Node, what: &str) -> Option<f64> {
        let number = node.text().and_then(|text| text.parse::<f64>().ok());
        let number = number.filter(|number| number.is_finite() && *number >= 0.0);
        if number.is_none() {
            self.error("F003", node.place, format!("{what}: a number that is not negative is expected"));
        }
        number
    }

    pub(super) fn decimal_at(&mut self, root: &Node, key: &str) -> Option<f64> {
        root.get(key).and_then(|node| self.decimal(node, key))
    }

    /// A text that must be one of these.
    pub(super) fn choice(
        &mut self,
        found: Option<At<String>>,
        known: &[&str],
        what: &str,
    ) -> Option<At<String>> {
        if let Some(text) = &found
            && !known.contains(&text.value.as_str())
        {
            let message = format!("{what}: `{}` is not known", text.value);
            self.error_hint("F003", text.place, &message, &suggest(&text.value, known));
        }
        found
    }

    pub(super) fn template(&mut self, node: &Node, what: &str) -> Option<Template> {
        let text = match &node.content {
            Content::Map(_) => {
                let message = format!("{what}: a key template is text");
                self.error_hint("F003", node.place, &message, "put it in quotes: \"{field}\"");
                return None;
            }
            Content::Scalar { .. } | Content::List(_) => self.text(node, what)?,
        };
        match Template::parse(&text.value, text.place) {
            Ok(template) => Some(template),
            Err(message) => {
                let hint = "a template is text with {field} slots, such as USER#{user_id} or {week:02}";
                self.error_hint("K003", text.place, &format!("{what}: {message}"), hint);
                None
            }
        }
    }

    /// Refuses keys that nobody knows.
    pub(super) fn known(&mut self, entries: &[(At<String>, Node)], known: &[&str], what: &str) {
        for (name, _) in entries {
            if !known.contains(&name.value.as_str()) {
                let message = format!("{what}: no key `{}`", name.value);
                self.error_hint("F001", name.place, &message, &suggest(&name.value, known));
            }
        }
    }
}
