//! Where a value lies in an item: an attribute, then map keys and list places. Knows no expressions.

use std::cmp::Ordering;
use std::fmt;

use item::{Item, Value};

/// A document path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Path {
    /// The attribute of the item.
    pub root: String,
    /// The way from there.
    pub steps: Vec<Step>,
}

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// A key of a map.
    Name(String),
    /// A place in a list.
    Index(usize),
}

impl Path {
    /// The path of a whole attribute.
    pub fn attribute(name: impl Into<String>) -> Path {
        Path { root: name.into(), steps: Vec::new() }
    }

    /// Whether the path goes into the attribute.
    pub fn is_nested(&self) -> bool {
        !self.steps.is_empty()
    }

    /// The value at this path.
    pub fn find<'a>(&self, item: &'a Item) -> Option<&'a Value> {
        let mut value = item.get(&self.root)?;
        for step in &self.steps {
            value = step.find(value)?;
        }
        Some(value)
    }

    /// Whether `self` is the beginning of `other`, or the same.
    pub(crate) fn covers(&self, other: &Path) -> bool {
        self.root == other.root && other.steps.starts_with(&self.steps)
    }

    /// The path as the service lists it in errors: `[a, b, [1]]`.
    pub(crate) fn listed(&self) -> String {
        let mut text = format!("[{}", self.root);
        for step in &self.steps {
            text.push_str(", ");
            match step {
                Step::Name(name) => text.push_str(name),
                Step::Index(index) => text.push_str(&format!("[{index}]")),
            }
        }
        text.push(']');
        text
    }

    /// The order in which neighbours in a list follow each other.
    pub(crate) fn order(&self, other: &Path) -> Ordering {
        self.root.cmp(&other.root).then_with(|| self.steps.cmp(&other.steps))
    }
}

impl Step {
    /// The value one step further.
    pub(crate) fn find<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        match (self, value) {
            (Step::Name(name), Value::M(map)) => map.get(name),
            (Step::Index(index), Value::L(list)) => list.get(*index),
            _ => None,
        }
    }

    /// The value one step further, to be changed.
    pub(crate) fn find_mut<'a>(&self, value: &'a mut Value) -> Option<&'a mut Value> {
        match (self, value) {
            (Step::Name(name), Value::M(map)) => map.get_mut(name),
            (Step::Index(index), Value::L(list)) => list.get_mut(*index),
            _ => None,
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.root)?;
        for step in &self.steps {
            match step {
                Step::Name(name) => write!(formatter, ".{name}")?,
                Step::Index(index) => write!(formatter, "[{index}]")?,
            }
        }
        Ok(())
    }
}
