//! Conditions and filters: a test that an item passes or not. Knows no tables and no requests.

mod check;
mod evaluate;
mod parse;

use std::cmp::Ordering;

use item::{Item, Type, Value};

use crate::path::Path;
use crate::placeholders::Placeholders;
use crate::{Error, Kind};

/// A condition whose placeholders are resolved and whose operands fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    kind: Kind,
    is_legacy: bool,
    test: Test,
    paths: Vec<Path>,
}

impl Condition {
    /// Reads a condition, filter or key condition.
    pub fn parse(kind: Kind, text: &str, placeholders: &mut Placeholders) -> Result<Condition, Error> {
        let node = parse::parse(kind, text)?;
        let test = check::check(kind, &node, placeholders)?;
        Ok(Condition::new(kind, test))
    }

    fn new(kind: Kind, test: Test) -> Condition {
        let mut paths = Vec::new();
        test.collect_paths(&mut paths);
        Condition { kind, is_legacy: false, test, paths }
    }

    /// A condition that no text was read for.
    pub(crate) fn legacy(kind: Kind, test: Test) -> Condition {
        Condition { is_legacy: true, ..Condition::new(kind, test) }
    }

    /// The parameter it came in, or the one that took the place of that.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether it came in a parameter from before expressions: `Expected`, `QueryFilter` or `ScanFilter`.
    pub fn is_legacy(&self) -> bool {
        self.is_legacy
    }

    /// Whether the item passes; an item that does not exist is an empty one.
    pub fn holds(&self, item: &Item) -> bool {
        self.test.holds(item)
    }

    /// Every path it reads, in the order of the text.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// The attributes it reads; one may come twice.
    pub fn roots(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(|path| path.root.as_str())
    }

    pub(crate) fn test(&self) -> &Test {
        &self.test
    }
}

/// A test of an item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Test {
    And(Vec<Test>),
    Or(Vec<Test>),
    Not(Box<Test>),
    Compare(Comparator, Operand, Operand),
    Between(Operand, Operand, Operand),
    In(Operand, Vec<Operand>),
    Exists(Path),
    NotExists(Path),
    HasType(Operand, Type),
    BeginsWith(Operand, Operand),
    Contains(Operand, Operand),
}

/// What a test looks at.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Operand {
    Path(Path),
    Value(Value),
    Size(Box<Operand>),
}

/// A comparison of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparator {
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Comparator::Equal => "=",
            Comparator::NotEqual => "<>",
            Comparator::Less => "<",
            Comparator::LessOrEqual => "<=",
            Comparator::Greater => ">",
            Comparator::GreaterOrEqual => ">=",
        }
    }

    /// Whether values in this order pass.
    pub(crate) fn accepts(self, ordering: Ordering) -> bool {
        match self {
            Comparator::Equal => ordering.is_eq(),
            Comparator::NotEqual => ordering.is_ne(),
            Comparator::Less => ordering.is_lt(),
            Comparator::LessOrEqual => ordering.is_le(),
            Comparator::Greater => ordering.is_gt(),
            Comparator::GreaterOrEqual => ordering.is_ge(),
        }
    }

    /// The comparison with its sides exchanged.
    pub(crate) fn flipped(self) -> Comparator {
        match self {
            Comparator::Equal => Comparator::Equal,
            Comparator::NotEqual => Comparator::NotEqual,
            Comparator::Less => Comparator::Greater,
            Comparator::LessOrEqual => Comparator::GreaterOrEqual,
            Comparator::Greater => Comparator::Less,
            Comparator::GreaterOrEqual => Comparator::LessOrEqual,
        }
    }
}

impl Test {
    fn collect_paths(&self, paths: &mut Vec<Path>) {
        match self {
            Test::And(tests) | Test::Or(tests) => tests.iter().for_each(|test| test.collect_paths(paths)),
            Test::Not(test) => test.collect_paths(paths),
            Test::Compare(_, a, b) | Test::BeginsWith(a, b) | Test::Contains(a, b) => {
                a.collect_paths(paths);
                b.collect_paths(paths);
            }
            Test::Between(a, low, high) => {
                a.collect_paths(paths);
                low.collect_paths(paths);
                high.collect_paths(paths);
            }
            Test::In(a, others) => {
                a.collect_paths(paths);
                others.iter().for_each(|other| other.collect_paths(paths));
            }
            Test::Exists(path) | Test::NotExists(path) => paths.push(path.clone()),
            Test::HasType(a, _) => a.collect_paths(paths),
        }
    }
}

impl Operand {
    fn collect_paths(&self, paths: &mut Vec<Path>) {
        match self {
            Operand::Path(path) => paths.push(path.clone()),
            Operand::Value(_) => {}
            Operand::Size(operand) => operand.collect_paths(paths),
        }
    }
}

#[cfg(test)]
mod tests;
