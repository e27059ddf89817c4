//! What a call is: an operation on a table with keys and expressions. Knows neither how it comes about nor any
//! programming language.

use super::term::{self, Term};
use crate::model::{Entity, Table};

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::export) enum Operation {
    Get,
    Put,
    Update,
    Delete,
    Check,
    Query,
    Scan,
    BatchGet,
    BatchWrite,
    TransactGet,
    TransactWrite,
}

/// What a call gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::export) enum Shape {
    Nothing,
    One,
    Many,
}

/// One request.
pub(in crate::export) struct Call<'a> {
    pub(in crate::export) operation: Operation,
    pub(in crate::export) table: &'a Table,
    pub(in crate::export) index: Option<String>,
    /// The entity of what it returns, if that comes back whole.
    pub(in crate::export) returns: Option<&'a Entity>,
    /// The parameter with the item to put, and its entity.
    pub(in crate::export) item: Option<(String, &'a Entity)>,
    /// The parameter with several items or keys, or with the values that `key` is made of one by one.
    pub(in crate::export) several: Option<String>,
    /// Whether `key` is made for each of several values.
    pub(in crate::export) is_each: bool,
    pub(in crate::export) key: Vec<(String, Term)>,
    /// Request fields and expressions, such as `FilterExpression`.
    pub(in crate::export) expressions: Vec<(&'static str, String)>,
    pub(in crate::export) names: Vec<(String, String)>,
    pub(in crate::export) values: Vec<(String, Term)>,
    pub(in crate::export) is_forward: bool,
    pub(in crate::export) is_consistent: bool,
    pub(in crate::export) limit: Option<usize>,
    pub(in crate::export) actions: Vec<Call<'a>>,
    /// The attribute that must lie in the future for an item to be fresh.
    pub(in crate::export) fresh: Option<String>,
}

impl Call<'_> {
    /// What it gives back.
    pub(in crate::export) fn shape(&self) -> Shape {
        match self.operation {
            Operation::Get => Shape::One,
            Operation::Query | Operation::Scan | Operation::BatchGet | Operation::TransactGet => Shape::Many,
            Operation::Put
            | Operation::Update
            | Operation::Delete
            | Operation::Check
            | Operation::BatchWrite
            | Operation::TransactWrite => Shape::Nothing,
        }
    }

    /// What it is called inside a transaction.
    pub(in crate::export) fn part_name(&self) -> &'static str {
        match self.operation {
            Operation::Put | Operation::BatchWrite | Operation::TransactWrite => "Put",
            Operation::Update => "Update",
            Operation::Delete => "Delete",
            Operation::Get
            | Operation::BatchGet
            | Operation::TransactGet
            | Operation::Query
            | Operation::Scan => "Get",
            Operation::Check => "ConditionCheck",
        }
    }

    /// Whether any of its values comes from the call before.
    pub(in crate::export) fn continues(&self) -> bool {
        fn is_found(term: &Term) -> bool {
            match term {
                Term::Found { .. } | Term::Each { attribute: Some(_) } => true,
                Term::Variable { .. } | Term::Constant(_) | Term::Each { attribute: None } | Term::Now => {
                    false
                }
                Term::Transform { of, .. } => is_found(of),
                Term::Text(pieces) => pieces.iter().any(|piece| match piece {
                    term::Piece::Literal(_) => false,
                    term::Piece::Slot { term, .. } => is_found(term),
                }),
            }
        }
        self.key.iter().chain(&self.values).any(|(_, term)| is_found(term))
            || self.actions.iter().any(Call::continues)
    }
}

/// A call with nothing in it yet.
pub(super) fn empty(operation: Operation, table: &Table) -> Call<'_> {
    Call {
        operation,
        table,
        index: None,
        returns: None,
        item: None,
        several: None,
        is_each: false,
        key: Vec::new(),
        expressions: Vec::new(),
        names: Vec::new(),
        values: Vec::new(),
        is_forward: true,
        is_consistent: false,
        limit: None,
        actions: Vec::new(),
        fresh: None,
    }
}
