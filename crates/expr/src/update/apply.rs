//! Carries the changes of an update out. Reads the item as it was, then writes: new list elements first, in the order
//! of their places, and removals from the end of a list, so that every place means the one before the update.
//! Knows no text and no placeholders.

use std::collections::BTreeSet;

use item::{Item, NumberError, Value};

use super::{Action, Change, Expression, Source, Style};
use crate::Error;
use crate::path::{Path, Step};

/// LIMIT: lists and maps inside each other in one attribute.
const DEPTH_MAX: usize = 31;

/// What an action comes to.
enum Outcome {
    Put(Value),
    Remove,
    Keep,
}

pub(super) fn apply(actions: &[Action], style: Style, before: &Item) -> Result<Item, Error> {
    let mut puts = Vec::new();
    let mut removals = Vec::new();
    for Action { path, change } in actions {
        match outcome(path, change, style, before)? {
            Outcome::Put(value) => puts.push((path, value)),
            Outcome::Remove => removals.push(path),
            Outcome::Keep => require_parent(path, before)?,
        }
    }
    puts.sort_by(|(one, _), (two, _)| one.order(two));
    removals.sort_by(|one, two| two.order(one));
    let mut after = before.clone();
    for (path, value) in puts {
        put(&mut after, path, value)?;
    }
    for path in removals {
        require_parent(path, before)?;
        // A new element must not be taken for an old one at its place.
        if path.find(before).is_some() {
            remove(&mut after, path);
        }
    }
    Ok(after)
}

fn outcome(path: &Path, change: &Change, style: Style, before: &Item) -> Result<Outcome, Error> {
    match change {
        Change::Set(expression) => evaluate(expression, before).map(Outcome::Put),
        Change::Remove => Ok(Outcome::Remove),
        Change::Add(value) => match path.find(before) {
            Some(old) => add(old, value, style).map(Outcome::Put),
            None => Ok(Outcome::Put(value.clone())),
        },
        Change::Delete(value) => match path.find(before) {
            Some(old) => delete(old, value, style),
            None => Ok(Outcome::Keep),
        },
    }
}

fn evaluate(expression: &Expression, before: &Item) -> Result<Value, Error> {
    match expression {
        Expression::Source(source) => value(source, before),
        Expression::Plus(a, b) => match (value(a, before)?, value(b, before)?) {
            (Value::N(a), Value::N(b)) => a.plus(b).map(Value::N).map_err(number_error),
            _ => Err(incorrect_type()),
        },
        Expression::Minus(a, b) => match (value(a, before)?, value(b, before)?) {
            (Value::N(a), Value::N(b)) => a.minus(b).map(Value::N).map_err(number_error),
            _ => Err(incorrect_type()),
        },
    }
}

fn value(source: &Source, before: &Item) -> Result<Value, Error> {
    match source {
        Source::Path(path) => path.find(before).cloned().ok_or_else(|| {
            Error::new("The provided expression refers to an attribute that does not exist in the item")
        }),
        Source::Value(value) => Ok(value.clone()),
        Source::IfNotExists(path, other) => match path.find(before) {
            Some(found) => Ok(found.clone()),
            None => value(other, before),
        },
        Source::ListAppend(a, b) => match (value(a, before)?, value(b, before)?) {
            (Value::L(mut list), Value::L(more)) => {
                list.extend(more);
                Ok(Value::L(list))
            }
            _ => Err(incorrect_type()),
        },
    }
}

fn add(old: &Value, value: &Value, style: Style) -> Result<Value, Error> {
    match (old, value) {
        (Value::N(old), Value::N(value)) => old.plus(*value).map(Value::N).map_err(number_error),
        (Value::Ss(old), Value::Ss(new)) => Ok(Value::Ss(union(old, new))),
        (Value::Ns(old), Value::Ns(new)) => Ok(Value::Ns(union(old, new))),
        (Value::Bs(old), Value::Bs(new)) => Ok(Value::Bs(union(old, new))),
        (Value::L(old), Value::L(new)) => Ok(Value::L(old.iter().chain(new).cloned().collect())),
        _ => Err(mismatch(style)),
    }
}

fn delete(old: &Value, value: &Value, style: Style) -> Result<Outcome, Error> {
    let rest = match (old, value) {
        (Value::Ss(old), Value::Ss(gone)) => difference(old, gone).map(Value::Ss),
        (Value::Ns(old), Value::Ns(gone)) => difference(old, gone).map(Value::Ns),
        (Value::Bs(old), Value::Bs(gone)) => difference(old, gone).map(Value::Bs),
        _ => return Err(mismatch(style)),
    };
    Ok(rest.map_or(Outcome::Remove, Outcome::Put))
}

/// The members of both, in the order in which sets are answered.
fn union<T: Ord + Clone>(old: &[T], new: &[T]) -> Vec<T> {
    let members: BTreeSet<&T> = old.iter().chain(new).collect();
    members.into_iter().cloned().collect()
}

/// The members that stay; none if the set would be empty, which no set may be.
fn difference<T: Ord + Clone>(old: &[T], gone: &[T]) -> Option<Vec<T>> {
    let gone: BTreeSet<&T> = gone.iter().collect();
    let rest: Vec<T> = old.iter().filter(|member| !gone.contains(member)).cloned().collect();
    (!rest.is_empty()).then_some(rest)
}

/// Writes a value. A place behind the end of a list is the next one.
fn put(item: &mut Item, path: &Path, value: Value) -> Result<(), Error> {
    if value.depth() + path.steps.len() > DEPTH_MAX {
        return Err(Error::new(
            "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond \
             supported limit",
        ));
    }
    let Some((last, way)) = path.steps.split_last() else {
        item.insert(path.root.clone(), value);
        return Ok(());
    };
    let root = item.get_mut(&path.root);
    match (way.iter().try_fold(root.ok_or_else(invalid_path)?, find_mut)?, last) {
        (Value::M(map), Step::Name(name)) => {
            map.insert(name.clone(), value);
        }
        (Value::L(list), Step::Index(index)) => match list.get_mut(*index) {
            Some(place) => *place = value,
            None => list.push(value),
        },
        _ => return Err(invalid_path()),
    }
    Ok(())
}

fn find_mut<'a>(value: &'a mut Value, step: &Step) -> Result<&'a mut Value, Error> {
    step.find_mut(value).ok_or_else(invalid_path)
}

fn remove(item: &mut Item, path: &Path) {
    let Some((last, way)) = path.steps.split_last() else {
        item.remove(&path.root);
        return;
    };
    let root = item.get_mut(&path.root);
    let parent = root.and_then(|root| way.iter().try_fold(root, |value, step| step.find_mut(value)));
    match (parent, last) {
        (Some(Value::M(map)), Step::Name(name)) => {
            map.remove(name);
        }
        (Some(Value::L(list)), Step::Index(index)) if *index < list.len() => {
            list.remove(*index);
        }
        _ => {}
    }
}

/// Refuses a path into something that is not there or has another type. What the last step names may be missing.
fn require_parent(path: &Path, before: &Item) -> Result<(), Error> {
    let Some((last, way)) = path.steps.split_last() else { return Ok(()) };
    let root = before.get(&path.root);
    let parent = root.and_then(|root| way.iter().try_fold(root, |value, step| step.find(value)));
    match (parent, last) {
        (Some(Value::M(_)), Step::Name(_)) | (Some(Value::L(_)), Step::Index(_)) => Ok(()),
        _ => Err(invalid_path()),
    }
}

fn invalid_path() -> Error {
    Error::new("The document path provided in the update expression is invalid for update")
}

fn incorrect_type() -> Error {
    Error::new("An operand in the update expression has an incorrect data type")
}

fn mismatch(style: Style) -> Error {
    match style {
        Style::Expression => incorrect_type(),
        Style::Attributes => Error::new("Type mismatch for attribute to update"),
    }
}

fn number_error(error: NumberError) -> Error {
    Error::new(match error {
        NumberError::Overflow => {
            "Number overflow. Attempting to store a number with magnitude larger than supported range"
        }
        NumberError::Underflow => {
            "Number underflow. Attempting to store a number with magnitude smaller than supported range"
        }
        NumberError::TooPrecise | NumberError::NotANumber => {
            "Attempting to store more than 38 significant digits in a Number"
        }
    })
}
