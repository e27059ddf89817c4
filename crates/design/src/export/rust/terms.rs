//! Values and conditions of the Rust layer as expressions. Knows no requests.

use super::super::code::{Piece, Term};
use super::text;
use super::types;
use crate::rule::{Operand, Relation, Rule};

/// How a variable is written, as an AttributeValue.
pub(super) type Variable<'a> = &'a dyn Fn(&str) -> String;

/// A term as an AttributeValue.
pub(super) fn value(term: &Term, variable: Variable<'_>) -> String {
    match term {
        Term::Variable { name, .. } => variable(name),
        Term::Constant(value) => types::attribute(value),
        Term::Found { place, attribute } => {
            format!(
                "found.get({place}).map_or(AttributeValue::Null(true), |item| value_of(item, {}))",
                text(attribute)
            )
        }
        Term::Each { attribute: Some(attribute) } => format!("value_of(one, {})", text(attribute)),
        Term::Each { attribute: None } => "one.clone()".into(),
        Term::Now => "now().to_attribute()".into(),
        Term::Transform { name, of } => transform(name, &value(of, variable)),
        Term::Text(pieces) => format!("AttributeValue::S({})", joined(pieces, variable)),
    }
}

fn joined(pieces: &[Piece], variable: Variable<'_>) -> String {
    let mut pattern = String::new();
    let mut arguments = String::new();
    for piece in pieces {
        match piece {
            Piece::Literal(literal) => {
                let quoted = text(&literal.replace('{', "{{").replace('}', "}}"));
                pattern.push_str(
                    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default(),
                );
            }
            Piece::Slot { term, format } => {
                pattern.push_str("{}");
                let inner = format!("text_of(&{})", value(term, variable));
                arguments.push_str(", ");
                arguments.push_str(&if format.is_empty() { inner } else { padded(&inner, format) });
            }
        }
    }
    if arguments.is_empty() {
        let literal: String = pieces.iter().map(literal_of).collect();
        format!("{}.to_owned()", text(&literal))
    } else {
        format!("format!(\"{pattern}\"{arguments})")
    }
}

fn literal_of(piece: &Piece) -> &str {
    match piece {
        Piece::Literal(literal) => literal,
        Piece::Slot { .. } => "",
    }
}

fn padded(inner: &str, format: &str) -> String {
    let (width, decimals) = format.split_once('.').unwrap_or((format, ""));
    let width = width.trim_start_matches('0');
    let width = if width.is_empty() { "0" } else { width };
    match decimals.trim_end_matches('f') {
        "" => format!("padded(&{inner}, {width}, None)"),
        decimals => format!("padded(&{inner}, {width}, Some({decimals}))"),
    }
}

fn transform(name: &str, inner: &str) -> String {
    let text = format!("text_of(&{inner})");
    match name {
        "lower" => format!("AttributeValue::S({text}.to_lowercase())"),
        "upper" => format!("AttributeValue::S({text}.to_uppercase())"),
        "slug" | "sha256" | "md5" => format!("AttributeValue::S({name}(&{text}))"),
        "year-month" => format!("AttributeValue::S(iso(&{inner}).chars().take(7).collect())"),
        "date" => format!("AttributeValue::S(iso(&{inner}).chars().take(10).collect())"),
        "iso-datetime" => format!("AttributeValue::S(iso(&{inner}))"),
        "epoch-seconds" => format!("AttributeValue::N(epoch(&{inner}).to_string())"),
        "count" => format!("AttributeValue::N(count_of(&{inner}).to_string())"),
        _ => inner.into(),
    }
}

pub(super) fn needed(term: &Term) -> String {
    let mut fields = Vec::new();
    term.variables(&mut fields);
    fields.iter().map(|field| format!("is_there(&values, {}) && ", text(field))).collect()
}

/// A condition on an item as an expression; what is missing makes it false.
pub(super) fn rule(rule_of: &Rule) -> String {
    match rule_of {
        Rule::And(left, right) => format!("({} && {})", rule(left), rule(right)),
        Rule::Or(left, right) => format!("({} || {})", rule(left), rule(right)),
        Rule::Not(inner) => format!("!({})", rule(inner)),
        Rule::Implies(left, right) => format!("(!({}) || {})", rule(left), rule(right)),
        Rule::Same(left, right) => format!("(({}) == ({}))", rule(left), rule(right)),
        Rule::Compare(left, relation, right) => {
            let (left, right) = (operand(left), operand(right));
            match relation {
                Relation::Equal => format!("same(&{left}, &{right})"),
                Relation::Different => format!("!same(&{left}, &{right})"),
                Relation::Less => format!("less(&{left}, &{right})"),
                Relation::More => format!("less(&{right}, &{left})"),
                Relation::LessOrEqual => format!("(less(&{left}, &{right}) || same(&{left}, &{right}))"),
                Relation::MoreOrEqual => format!("(less(&{right}, &{left}) || same(&{left}, &{right}))"),
            }
        }
        Rule::In(left, choices) => {
            let choices: Vec<String> = choices.iter().map(operand).collect();
            format!("[{}].iter().any(|choice| same(choice, &{}))", choices.join(", "), operand(left))
        }
        Rule::Exists(inner) => format!("!{}.is_null()", operand(inner)),
        Rule::BeginsWith(left, right) => {
            format!("text_of(&{}).starts_with(&text_of(&{}))", operand(left), operand(right))
        }
        Rule::Contains(left, right) => format!("contains(&{}, &{})", operand(left), operand(right)),
    }
}

fn operand(operand_of: &Operand) -> String {
    match operand_of {
        Operand::Path(steps) => {
            let mut steps = steps.iter();
            let first =
                steps.next().map(|step| format!("value_of(&values, {})", text(step))).unwrap_or_default();
            steps.fold(first, |before, step| {
                format!(
                    "{before}.as_m().map_or(AttributeValue::Null(true), |map| value_of(map, {}))",
                    text(step)
                )
            })
        }
        Operand::Constant(value) => types::attribute(value),
        Operand::Call(function, inner) => match function.as_str() {
            "len" => format!("AttributeValue::N(count_of(&{}).to_string())", operand(inner)),
            "lower" => format!("AttributeValue::S(text_of(&{}).to_lowercase())", operand(inner)),
            "upper" => format!("AttributeValue::S(text_of(&{}).to_uppercase())", operand(inner)),
            _ => operand(inner),
        },
    }
}
