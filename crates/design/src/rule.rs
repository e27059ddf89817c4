//! The small language of `when` and `rules`: comparisons of fields, joined by and, or, not, => and <=>.
//! Knows no entities: it is given an item. What is not there makes a comparison neither true nor false.

use item::{Item, Number, Value};

use moment::Moment;

mod parse;

pub use parse::parse;

/// A rule, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// Both hold.
    And(Box<Rule>, Box<Rule>),
    /// One of them holds.
    Or(Box<Rule>, Box<Rule>),
    /// It does not hold.
    Not(Box<Rule>),
    /// If the first holds, so does the second.
    Implies(Box<Rule>, Box<Rule>),
    /// Both hold or neither.
    Same(Box<Rule>, Box<Rule>),
    /// Every value on the left compares so with the value on the right.
    Compare(Operand, Relation, Operand),
    /// The value is one of these.
    In(Operand, Vec<Operand>),
    /// The attribute is there.
    Exists(Operand),
    /// The text begins so.
    BeginsWith(Operand, Operand),
    /// The text or list contains it.
    Contains(Operand, Operand),
}

/// How two values compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The same.
    Equal,
    /// Not the same.
    Different,
    /// Less.
    Less,
    /// Less or the same.
    LessOrEqual,
    /// More.
    More,
    /// More or the same.
    MoreOrEqual,
}

/// A value in a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// A path such as `data.symbol` or `lunches[].week`, in steps; `[]` stands for every element.
    Path(Vec<String>),
    /// A value.
    Constant(Value),
    /// A function of a value: `len`, `lower`, `upper`, `iso_week`, `iso_year`, `epoch`.
    Call(String, Box<Operand>),
}

impl Rule {
    /// Whether it holds of an item; `None` if something it speaks of is not there.
    pub fn holds(&self, item: &Item) -> Option<bool> {
        match self {
            Rule::And(left, right) => and(left.holds(item), right.holds(item)),
            Rule::Or(left, right) => or(left.holds(item), right.holds(item)),
            Rule::Not(inner) => inner.holds(item).map(|holds| !holds),
            Rule::Implies(left, right) => or(left.holds(item).map(|holds| !holds), right.holds(item)),
            Rule::Same(left, right) => Some(left.holds(item)? == right.holds(item)?),
            Rule::Compare(left, relation, right) => {
                every(left, right, item, |left, right| compare(left, *relation, right))
            }
            Rule::In(left, choices) => {
                let left = left.values(item)?;
                let choices: Vec<Value> =
                    choices.iter().filter_map(|choice| choice.values(item)).flatten().collect();
                Some(left.iter().all(|value| choices.contains(value)))
            }
            Rule::Exists(operand) => Some(operand.values(item).is_some_and(|values| !values.is_empty())),
            Rule::BeginsWith(left, right) => every(left, right, item, |left, right| match (left, right) {
                (Value::S(left), Value::S(right)) => left.starts_with(right.as_str()),
                _ => false,
            }),
            Rule::Contains(left, right) => every(left, right, item, contains),
        }
    }

    /// The first steps of all its paths.
    pub fn fields(&self) -> Vec<&str> {
        match self {
            Rule::And(left, right)
            | Rule::Or(left, right)
            | Rule::Implies(left, right)
            | Rule::Same(left, right) => left.fields().into_iter().chain(right.fields()).collect(),
            Rule::Not(inner) => inner.fields(),
            Rule::Compare(left, _, right) | Rule::BeginsWith(left, right) | Rule::Contains(left, right) => {
                left.field().into_iter().chain(right.field()).collect()
            }
            Rule::In(left, choices) => {
                left.field().into_iter().chain(choices.iter().filter_map(Operand::field)).collect()
            }
            Rule::Exists(operand) => operand.field().into_iter().collect(),
        }
    }
}

impl Operand {
    fn field(&self) -> Option<&str> {
        match self {
            Operand::Path(steps) => steps.first().map(String::as_str),
            Operand::Constant(_) => None,
            Operand::Call(_, inner) => inner.field(),
        }
    }

    /// The values it stands for: one, or those of every element; `None` if it is not there.
    fn values(&self, item: &Item) -> Option<Vec<Value>> {
        match self {
            Operand::Constant(value) => Some(vec![value.clone()]),
            Operand::Path(steps) => {
                let (first, rest) = steps.split_first()?;
                let mut values = vec![item.get(first)?.clone()];
                for step in rest {
                    values = values.into_iter().flat_map(|value| stepped(value, step)).collect();
                }
                let wild = rest.iter().any(|step| step == "[]");
                (wild || !values.is_empty()).then_some(values)
            }
            Operand::Call(name, inner) => {
                inner.values(item)?.iter().map(|value| called(name, value)).collect()
            }
        }
    }
}

fn stepped(value: Value, step: &str) -> Vec<Value> {
    match value {
        Value::L(values) if step == "[]" => values,
        Value::M(mut item) => item.remove(step).into_iter().collect(),
        Value::L(values) => {
            step.parse::<usize>().ok().and_then(|at| values.get(at).cloned()).into_iter().collect()
        }
        Value::S(_)
        | Value::N(_)
        | Value::B(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_)
        | Value::Bool(_)
        | Value::Null => Vec::new(),
    }
}

fn called(name: &str, value: &Value) -> Option<Value> {
    let moment = |text: &str| Moment::parse(text).or_else(|| Moment::parse_date(text));
    match (name, value) {
        ("len", Value::L(values)) => Some(count(values.len())),
        ("len", Value::S(text)) => Some(count(text.chars().count())),
        ("len", Value::M(item)) => Some(count(item.len())),
        ("len", Value::Ss(texts)) => Some(count(texts.len())),
        ("len", Value::Ns(numbers)) => Some(count(numbers.len())),
        ("lower", Value::S(text)) => Some(Value::S(text.to_lowercase())),
        ("upper", Value::S(text)) => Some(Value::S(text.to_uppercase())),
        ("iso_week", Value::S(text)) => {
            moment(text).map(|moment| Value::N(Number::from(moment.iso_week().1)))
        }
        ("iso_year", Value::S(text)) => {
            moment(text).map(|moment| Value::N(Number::from(moment.iso_week().0)))
        }
        ("epoch", Value::S(text)) => moment(text).map(|moment| Value::N(Number::from(moment.seconds))),
        ("epoch", Value::N(number)) => Some(Value::N(*number)),
        _ => None,
    }
}

fn count(length: usize) -> Value {
    Value::N(Number::from(i64::try_from(length).unwrap_or(i64::MAX)))
}

fn every(
    left: &Operand,
    right: &Operand,
    item: &Item,
    test: impl Fn(&Value, &Value) -> bool,
) -> Option<bool> {
    let (left, right) = (left.values(item)?, right.values(item)?);
    Some(left.iter().all(|left| right.iter().all(|right| test(left, right))))
}

fn compare(left: &Value, relation: Relation, right: &Value) -> bool {
    let order = match (left, right) {
        (Value::N(left), Value::N(right)) => Some(left.cmp(right)),
        (Value::S(left), Value::S(right)) => Some(left.cmp(right)),
        _ => None,
    };
    match relation {
        Relation::Equal => left == right,
        Relation::Different => left != right,
        Relation::Less => order.is_some_and(|order| order.is_lt()),
        Relation::LessOrEqual => order.is_some_and(|order| order.is_le()),
        Relation::More => order.is_some_and(|order| order.is_gt()),
        Relation::MoreOrEqual => order.is_some_and(|order| order.is_ge()),
    }
}

fn contains(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::S(left), Value::S(right)) => left.contains(right.as_str()),
        (Value::L(values), right) => values.contains(right),
        (Value::Ss(texts), Value::S(right)) => texts.contains(right),
        (Value::Ns(numbers), Value::N(right)) => numbers.contains(right),
        _ => false,
    }
}

fn and(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        (None, _) | (_, None) => None,
    }
}

fn or(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    and(left.map(|holds| !holds), right.map(|holds| !holds)).map(|holds| !holds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::from_json;

    fn check(text: &str, wanted: Option<bool>) {
        let item = r#"{"favorite":{"BOOL":true},"type":{"S":"product"},"is_product":{"N":"1"},"week":{"N":"4"},
            "lunchCount":{"N":"2"},"at":{"S":"2025-01-20T10:30:00Z"},
            "lunches":{"L":[{"M":{"week":{"N":"4"},"place":{"S":"Niagara"}}},{"M":{"week":{"N":"3"},"place":{"S":"niagara"}}}]},
            "data":{"M":{"symbol":{"S":"AAPL"}}},"symbol":{"S":"AAPL"}}"#;
        let item = from_json(&serde_json::from_str(item).unwrap()).unwrap();
        assert_eq!(parse(text).unwrap().holds(&item), wanted, "{text}");
    }

    #[test]
    fn rules_hold_or_not() {
        check("favorite = true", Some(true));
        check("len(lunches) = lunchCount", Some(true));
        check("lunches[].week = week", Some(false));
        check("lower(lunches[].place) = 'niagara'", Some(true));
        check("data.symbol == symbol", Some(true));
        check("is_product = 1 <=> type = 'product'", Some(true));
        check("is_product = 0 => type = 'product'", Some(true));
        check("type in ('category', \"listing\")", Some(false));
        check("not exists(nothing) and week > 3", Some(true));
        check("iso_week(at) = week and iso_year(at) = 2025", Some(true));
        check("begins_with(type, 'pro') or contains(type, 'x')", Some(true));
        check("lunches[0].week = 4", Some(true));
        check("(week = 1 or week = 4) and not week <> 4", Some(true));
    }

    #[test]
    fn what_is_missing_is_neither_true_nor_false() {
        check("nothing = 1", None);
        check("not nothing = 1", None);
        check("nothing = 1 or week = 4", Some(true));
        check("nothing = 1 and week = 5", Some(false));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let message = |text| parse(text).unwrap_err();
        assert_eq!(message("week ="), "a value is expected at the end");
        assert_eq!(message("week"), "a comparison is expected at the end");
        assert_eq!(message("week = 1 2"), "`2` is one too many");
        assert!(message("size(week) = 1").starts_with("no function `size`; known: len, lower"));
    }
}
