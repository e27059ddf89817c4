//! Whether an item passes a test. Types never mix: a comparison of different types, or with something that is not
//! there, does not hold. Knows no text and no placeholders.

use std::borrow::Cow;
use std::cmp::Ordering;

use item::{Item, Number, Value};

use super::{Comparator, Operand, Test};

impl Test {
    pub(super) fn holds(&self, item: &Item) -> bool {
        match self {
            Test::And(tests) => tests.iter().all(|test| test.holds(item)),
            Test::Or(tests) => tests.iter().any(|test| test.holds(item)),
            Test::Not(test) => !test.holds(item),
            Test::Compare(Comparator::Equal, a, b) => equal(a, b, item),
            Test::Compare(Comparator::NotEqual, a, b) => !equal(a, b, item),
            Test::Compare(comparator, a, b) => {
                both(a, b, item, |a, b| order(a, b).is_some_and(|ordering| comparator.accepts(ordering)))
            }
            Test::Between(a, low, high) => {
                both(a, low, item, |a, low| order(a, low).is_some_and(Ordering::is_ge))
                    && both(a, high, item, |a, high| order(a, high).is_some_and(Ordering::is_le))
            }
            Test::In(a, others) => others.iter().any(|other| equal(a, other, item)),
            Test::Exists(path) => path.find(item).is_some(),
            Test::NotExists(path) => path.find(item).is_none(),
            Test::HasType(a, wanted) => a.value(item).is_some_and(|value| value.type_of() == *wanted),
            Test::BeginsWith(a, b) => both(a, b, item, begins_with),
            Test::Contains(a, b) => both(a, b, item, contains),
        }
    }
}

impl Operand {
    fn value<'a>(&'a self, item: &'a Item) -> Option<Cow<'a, Value>> {
        match self {
            Operand::Path(path) => path.find(item).map(Cow::Borrowed),
            Operand::Value(value) => Some(Cow::Borrowed(value)),
            Operand::Size(operand) => {
                let size = size(operand.value(item)?.as_ref())?;
                Some(Cow::Owned(Value::N(Number::from(i64::try_from(size).ok()?))))
            }
        }
    }
}

fn equal(a: &Operand, b: &Operand, item: &Item) -> bool {
    both(a, b, item, |a, b| a == b)
}

/// Whether both are there and pass.
fn both(a: &Operand, b: &Operand, item: &Item, passes: impl Fn(&Value, &Value) -> bool) -> bool {
    a.value(item).zip(b.value(item)).is_some_and(|(a, b)| passes(&a, &b))
}

/// The order of two values; none if they have none.
pub(super) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::S(a), Value::S(b)) => Some(a.cmp(b)),
        (Value::N(a), Value::N(b)) => Some(a.cmp(b)),
        (Value::B(a), Value::B(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

fn begins_with(value: &Value, prefix: &Value) -> bool {
    match (value, prefix) {
        (Value::S(text), Value::S(prefix)) => text.starts_with(prefix.as_str()),
        (Value::B(bytes), Value::B(prefix)) => bytes.starts_with(prefix),
        _ => false,
    }
}

fn contains(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::S(text), Value::S(part)) => text.contains(part.as_str()),
        (Value::B(bytes), Value::B(part)) => {
            part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
        }
        (Value::Ss(members), Value::S(member)) => members.contains(member),
        (Value::Ns(members), Value::N(member)) => members.contains(member),
        (Value::Bs(members), Value::B(member)) => members.contains(member),
        (Value::L(elements), element) => elements.contains(element),
        _ => false,
    }
}

fn size(value: &Value) -> Option<usize> {
    match value {
        // OBSERVED: the length of a string is counted in units of UTF-16.
        Value::S(text) => Some(text.encode_utf16().count()),
        Value::B(bytes) => Some(bytes.len()),
        Value::Ss(members) => Some(members.len()),
        Value::Ns(members) => Some(members.len()),
        Value::Bs(members) => Some(members.len()),
        Value::L(elements) => Some(elements.len()),
        Value::M(map) => Some(map.len()),
        Value::N(_) | Value::Bool(_) | Value::Null => None,
    }
}
