//! Cuts parts out of items. Knows no tables and no requests.

use std::collections::BTreeMap;

use item::{Item, Value};

use crate::path::{Path, Step};
use crate::placeholders::Placeholders;
use crate::syntax::RawPath;
use crate::token::{Token, Tokens};
use crate::{Error, Kind, overlap};

/// The parts of an item that are asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Projection {
    paths: Vec<Path>,
    attributes: BTreeMap<String, Part>,
}

/// How much of a value is asked for.
#[derive(Debug, Clone, PartialEq)]
enum Part {
    Whole,
    Keys(BTreeMap<String, Part>),
    Places(BTreeMap<usize, Part>),
}

impl Projection {
    /// Reads a `ProjectionExpression`.
    pub fn parse(text: &str, placeholders: &mut Placeholders) -> Result<Projection, Error> {
        let kind = Kind::Projection;
        let mut tokens = Tokens::new(kind, text)?;
        let mut raw = vec![RawPath::parse(&mut tokens)?];
        while tokens.accept(Token::Comma) {
            raw.push(RawPath::parse(&mut tokens)?);
        }
        tokens.expect(Token::End)?;
        raw.iter().try_for_each(|path| path.check_words(kind))?;
        let paths = raw.iter().map(|path| path.resolve(kind, placeholders)).collect::<Result<Vec<_>, _>>()?;
        overlap::refuse(kind, &paths.iter().collect::<Vec<_>>())?;
        Ok(Projection::of_paths(paths))
    }

    /// Whole attributes, as `AttributesToGet` asks for them.
    pub fn of_names(names: Vec<String>) -> Projection {
        Projection::of_paths(names.into_iter().map(Path::attribute).collect())
    }

    /// The values at these paths, none of which overlap.
    pub fn of_paths(paths: Vec<Path>) -> Projection {
        let mut attributes = BTreeMap::new();
        for path in &paths {
            match attributes.get_mut(&path.root) {
                Some(part) => Part::add(part, &path.steps),
                None => {
                    attributes.insert(path.root.clone(), Part::of(&path.steps));
                }
            }
        }
        Projection { paths, attributes }
    }

    /// The parts that the item has. Maps and lists keep their shape around them; list elements move up.
    pub fn cut(&self, item: &Item) -> Item {
        let parts = self.attributes.iter().filter_map(|(name, part)| {
            let value = part.cut(item.get(name)?)?;
            Some((name.clone(), value))
        });
        parts.collect()
    }

    /// The paths, in the order of the text.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// The attributes of which something is asked for, sorted.
    pub fn roots(&self) -> impl Iterator<Item = &str> {
        self.attributes.keys().map(String::as_str)
    }
}

impl Part {
    fn of(steps: &[Step]) -> Part {
        match steps {
            [] => Part::Whole,
            [Step::Name(name), rest @ ..] => Part::Keys(BTreeMap::from([(name.clone(), Part::of(rest))])),
            [Step::Index(index), rest @ ..] => Part::Places(BTreeMap::from([(*index, Part::of(rest))])),
        }
    }

    fn add(&mut self, steps: &[Step]) {
        match (self, steps) {
            (Part::Keys(keys), [Step::Name(name), rest @ ..]) => match keys.get_mut(name) {
                Some(part) => part.add(rest),
                None => {
                    keys.insert(name.clone(), Part::of(rest));
                }
            },
            (Part::Places(places), [Step::Index(index), rest @ ..]) => match places.get_mut(index) {
                Some(part) => part.add(rest),
                None => {
                    places.insert(*index, Part::of(rest));
                }
            },
            // Paths that overlap or conflict never come here; the first of them stays.
            _ => {}
        }
    }

    fn cut(&self, value: &Value) -> Option<Value> {
        match (self, value) {
            (Part::Whole, value) => Some(value.clone()),
            (Part::Keys(keys), Value::M(map)) => {
                let parts = keys.iter().filter_map(|(key, part)| {
                    let value = part.cut(map.get(key)?)?;
                    Some((key.clone(), value))
                });
                let cut: Item = parts.collect();
                (!cut.is_empty()).then_some(Value::M(cut))
            }
            (Part::Places(places), Value::L(list)) => {
                let cut: Vec<Value> =
                    places.iter().filter_map(|(index, part)| part.cut(list.get(*index)?)).collect();
                (!cut.is_empty()).then_some(Value::L(cut))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{item, list, map, number, placeholders, text};

    fn check(expression: &str, expected: Result<Item, &str>) {
        let names = [("#a", "a"), ("#b", "b"), ("#3", "[3]"), ("#name", "name")];
        let item = item(&[
            ("a", map(&[("b", text("ab")), ("c", list(vec![text("x"), text("y"), text("z")]))])),
            ("b", list(vec![text("b0"), map(&[("k", number("1")), ("l", number("2"))]), text("b2")])),
            ("name", text("n")),
            ("void_", map(&[])),
        ]);
        let got = Projection::parse(expression, &mut placeholders(&names, &[]));
        let got = got.map(|projection| projection.cut(&item)).map_err(|error| error.to_string());
        assert_eq!(got, expected.map_err(str::to_string), "{expression}");
    }

    #[test]
    fn parts_keep_their_shape() {
        check("#name, gone", Ok(item(&[("name", text("n"))])));
        check("a.b", Ok(item(&[("a", map(&[("b", text("ab"))]))])));
        check("a.c[2], a.c[0]", Ok(item(&[("a", map(&[("c", list(vec![text("x"), text("z")]))]))])));
        check("b[1].k, b[9]", Ok(item(&[("b", list(vec![map(&[("k", number("1"))])]))])));
        check("a.x, b[0].y, b.k, #name.z, #name[0]", Err(&conflict("[b, [0], y]", "[b, k]")));
        check("a.x, b[0].y, void_.e", Ok(Item::new()));
        check("void_", Ok(item(&[("void_", map(&[]))])));
        check(" a . b ", Ok(item(&[("a", map(&[("b", text("ab"))]))])));
    }

    fn overlap(one: &str, two: &str) -> String {
        format!(
            "Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of \
             these paths; path one: {one}, path two: {two}"
        )
    }

    fn conflict(one: &str, two: &str) -> String {
        overlap(one, two).replace("overlap", "conflict")
    }

    #[test]
    fn overlaps_and_conflicts_are_refused() {
        for (expression, one, two) in [
            ("a, a", "[a]", "[a]"),
            ("a, a.b", "[a]", "[a, b]"),
            ("a.b, a", "[a, b]", "[a]"),
            ("b[1], b.a, #a.b, a", "[a, b]", "[a]"),
            ("a, #a[1]", "[a]", "[a, [1]]"),
            ("a,b,a", "[a]", "[b]"),
        ] {
            check(expression, Err(&overlap(one, two)));
        }
        for (expression, one, two) in [
            ("a.b, #a[1], #3", "[a, b]", "[a, [1]]"),
            ("a.b[1], #a[1], #3", "[a, b, [1]]", "[a, [1]]"),
            ("a[3].b, #a.#3.b", "[a, [3], b]", "[a, [3], b]"),
        ] {
            check(expression, Err(&conflict(one, two)));
        }
    }

    #[test]
    fn errors_name_the_expression() {
        let long = format!("a{}", ".b".repeat(32));
        for (expression, expected) in [
            ("", "The expression can not be empty;"),
            ("!!! INVALID !!!", "Syntax error; token: \"!\", near: \"!!\""),
            ("whatever(stuff)", "Syntax error; token: \"(\", near: \"whatever(stuff\""),
            (":a", "Syntax error; token: \":a\", near: \":a\""),
            ("abort,", "Syntax error; token: \"<EOF>\", near: \",\""),
            ("a,,b", "Syntax error; token: \",\", near: \",,b\""),
            ("a..b", "Syntax error; token: \".\", near: \"..b\""),
            ("a[b]", "Syntax error; token: \"b\", near: \"[b]\""),
            ("(a)", "Syntax error; token: \"(\", near: \"(a\""),
            ("a-b", "Syntax error; token: \"-\", near: \"a-b\""),
            ("a.abORt", "Attribute name is a reserved keyword; reserved keyword: abORt"),
            ("#x,ABSoLUTE", "Attribute name is a reserved keyword; reserved keyword: ABSoLUTE"),
            (
                "a,b,a,#x",
                "An expression attribute name used in the document path is not defined; attribute name: #x",
            ),
            ("a[99999999999]", "List index is not within the allowable range; index: [99999999999]"),
            (&long, "The document path has too many nesting elements; nesting levels: 33"),
        ] {
            check(expression, Err(&format!("Invalid ProjectionExpression: {expected}")));
        }
    }
}
