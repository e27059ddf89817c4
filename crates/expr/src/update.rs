//! Updates: what becomes of an item. Knows no tables, so not which attributes are keys.

mod apply;
mod check;
mod parse;

use item::{Item, Value};

use crate::Error;
use crate::path::Path;
use crate::placeholders::Placeholders;
use crate::projection::Projection;

/// An update whose placeholders are resolved and whose operands fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    actions: Vec<Action>,
    style: Style,
}

/// An item after an update.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// The whole item.
    pub after: Item,
    /// The paths that the update names, in the order of the text.
    pub touched: Vec<Path>,
}

impl Update {
    /// Reads an `UpdateExpression`.
    pub fn parse(text: &str, placeholders: &mut Placeholders) -> Result<Update, Error> {
        let sections = parse::parse(text)?;
        let actions = check::check(&sections, placeholders)?;
        Ok(Update { actions, style: Style::Expression })
    }

    pub(crate) fn of_attributes(actions: Vec<Action>) -> Update {
        Update { actions, style: Style::Attributes }
    }

    /// The item after the update; every right-hand side reads the item before it. An item that does not exist is one
    /// of its key alone.
    pub fn apply(&self, before: &Item) -> Result<Applied, Error> {
        let after = apply::apply(&self.actions, self.style, before)?;
        let touched = self.actions.iter().map(|action| action.path.clone()).collect();
        Ok(Applied { after, touched })
    }

    /// Every path that it changes, in the order of the text.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.actions.iter().map(|action| &action.path)
    }

    /// The attributes that it changes; one may come twice.
    pub fn roots(&self) -> impl Iterator<Item = &str> {
        self.paths().map(|path| path.root.as_str())
    }

    /// The paths whose values it reads on right-hand sides.
    pub fn sources(&self) -> Vec<&Path> {
        let mut paths = Vec::new();
        for action in &self.actions {
            match &action.change {
                Change::Set(Expression::Source(source)) => source.collect_paths(&mut paths),
                Change::Set(Expression::Plus(a, b) | Expression::Minus(a, b)) => {
                    a.collect_paths(&mut paths);
                    b.collect_paths(&mut paths);
                }
                Change::Remove | Change::Add(_) | Change::Delete(_) => {}
            }
        }
        paths
    }
}

impl Applied {
    /// What `UPDATED_NEW` answers: the touched parts of the item as it is now.
    pub fn updated_new(&self) -> Item {
        Projection::of_paths(self.touched.clone()).cut(&self.after)
    }

    /// What `UPDATED_OLD` answers: the touched parts of the item as it was.
    pub fn updated_old(&self, before: &Item) -> Item {
        Projection::of_paths(self.touched.clone()).cut(before)
    }
}

/// Which interface an update came by; they differ in a few rules and texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Expression,
    Attributes,
}

/// A change at a path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Action {
    pub(crate) path: Path,
    pub(crate) change: Change,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    Set(Expression),
    Remove,
    Add(Value),
    Delete(Value),
}

/// The right-hand side of SET.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expression {
    Source(Source),
    Plus(Source, Source),
    Minus(Source, Source),
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Source {
    Path(Path),
    Value(Value),
    IfNotExists(Path, Box<Source>),
    ListAppend(Box<Source>, Box<Source>),
}

impl Source {
    fn collect_paths<'a>(&'a self, paths: &mut Vec<&'a Path>) {
        match self {
            Source::Path(path) => paths.push(path),
            Source::Value(_) => {}
            Source::IfNotExists(path, other) => {
                paths.push(path);
                other.collect_paths(paths);
            }
            Source::ListAppend(a, b) => {
                a.collect_paths(paths);
                b.collect_paths(paths);
            }
        }
    }
}

#[cfg(test)]
mod tests;
