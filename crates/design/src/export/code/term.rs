//! Values of generated code: variables, texts with slots, transforms. Knows no programming language.

use item::Value;

use crate::model::{Entity, Field};
use crate::template::{Part, Template};

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::export) enum Term {
    /// A field or a parameter, of this kind.
    Variable { name: String, kind: String },
    /// A text.
    Text(Vec<Piece>),
    /// A transform of another value.
    Transform { name: String, of: Box<Term> },
    /// A value that is always the same.
    Constant(Value),
    /// An attribute of an item that the call before found.
    Found { place: usize, attribute: String },
    /// One of several: an attribute of each item that was found, or each value of a list.
    Each { attribute: Option<String> },
    /// The time of the call in seconds.
    Now,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::export) enum Piece {
    Literal(String),
    Slot { term: Term, format: String },
}

impl Term {
    /// Adds the names of its variables, each once.
    pub(in crate::export) fn variables(&self, names: &mut Vec<String>) {
        match self {
            Term::Variable { name, .. } => {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            Term::Text(pieces) => {
                for piece in pieces {
                    if let Piece::Slot { term, .. } = piece {
                        term.variables(names);
                    }
                }
            }
            Term::Transform { of, .. } => of.variables(names),
            Term::Found { .. } | Term::Constant(_) | Term::Each { .. } | Term::Now => {}
        }
    }

    /// Whether it uses a transform.
    pub(in crate::export) fn uses(&self, transform: &str) -> bool {
        match self {
            Term::Variable { .. }
            | Term::Constant(_)
            | Term::Found { .. }
            | Term::Each { .. }
            | Term::Now => false,
            Term::Text(pieces) => pieces.iter().any(|piece| match piece {
                Piece::Literal(_) => false,
                Piece::Slot { term, .. } => term.uses(transform),
            }),
            Term::Transform { name, of } => name == transform || of.uses(transform),
        }
    }

    /// Whether any text of it has a format like this: `.1f` or `02`.
    pub(in crate::export) fn formats(&self, test: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Term::Variable { .. }
            | Term::Constant(_)
            | Term::Found { .. }
            | Term::Each { .. }
            | Term::Now => false,
            Term::Text(pieces) => pieces.iter().any(|piece| match piece {
                Piece::Literal(_) => false,
                Piece::Slot { term, format } => test(format) || term.formats(test),
            }),
            Term::Transform { of, .. } => of.formats(test),
        }
    }

    /// The text before and after, if it is one text variable of this name with text around it.
    pub(super) fn around(&self, field: &str) -> Option<(String, String)> {
        let is_it = |term: &Term| matches!(term, Term::Variable { name, kind } if name == field && (kind == "string" || kind == "uuid"));
        match self {
            Term::Text(pieces) => {
                let slot = pieces.iter().position(|piece| match piece {
                    Piece::Literal(_) => false,
                    Piece::Slot { term, format } => is_it(term) && format.is_empty(),
                })?;
                let literal = |pieces: &[Piece]| {
                    pieces
                        .iter()
                        .map(|piece| match piece {
                            Piece::Literal(text) => Some(text.as_str()),
                            Piece::Slot { .. } => None,
                        })
                        .collect::<Option<String>>()
                };
                Some((literal(pieces.get(..slot)?)?, literal(pieces.get(slot + 1..)?)?))
            }
            _ if is_it(self) => Some((String::new(), String::new())),
            Term::Variable { .. }
            | Term::Constant(_)
            | Term::Transform { .. }
            | Term::Found { .. }
            | Term::Each { .. }
            | Term::Now => None,
        }
    }
}

/// Gives the term of a field, if it is known.
pub(super) type Given<'a> = &'a dyn Fn(&str) -> Option<Term>;

/// A template as far as its fields are known, and whether that is all of it.
pub(super) fn prefix(entity: &Entity, template: &Template, given: Given<'_>) -> (Vec<Piece>, bool) {
    let mut pieces = Vec::new();
    for part in &template.parts {
        match part {
            Part::Literal(text) => pieces.push(Piece::Literal(text.clone())),
            Part::Slot { field, format } => match known(entity, field, given) {
                Some(term) => pieces.push(Piece::Slot { term, format: format.clone() }),
                None => return (pieces, false),
            },
        }
    }
    (pieces, true)
}

/// A template with all its fields; one bare slot keeps its type.
pub(super) fn full(entity: &Entity, template: &Template, given: Given<'_>) -> Term {
    one(prefix(entity, template, given).0)
}

/// Pieces as a term.
pub(super) fn one(mut pieces: Vec<Piece>) -> Term {
    let is_bare = matches!(pieces.as_slice(), [Piece::Slot { format, .. }] if format.is_empty());
    match pieces.pop() {
        Some(Piece::Slot { term, .. }) if is_bare => term,
        Some(last) => {
            pieces.push(last);
            Term::Text(pieces)
        }
        None => Term::Text(pieces),
    }
}

/// What a computed field is, if all it is computed from is known.
pub(super) fn computed(entity: &Entity, field: &Field, given: Given<'_>) -> Option<Term> {
    let from = field.from.as_ref()?.value.as_str();
    let is_field = entity.fields.iter().any(|other| other.name.value == from);
    let source = if is_field {
        known_source(entity, field, from, given)?
    } else {
        let template = Template::parse(from, field.name.place).ok()?;
        let (pieces, is_complete) = prefix(entity, &template, given);
        if !is_complete {
            return None;
        }
        one(pieces)
    };
    Some(match &field.transform {
        Some(transform) => Term::Transform { name: transform.value.clone(), of: Box::new(source) },
        None => source,
    })
}

fn known(entity: &Entity, name: &str, given: Given<'_>) -> Option<Term> {
    given(name).or_else(|| {
        let field = entity.fields.iter().find(|field| field.name.value == name)?;
        computed(entity, field, given)
    })
}

/// A field computed from itself would never end.
fn known_source(entity: &Entity, field: &Field, from: &str, given: Given<'_>) -> Option<Term> {
    if from == field.name.value { given(from) } else { known(entity, from, given) }
}
