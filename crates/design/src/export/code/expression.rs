//! Expressions as a design writes them, with an alias for every attribute name and a placeholder for every literal.
//! Knows no programming language.

use item::Value;

use super::call::Call;
use super::term::Term;
use crate::model::Step;

/// Words of expressions that are no attribute names.
const WORDS: [&str; 17] = [
    "AND",
    "OR",
    "NOT",
    "BETWEEN",
    "IN",
    "SET",
    "REMOVE",
    "ADD",
    "DELETE",
    "ATTRIBUTE_EXISTS",
    "ATTRIBUTE_NOT_EXISTS",
    "ATTRIBUTE_TYPE",
    "BEGINS_WITH",
    "CONTAINS",
    "SIZE",
    "IF_NOT_EXISTS",
    "LIST_APPEND",
];

/// An expression with every attribute name replaced by an alias and every literal by a placeholder. A function's
/// name counts as one only before `(`.
pub(super) fn aliased(call: &mut Call<'_>, expression: &str) -> String {
    let mut out = String::new();
    let tokens = tokens(expression);
    for (place, token) in tokens.iter().enumerate() {
        let is_called = matches!(tokens.get(place + 1), Some(Token::Mark('(')));
        match token {
            Token::Word(word) if is_word(word, is_called) => out.push_str(word),
            Token::Word(word) => match word.as_str() {
                "true" | "false" => out.push_str(&add_constant(call, Value::Bool(word == "true"))),
                "null" => out.push_str(&add_constant(call, Value::Null)),
                _ => out.push_str(&add_name(call, word)),
            },
            Token::Quoted(name) => out.push_str(&add_name(call, name)),
            Token::Parameter(name) => out.push_str(&format!(":{name}")),
            Token::Number(text) => match item::Number::parse(text) {
                Ok(number) => out.push_str(&add_constant(call, Value::N(number))),
                Err(_) => out.push_str(text),
            },
            Token::Text(text) => out.push_str(&add_constant(call, Value::S(text.clone()))),
            Token::Index(text) => out.push_str(text),
            Token::Mark(letter) => out.push(*letter),
        }
    }
    out
}

fn is_word(word: &str, is_called: bool) -> bool {
    let upper = word.to_ascii_uppercase();
    let is_function = upper.contains('_') || matches!(upper.as_str(), "CONTAINS" | "SIZE");
    WORDS.contains(&upper.as_str()) && (is_called || !is_function)
}

fn add_constant(call: &mut Call<'_>, value: Value) -> String {
    let name = format!(":constant{}", call.values.len());
    call.values.push((name.clone(), Term::Constant(value)));
    name
}

enum Token {
    Word(String),
    /// A name in backticks.
    Quoted(String),
    Parameter(String),
    Number(String),
    Text(String),
    /// A place in a list with its brackets.
    Index(String),
    Mark(char),
}

fn tokens(expression: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = expression;
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        let (token, tail) = match first {
            letter if letter.is_ascii_digit() => {
                let (number, tail) = split(rest, |letter| letter.is_ascii_digit() || letter == '.');
                (Token::Number(number.into()), tail)
            }
            letter if is_name(letter) => {
                let (word, tail) = split(rest, is_name);
                (Token::Word(word.into()), tail)
            }
            ':' => {
                let (name, tail) = split(after, is_name);
                (Token::Parameter(name.into()), tail)
            }
            '[' => {
                let (place, tail) = after.split_once(']').unwrap_or((after, ""));
                (Token::Index(format!("[{place}]")), tail)
            }
            '`' => {
                let (name, tail) = after.split_once('`').unwrap_or((after, ""));
                (Token::Quoted(name.into()), tail)
            }
            '\'' | '"' => {
                let (text, tail) = after.split_once(first).unwrap_or((after, ""));
                (Token::Text(text.into()), tail)
            }
            mark => (Token::Mark(mark), after),
        };
        tokens.push(token);
        rest = tail;
    }
    tokens
}

fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|letter| !belongs(letter)).unwrap_or(text.len()))
}

/// The placeholders of an expression, without their colons.
pub(super) fn placeholders(expression: &str) -> Vec<String> {
    let parameter = |token| if let Token::Parameter(name) = token { Some(name) } else { None };
    tokens(expression).into_iter().filter_map(parameter).collect()
}

/// The alias of an attribute.
pub(super) fn add_name(call: &mut Call<'_>, attribute: &str) -> String {
    let plain: String =
        attribute.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    let alias = format!("#{plain}");
    if !call.names.iter().any(|(known, _)| *known == alias) {
        call.names.push((alias.clone(), attribute.into()));
    }
    alias
}

/// The attribute that a placeholder is compared with or set on, if it stands right before it.
pub(super) fn neighbour(step: &Step, placeholder: &str) -> Option<String> {
    for text in [&step.filter, &step.condition, &step.update].into_iter().flatten() {
        let tokens: Vec<Token> =
            tokens(&text.value).into_iter().filter(|token| !matches!(token, Token::Mark(' '))).collect();
        let is_it = |token: &Token| matches!(token, Token::Parameter(name) if name == placeholder);
        let Some(place) = tokens.iter().position(is_it) else { continue };
        let before = tokens.get(..place).unwrap_or_default();
        let signs =
            before.iter().rev().take_while(|token| matches!(token, Token::Mark('=' | '<' | '>'))).count();
        let rest = before.get(..before.len() - signs).unwrap_or_default();
        if let (true, [.., Token::Word(name)]) = (signs > 0, rest) {
            let is_inner = matches!(rest, [.., Token::Mark('.'), _]);
            return (!is_inner).then(|| name.clone());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::code::Operation;
    use crate::model::Table;

    #[test]
    fn every_attribute_name_is_aliased() {
        let table = Table::default();
        for (text, expected) in [
            ("ttl < :now AND attribute_exists(restaurant)", "#ttl < :now AND attribute_exists(#restaurant)"),
            ("dataQuality.completeness < :least", "#dataQuality.#completeness < :least"),
            ("SET Foods[0].Quantity = :q REMOVE a", "SET #Foods[0].#Quantity = :q REMOVE #a"),
            ("SET n = if_not_exists(n, :zero) + :one", "SET #n = if_not_exists(#n, :zero) + :one"),
            ("contains(size, :x)", "contains(#size, :x)"),
        ] {
            assert_eq!(
                aliased(&mut crate::export::code::call::empty(Operation::Scan, &table), text),
                expected
            );
        }
        assert_eq!(placeholders("SET a = :b + :c"), ["b", "c"]);
    }
}
