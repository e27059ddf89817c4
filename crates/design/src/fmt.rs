//! The one way a design file is laid out: two spaces a level, one blank line between sections, no spaces at line ends.
//! Comments, quotes and the order of keys stay as they are. Knows YAML, no design.

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::diagnostic::Diagnostic;
use crate::yaml::{self, Content, Node};

/// A text that is still laid out anew after so many times is left as it is.
const TIMES_MAX: usize = 4;

/// Lays a file out, so that laying it out again changes nothing. What it says is compared before and after, so that a
/// layout can never change a design.
pub fn format(text: &str) -> Result<String, Diagnostic> {
    let before = yaml::parse("", text)?;
    // A return alone ends a line of YAML, too.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.trim_start_matches('\u{feff}');
    let mut latest = text.to_owned();
    for _ in 0..TIMES_MAX {
        let next = once(&latest, &before);
        if next == latest {
            return Ok(latest);
        }
        latest = next;
    }
    Ok(text.to_owned())
}

/// The best layout that says the same, or the text itself.
fn once(text: &str, before: &Node) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let inner = inner_lines(text, &lines);
    let layouts = [indented(&lines, &inner), trimmed(&lines, &inner)];
    let says = |layout: &String| yaml::parse("", layout).is_ok_and(|after| says_the_same(before, &after));
    layouts.into_iter().find(says).unwrap_or_else(|| text.to_owned())
}

/// How a line came about: a line of its own, or the rest of a value that began above.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Own,
    Flow,
    Text,
}

/// Which lines lie inside a flow collection or a text of several lines.
fn inner_lines(text: &str, lines: &[&str]) -> Vec<Kind> {
    let mut kinds = vec![Kind::Own; lines.len() + 2];
    let mut open: Vec<usize> = Vec::new();
    let mut mark = |from: usize, to: usize, kind: Kind| {
        let below = kinds.iter_mut().skip(from).take(to.saturating_sub(from));
        below.filter(|known| **known != Kind::Text).for_each(|known| *known = kind);
    };
    for (event, span) in Parser::new_from_str(text).flatten() {
        let (from, to) = (span.start.line(), span.end.line());
        match event {
            Event::Scalar(content, ScalarStyle::Literal | ScalarStyle::Folded, ..) => {
                // The first mark stands in the first line of the text, below its header; the last may already stand
                // in the line that follows.
                let above =
                    lines.iter().take(from.saturating_sub(1)).rposition(|line| !line.trim().is_empty());
                let is_empty = content.trim_matches('\n').is_empty();
                let header = if is_empty { from } else { above.map_or(from, |above| above + 1) };
                let last = lines.get(to.saturating_sub(1)).copied().unwrap_or_default();
                let is_below = last.chars().take(span.end.col()).all(|letter| letter == ' ');
                mark(header, if is_below { to.saturating_sub(1) } else { to }, Kind::Text);
            }
            Event::Scalar(
                _,
                ScalarStyle::Plain | ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted,
                ..,
            ) => {
                mark(from, to, Kind::Text);
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                open.push(if span.is_empty() { usize::MAX } else { from });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(from) = open.pop().filter(|from| *from != usize::MAX) {
                    mark(from, if span.is_empty() { from } else { to }, Kind::Flow);
                }
            }
            Event::Alias(_)
            | Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => {}
        }
    }
    kinds
}

/// One level of indentation: where it stood, where it goes, and whether it is a list.
#[derive(Clone, Copy)]
struct Level {
    old: usize,
    new: usize,
    is_list: bool,
}

struct Layout {
    out: Vec<String>,
    levels: Vec<Level>,
    comments: Vec<(usize, String)>,
    shift: (usize, usize),
}

fn indented(lines: &[&str], inner: &[Kind]) -> String {
    let mut layout = Layout { out: Vec::new(), levels: Vec::new(), comments: Vec::new(), shift: (0, 0) };
    for (line, kind) in lines.iter().zip(inner) {
        let body = line.trim_start_matches(' ');
        let old = line.len() - body.len();
        match kind {
            Kind::Text => layout.rest(old, body),
            Kind::Flow => layout.rest(old, body.trim_end()),
            Kind::Own if body.trim().is_empty() => layout.comments.push((0, String::new())),
            Kind::Own if body.starts_with('#') => layout.comments.push((old, body.trim_end().to_owned())),
            Kind::Own => layout.line(old, body.trim_end()),
        }
    }
    layout.finish()
}

impl Layout {
    /// The rest of a value moves with its beginning.
    fn rest(&mut self, old: usize, body: &str) {
        let (was, is) = self.shift;
        self.place_comments(was, is);
        let indent = if old >= was { old - was + is } else { is + 2 };
        self.out.push(if body.is_empty() { String::new() } else { format!("{}{body}", " ".repeat(indent)) });
    }

    fn line(&mut self, old: usize, body: &str) {
        let is_list = body == "-" || body.starts_with("- ");
        let new = self.enter(old, is_list);
        let body = if is_list { self.element(old, new, body) } else { body.to_owned() };
        self.place_comments(old, new);
        let is_section = new == 0 && !is_list && body.ends_with(':');
        if is_section {
            self.blank_before_section();
        }
        self.shift = (old, new);
        self.out.push(format!("{}{body}", " ".repeat(new)));
    }

    /// The new indentation of a line that stood at `old`.
    fn enter(&mut self, old: usize, is_list: bool) -> usize {
        while let Some(top) = self.levels.last() {
            // A list may stand right below its key, at the same column; what follows it there is a key again.
            let leaves_list = top.old == old && top.is_list && !is_list;
            if top.old > old || leaves_list {
                self.levels.pop();
            } else {
                break;
            }
        }
        match self.levels.last() {
            Some(top) if top.old == old && top.is_list == is_list => top.new,
            Some(top) => {
                let new = top.new + 2;
                self.levels.push(Level { old, new, is_list });
                new
            }
            None => {
                self.levels.push(Level { old, new: 0, is_list });
                0
            }
        }
    }

    /// `-   key: value` has a map or another list inside, at the column after the dash.
    fn element(&mut self, old: usize, new: usize, body: &str) -> String {
        let Some(rest) = body.strip_prefix("- ") else { return body.to_owned() };
        let inside = rest.trim_start_matches(' ');
        let column = old + body.len() - inside.len();
        let is_list = inside.starts_with("- ");
        let is_plain = !inside.starts_with(['{', '[', '"', '\'', '#', '|', '>']);
        if is_plain && (is_list || inside.ends_with(':') || inside.contains(": ")) {
            self.levels.push(Level { old: column, new: new + 2, is_list });
        }
        let inside = if is_list { self.element(column, new + 2, inside) } else { inside.to_owned() };
        format!("- {inside}")
    }

    /// Comments belong to the line below them, unless they stand deeper: then they end what is above.
    fn place_comments(&mut self, old: usize, new: usize) {
        let mut was_blank = self.out.is_empty();
        for (column, text) in std::mem::take(&mut self.comments) {
            if text.is_empty() {
                if !was_blank {
                    self.out.push(String::new());
                }
                was_blank = true;
                continue;
            }
            let indent = if column > old { new + (column - old) } else { new };
            self.out.push(format!("{}{text}", " ".repeat(indent)));
            was_blank = false;
        }
    }

    /// A blank line before a section and the comments that belong to it.
    fn blank_before_section(&mut self) {
        let comments = self.out.iter().rev().take_while(|line| line.starts_with('#')).count();
        let at = self.out.len() - comments;
        let above = at.checked_sub(1).and_then(|above| self.out.get(above));
        if above.is_some_and(|line| !line.is_empty()) {
            self.out.insert(at, String::new());
        }
    }

    fn finish(mut self) -> String {
        self.place_comments(0, 0);
        while self.out.last().is_some_and(String::is_empty) {
            self.out.pop();
        }
        let mut text = self.out.join("\n");
        text.push('\n');
        text
    }
}

/// Only the ends of lines, for what cannot be indented anew.
fn trimmed(lines: &[&str], inner: &[Kind]) -> String {
    let line = |(line, kind): (&&str, &Kind)| match kind {
        Kind::Text => (*line).to_owned(),
        Kind::Own | Kind::Flow => line.trim_end().to_owned(),
    };
    let lines: Vec<String> = lines.iter().zip(inner).map(line).collect();
    format!("{}\n", lines.join("\n").trim_end())
}

/// Whether two files say the same, wherever they say it.
fn says_the_same(left: &Node, right: &Node) -> bool {
    left.tag == right.tag
        && match (&left.content, &right.content) {
            (Content::Map(left), Content::Map(right)) => {
                left.len() == right.len()
                    && left.iter().zip(right).all(|((name, left), (other, right))| {
                        name.value == other.value && says_the_same(left, right)
                    })
            }
            (Content::List(left), Content::List(right)) => {
                left.len() == right.len()
                    && left.iter().zip(right).all(|(left, right)| says_the_same(left, right))
            }
            (left @ Content::Scalar { .. }, right @ Content::Scalar { .. }) => left == right,
            (Content::Scalar { .. } | Content::List(_) | Content::Map(_), _) => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str) {
        let once = format(before).unwrap();
        assert_eq!(once, after);
        assert_eq!(format(&once).unwrap(), once, "a second time changes nothing");
    }

    #[test]
    fn levels_are_two_spaces_and_sections_stand_apart() {
        check(
            "\n\ndesign: 1\ntables:\n    Data:   \n        Properties:\n            KeySchema:\n            - {AttributeName: PK,\n               KeyType: HASH}\n            # the rest\n            -   AttributeName: SK\n                KeyType: RANGE\n            Tags: []\n\n\n\n# who\nentities:\n        A:\n         table: Data   # here\n",
            "design: 1\n\ntables:\n  Data:\n    Properties:\n      KeySchema:\n        - {AttributeName: PK,\n           KeyType: HASH}\n        # the rest\n        - AttributeName: SK\n          KeyType: RANGE\n      Tags: []\n\n# who\nentities:\n  A:\n    table: Data   # here\n",
        );
    }

    #[test]
    fn texts_of_several_lines_keep_their_shape() {
        check(
            "a:\n    b: |\n        one\n          two  \n\n        three\n    c: >-\n        x\n        y\n    d: \"p\n      q\"\n",
            "a:\n  b: |\n      one\n        two  \n\n      three\n  c: >-\n      x\n      y\n  d: \"p\n    q\"\n",
        );
    }

    #[test]
    fn json_keeps_its_lines() {
        check("{\"design\": 1,  \n   \"tables\": {}}", "{\"design\": 1,\n   \"tables\": {}}\n");
    }

    #[test]
    fn a_file_that_cannot_be_read_is_left_alone() {
        assert_eq!(format("a: [1\n").unwrap_err().code, "Y001");
    }

    #[test]
    fn a_file_of_one_text_keeps_its_comments_above() {
        check(
            "# one\n\n! >   # two\n             three: four\n \t",
            "# one\n\n! >   # two\n             three: four\n",
        );
    }

    #[test]
    fn lines_end_in_three_ways() {
        let text = "# a comment\na:\n    b: 1\n\nc: 2\n";
        let laid_out = format(text).unwrap();
        for end in ["\r\n", "\r"] {
            assert_eq!(format(&text.replace('\n', end)).unwrap(), laid_out);
        }
    }
}
