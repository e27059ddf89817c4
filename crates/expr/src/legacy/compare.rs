//! Comparison operators and their arguments. Knows neither `Exists` nor updates.

use item::{Type, Value};

use super::invalid;
use crate::condition::{Comparator, Condition, Operand, Test as Check};
use crate::key_condition::{KeyCondition, KeyTerm, KeyTest};
use crate::path::Path;
use crate::{Error, Kind};

/// A `ComparisonOperator`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparisonOperator {
    /// `EQ`.
    Eq,
    /// `NE`.
    Ne,
    /// `IN`.
    In,
    /// `LE`.
    Le,
    /// `LT`.
    Lt,
    /// `GE`.
    Ge,
    /// `GT`.
    Gt,
    /// `BETWEEN`.
    Between,
    /// `NOT_NULL`.
    NotNull,
    /// `NULL`.
    Null,
    /// `CONTAINS`.
    Contains,
    /// `NOT_CONTAINS`.
    NotContains,
    /// `BEGINS_WITH`.
    BeginsWith,
}

/// How several tests are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConditionalOperator {
    /// All must hold.
    #[default]
    And,
    /// One must hold.
    Or,
}

/// The parameter that tests came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// `Expected`.
    Expected,
    /// `QueryFilter`.
    QueryFilter,
    /// `ScanFilter`.
    ScanFilter,
}

/// The test of one attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// The attribute, never a path.
    pub attribute: String,
    /// The comparison.
    pub operator: ComparisonOperator,
    /// What the attribute is compared with.
    pub values: Vec<Value>,
}

/// The condition that joins the tests.
pub fn conditions(
    source: Source,
    tests: Vec<Test>,
    operator: ConditionalOperator,
) -> Result<Condition, Error> {
    tests.iter().try_for_each(Test::check)?;
    let kind = match source {
        Source::Expected => Kind::Condition,
        Source::QueryFilter | Source::ScanFilter => Kind::Filter,
    };
    let checks = tests.into_iter().map(Test::into_check).collect();
    Ok(Condition::legacy(kind, operator.join(checks)))
}

/// The key condition that all of the tests make. How many a key takes is known to its table.
pub fn key_conditions(tests: Vec<Test>) -> Result<KeyCondition, Error> {
    tests.iter().try_for_each(Test::check)?;
    if tests.is_empty() {
        return Err(Error::new("Conditions can be of length 1 or 2 only"));
    }
    let terms = tests.into_iter().map(Test::into_key_term).collect::<Result<_, _>>()?;
    Ok(KeyCondition { terms })
}

impl ComparisonOperator {
    /// Every operator, in the order in which the service lists them.
    pub const ALL: [ComparisonOperator; 13] = [
        ComparisonOperator::In,
        ComparisonOperator::Null,
        ComparisonOperator::Between,
        ComparisonOperator::Lt,
        ComparisonOperator::NotContains,
        ComparisonOperator::Eq,
        ComparisonOperator::Gt,
        ComparisonOperator::NotNull,
        ComparisonOperator::Ne,
        ComparisonOperator::Le,
        ComparisonOperator::BeginsWith,
        ComparisonOperator::Ge,
        ComparisonOperator::Contains,
    ];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            ComparisonOperator::Eq => "EQ",
            ComparisonOperator::Ne => "NE",
            ComparisonOperator::In => "IN",
            ComparisonOperator::Le => "LE",
            ComparisonOperator::Lt => "LT",
            ComparisonOperator::Ge => "GE",
            ComparisonOperator::Gt => "GT",
            ComparisonOperator::Between => "BETWEEN",
            ComparisonOperator::NotNull => "NOT_NULL",
            ComparisonOperator::Null => "NULL",
            ComparisonOperator::Contains => "CONTAINS",
            ComparisonOperator::NotContains => "NOT_CONTAINS",
            ComparisonOperator::BeginsWith => "BEGINS_WITH",
        }
    }

    /// The operator with this name on the wire.
    pub fn from_name(name: &str) -> Option<ComparisonOperator> {
        ComparisonOperator::ALL.into_iter().find(|operator| operator.name() == name)
    }

    fn takes_count(self, count: usize) -> bool {
        match self {
            ComparisonOperator::Null | ComparisonOperator::NotNull => count == 0,
            ComparisonOperator::Between => count == 2,
            ComparisonOperator::In => count > 0,
            ComparisonOperator::Eq
            | ComparisonOperator::Ne
            | ComparisonOperator::Le
            | ComparisonOperator::Lt
            | ComparisonOperator::Ge
            | ComparisonOperator::Gt
            | ComparisonOperator::Contains
            | ComparisonOperator::NotContains
            | ComparisonOperator::BeginsWith => count == 1,
        }
    }

    fn takes_type(self, found: Type) -> bool {
        match self {
            ComparisonOperator::Eq
            | ComparisonOperator::Ne
            | ComparisonOperator::Null
            | ComparisonOperator::NotNull => true,
            ComparisonOperator::In
            | ComparisonOperator::Le
            | ComparisonOperator::Lt
            | ComparisonOperator::Ge
            | ComparisonOperator::Gt
            | ComparisonOperator::Between => matches!(found, Type::S | Type::N | Type::B),
            ComparisonOperator::Contains | ComparisonOperator::NotContains => {
                matches!(found, Type::S | Type::N | Type::B | Type::Bool | Type::Null)
            }
            ComparisonOperator::BeginsWith => matches!(found, Type::S | Type::B),
        }
    }
}

impl ConditionalOperator {
    pub(super) fn join(self, mut checks: Vec<Check>) -> Check {
        match (self, checks.pop()) {
            (_, Some(only)) if checks.is_empty() => only,
            (ConditionalOperator::And, last) => {
                checks.extend(last);
                Check::And(checks)
            }
            (ConditionalOperator::Or, last) => {
                checks.extend(last);
                Check::Or(checks)
            }
        }
    }
}

impl Test {
    /// Refuses arguments that do not fit the operator.
    pub(super) fn check(&self) -> Result<(), Error> {
        let name = self.operator.name();
        if !self.operator.takes_count(self.values.len()) {
            return Err(invalid(&format!("Invalid number of argument(s) for the {name} ComparisonOperator")));
        }
        let Some(first) = self.values.first().map(Value::type_of) else { return Ok(()) };
        if self.values.iter().any(|value| value.type_of() != first) {
            return Err(invalid("AttributeValues inside AttributeValueList must be of same type"));
        }
        if !self.operator.takes_type(first) {
            let found = first.name();
            let text = format!("ComparisonOperator {name} is not valid for {found} AttributeValue type");
            return Err(invalid(&text));
        }
        if let (ComparisonOperator::Between, [low, high]) = (self.operator, self.values.as_slice()) {
            check_range(low, high)?;
        }
        Ok(())
    }

    /// The same test as an expression would make it.
    pub(super) fn into_check(self) -> Check {
        let path = Path::attribute(self.attribute);
        let mut values = self.values.into_iter().map(Operand::Value);
        let attribute = Operand::Path(path.clone());
        match (self.operator, values.next()) {
            (ComparisonOperator::NotNull, _) => Check::Exists(path),
            (ComparisonOperator::Null, _) | (_, None) => Check::NotExists(path),
            (ComparisonOperator::Eq, Some(value)) => Check::Compare(Comparator::Equal, attribute, value),
            (ComparisonOperator::Ne, Some(value)) => Check::Compare(Comparator::NotEqual, attribute, value),
            (ComparisonOperator::Le, Some(value)) => {
                Check::Compare(Comparator::LessOrEqual, attribute, value)
            }
            (ComparisonOperator::Lt, Some(value)) => Check::Compare(Comparator::Less, attribute, value),
            (ComparisonOperator::Ge, Some(value)) => {
                Check::Compare(Comparator::GreaterOrEqual, attribute, value)
            }
            (ComparisonOperator::Gt, Some(value)) => Check::Compare(Comparator::Greater, attribute, value),
            (ComparisonOperator::BeginsWith, Some(value)) => Check::BeginsWith(attribute, value),
            (ComparisonOperator::Contains, Some(value)) => Check::Contains(attribute, value),
            // An attribute that is not there contains nothing, so it passes.
            (ComparisonOperator::NotContains, Some(value)) => {
                Check::Not(Box::new(Check::Contains(attribute, value)))
            }
            (ComparisonOperator::In, Some(value)) => {
                Check::In(attribute, std::iter::once(value).chain(values).collect())
            }
            (ComparisonOperator::Between, Some(low)) => {
                let high = values.next().unwrap_or_else(|| low.clone());
                Check::Between(attribute, low, high)
            }
        }
    }

    fn into_key_term(self) -> Result<KeyTerm, Error> {
        let mut values = self.values.into_iter();
        let test = match (self.operator, values.next(), values.next()) {
            (ComparisonOperator::Eq, Some(value), _) => KeyTest::Equal(value),
            (ComparisonOperator::Le, Some(value), _) => KeyTest::LessOrEqual(value),
            (ComparisonOperator::Lt, Some(value), _) => KeyTest::Less(value),
            (ComparisonOperator::Ge, Some(value), _) => KeyTest::GreaterOrEqual(value),
            (ComparisonOperator::Gt, Some(value), _) => KeyTest::Greater(value),
            (ComparisonOperator::BeginsWith, Some(value), _) => KeyTest::BeginsWith(value),
            (ComparisonOperator::Between, Some(low), Some(high)) => KeyTest::Between(low, high),
            _ => return Err(Error::new("Attempted conditional constraint is not an indexable operation")),
        };
        Ok(KeyTerm { attribute: self.attribute, test })
    }
}

fn check_range(low: &Value, high: &Value) -> Result<(), Error> {
    let reversed = match (low, high) {
        (Value::S(low), Value::S(high)) => low > high,
        (Value::N(low), Value::N(high)) => low > high,
        (Value::B(low), Value::B(high)) => low > high,
        _ => false,
    };
    if reversed {
        return Err(Error::new(
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound",
        ));
    }
    Ok(())
}
