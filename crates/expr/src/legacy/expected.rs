//! `Expected`, which beside comparisons has a form of its own: `Exists` and `Value`. Knows no updates.

use item::Value;

use super::compare::{ComparisonOperator, ConditionalOperator, Test};
use super::invalid;
use crate::condition::Condition;
use crate::{Error, Kind};

/// What is expected of one attribute, as it was sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Expectation {
    /// The attribute.
    pub attribute: String,
    /// `Value`.
    pub value: Option<Value>,
    /// `Exists`.
    pub exists: Option<bool>,
    /// `ComparisonOperator`.
    pub operator: Option<ComparisonOperator>,
    /// `AttributeValueList`.
    pub values: Option<Vec<Value>>,
}

/// The condition that joins the expectations.
pub fn expected(expectations: Vec<Expectation>, operator: ConditionalOperator) -> Result<Condition, Error> {
    let tests = expectations.into_iter().map(Expectation::into_test).collect::<Result<Vec<_>, _>>()?;
    tests.iter().try_for_each(Test::check)?;
    let checks = tests.into_iter().map(Test::into_check).collect();
    Ok(Condition::legacy(Kind::Condition, operator.join(checks)))
}

impl Expectation {
    fn into_test(self) -> Result<Test, Error> {
        let attribute = self.attribute.clone();
        let refuse = |text: &str| Err(invalid(&format!("{text} for Attribute: {attribute}")));
        let Some(operator) = self.operator else {
            if self.values.is_some() {
                return refuse("AttributeValueList can only be used with a ComparisonOperator");
            }
            return match (self.exists, self.value) {
                (None, None) => refuse("Value must be provided when Exists is null"),
                (Some(true), None) => refuse("Value must be provided when Exists is true"),
                (Some(false), Some(_)) => refuse("Value cannot be used when Exists is false"),
                (Some(false), None) => {
                    Ok(Test { attribute, operator: ComparisonOperator::Null, values: Vec::new() })
                }
                (None | Some(true), Some(value)) => {
                    Ok(Test { attribute, operator: ComparisonOperator::Eq, values: vec![value] })
                }
            };
        };
        if self.exists.is_some() {
            return refuse("Exists and ComparisonOperator cannot be used together");
        }
        let takes_nothing = matches!(operator, ComparisonOperator::Null | ComparisonOperator::NotNull);
        let values = match (self.value, self.values) {
            (Some(_), Some(_)) => return refuse("Value and AttributeValueList cannot be used together"),
            (Some(value), None) => vec![value],
            (None, Some(values)) => values,
            (None, None) if takes_nothing => Vec::new(),
            (None, None) => {
                let name = operator.name();
                let text =
                    format!("Value or AttributeValueList must be used with ComparisonOperator: {name}");
                return refuse(&text);
            }
        };
        Ok(Test { attribute, operator, values })
    }
}
