//! Query: the key condition becomes a range of keys.

use std::ops::Bound;

use bytes::Bytes;
use expr::{Condition, KeyCondition, KeyTerm, KeyTest, Projection};
use item::{Item, Value};
use op::{Error, Output, Query};
use storage::{Direction, Range};

use crate::page::{self, Reading, Source};
use crate::schema::{KeyPart, KeySchema};
use crate::{Engine, layout, plan};

pub(crate) fn run(engine: &Engine, request: &Query) -> Result<Output, Error> {
    let table = engine.table(&request.table)?;
    let source = Source::find(&table, request.index.as_deref())?;
    source.check_consistency(request.consistent)?;
    let terms = Terms::of(source.key(), &request.key_condition)?;
    plan::flat_keys(&table, request.projection.iter().flat_map(Projection::paths))?;
    check_filter(source.key(), request.filter.as_ref())?;
    let select = source.select(request.select, request.projection.as_ref())?;
    plan::flat_keys(&table, request.filter.iter().flat_map(Condition::paths))?;
    let mut range = terms.range()?;
    if let Some(start) = &request.start {
        let start_key = source.start_key(start)?;
        terms.check_start(&range, start, &start_key)?;
        if request.forward {
            range.from = Bound::Excluded(start_key);
        } else {
            range.to = Bound::Excluded(start_key);
        }
    }
    let page = page::read(
        engine,
        &Reading {
            source,
            range,
            direction: if request.forward { Direction::Forward } else { Direction::Backward },
            limit: request.limit,
            filter: request.filter.as_ref(),
            projection: request.projection.as_ref(),
            select,
            consistent: request.consistent,
            capacity: request.capacity,
        },
    )?;
    Ok(Output::Page(page))
}

/// Where the items lie for which a key condition holds.
pub(crate) fn key_range(key: &KeySchema, condition: &KeyCondition) -> Result<Range, Error> {
    Terms::of(key, condition)?.range()
}

/// A filter is about what is not in the key: the key condition is about that.
pub(crate) fn check_filter(key: &KeySchema, filter: Option<&Condition>) -> Result<(), Error> {
    let Some(filter) = filter else { return Ok(()) };
    match key.parts().find(|part| filter.roots().any(|root| root == part.name)) {
        None => Ok(()),
        Some(part) => Err(Error::validation(format!(
            "{} can only contain non-primary key attributes: Primary key attribute: {}",
            if filter.is_legacy() { "QueryFilter" } else { "Filter Expression" },
            part.name
        ))),
    }
}

/// The key condition, sorted by the key's attributes.
struct Terms<'a> {
    key: &'a KeySchema,
    /// The partition key's values.
    hash: Item,
    /// The sort key's values that are given exactly, from the first on.
    equal: Vec<&'a Value>,
    /// What is asked of the sort key's next attribute.
    last: Option<&'a KeyTest>,
}

impl<'a> Terms<'a> {
    fn of(key: &'a KeySchema, condition: &'a KeyCondition) -> Result<Terms<'a>, Error> {
        let (given, defined) = (condition.terms.len(), key.parts().count());
        if given > defined {
            return Err(Error::validation(format!(
                "The number of query conditions ({given}) exceeds the number of key attributes defined in the schema \
                 ({defined})"
            )));
        }
        let mut terms = Terms { key, hash: hash_values(key, condition)?, equal: Vec::new(), last: None };
        let mut not_equal: Vec<&str> = Vec::new();
        let mut used = key.hash.len();
        for part in &key.range {
            let Some(term) = find(condition, part) else {
                not_equal.push(&part.name);
                continue;
            };
            if !not_equal.is_empty() {
                return Err(Error::validation(format!(
                    "RANGE key attributes {} must have equality conditions specified in the query because a condition \
                     is present on key attribute {}",
                    not_equal.join(", "),
                    part.name
                )));
            }
            check_types(part, term)?;
            used += 1;
            if let KeyTest::Equal(value) = &term.test {
                terms.equal.push(value);
            } else {
                terms.last = Some(&term.test);
                not_equal.push(&part.name);
            }
        }
        if used < condition.terms.len() {
            // There is a term about something else: the first key attribute without a term is what is missed.
            let lacking = key.range.iter().find(|part| find(condition, part).is_none());
            return Err(
                lacking.map_or_else(|| Error::validation("Query key condition not supported"), missed)
            );
        }
        terms.check_sizes()?;
        Ok(terms)
    }

    /// No key is longer than keys may be, so a longer one is not looked for.
    fn check_sizes(&self) -> Result<(), Error> {
        let open: Vec<&Value> = self.last.into_iter().flat_map(tested).collect();
        let mut given = self.hash.clone();
        for place in 0..open.len().max(1) {
            let values = self.equal.iter().copied().chain(open.get(place).copied());
            let named =
                self.key.range.iter().zip(values).map(|(part, value)| (part.name.clone(), value.clone()));
            given.extend(named);
            plan::key_sizes(self.key, &given)?;
        }
        Ok(())
    }

    fn range(&self) -> Result<Range, Error> {
        let mut prefix = layout::partition(self.key, &self.hash).ok_or_else(Error::internal)?;
        for value in &self.equal {
            layout::append(&mut prefix, value);
        }
        let at = |value: &Value| {
            let mut key = prefix.clone();
            layout::append(&mut key, value);
            key
        };
        let end = |key: &[u8]| layout::after_prefix(key).map_or(Bound::Unbounded, Bound::Excluded);
        let start = |key: Vec<u8>| Bound::Included(Bytes::from(key));
        Ok(match self.last {
            None => Range { to: end(&prefix), from: start(prefix) },
            Some(KeyTest::Equal(value)) => Range { from: start(at(value)), to: end(&at(value)) },
            Some(KeyTest::Less(value)) => {
                Range { to: Bound::Excluded(at(value).into()), from: start(prefix) }
            }
            Some(KeyTest::LessOrEqual(value)) => Range { to: end(&at(value)), from: start(prefix) },
            Some(KeyTest::Greater(value)) => {
                let from = layout::after_prefix(&at(value)).map_or(Bound::Unbounded, Bound::Included);
                Range { from, to: end(&prefix) }
            }
            Some(KeyTest::GreaterOrEqual(value)) => Range { from: start(at(value)), to: end(&prefix) },
            Some(KeyTest::Between(low, high)) => Range { from: start(at(low)), to: end(&at(high)) },
            Some(KeyTest::BeginsWith(value)) => {
                let mut begin = prefix.clone();
                layout::append_prefix(&mut begin, value);
                Range { to: end(&begin), from: start(begin) }
            }
        })
    }

    /// A query goes on where it stopped, not elsewhere.
    fn check_start(&self, range: &Range, start: &Item, start_key: &[u8]) -> Result<(), Error> {
        let same_partition = self.hash.iter().all(|(name, value)| start.get(name) == Some(value));
        let outside = "The provided starting key is outside query boundaries based on provided conditions";
        let inside = match (&range.from, &range.to) {
            (Bound::Included(from), Bound::Excluded(to)) => {
                start_key >= from.as_ref() && start_key < to.as_ref()
            }
            (Bound::Included(from), _) => start_key >= from.as_ref(),
            _ => true,
        };
        if self.equal.is_empty() && self.last.is_none() {
            return if same_partition { Ok(()) } else { Err(Error::validation(outside)) };
        }
        if !same_partition {
            return Err(Error::validation("The query can return at most one row and cannot be restarted"));
        }
        if !inside {
            return Err(Error::validation(
                "The provided starting key does not match the range key predicate",
            ));
        }
        Ok(())
    }
}

/// The value of every attribute of the partition key.
fn hash_values(key: &KeySchema, condition: &KeyCondition) -> Result<Item, Error> {
    let is_equal =
        |part: &&KeyPart| find(condition, part).is_some_and(|term| matches!(term.test, KeyTest::Equal(_)));
    if key.hash.len() > 1 && !key.hash.iter().all(|part| is_equal(&part)) {
        let lacking: Vec<&str> =
            key.hash.iter().filter(|part| !is_equal(part)).map(|part| part.name.as_str()).collect();
        return Err(Error::validation(format!(
            "HASH key attributes {} must have equality conditions specified in the query",
            lacking.join(", ")
        )));
    }
    let mut hash = Item::new();
    for part in &key.hash {
        let term = find(condition, part).ok_or_else(|| missed(part))?;
        check_types(part, term)?;
        let KeyTest::Equal(value) = &term.test else {
            return Err(Error::validation("Query key condition not supported"));
        };
        hash.insert(part.name.clone(), value.clone());
    }
    Ok(hash)
}

fn find<'a>(condition: &'a KeyCondition, part: &KeyPart) -> Option<&'a KeyTerm> {
    condition.terms.iter().find(|term| term.attribute == part.name)
}

fn missed(part: &KeyPart) -> Error {
    Error::validation(format!("Query condition missed key schema element: {}", part.name))
}

fn check_types(part: &KeyPart, term: &KeyTerm) -> Result<(), Error> {
    for value in tested(&term.test) {
        if value.type_of() != part.kind.value_type() {
            return Err(Error::invalid("Condition parameter type does not match schema type"));
        }
        let empty = plan::empty(value);
        if let Some(kind) = empty.filter(|_| !matches!(term.test, KeyTest::BeginsWith(_))) {
            return Err(plan::empty_key(kind, &part.name));
        }
    }
    Ok(())
}

/// The values of a test: two of a range, else one.
fn tested(test: &KeyTest) -> impl Iterator<Item = &Value> {
    let values = match test {
        KeyTest::Equal(value)
        | KeyTest::Less(value)
        | KeyTest::LessOrEqual(value)
        | KeyTest::Greater(value)
        | KeyTest::GreaterOrEqual(value)
        | KeyTest::BeginsWith(value) => [Some(value), None],
        KeyTest::Between(low, high) => [Some(low), Some(high)],
    };
    values.into_iter().flatten()
}
