//! Values and conditions of the TypeScript layer as expressions. Knows no requests.

use super::super::code::{Piece, Term};
use super::types;
use super::{property, text};
use crate::rule::{Operand, Relation, Rule};

/// How a variable is written.
pub(super) type Variable<'a> = &'a dyn Fn(&str) -> String;

/// `values.symbol` or `values["data-type"]`.
pub(super) fn access(owner: &str, field: &str) -> String {
    let name = property(field);
    if name == field { format!("{owner}.{field}") } else { format!("{owner}[{name}]") }
}

/// A term as an expression.
pub(super) fn value(term: &Term, variable: Variable<'_>) -> String {
    match term {
        Term::Variable { name, .. } => variable(name),
        Term::Constant(value) => types::literal(value),
        Term::Found { place, attribute } => access(&format!("(found[{place}] as Item)"), attribute),
        Term::Each { attribute: Some(attribute) } => access("one", attribute),
        Term::Each { attribute: None } => "one".into(),
        Term::Now => "Math.floor(Date.now() / 1000)".into(),
        Term::Transform { name, of } => transform(name, &value(of, variable)),
        Term::Text(pieces) => joined(pieces, variable),
    }
}

fn joined(pieces: &[Piece], variable: Variable<'_>) -> String {
    if pieces.iter().all(|piece| matches!(piece, Piece::Literal(_))) {
        let literal: String = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Literal(text) => text.as_str(),
                Piece::Slot { .. } => "",
            })
            .collect();
        return text(&literal);
    }
    let part = |piece: &Piece| match piece {
        Piece::Literal(literal) => escaped(literal),
        Piece::Slot { term, format } if format.is_empty() => format!("${{{}}}", value(term, variable)),
        Piece::Slot { term, format } => format!("${{{}}}", padded(&value(term, variable), format)),
    };
    format!("`{}`", pieces.iter().map(part).collect::<String>())
}

/// Text inside a template literal.
fn escaped(literal: &str) -> String {
    let plain = literal.replace('\\', "\\\\").replace('`', "\\`").replace("${", "\\${");
    plain.replace('\u{10ffff}', "\\u{10ffff}")
}

fn padded(inner: &str, format: &str) -> String {
    let (width, decimals) = format.split_once('.').unwrap_or((format, ""));
    let width = width.trim_start_matches('0');
    let width = if width.is_empty() { "0" } else { width };
    match decimals.trim_end_matches('f') {
        "" => format!("padded({inner}, {width})"),
        decimals => format!("padded({inner}, {width}, {decimals})"),
    }
}

fn transform(name: &str, inner: &str) -> String {
    match name {
        "lower" => format!("String({inner}).toLowerCase()"),
        "upper" => format!("String({inner}).toUpperCase()"),
        "slug" => format!("slug({inner})"),
        "sha256" => format!("sha256({inner})"),
        "md5" => format!("md5({inner})"),
        "year-month" => format!("iso({inner}).slice(0, 7)"),
        "date" => format!("iso({inner}).slice(0, 10)"),
        "iso-datetime" => format!("iso({inner})"),
        "epoch-seconds" => format!("epoch({inner})"),
        "count" => format!("({inner}.length ?? {inner}.size)"),
        _ => inner.into(),
    }
}

pub(super) fn needed(term: &Term) -> String {
    let mut fields = Vec::new();
    term.variables(&mut fields);
    fields.iter().map(|field| format!("{} !== undefined && ", access("values", field))).collect()
}

/// A condition on an item as an expression; what is missing makes it false.
pub(super) fn rule(rule_of: &Rule) -> String {
    match rule_of {
        Rule::And(left, right) => format!("({} && {})", rule(left), rule(right)),
        Rule::Or(left, right) => format!("({} || {})", rule(left), rule(right)),
        Rule::Not(inner) => format!("!({})", rule(inner)),
        Rule::Implies(left, right) => format!("(!({}) || {})", rule(left), rule(right)),
        Rule::Same(left, right) => format!("(({}) === ({}))", rule(left), rule(right)),
        Rule::Compare(left, relation, right) => {
            let sign = match relation {
                Relation::Equal => "===",
                Relation::Different => "!==",
                Relation::Less => "<",
                Relation::LessOrEqual => "<=",
                Relation::More => ">",
                Relation::MoreOrEqual => ">=",
            };
            let compared = format!("{} {sign} {}", operand(left), operand(right));
            match matches!(relation, Relation::Different) {
                true => format!("({} !== undefined && {compared})", operand(left)),
                false => compared,
            }
        }
        Rule::In(left, choices) => {
            let choices: Vec<String> = choices.iter().map(operand).collect();
            format!("[{}].includes({})", choices.join(", "), operand(left))
        }
        Rule::Exists(inner) => format!("{} !== undefined", operand(inner)),
        Rule::BeginsWith(left, right) => format!("String({}).startsWith({})", operand(left), operand(right)),
        Rule::Contains(left, right) => format!("({} ?? []).includes({})", operand(left), operand(right)),
    }
}

fn operand(operand_of: &Operand) -> String {
    match operand_of {
        Operand::Path(steps) => {
            let mut steps = steps.iter();
            let first = steps.next().map(|step| access("values", step)).unwrap_or_default();
            steps.fold(first, |before, step| format!("{before}?.[{}]", text(step)))
        }
        Operand::Constant(value) => types::literal(value),
        Operand::Call(function, inner) => match function.as_str() {
            "len" => format!("({}?.length ?? 0)", operand(inner)),
            "lower" => format!("String({}).toLowerCase()", operand(inner)),
            "upper" => format!("String({}).toUpperCase()", operand(inner)),
            _ => operand(inner),
        },
    }
}
