//! Values and conditions of the Python layer as expressions. Knows no requests.

use super::super::code::{Piece, Term};
use super::text;
use super::types;
use crate::rule::{Operand, Relation, Rule};

/// How a variable is written.
pub(super) type Variable<'a> = &'a dyn Fn(&str) -> String;

/// A term as an expression.
pub(super) fn value(term: &Term, variable: Variable<'_>) -> String {
    match term {
        Term::Variable { name, .. } => variable(name),
        Term::Constant(value) => types::literal(value),
        Term::Found { place, attribute } => format!("found[{place}][{}]", text(attribute)),
        Term::Each { attribute: Some(attribute) } => format!("one[{}]", text(attribute)),
        Term::Each { attribute: None } => "one".into(),
        Term::Now => "int(time.time())".into(),
        Term::Transform { name, of } => transform(name, &value(of, variable)),
        Term::Text(pieces) => joined(pieces, variable),
    }
}

fn joined(pieces: &[Piece], variable: Variable<'_>) -> String {
    let part = |piece: &Piece| match piece {
        Piece::Literal(literal) => text(literal),
        Piece::Slot { term, format } => {
            let inner = value(term, variable);
            let is_text = match term {
                Term::Variable { kind, .. } => matches!(kind.as_str(), "string" | "uuid"),
                Term::Transform { name, .. } => name != "count" && name != "epoch-seconds",
                Term::Found { .. } | Term::Text(_) | Term::Constant(_) | Term::Each { .. } | Term::Now => {
                    false
                }
            };
            match (format.is_empty(), is_text) {
                (true, true) => inner,
                (true, false) => format!("_text({inner})"),
                (false, _) => padded(&inner, format),
            }
        }
    };
    let parts: Vec<String> = pieces.iter().map(part).collect();
    if parts.is_empty() { "\"\"".into() } else { parts.join(" + ") }
}

fn padded(inner: &str, format: &str) -> String {
    let (width, decimals) = format.split_once('.').unwrap_or((format, ""));
    let width = width.trim_start_matches('0');
    let width = if width.is_empty() { "0" } else { width };
    match decimals.trim_end_matches('f') {
        "" => format!("_padded({inner}, {width})"),
        decimals => format!("_padded({inner}, {width}, {decimals})"),
    }
}

fn transform(name: &str, inner: &str) -> String {
    match name {
        "lower" => format!("_text({inner}).lower()"),
        "upper" => format!("_text({inner}).upper()"),
        "slug" => format!("_slug({inner})"),
        "sha256" => format!("_sha256({inner})"),
        "md5" => format!("_md5({inner})"),
        "year-month" => format!("_iso({inner})[:7]"),
        "date" => format!("_iso({inner})[:10]"),
        "iso-datetime" => format!("_iso({inner})"),
        "epoch-seconds" => format!("_epoch({inner})"),
        "count" => format!("len({inner})"),
        _ => inner.into(),
    }
}

/// `"a" in values and `, for every field that a computed one is made from.
pub(super) fn needed(term: &Term) -> String {
    let mut fields = Vec::new();
    term.variables(&mut fields);
    fields.iter().map(|field| format!("{} in values and ", text(field))).collect()
}

/// A condition on an item as an expression; what is missing makes it false.
pub(super) fn rule(rule_of: &Rule) -> String {
    match rule_of {
        Rule::And(left, right) => format!("({} and {})", rule(left), rule(right)),
        Rule::Or(left, right) => format!("({} or {})", rule(left), rule(right)),
        Rule::Not(inner) => format!("(not {})", rule(inner)),
        Rule::Implies(left, right) => format!("(not {} or {})", rule(left), rule(right)),
        Rule::Same(left, right) => format!("(bool({}) == bool({}))", rule(left), rule(right)),
        Rule::Compare(left, relation, right) => {
            let sign = match relation {
                Relation::Equal => "==",
                Relation::Different => "!=",
                Relation::Less => "<",
                Relation::LessOrEqual => "<=",
                Relation::More => ">",
                Relation::MoreOrEqual => ">=",
            };
            let compared = format!("{} {sign} {}", operand(left), operand(right));
            let missing =
                [left, right].into_iter().filter_map(path).map(|path| format!("{path} is not None and "));
            if matches!(relation, Relation::Equal) {
                compared
            } else {
                format!("({}{compared})", missing.collect::<String>())
            }
        }
        Rule::In(left, choices) => {
            let choices: Vec<String> = choices.iter().map(operand).collect();
            format!("{} in ({},)", operand(left), choices.join(", "))
        }
        Rule::Exists(inner) => format!("{} is not None", operand(inner)),
        Rule::BeginsWith(left, right) => format!("str({}).startswith({})", operand(left), operand(right)),
        Rule::Contains(left, right) => format!("{} in ({} or ())", operand(right), operand(left)),
    }
}

fn path(operand_of: &Operand) -> Option<String> {
    matches!(operand_of, Operand::Path(_)).then(|| operand(operand_of))
}

fn operand(operand_of: &Operand) -> String {
    match operand_of {
        Operand::Path(steps) => {
            let mut steps = steps.iter();
            let first = steps.next().map(|step| text(step)).unwrap_or_default();
            steps.fold(format!("values.get({first})"), |before, step| {
                format!("({before} or {{}}).get({})", text(step))
            })
        }
        Operand::Constant(value) => types::literal(value),
        Operand::Call(function, inner) => match function.as_str() {
            "len" => format!("len({} or ())", operand(inner)),
            "lower" => format!("str({}).lower()", operand(inner)),
            "upper" => format!("str({}).upper()", operand(inner)),
            _ => operand(inner),
        },
    }
}
