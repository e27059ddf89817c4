//! Expressions as a design writes them, made ready to be sent: every attribute name gets an alias, every literal and
//! parameter a placeholder. Knows the tokens of expressions, and leaves their grammar to the endpoint.

use item::Value;
use serde_json::{Map, Value as Json};

use crate::json::value_to_json;

/// Aliases and placeholders of one request.
#[derive(Debug, Default)]
pub(super) struct Placeholders {
    names: Vec<(String, String)>,
    values: Vec<(String, Value)>,
}

/// Gives the value of a parameter; the path it is compared with helps to know its type.
pub(super) type Lookup<'a> = dyn Fn(&str, Option<&str>) -> Result<Value, String> + 'a;

const FUNCTIONS: &[&str] = &[
    "attribute_exists",
    "attribute_not_exists",
    "attribute_type",
    "begins_with",
    "contains",
    "size",
    "if_not_exists",
    "list_append",
];
const KEYWORDS: &[&str] = &["AND", "OR", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE"];

impl Placeholders {
    /// The alias of an attribute's name: the name itself behind `#`, where it is made of letters that may stand there.
    pub(super) fn name(&mut self, name: &str) -> String {
        if let Some((alias, _)) = self.names.iter().find(|(_, known)| known == name) {
            return alias.clone();
        }
        let plain: String =
            name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
        let alias =
            self.free(&format!("#{plain}"), |this, alias| this.names.iter().any(|(known, _)| known == alias));
        self.names.push((alias.clone(), name.to_owned()));
        alias
    }

    /// The placeholder of a value, called after what it is for.
    pub(super) fn value(&mut self, wish: &str, value: Value) -> String {
        let plain: String =
            wish.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
        let wish = format!(":{plain}");
        if self.values.iter().any(|(known, other)| *known == wish && *other == value) {
            return wish;
        }
        let placeholder = self.free(&wish, |this, name| this.values.iter().any(|(known, _)| known == name));
        self.values.push((placeholder.clone(), value));
        placeholder
    }

    fn free(&self, wish: &str, is_taken: impl Fn(&Placeholders, &str) -> bool) -> String {
        let numbered = (2_usize..).map(|number| format!("{wish}_{number}"));
        let mut wishes = std::iter::once(wish.to_owned()).chain(numbered);
        wishes.find(|wish| !is_taken(self, wish)).unwrap_or_default()
    }

    /// Puts both maps into a request, if there is anything in them.
    pub(super) fn finish(self, body: &mut Map<String, Json>) {
        if !self.names.is_empty() {
            let names = self.names.into_iter().map(|(alias, name)| (alias, Json::String(name)));
            body.insert("ExpressionAttributeNames".to_owned(), Json::Object(names.collect()));
        }
        if !self.values.is_empty() {
            let values = self.values.iter().map(|(name, value)| (name.clone(), value_to_json(value)));
            body.insert("ExpressionAttributeValues".to_owned(), Json::Object(values.collect()));
        }
    }

    /// The expression with aliases and placeholders.
    pub(super) fn translate(&mut self, text: &str, lookup: &Lookup<'_>) -> Result<String, String> {
        let tokens = tokens(text)?;
        let mut out = String::new();
        // The path that a parameter is compared with or set on, and whether it is only measured.
        let mut path: Option<String> = None;
        let mut is_measured = false;
        for (place, token) in tokens.iter().enumerate() {
            match token {
                Token::Word(word) if is_call(word, tokens.get(place + 1)) => {
                    is_measured = word == "size";
                    out.push_str(word);
                }
                Token::Word(word) if is_keyword(word) => {
                    let word = word.to_uppercase();
                    if word != "BETWEEN" && word != "IN" {
                        path = None;
                    }
                    out.push_str(&word);
                }
                Token::Word(word) if is_constant(word) => {
                    let value = match word.as_str() {
                        "true" => Value::Bool(true),
                        "false" => Value::Bool(false),
                        _ => Value::Null,
                    };
                    out.push_str(&self.value(word, value));
                }
                Token::Word(word) | Token::Quoted(word) => {
                    out.push_str(&self.name(word));
                    let is_inside = place > 0 && matches!(tokens.get(place - 1), Some(Token::Mark('.')));
                    path = match path.take().filter(|_| is_inside) {
                        Some(before) => Some(format!("{before}.{word}")),
                        None => Some(word.clone()),
                    };
                    if std::mem::take(&mut is_measured) {
                        path = None;
                    }
                }
                Token::Parameter(name) => {
                    let value = lookup(name, path.as_deref())?;
                    out.push_str(&self.value(name, value));
                }
                Token::Index(index) => {
                    out.push_str(&format!("[{index}]"));
                    path = path.map(|path| format!("{path}[]"));
                }
                Token::Number(text) => {
                    let number = item::Number::parse(text).map_err(|_| format!("{text} is no number"))?;
                    out.push_str(&self.value("number", Value::N(number)));
                }
                Token::Text(text) => out.push_str(&self.value("text", Value::S(text.clone()))),
                Token::Mark(mark) => out.push(*mark),
                Token::Space => out.push(' '),
            }
        }
        Ok(out)
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    /// A name in backticks, for names with letters that words cannot have.
    Quoted(String),
    Parameter(String),
    Index(String),
    Number(String),
    Text(String),
    Mark(char),
    Space,
}

fn is_call(word: &str, next: Option<&Token>) -> bool {
    FUNCTIONS.contains(&word) && next == Some(&Token::Mark('('))
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word.to_uppercase().as_str())
}

fn is_constant(word: &str) -> bool {
    matches!(word, "true" | "false" | "null")
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let (token, tail) = match first {
            letter if letter.is_whitespace() => (Token::Space, after.trim_start()),
            letter if letter.is_ascii_digit() => {
                let (number, tail) = split(rest, |letter| letter.is_ascii_digit() || letter == '.');
                (Token::Number(number.to_owned()), tail)
            }
            letter if is_word(letter) => {
                let (word, tail) = split(rest, is_word);
                (Token::Word(word.to_owned()), tail)
            }
            ':' => {
                let (name, tail) = split(after, is_word);
                (Token::Parameter(name.to_owned()), tail)
            }
            '[' => {
                let (index, tail) = after.split_once(']').ok_or("`[` without `]`")?;
                (Token::Index(index.trim().to_owned()), tail)
            }
            '\'' | '"' => {
                let (inside, tail) =
                    after.split_once(first).ok_or_else(|| format!("{first} without its end"))?;
                (Token::Text(inside.to_owned()), tail)
            }
            '`' => {
                let (inside, tail) = after.split_once('`').ok_or("` without its end")?;
                (Token::Quoted(inside.to_owned()), tail)
            }
            '#' => return Err("names get their `#` when they are sent: write them as they are".to_owned()),
            mark => (Token::Mark(mark), after),
        };
        found.push(token);
        rest = tail;
    }
    Ok(found)
}

fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|letter| !belongs(letter)).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(text: &str, expected: &str, names: Json, values: Json) {
        let mut placeholders = Placeholders::default();
        let lookup =
            |name: &str, path: Option<&str>| Ok(Value::S(format!("{name} at {}", path.unwrap_or("-"))));
        assert_eq!(placeholders.translate(text, &lookup).as_deref(), Ok(expected), "{text}");
        let mut body = Map::new();
        placeholders.finish(&mut body);
        assert_eq!(body.get("ExpressionAttributeNames").cloned().unwrap_or_default(), names, "{text}");
        assert_eq!(body.get("ExpressionAttributeValues").cloned().unwrap_or_default(), values, "{text}");
    }

    #[test]
    fn names_and_values_are_replaced() {
        check(
            "ttl < :now AND attribute_exists(restaurant)",
            "#ttl < :now AND attribute_exists(#restaurant)",
            json!({ "#ttl": "ttl", "#restaurant": "restaurant" }),
            json!({ ":now": { "S": "now at ttl" } }),
        );
        check(
            "SET Foods[0].Quantity = :quantity, name=:name REMOVE a.b",
            "SET #Foods[0].#Quantity = :quantity, #name=:name REMOVE #a.#b",
            json!({ "#Foods": "Foods", "#Quantity": "Quantity", "#name": "name", "#a": "a", "#b": "b" }),
            json!({ ":quantity": { "S": "quantity at Foods[].Quantity" }, ":name": { "S": "name at name" } }),
        );
        check(
            "size(a) > :n and not `data-type` in ('x', 1.5, true)",
            "size(#a) > :n AND NOT #data_type IN (:text, :number, :true)",
            json!({ "#a": "a", "#data_type": "data-type" }),
            json!({ ":n": { "S": "n at -" }, ":text": { "S": "x" }, ":number": { "N": "1.5" }, ":true": { "BOOL": true } }),
        );
        check(
            "set n = if_not_exists(n, 0) + 1, m = n - 0",
            "SET #n = if_not_exists(#n, :number) + :number_2, #m = #n - :number",
            json!({ "#n": "n", "#m": "m" }),
            json!({ ":number": { "N": "0" }, ":number_2": { "N": "1" } }),
        );
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let lookup = |name: &str, _: Option<&str>| Err(format!("there is no parameter {name}"));
        for (text, expected) in [
            ("#a = 1", "names get their `#` when they are sent: write them as they are"),
            ("a = 'x", "' without its end"),
            ("a[1 = 2", "`[` without `]`"),
            ("a = :b", "there is no parameter b"),
        ] {
            assert_eq!(Placeholders::default().translate(text, &lookup), Err(expected.to_owned()), "{text}");
        }
    }
}
