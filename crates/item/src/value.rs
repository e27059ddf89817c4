//! The ten attribute types.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::Number;

/// Attributes by name.
pub type Item = BTreeMap<String, Value>;

/// One attribute value.
#[derive(Debug, Clone)]
pub enum Value {
    /// A string.
    S(String),
    /// A number.
    N(Number),
    /// Binary data.
    B(Bytes),
    /// A set of strings, never empty, without duplicates.
    Ss(Vec<String>),
    /// A set of numbers, never empty, without duplicates.
    Ns(Vec<Number>),
    /// A set of binaries, never empty, without duplicates.
    Bs(Vec<Bytes>),
    /// A truth value.
    Bool(bool),
    /// The null value.
    Null,
    /// A list.
    L(Vec<Value>),
    /// A map.
    M(Item),
}

/// The type of an attribute value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// String.
    S,
    /// Number.
    N,
    /// Binary.
    B,
    /// String set.
    Ss,
    /// Number set.
    Ns,
    /// Binary set.
    Bs,
    /// Truth value.
    Bool,
    /// Null.
    Null,
    /// List.
    L,
    /// Map.
    M,
}

impl Type {
    /// Every type.
    pub const ALL: [Type; 10] =
        [Type::S, Type::N, Type::B, Type::Ss, Type::Ns, Type::Bs, Type::Bool, Type::Null, Type::L, Type::M];

    /// The name on the wire: `S`, `NS`, `BOOL`…
    pub fn name(self) -> &'static str {
        match self {
            Type::S => "S",
            Type::N => "N",
            Type::B => "B",
            Type::Ss => "SS",
            Type::Ns => "NS",
            Type::Bs => "BS",
            Type::Bool => "BOOL",
            Type::Null => "NULL",
            Type::L => "L",
            Type::M => "M",
        }
    }

    /// The type with this name on the wire.
    pub fn from_name(name: &str) -> Option<Type> {
        Type::ALL.into_iter().find(|candidate| candidate.name() == name)
    }
}

impl Value {
    /// The type of this value.
    pub fn type_of(&self) -> Type {
        match self {
            Value::S(_) => Type::S,
            Value::N(_) => Type::N,
            Value::B(_) => Type::B,
            Value::Ss(_) => Type::Ss,
            Value::Ns(_) => Type::Ns,
            Value::Bs(_) => Type::Bs,
            Value::Bool(_) => Type::Bool,
            Value::Null => Type::Null,
            Value::L(_) => Type::L,
            Value::M(_) => Type::M,
        }
    }

    /// How many levels of lists and maps this value has: 0 for a scalar or a set.
    pub fn depth(&self) -> usize {
        match self {
            Value::L(values) => 1 + values.iter().map(Value::depth).max().unwrap_or(0),
            Value::M(map) => 1 + map.values().map(Value::depth).max().unwrap_or(0),
            Value::S(_)
            | Value::N(_)
            | Value::B(_)
            | Value::Ss(_)
            | Value::Ns(_)
            | Value::Bs(_)
            | Value::Bool(_)
            | Value::Null => 0,
        }
    }
}

/// Equality as the service sees it: sets have no order, numbers no notation.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::S(a), Value::S(b)) => a == b,
            (Value::N(a), Value::N(b)) => a == b,
            (Value::B(a), Value::B(b)) => a == b,
            (Value::Ss(a), Value::Ss(b)) => same_members(a, b),
            (Value::Ns(a), Value::Ns(b)) => same_members(a, b),
            (Value::Bs(a), Value::Bs(b)) => same_members(a, b),
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Null, Value::Null) => true,
            (Value::L(a), Value::L(b)) => a == b,
            (Value::M(a), Value::M(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

fn same_members<T: Ord>(a: &[T], b: &[T]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut a: Vec<&T> = a.iter().collect();
    let mut b: Vec<&T> = b.iter().collect();
    a.sort_unstable();
    b.sort_unstable();
    a == b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_equal_in_any_order_and_lists_are_not() {
        let set = |members: &[&str]| Value::Ss(members.iter().map(ToString::to_string).collect());
        assert_eq!(set(&["a", "b"]), set(&["b", "a"]));
        assert_ne!(set(&["a", "b"]), set(&["a", "c"]));
        let list = |members: &[&str]| Value::L(members.iter().map(|s| Value::S(s.to_string())).collect());
        assert_ne!(list(&["a", "b"]), list(&["b", "a"]));
    }

    #[test]
    fn depth_counts_lists_and_maps() {
        let inner = Value::L(vec![Value::Null]);
        assert_eq!(inner.depth(), 1);
        assert_eq!(Value::L(vec![inner]).depth(), 2);
        assert_eq!(Value::Null.depth(), 0);
    }
}
