//! The constraints that the service's model puts on members, and the exact texts about those that are not met.
//! Read only once a request was refused.

use op::Error;

use crate::fields::Pairs;
use crate::json::{Json, member};
use crate::shape::{Member, Shape, echo, echo_json, lower_first};

/// One constraint on one member.
#[derive(Debug)]
pub(crate) struct Rule {
    /// Names of members from the body down; `*` stands for each element of a list or a map.
    pub(crate) path: &'static str,
    pub(crate) test: Test,
    pub(crate) style: Style,
}

/// What must hold of a member. All but [`Test::Required`] hold of an absent one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Test {
    /// It is there.
    Required,
    /// A text, list or map is not shorter.
    LengthMin(usize),
    /// A text, list or map is not longer.
    LengthMax(usize),
    /// A table's name or ARN is not shorter than a name may be.
    NameMin(usize),
    /// A table's name, unless it is an ARN, is not longer than a name may be.
    NameMax,
    /// A table's name, unless it is an ARN, has no characters but these.
    NamePattern,
    /// A text has only the characters of names.
    Pattern,
    /// A text is one of these.
    OneOf(&'static [&'static str]),
    /// A text is one of the first, but the second are printed.
    OneOfPrinted(&'static [&'static str], &'static [&'static str]),
    /// A number is not smaller.
    AtLeast(i64),
    /// A number is not larger.
    AtMost(i64),
    /// The lists in a map have a length between these.
    ValueLengths(usize, usize),
    /// The keys of a map are names of tables.
    KeyNames,
    /// A text is of a form, which is printed as a pattern.
    Form(fn(&str) -> bool, &'static str),
    /// These hold of a structure's members.
    Within(&'static [Rule]),
}

/// How a violation is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `Value 'x' at 'tableName' failed to satisfy constraint: …`
    Echo,
    /// The same with the value as it was sent.
    EchoJson,
    /// `Value at 'TableName' failed to satisfy constraint: …`
    Bare,
    /// `Failed to satisfy constraint: …`
    Nameless,
    /// A sentence of its own, alone in the answer.
    Alone(&'static str),
}

/// The pattern of names, as the service prints it.
const NAME_PATTERN: &str = "[a-zA-Z0-9_.-]+";
const NAME_LENGTH_MAX: usize = 255;
/// How many violations are told. The service has no such bound, but an answer must not be many times the request.
const VIOLATIONS_MAX: usize = 100;

/// A rule told with an echo of the value.
pub(crate) const fn rule(path: &'static str, test: Test) -> Rule {
    Rule { path, test, style: Style::Echo }
}

/// A rule told with the value as it was sent.
pub(crate) const fn as_json(path: &'static str, test: Test) -> Rule {
    Rule { path, test, style: Style::EchoJson }
}

/// A rule told without the value.
pub(crate) const fn bare(path: &'static str, test: Test) -> Rule {
    Rule { path, test, style: Style::Bare }
}

/// A rule told without value and name.
pub(crate) const fn nameless(path: &'static str, test: Test) -> Rule {
    Rule { path, test, style: Style::Nameless }
}

/// A rule told in a sentence of its own.
pub(crate) const fn alone(path: &'static str, test: Test, sentence: &'static str) -> Rule {
    Rule { path, test, style: Style::Alone(sentence) }
}

/// Whether a text has only the characters of names, and at least one.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

/// Goes through the stages of an operation: the first with a violation is answered with all of its violations.
pub(crate) fn check(
    stages: &'static [&'static [Rule]],
    members: &'static [Member],
    body: &Pairs<'_>,
) -> Result<(), Error> {
    for stage in stages {
        let mut violations = Vec::new();
        for rule in *stage {
            let segments: Vec<&str> = rule.path.split('.').collect();
            let root = Node::Members(members, body);
            let before = violations.len();
            visit(&segments, root, String::new(), rule, &mut violations);
            if let (Style::Alone(sentence), true) = (rule.style, violations.len() > before) {
                return Err(Error::validation(sentence));
            }
        }
        if !violations.is_empty() {
            return Err(Error::validation(detected(&violations)));
        }
    }
    Ok(())
}

/// The text of one or more violations.
fn detected(violations: &[String]) -> String {
    let errors = if violations.len() == 1 { "error" } else { "errors" };
    format!("{} validation {errors} detected: {}", violations.len(), violations.join("; "))
}

enum Node<'t, 'a> {
    /// The members of a structure.
    Members(&'static [Member], &'t Pairs<'a>),
    /// A value, or its absence.
    Value(&'static Shape, Option<&'t Json<'a>>),
}

/// Walks down the path; `at` is what was walked so far, as it is printed.
fn visit(segments: &[&str], node: Node<'_, '_>, at: String, rule: &Rule, violations: &mut Vec<String>) {
    if violations.len() >= VIOLATIONS_MAX {
        return;
    }
    let Some((segment, rest)) = segments.split_first() else {
        if let Test::Within(rules) = rule.test {
            return visit_within(rules, &node, &at, violations);
        }
        if let Node::Value(shape, value) = node {
            let value = value.filter(|value| !matches!(value, Json::Null));
            violations.extend(violations_of(rule, shape, value, &at));
        }
        return;
    };
    let join = |segment: &str| if at.is_empty() { segment.to_owned() } else { format!("{at}.{segment}") };
    let node = match node {
        Node::Value(Shape::Struct(_, members), Some(Json::Map(pairs))) => Node::Members(members, pairs),
        Node::Members(..) | Node::Value(..) => node,
    };
    match node {
        Node::Members(members, pairs) => {
            if let Some((name, shape)) = members.iter().find(|(name, _)| name == segment) {
                let printed = if rule.style == Style::Bare { (*name).to_owned() } else { lower_first(name) };
                visit(rest, Node::Value(shape, member(pairs, name)), join(&printed), rule, violations);
            }
        }
        Node::Value(Shape::List(element), Some(Json::List(values))) => {
            for (place, value) in values.iter().enumerate() {
                let at = join(&format!("{}.member", place + 1));
                visit(rest, Node::Value(element, Some(value)), at, rule, violations);
            }
        }
        Node::Value(Shape::Map(element), Some(Json::Map(pairs))) => {
            for (name, value) in pairs {
                let at = join(&format!("{name}.member"));
                visit(rest, Node::Value(element, Some(value)), at, rule, violations);
            }
        }
        Node::Value(..) => {}
    }
}

/// Goes through the rules of a structure that is there.
fn visit_within(rules: &'static [Rule], node: &Node<'_, '_>, at: &str, violations: &mut Vec<String>) {
    let Node::Value(shape, value @ Some(Json::Map(_))) = node else { return };
    for rule in rules {
        let segments: Vec<&str> = rule.path.split('.').collect();
        visit(&segments, Node::Value(shape, *value), at.to_owned(), rule, violations);
    }
}

fn violations_of(rule: &Rule, shape: &Shape, value: Option<&Json<'_>>, at: &str) -> Vec<String> {
    let Some(constraint) = violated(rule.test, value) else { return Vec::new() };
    let subject = match (rule.style, value) {
        (Style::Echo | Style::EchoJson, None) => format!("Value null at '{at}' failed"),
        (Style::Echo, Some(_)) => format!("Value '{}' at '{at}' failed", echo(shape, value)),
        (Style::EchoJson, Some(value)) => format!("Value '{}' at '{at}' failed", echo_json(value)),
        (Style::Bare, _) => format!("Value at '{at}' failed"),
        (Style::Nameless | Style::Alone(_), _) => "Failed".to_owned(),
    };
    vec![format!("{subject} to satisfy constraint: {constraint}")]
}

/// The constraint in words, if the value does not meet it.
fn violated(test: Test, value: Option<&Json<'_>>) -> Option<String> {
    let Some(value) = value else {
        return matches!(test, Test::Required).then(|| "Member must not be null".to_owned());
    };
    let name = match value {
        Json::Text(text) => text,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::List(_) | Json::Map(_) => "",
    };
    let is_arn = name.starts_with("arn:");
    match test {
        Test::Required => None,
        Test::LengthMin(least) => (length(value) < least).then(|| longer(least)),
        Test::LengthMax(most) => (length(value) > most).then(|| shorter(most)),
        Test::NameMin(least) => (!is_arn && length(value) < least).then(|| longer(least)),
        Test::NameMax => (!is_arn && length(value) > NAME_LENGTH_MAX).then(|| shorter(NAME_LENGTH_MAX)),
        Test::NamePattern => (!is_arn && !is_name(name)).then(pattern),
        Test::Pattern => (!is_name(name)).then(pattern),
        Test::OneOf(choices) => violated(Test::OneOfPrinted(choices, choices), Some(value)),
        Test::OneOfPrinted(choices, printed) => (!choices.contains(&name))
            .then(|| format!("Member must satisfy enum value set: [{}]", printed.join(", "))),
        Test::AtLeast(least) => (number(value) < least)
            .then(|| format!("Member must have value greater than or equal to {least}")),
        Test::AtMost(most) => {
            (number(value) > most).then(|| format!("Member must have value less than or equal to {most}"))
        }
        Test::Form(is_met, pattern) => {
            (!is_met(name)).then(|| format!("Member must satisfy regular expression pattern: {pattern}"))
        }
        Test::Within(_) => None,
        Test::ValueLengths(least, most) => (!elements(value)
            .all(|(_, list)| (least..=most).contains(&length(list))))
        .then(|| format!("Map value must satisfy constraint: [{}, {}]", shorter(most), longer(least))),
        Test::KeyNames => (!elements(value).all(|(name, _)| is_table(name))).then(|| {
            let constraints = [shorter(NAME_LENGTH_MAX), longer(3), pattern()];
            format!("Map keys must satisfy constraint: [{}]", constraints.join(", "))
        }),
    }
}

fn longer(least: usize) -> String {
    format!("Member must have length greater than or equal to {least}")
}

fn shorter(most: usize) -> String {
    format!("Member must have length less than or equal to {most}")
}

fn pattern() -> String {
    format!("Member must satisfy regular expression pattern: {NAME_PATTERN}")
}

/// Whether a text can name a table, as a name or an ARN.
fn is_table(text: &str) -> bool {
    text.starts_with("arn:") || ((3..=NAME_LENGTH_MAX).contains(&text.len()) && is_name(text))
}

fn elements<'t, 'a>(value: &'t Json<'a>) -> impl Iterator<Item = (&'t str, &'t Json<'a>)> {
    let pairs: &Pairs<'a> = match value {
        Json::Map(pairs) => pairs,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::List(_) => &[],
    };
    pairs.iter().map(|(name, value)| (name.as_ref(), value))
}

fn length(value: &Json<'_>) -> usize {
    match value {
        Json::Text(text) => text.chars().count(),
        Json::List(values) => values.len(),
        Json::Map(pairs) => pairs.len(),
        Json::Null | Json::Bool(_) | Json::Number(_) => 0,
    }
}

fn number(value: &Json<'_>) -> i64 {
    crate::fields::integer(value).unwrap_or(0)
}
