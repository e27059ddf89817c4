//! YAML 1.2 (and so JSON) as a tree whose scalars are text and whose nodes know their place.
//! Knows no design; types no scalar, except when a tree is turned into CloudFormation's JSON.

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Map, Number, Value as Json};

use crate::diagnostic::Diagnostic;
use crate::model::{At, Place, Plain};

/// Nodes a file may have once its aliases are put in, so that a small file cannot become a huge tree.
const NODES_MAX: usize = 200_000;

/// How deep nodes may lie in each other.
const DEPTH_MAX: usize = 64;

/// One node.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where it begins.
    pub place: Place,
    /// Its tag without the exclamation mark, such as `Ref`.
    pub tag: Option<String>,
    /// What it is.
    pub content: Content,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// A scalar as it is written; `quoted` if in quotes or as a block.
    Scalar {
        /// Its text.
        text: String,
        /// Whether it is text whatever it looks like.
        quoted: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// A map in the order of the file.
    Map(Vec<(At<String>, Node)>),
}

impl Node {
    /// The text of an untagged scalar.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar { text, .. } if self.tag.is_none() => Some(text),
            Content::Scalar { .. } | Content::List(_) | Content::Map(_) => None,
        }
    }

    /// Whether it is an empty scalar, `~` or `null`.
    pub fn is_null(&self) -> bool {
        match &self.content {
            Content::Scalar { text, quoted } => !quoted && is_null_text(text),
            Content::List(_) | Content::Map(_) => false,
        }
    }

    /// The value under a key of a map.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.content {
            Content::Map(entries) => entries.iter().find(|(name, _)| name.value == key).map(|(_, node)| node),
            Content::Scalar { .. } | Content::List(_) => None,
        }
    }

    /// The same as a plain value.
    pub fn plain(&self) -> Plain {
        match &self.content {
            Content::Scalar { text, quoted } => {
                Plain::Scalar { text: text.clone(), quoted: *quoted, place: self.place }
            }
            Content::List(nodes) => Plain::List(nodes.iter().map(Node::plain).collect(), self.place),
            Content::Map(entries) => {
                let entries = entries.iter().map(|(name, node)| (name.clone(), node.plain())).collect();
                Plain::Map(entries, self.place)
            }
        }
    }

    /// The same as CloudFormation's JSON: short-form tags spelled out, plain numbers and booleans typed.
    pub fn json(&self) -> Json {
        let value = match &self.content {
            Content::Scalar { text, quoted: true } => Json::String(text.clone()),
            Content::Scalar { text, quoted: false } => typed(text),
            Content::List(nodes) => Json::Array(nodes.iter().map(Node::json).collect()),
            Content::Map(entries) => {
                let mut map = Map::new();
                for (name, node) in entries {
                    map.insert(name.value.clone(), named_json(&name.value, node));
                }
                Json::Object(map)
            }
        };
        match &self.tag {
            Some(tag) => intrinsic(tag, value, self.text_of_scalar()),
            None => value,
        }
    }

    fn text_of_scalar(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar { text, .. } => Some(text),
            Content::List(_) | Content::Map(_) => None,
        }
    }
}

/// Values that CloudFormation keeps as text although they may look like numbers.
const TEXT_NAMES: [&str; 9] = [
    "Value",
    "Key",
    "TableName",
    "IndexName",
    "AttributeName",
    "Default",
    "Version",
    "AWSTemplateFormatVersion",
    "AlarmName",
];

/// Values that CloudFormation types although they may stand in quotes.
const FLAG_NAMES: [&str; 4] =
    ["Enabled", "SSEEnabled", "PointInTimeRecoveryEnabled", "DeletionProtectionEnabled"];

fn named_json(name: &str, node: &Node) -> Json {
    match &node.content {
        Content::Scalar { text, .. } if node.tag.is_none() && TEXT_NAMES.contains(&name) => {
            Json::String(text.clone())
        }
        Content::Scalar { text, .. } if node.tag.is_none() && FLAG_NAMES.contains(&name) => typed(text),
        Content::List(nodes) if name == "NonKeyAttributes" => {
            Json::Array(nodes.iter().map(|node| named_json("Value", node)).collect())
        }
        Content::Scalar { .. } | Content::List(_) | Content::Map(_) => node.json(),
    }
}

fn is_null_text(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// A plain scalar by the core schema of YAML 1.2, except that whatever would lose digits or zeros stays text.
fn typed(text: &str) -> Json {
    match text {
        "true" | "True" | "TRUE" => Json::Bool(true),
        "false" | "False" | "FALSE" => Json::Bool(false),
        _ if is_null_text(text) => Json::Null,
        _ => number(text).map_or_else(|| Json::String(text.to_owned()), Json::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    if let Ok(whole) = text.parse::<i64>() {
        return (whole.to_string() == text).then(|| Number::from(whole));
    }
    let begins = text.trim_start_matches('-').starts_with(|letter: char| letter.is_ascii_digit());
    let plain =
        text.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, '.' | '-' | '+' | 'e' | 'E'));
    let short = text.chars().filter(char::is_ascii_digit).count() <= 15;
    if begins && plain && short { text.parse::<f64>().ok().and_then(Number::from_f64) } else { None }
}

fn intrinsic(tag: &str, value: Json, text: Option<&str>) -> Json {
    let (name, value) = match (tag, text) {
        ("Ref", Some(text)) => ("Ref".to_owned(), Json::String(text.to_owned())),
        ("Condition", Some(text)) => ("Condition".to_owned(), Json::String(text.to_owned())),
        ("GetAtt", Some(text)) => {
            let parts = text.splitn(2, '.').map(|part| Json::String(part.to_owned())).collect();
            ("Fn::GetAtt".to_owned(), Json::Array(parts))
        }
        (tag, Some(text)) => (format!("Fn::{tag}"), Json::String(text.to_owned())),
        (tag, None) => (format!("Fn::{tag}"), value),
    };
    let mut map = Map::new();
    map.insert(name, value);
    Json::Object(map)
}

/// Reads the one document of a file.
pub fn parse(file: &str, text: &str) -> Result<Node, Diagnostic> {
    let mut builder = Builder { file, open: Vec::new(), anchors: Vec::new(), nodes: 0, root: None };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = if text.trim_start().starts_with('{') { joined(text) } else { text.to_owned() };
    for event in Parser::new_from_str(&text) {
        match event {
            Ok((event, span)) => builder.take(event, span)?,
            Err(error) => {
                let marker = error.marker();
                let place = Place { line: marker.line().max(1), column: marker.col() + 1 };
                let message = format!("not YAML: {}", error.info());
                return Err(Diagnostic::error("Y001", file, place, message).hint(
                    "check the indentation, and put text with `: `, ` #`, `{` or `[` in it in quotes",
                ));
            }
        }
    }
    builder.root.ok_or_else(|| {
        Diagnostic::error("Y001", file, Place { line: 1, column: 1 }, "the file is empty")
            .hint("begin with `design: 1` and `tables:`; `larder design init` writes a file to start from")
    })
}

/// JSON writes letters beyond the first plane as two escapes; YAML writes them as one, so the two are made one.
fn joined(text: &str) -> String {
    let code = |escape: &str| u32::from_str_radix(escape.strip_prefix("\\u")?, 16).ok();
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        let high = tail.get(..6).and_then(code).filter(|code| (0xd800..0xdc00).contains(code));
        let low = tail.get(6..12).and_then(code).filter(|code| (0xdc00..0xe000).contains(code));
        if let (Some(high), Some(low)) = (high, low) {
            let letter = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            out.push_str(&format!("\\U{letter:08x}"));
            rest = tail.get(12..).unwrap_or_default();
        } else {
            // A backslash and what it escapes stay together, so that `\\\\u` is not taken for an escape.
            let end = tail.char_indices().nth(2).map_or(tail.len(), |(end, _)| end);
            let (pair, after) = tail.split_at(end);
            out.push_str(pair);
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

struct Builder<'a> {
    file: &'a str,
    open: Vec<Open>,
    anchors: Vec<(usize, Node)>,
    nodes: usize,
    root: Option<Node>,
}

/// A list or a map that is not closed yet.
struct Open {
    anchor: usize,
    node: Node,
    key: Option<At<String>>,
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Diagnostic> {
        let place = Place { line: span.start.line().max(1), column: span.start.col() + 1 };
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let quoted = style != ScalarStyle::Plain;
                let content = Content::Scalar { text: text.into_owned(), quoted };
                let tag = tag.map(|tag| tag.suffix.clone());
                self.finish(anchor, Node { place, tag: tag.filter(|tag| own(tag)), content })
            }
            Event::SequenceStart(anchor, tag) => {
                let tag = tag.map(|tag| tag.suffix.clone()).filter(|tag| own(tag));
                self.start(anchor, Node { place, tag, content: Content::List(Vec::new()) })
            }
            Event::MappingStart(anchor, tag) => {
                let tag = tag.map(|tag| tag.suffix.clone()).filter(|tag| own(tag));
                self.start(anchor, Node { place, tag, content: Content::Map(Vec::new()) })
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(open) => self.finish(open.anchor, open.node),
                None => Ok(()),
            },
            Event::Alias(anchor) => self.alias(anchor, place),
            Event::DocumentStart(_) if self.root.is_some() => {
                let message = "a second document begins here; a design is one document";
                Err(Diagnostic::error("Y001", self.file, place, message).hint("put it in a file of its own"))
            }
            Event::DocumentStart(_)
            | Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentEnd => Ok(()),
        }
    }

    fn start(&mut self, anchor: usize, node: Node) -> Result<(), Diagnostic> {
        if self.open.len() >= DEPTH_MAX {
            let message = format!("more than {DEPTH_MAX} levels deep");
            return Err(Diagnostic::error("Y001", self.file, node.place, message));
        }
        self.open.push(Open { anchor, node, key: None });
        Ok(())
    }

    fn alias(&mut self, anchor: usize, place: Place) -> Result<(), Diagnostic> {
        let Some((_, node)) = self.anchors.iter().find(|(known, _)| *known == anchor) else {
            return Err(Diagnostic::error("Y001", self.file, place, "an alias to itself or to nothing"));
        };
        let node = node.clone();
        self.nodes += count(&node);
        self.finish(0, node)
    }

    fn finish(&mut self, anchor: usize, node: Node) -> Result<(), Diagnostic> {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            let message = format!("more than {NODES_MAX} values");
            return Err(Diagnostic::error("Y001", self.file, node.place, message));
        }
        if anchor > 0 {
            self.anchors.push((anchor, node.clone()));
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match &mut open.node.content {
            Content::List(nodes) => nodes.push(node),
            Content::Map(entries) => match open.key.take() {
                Some(key) => entries.push((key, node)),
                None => open.key = Some(key(self.file, entries, node)?),
            },
            Content::Scalar { .. } => {}
        }
        Ok(())
    }
}

/// Whether a tag is one of CloudFormation's; those of YAML itself (`!!str`) say nothing here.
fn own(tag: &str) -> bool {
    !tag.is_empty() && tag.starts_with(|letter: char| letter.is_ascii_uppercase())
}

fn key(file: &str, entries: &[(At<String>, Node)], node: Node) -> Result<At<String>, Diagnostic> {
    let place = node.place;
    let Content::Scalar { text, .. } = node.content else {
        return Err(Diagnostic::error("Y001", file, place, "a key must be text")
            .hint("a template in braces needs quotes: \"{field}\""));
    };
    if let Some((first, _)) = entries.iter().find(|(name, _)| name.value == text) {
        let message = format!("`{text}` stands here twice; the first is in line {}", first.place.line);
        return Err(
            Diagnostic::error("Y002", file, place, message).hint("names are unique: rename or remove one")
        );
    }
    Ok(At { value: text, place })
}

fn count(node: &Node) -> usize {
    match &node.content {
        Content::Scalar { .. } => 1,
        Content::List(nodes) => nodes.iter().map(count).sum::<usize>() + 1,
        Content::Map(entries) => entries.iter().map(|(_, node)| count(node)).sum::<usize>() + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        parse("f", text).unwrap().json().to_string()
    }

    #[test]
    fn scalars_stay_as_they_are_written() {
        assert_eq!(
            json("[NO, 010, 12:30:45, 12345678901234567890.123456789]"),
            r#"["NO","010","12:30:45","12345678901234567890.123456789"]"#
        );
        assert_eq!(json("[5, true, 0.5, null, \"5\"]"), r#"[5,true,0.5,null,"5"]"#);
    }

    #[test]
    fn short_forms_are_spelled_out() {
        assert_eq!(
            json("{a: !Ref T, b: !GetAtt T.Arn, c: !Sub 'x-${E}', d: !If [A, 1, 2]}"),
            r#"{"a":{"Ref":"T"},"b":{"Fn::GetAtt":["T","Arn"]},"c":{"Fn::Sub":"x-${E}"},"d":{"Fn::If":["A",1,2]}}"#
        );
    }

    #[test]
    fn json_is_yaml() {
        assert_eq!(json("{\n\t\"a\": [1, \"x\\u00e5\"]}"), "{\"a\":[1,\"xå\"]}");
        assert_eq!(json("{\"a\":\"\\ud83d\\ude00\\/\"}"), "{\"a\":\"😀/\"}");
    }

    #[test]
    fn a_name_may_stand_once() {
        let error = parse("f", "a: 1\nb: 2\na: 3\n").unwrap_err();
        assert_eq!((error.code.as_str(), error.place), ("Y002", Place { line: 3, column: 1 }));
    }

    #[test]
    fn a_small_file_cannot_become_a_huge_tree() {
        let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..8 {
            let below = format!("*a{},", level - 1).repeat(10);
            text.push_str(&format!("a{level}: &a{level} [{}]\n", below.trim_end_matches(',')));
        }
        assert_eq!(parse("f", &text).unwrap_err().code, "Y001");
    }
}
