//! Key conditions: which keys a query reads. Knows no table, so not which attributes are keys, and how many.

use item::Value;

use crate::condition::{Comparator, Condition, Operand, Test};
use crate::placeholders::Placeholders;
use crate::{Error, Kind};

/// Tests of key attributes, all of which must hold.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyCondition {
    /// One for each attribute, in the order of the text.
    pub terms: Vec<KeyTerm>,
}

/// The test of one attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyTerm {
    /// The attribute.
    pub attribute: String,
    /// What its value must be.
    pub test: KeyTest,
}

/// A range of values.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyTest {
    /// This value.
    Equal(Value),
    /// Below.
    Less(Value),
    /// Below or this value.
    LessOrEqual(Value),
    /// Above.
    Greater(Value),
    /// Above or this value.
    GreaterOrEqual(Value),
    /// From the first to the second, both included.
    Between(Value, Value),
    /// A string or binary with this beginning.
    BeginsWith(Value),
}

impl KeyCondition {
    /// Reads a `KeyConditionExpression`.
    pub fn parse(text: &str, placeholders: &mut Placeholders) -> Result<KeyCondition, Error> {
        let condition = Condition::parse(Kind::KeyCondition, text, placeholders)?;
        KeyCondition::of(&condition)
    }

    /// The test of this attribute.
    pub fn test_of(&self, attribute: &str) -> Option<&KeyTest> {
        self.terms.iter().find(|term| term.attribute == attribute).map(|term| &term.test)
    }

    fn of(condition: &Condition) -> Result<KeyCondition, Error> {
        let mut key_condition = KeyCondition { terms: Vec::new() };
        key_condition.add(condition.test())?;
        Ok(key_condition)
    }

    fn add(&mut self, test: &Test) -> Result<(), Error> {
        let term = match test {
            Test::And(tests) => return tests.iter().try_for_each(|test| self.add(test)),
            Test::Compare(Comparator::NotEqual, ..) => return Err(invalid_operator("<>")),
            Test::Compare(comparator, a, b) => compare(*comparator, a, b)?,
            Test::Between(a, low, high) => between(a, low, high)?,
            Test::BeginsWith(a, b) => begins_with(a, b)?,
            Test::Or(_) => return Err(invalid_operator("OR")),
            Test::Not(_) => return Err(invalid_operator("NOT")),
            Test::In(..) => return Err(invalid_operator("IN")),
            Test::Exists(_) => return Err(invalid_operator("attribute_exists")),
            Test::NotExists(_) => return Err(invalid_operator("attribute_not_exists")),
            Test::HasType(..) => return Err(invalid_operator("attribute_type")),
            Test::Contains(..) => return Err(invalid_operator("contains")),
        };
        if self.test_of(&term.attribute).is_some() {
            return Err(refused("KeyConditionExpressions must only contain one condition per key"));
        }
        self.terms.push(term);
        Ok(())
    }
}

/// OBSERVED: since 2026 these texts carry the name of the parameter as syntax errors do; those that have the name in the
/// middle do not.
fn refused(text: &str) -> Error {
    Kind::KeyCondition.error(text)
}

fn invalid_operator(operator: &str) -> Error {
    Error::new(format!("Invalid operator used in KeyConditionExpression: {operator}"))
}

fn compare(comparator: Comparator, a: &Operand, b: &Operand) -> Result<KeyTerm, Error> {
    let attribute = key_attribute(&[a, b])?;
    let (comparator, value) = match (a, b) {
        (Operand::Value(value), _) => (comparator.flipped(), value.clone()),
        (_, Operand::Value(value)) => (comparator, value.clone()),
        _ => return Err(refused("KeyConditionExpressions cannot contain nested operations")),
    };
    let test = match comparator {
        Comparator::Equal => KeyTest::Equal(value),
        Comparator::NotEqual => return Err(invalid_operator("<>")),
        Comparator::Less => KeyTest::Less(value),
        Comparator::LessOrEqual => KeyTest::LessOrEqual(value),
        Comparator::Greater => KeyTest::Greater(value),
        Comparator::GreaterOrEqual => KeyTest::GreaterOrEqual(value),
    };
    Ok(KeyTerm { attribute, test })
}

fn between(a: &Operand, low: &Operand, high: &Operand) -> Result<KeyTerm, Error> {
    require_key_first("BETWEEN", a)?;
    let attribute = key_attribute(&[a, low, high])?;
    let test = KeyTest::Between(plain_value(low)?, plain_value(high)?);
    Ok(KeyTerm { attribute, test })
}

fn begins_with(a: &Operand, prefix: &Operand) -> Result<KeyTerm, Error> {
    require_key_first("begins_with", a)?;
    let attribute = key_attribute(&[a, prefix])?;
    Ok(KeyTerm { attribute, test: KeyTest::BeginsWith(plain_value(prefix)?) })
}

fn require_key_first(operator: &str, first: &Operand) -> Result<(), Error> {
    match first {
        Operand::Value(_) => Err(Error::new(format!(
            "Invalid condition in KeyConditionExpression: {operator} operator must have the key attribute as its \
             first operand"
        ))),
        Operand::Path(_) | Operand::Size(_) => Ok(()),
    }
}

/// The one attribute among the operands, which are judged from left to right.
fn key_attribute(operands: &[&Operand]) -> Result<String, Error> {
    let mut attribute = None;
    for operand in operands {
        match operand {
            Operand::Size(_) => {
                return Err(refused("KeyConditionExpressions cannot contain nested operations"));
            }
            Operand::Path(_) if attribute.is_some() => {
                return Err(Error::new(
                    "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition",
                ));
            }
            Operand::Path(path) if path.is_nested() => {
                return Err(refused("KeyConditionExpressions cannot have conditions on nested attributes"));
            }
            Operand::Path(path) => attribute = Some(path.root.clone()),
            Operand::Value(_) => {}
        }
    }
    attribute
        .ok_or_else(|| Error::new("Invalid condition in KeyConditionExpression: No key attribute specified"))
}

fn plain_value(operand: &Operand) -> Result<Value, Error> {
    match operand {
        Operand::Value(value) => Ok(value.clone()),
        Operand::Path(_) | Operand::Size(_) => {
            Err(refused("KeyConditionExpressions cannot contain nested operations"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{list, map, number, placeholders, set, text};

    fn check(expression: &str, expected: Result<&str, &str>) {
        let names = [("#a", "a"), ("#name", "name")];
        let values = [
            (":a", text("1")),
            (":b", text("2")),
            (":n", number("1")),
            (":l", list(vec![])),
            (":m", map(&[])),
            (":t", text("S")),
            (":ss", set(&["a"])),
        ];
        let got = KeyCondition::parse(expression, &mut placeholders(&names, &values));
        let got = got.map(|condition| format!("{:?}", condition.terms)).map_err(|error| error.to_string());
        let got =
            got.map(|text| text.replace("KeyTerm { attribute: ", "").replace("test: ", "").replace(" }", ""));
        assert_eq!(got, expected.map(str::to_string).map_err(str::to_string), "{expression}");
    }

    #[test]
    fn terms_are_tests_of_attributes() {
        for (expression, expected) in [
            ("a = :a", r#"["a", Equal(S("1"))]"#),
            (":a = #a", r#"["a", Equal(S("1"))]"#),
            ("a = :a AND b < :b", r#"["a", Equal(S("1")), "b", Less(S("2"))]"#),
            ("(a = :a) and (b >= :b)", r#"["a", Equal(S("1")), "b", GreaterOrEqual(S("2"))]"#),
            ("(a = :a and b > :b)", r#"["a", Equal(S("1")), "b", Greater(S("2"))]"#),
            ("a = :a and :b >= b", r#"["a", Equal(S("1")), "b", LessOrEqual(S("2"))]"#),
            ("a = :a and :b < b", r#"["a", Equal(S("1")), "b", Greater(S("2"))]"#),
            ("a = :a and b between :a and :b", r#"["a", Equal(S("1")), "b", Between(S("1"), S("2"))]"#),
            ("begins_with(#name, :b) AND a = :a", r#"["name", BeginsWith(S("2")), "a", Equal(S("1"))]"#),
            ("a=:a and b=:a and c=:a", r#"["a", Equal(S("1")), "b", Equal(S("1")), "c", Equal(S("1"))]"#),
        ] {
            check(expression, Ok(expected));
        }
    }

    #[test]
    fn other_conditions_are_refused() {
        let nested =
            "Invalid KeyConditionExpression: KeyConditionExpressions cannot contain nested operations";
        let multiple =
            "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition";
        let deep = "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes";
        let none = "Invalid condition in KeyConditionExpression: No key attribute specified";
        let twice =
            "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key";
        let operator = |name: &str| format!("Invalid operator used in KeyConditionExpression: {name}");
        let first = |name: &str| {
            format!(
                "Invalid condition in KeyConditionExpression: {name} operator must have the key attribute as its \
                 first operand"
            )
        };
        for (expression, expected) in [
            ("", "Invalid KeyConditionExpression: The expression can not be empty;"),
            ("a > 4", "Invalid KeyConditionExpression: Syntax error; token: \"4\", near: \"> 4\""),
            ("a > b and size(b) > c or a > c", &operator("OR")),
            ("a in (b, size(c), d)", &operator("IN")),
            ("attribute_exists(a)", &operator("attribute_exists")),
            ("attribute_not_exists(a)", &operator("attribute_not_exists")),
            ("attribute_type(a, :t)", &operator("attribute_type")),
            ("contains(a.d, b)", &operator("contains")),
            ("not a > b", &operator("NOT")),
            ("a <> b", &operator("<>")),
            (":a between size(b) and size(a) and b > :b", &first("BETWEEN")),
            ("begins_with(:a, b) and a > :b", &first("begins_with")),
            ("size(b) > a AND a.b > b AND b > c", nested),
            ("a > size(b.d)", nested),
            ("a between size(b) and size(a)", nested),
            ("b > a.b", multiple),
            ("b between c[1] and d", multiple),
            ("a between b and size(a)", multiple),
            ("begins_with(a, b)", multiple),
            ("b.d > a AND c.d > e.f", deep),
            ("a.d > c", deep),
            ("b[0] > a", deep),
            (":b > :a AND a < :b", none),
            (":a > b AND :a < :b", none),
            ("b > :a AND b < :a and c = :a and d = :a", twice),
            ("(a > :a and b > :a) and (b > :a and c > :a)", twice),
            (
                "a between :b and :a",
                "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or \
                 equal to lower bound; lower bound operand: AttributeValue: {S:2}, upper bound operand: \
                 AttributeValue: {S:1}",
            ),
            (
                "a between :n and :a",
                "Invalid KeyConditionExpression: The BETWEEN operator requires same data type for lower and upper \
                 bounds; lower bound operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:1}",
            ),
        ] {
            check(expression, Err(expected));
        }
    }
}
