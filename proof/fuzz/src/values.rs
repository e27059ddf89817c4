//! Items and numbers that follow the bytes of an input, all of them such as the service takes.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use bytes::Bytes;
use item::{Item, Number, Value};

use crate::source::Source;

/// Digits, where the point is, and the sign: compared as text, without the code under test.
pub struct Plain {
    is_negative: bool,
    digits: Vec<u8>,
    /// The place of the first digit before the point.
    pub magnitude: i32,
}

/// Any number that could be one of the service.
pub fn plain(source: &mut Source<'_>) -> Plain {
    let count = 1 + source.below(38);
    let mut digits: Vec<u8> = (0..count).map(|_| source.byte() % 10).collect();
    if let Some(first) = digits.first_mut() {
        *first = *first % 9 + 1;
    }
    while digits.last() == Some(&0) {
        digits.pop();
    }
    // The place of the first digit before the point: 0 for 0.1, 1 for 1.
    let magnitude = match source.byte() % 4 {
        0 => i32::from(source.byte() % 4) - 1,
        1 => 126 - i32::from(source.byte() % 3),
        2 => i32::from(source.byte() % 3) - 129,
        _ => i32::from(source.byte()) - 129,
    };
    Plain { is_negative: source.byte() % 2 == 1, digits, magnitude }
}

impl Plain {
    /// As the service takes it.
    pub fn text(&self) -> String {
        let digits: String = self.digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        let sign = if self.is_negative { "-" } else { "" };
        format!("{sign}0.{digits}E{}", self.magnitude)
    }

    /// The order of the numbers.
    pub fn order(&self, other: &Plain) -> Ordering {
        match (self.is_negative, other.is_negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.size_order(other),
            (true, true) => other.size_order(self),
        }
    }

    fn size_order(&self, other: &Plain) -> Ordering {
        self.magnitude.cmp(&other.magnitude).then_with(|| self.digits.cmp(&other.digits))
    }
}

fn text(source: &mut Source<'_>) -> String {
    let length = source.below(9);
    String::from_utf8_lossy(source.take(length)).into_owned()
}

fn name(source: &mut Source<'_>) -> String {
    let name = text(source);
    if name.is_empty() { "a".to_string() } else { name }
}

fn any_number(source: &mut Source<'_>) -> Number {
    Number::parse(&plain(source).text()).unwrap_or_else(|_| Number::from(0))
}

/// Some values, each once.
fn set<T: Ord>(source: &mut Source<'_>, value: impl Fn(&mut Source<'_>) -> T) -> Vec<T> {
    let members: BTreeSet<T> = (0..=source.below(3)).map(|_| value(source)).collect();
    members.into_iter().collect()
}

/// An item that could be stored.
pub fn any_item(source: &mut Source<'_>) -> Item {
    (0..source.below(6)).map(|_| (name(source), value(source, 0))).collect()
}

fn value(source: &mut Source<'_>, depth: usize) -> Value {
    let some = source.below(4);
    match source.byte() % if depth < 6 { 10 } else { 5 } {
        0 => Value::S(text(source)),
        1 => Value::N(any_number(source)),
        2 => Value::B(Bytes::copy_from_slice(source.take(some * 40))),
        3 => Value::Bool(some > 1),
        4 => Value::Null,
        5 => Value::Ss(set(source, text)),
        6 => Value::Ns(set(source, any_number)),
        7 => Value::Bs(set(source, |source| Bytes::copy_from_slice(source.take(3)))),
        8 => Value::L((0..some).map(|_| value(source, depth + 1)).collect()),
        _ => Value::M((0..some).map(|_| (name(source), value(source, depth + 1))).collect()),
    }
}
