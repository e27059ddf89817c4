//! Conditions on keys: what a step was given, the templates of a key, and the part of a query each makes.
//! Knows no operation but the query.

use super::call::Call;
use super::expression::add_name;
use super::term::{self, Piece, Term};
use crate::model::{Entity, Index, KeyAttribute};
use crate::template::Template;

/// A value a step was given: a variable, or a pair of them for `between`.
pub(super) type Bound = (String, Vec<Term>);

/// What a name is bound to; a pair counts as unknown until one side is picked.
pub(super) fn given(bound: &[Bound]) -> impl Fn(&str) -> Option<Term> {
    |name: &str| match bound.iter().find(|(known, _)| known == name).map(|(_, terms)| terms.as_slice()) {
        Some([term]) => Some(term.clone()),
        _ => None,
    }
}

/// The templates of a key: those of the entity, of its mapping, or the attributes themselves.
pub(super) fn templates(entity: &Entity, index: Option<&Index>) -> (Vec<Template>, Vec<Template>) {
    let Some(index) = index else {
        return (vec![entity.pk.clone()], entity.sk.iter().cloned().collect());
    };
    if let Some(mapping) = entity.mappings.iter().find(|mapping| mapping.index.value == index.name.value) {
        return (mapping.pk.clone(), mapping.sk.clone());
    }
    let of = |is_hash: bool| {
        let keys = index.key.iter().filter(|key| key.is_hash == is_hash);
        keys.filter_map(|key| Template::parse(&format!("{{{}}}", key.name.value), key.name.place).ok())
            .collect()
    };
    (of(true), of(false))
}

/// Sorts after every letter that keys have.
const LAST: char = '\u{10FFFF}';

/// The condition on a sort key, if anything of it is known, and whether it fixes the whole of it.
pub(super) fn sort_part(
    call: &mut Call<'_>,
    entity: &Entity,
    key: &KeyAttribute,
    template: &Template,
    wanted: Option<&str>,
    bound: &[Bound],
) -> Option<(String, bool)> {
    let is_pair = |field: &&str| bound.iter().any(|(name, terms)| name == field && terms.len() == 2);
    if template.fields().iter().any(is_pair) {
        let [low, high] = [0, 1].map(|side| {
            let given = |name: &str| {
                let (_, terms) = bound.iter().find(|(known, _)| known == name)?;
                terms.get(side).or_else(|| terms.first()).cloned()
            };
            term::prefix(entity, template, &given)
        });
        return Some((between(call, key, low.0, last(high.0, high.1)), false));
    }
    let (pieces, is_complete) = term::prefix(entity, template, &given(bound));
    if pieces.is_empty() {
        return None;
    }
    let literal = Piece::Literal(template.literal_prefix().to_owned());
    let has_literal = !template.literal_prefix().is_empty();
    let text = match wanted {
        // Other kinds of items may lie beyond the template's own beginning, so the open side ends with it.
        Some(">=") if has_literal => between(call, key, pieces, last(vec![literal], false)),
        Some("<=") if has_literal => between(call, key, vec![literal], last(pieces, is_complete)),
        Some(sign @ ("<=" | ">")) => one_sided(call, key, sign, last(pieces, is_complete)),
        Some(sign @ (">=" | "<")) => one_sided(call, key, sign, pieces),
        Some("begins_with") => beginning(call, key, pieces),
        _ if is_complete => return Some((one_sided(call, key, "=", pieces), true)),
        _ if key.kind == "N" || key.kind == "B" => return None,
        _ => beginning(call, key, pieces),
    };
    Some((text, false))
}

fn one_sided(call: &mut Call<'_>, key: &KeyAttribute, sign: &str, pieces: Vec<Piece>) -> String {
    let value = add_value(call, term::one(pieces));
    format!("{} {sign} {value}", add_name(call, &key.name.value))
}

fn beginning(call: &mut Call<'_>, key: &KeyAttribute, pieces: Vec<Piece>) -> String {
    let value = add_value(call, term::one(pieces));
    format!("begins_with({}, {value})", add_name(call, &key.name.value))
}

fn between(call: &mut Call<'_>, key: &KeyAttribute, low: Vec<Piece>, high: Vec<Piece>) -> String {
    let low = add_value(call, term::one(low));
    let high = add_value(call, term::one(high));
    format!("{} BETWEEN {low} AND {high}", add_name(call, &key.name.value))
}

/// The end of everything that begins with a text: a bound given in part covers all keys it is the beginning of.
fn last(mut pieces: Vec<Piece>, is_complete: bool) -> Vec<Piece> {
    if !is_complete {
        pieces.push(Piece::Literal(LAST.into()));
    }
    pieces
}

/// The placeholder of a value.
pub(super) fn add_value(call: &mut Call<'_>, term: Term) -> String {
    let name = format!(":key{}", call.values.len());
    call.values.push((name.clone(), term));
    name
}
