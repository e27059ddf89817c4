//! Conditions as trees that follow the bytes of an input: printed as text, and judged here without the code under test.
//! Only operands whose meaning nobody doubts: attributes that are there, and values that have an order.

use std::cmp::Ordering;

use item::{Number, Value};

use proof_fuzz::source::Source;

const DEPTH_MAX: u32 = 4;

/// Attributes of every type that has an order, with what they hold.
pub(crate) const ATTRIBUTES: [(&str, Plain); 6] = [
    ("a", Plain::N(3)),
    ("m.k[1]", Plain::N(1)),
    ("s", Plain::S("text")),
    ("#n", Plain::S("N")),
    ("b", Plain::B(&[1, 2])),
    ("l[0]", Plain::S("x")),
];
/// Values, with what they stand for: each of a type is greater than the one before it.
pub(crate) const VALUES: [(&str, Plain); 9] = [
    (":n0", Plain::N(-2)),
    (":n1", Plain::N(3)),
    (":n2", Plain::N(400)),
    (":s0", Plain::S("N")),
    (":s1", Plain::S("tex")),
    (":s2", Plain::S("x")),
    (":b0", Plain::B(&[])),
    (":b1", Plain::B(&[1])),
    (":b2", Plain::B(&[1, 2])),
];
const MISSING: [&str; 3] = ["nowhere", "l[9]", "s.k"];
const COMPARISONS: [&str; 6] = ["=", "<>", "<", "<=", ">", ">="];

/// A value without the code under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plain {
    N(i64),
    S(&'static str),
    B(&'static [u8]),
}

impl Plain {
    /// The same value for the code under test.
    pub(crate) fn value(self) -> Value {
        match self {
            Plain::N(number) => Value::N(Number::from(number)),
            Plain::S(text) => Value::S(text.to_string()),
            Plain::B(bytes) => Value::B(bytes.to_vec().into()),
        }
    }

    fn order(self, other: Plain) -> Option<Ordering> {
        match (self, other) {
            (Plain::N(a), Plain::N(b)) => Some(a.cmp(&b)),
            (Plain::S(a), Plain::S(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
            (Plain::B(a), Plain::B(b)) => Some(a.cmp(b)),
            (Plain::N(_) | Plain::S(_) | Plain::B(_), _) => None,
        }
    }

    fn begins_with(self, other: Plain) -> bool {
        match (self, other) {
            (Plain::S(a), Plain::S(b)) => a.starts_with(b),
            (Plain::B(a), Plain::B(b)) => a.starts_with(b),
            (Plain::N(_) | Plain::S(_) | Plain::B(_), _) => false,
        }
    }
}

/// A condition: its text, whether it holds, and how tightly its parts hang together.
pub(crate) struct Tree {
    pub(crate) text: String,
    pub(crate) holds: bool,
    binding: Binding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Not,
    Whole,
}

impl Tree {
    /// The text where something hangs together this tightly, in parentheses only if they are needed: the service
    /// refuses others.
    fn within(&self, binding: Binding) -> String {
        if self.binding < binding { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// A tree of the next bytes.
pub(crate) fn grow(source: &mut Source<'_>, depth: u32) -> Tree {
    if depth >= DEPTH_MAX {
        return leaf(source);
    }
    match source.byte() % 6 {
        0 => {
            let (a, b) = (grow(source, depth + 1), grow(source, depth + 1));
            let text = format!("{} OR {}", a.within(Binding::Or), b.within(Binding::And));
            Tree { text, holds: a.holds || b.holds, binding: Binding::Or }
        }
        1 => {
            let (a, b) = (grow(source, depth + 1), grow(source, depth + 1));
            let text = format!("{} and {}", a.within(Binding::And), b.within(Binding::Not));
            Tree { text, holds: a.holds && b.holds, binding: Binding::And }
        }
        2 => {
            let a = grow(source, depth + 1);
            Tree { text: format!("NOT {}", a.within(Binding::Not)), holds: !a.holds, binding: Binding::Not }
        }
        _ => leaf(source),
    }
}

fn leaf(source: &mut Source<'_>) -> Tree {
    let (path, held) = *source.pick(&ATTRIBUTES);
    let place = source.below(VALUES.len());
    let (name, value) = VALUES.get(place).copied().unwrap_or((":n0", Plain::N(-2)));
    let (text, holds) = match source.byte() % 8 {
        0 => {
            let missing = *source.pick(&MISSING);
            (format!("attribute_exists({missing}) OR attribute_not_exists({path})"), false)
        }
        1 => {
            // The last value of the same type is no less than any other.
            let (high_name, high) = VALUES.get(place / 3 * 3 + 2).copied().unwrap_or((name, value));
            let is_below = matches!(held.order(high), Some(Ordering::Less | Ordering::Equal));
            let is_above = matches!(held.order(value), Some(Ordering::Greater | Ordering::Equal));
            (format!("{path} BETWEEN {name} AND {high_name}"), is_above && is_below)
        }
        2 => {
            let (other_name, other) = *source.pick(&VALUES);
            (format!("{path} IN ({name}, {other_name})"), held == value || held == other)
        }
        3 if !matches!(value, Plain::N(_)) => {
            (format!("begins_with({path}, {name})"), held.begins_with(value))
        }
        _ => {
            let operator = *source.pick(&COMPARISONS);
            let order = held.order(value);
            let holds = match operator {
                "=" => held == value,
                "<>" => held != value,
                "<" => order == Some(Ordering::Less),
                "<=" => matches!(order, Some(Ordering::Less | Ordering::Equal)),
                ">" => order == Some(Ordering::Greater),
                _ => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            };
            if source.byte().is_multiple_of(4) {
                // The same question from the other side.
                let turned = match operator {
                    "<" => ">",
                    "<=" => ">=",
                    ">" => "<",
                    ">=" => "<=",
                    other => other,
                };
                (format!("{name}{turned}{path}"), holds)
            } else {
                (format!("{path} {operator} {name}"), holds)
            }
        }
    };
    let binding = if text.contains(" OR ") { Binding::Or } else { Binding::Whole };
    Tree { text, holds, binding }
}
