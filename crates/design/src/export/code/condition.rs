//! Conditions on keys: what a step was given, the templates of a key, and the part of a query each makes.
//! Knows no operation but the query.

use super::call::Call;
use super::expression::add_name;
use super::term::{self, Term};
use crate::model::{Entity, Index};
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

/// The condition on a sort key, if anything of it is known.
pub(super) fn sort_part(
    call: &mut Call<'_>,
    entity: &Entity,
    attribute: &str,
    template: &Template,
    wanted: Option<&str>,
    bound: &[Bound],
) -> Option<String> {
    if wanted == Some("between") {
        let mut ends = Vec::new();
        for side in 0..2 {
            let given = |name: &str| {
                let (_, terms) = bound.iter().find(|(known, _)| known == name)?;
                terms.get(side).or_else(|| terms.first()).cloned()
            };
            let pieces = term::prefix(entity, template, &given).0;
            ends.push(add_value(call, term::one(pieces)));
        }
        return Some(format!("{} BETWEEN {}", add_name(call, attribute), ends.join(" AND ")));
    }
    let (pieces, is_complete) = term::prefix(entity, template, &given(bound));
    if pieces.is_empty() {
        return None;
    }
    let value = add_value(call, term::one(pieces));
    let name = add_name(call, attribute);
    match wanted {
        Some("begins_with") => Some(format!("begins_with({name}, {value})")),
        Some(operator) => Some(format!("{name} {operator} {value}")),
        None if is_complete => Some(format!("{name} = {value}")),
        None => Some(format!("begins_with({name}, {value})")),
    }
}

/// The placeholder of a value.
pub(super) fn add_value(call: &mut Call<'_>, term: Term) -> String {
    let name = format!(":key{}", call.values.len());
    call.values.push((name.clone(), term));
    name
}
