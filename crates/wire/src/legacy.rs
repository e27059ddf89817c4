//! The parameters from before expressions, read into what `expr` makes conditions and updates of. Knows no operation.

use std::collections::BTreeMap;

use expr::legacy::{
    AttributeAction, AttributeUpdate, ComparisonOperator, ConditionalOperator, Expectation, Source, Test,
};
use expr::{Condition, KeyCondition, Update, legacy};
use item::Value;

use crate::fault::Fault;
use crate::fields::{Fields, Pairs};
use crate::json::Json;
use crate::shape::{Shape, VALUE, VALUES};
use crate::value::{self, Wording};

/// `Condition`, of `KeyConditions`, `QueryFilter` and `ScanFilter`.
pub(crate) static CONDITIONS: Shape = Shape::Map(&Shape::Struct(
    "Condition",
    &[("AttributeValueList", &VALUES), ("ComparisonOperator", &Shape::Text)],
));
/// `Expected`.
pub(crate) static EXPECTED: Shape = Shape::Map(&Shape::Struct(
    "ExpectedAttributeValue",
    &[
        ("Value", &VALUE),
        ("Exists", &Shape::Flag),
        ("ComparisonOperator", &Shape::Text),
        ("AttributeValueList", &VALUES),
    ],
));
/// `AttributeUpdates`.
pub(crate) static UPDATES: Shape =
    Shape::Map(&Shape::Struct("AttributeValueUpdate", &[("Value", &VALUE), ("Action", &Shape::Text)]));

/// The choices of `ConditionalOperator`, as the service prints them.
pub(crate) const OPERATOR_NAMES: &[&str] = &["OR", "AND"];
/// OBSERVED: the same as the newer layer prints them, one of them by another name.
pub(crate) const OPERATOR_PRINTED: &[&str] = &["ALL", "OR"];
const OPERATORS: &[(&str, ConditionalOperator)] =
    &[("AND", ConditionalOperator::And), ("OR", ConditionalOperator::Or)];
const ACTIONS: &[(&str, AttributeAction)] =
    &[("PUT", AttributeAction::Put), ("ADD", AttributeAction::Add), ("DELETE", AttributeAction::Delete)];

/// The condition in `Expected`.
pub(crate) fn expected(fields: Fields<'_, '_>) -> Result<Option<Condition>, Fault> {
    let Some((pairs, operator)) = joined(fields, "Expected")? else { return Ok(None) };
    let mut expectations = Vec::with_capacity(pairs.len());
    for (attribute, fields) in structures(pairs)? {
        if fields.has("Value") && fields.has("AttributeValueList") {
            return Err(Fault::invalid(format!(
                "One or more parameter values were invalid: Value and AttributeValueList cannot be used together for \
                 Attribute: {attribute}"
            )));
        }
        expectations.push(Expectation {
            attribute: attribute.to_owned(),
            value: fields.get("Value").map(|value| single(value, Wording::Newer)).transpose()?,
            exists: fields.flag("Exists")?,
            operator: fields.text("ComparisonOperator")?.map(comparison).transpose()?,
            values: fields
                .list("AttributeValueList")?
                .map(|values| many(values, Wording::Newer))
                .transpose()?,
        });
    }
    Ok(Some(legacy::expected(expectations, operator)?))
}

/// The condition in `QueryFilter` or `ScanFilter`.
pub(crate) fn filter(fields: Fields<'_, '_>, name: &str, source: Source) -> Result<Option<Condition>, Fault> {
    let Some((pairs, operator)) = joined(fields, name)? else { return Ok(None) };
    let wording = match source {
        Source::ScanFilter => Wording::Older,
        Source::QueryFilter | Source::Expected => Wording::Newer,
    };
    Ok(Some(legacy::conditions(source, tests(pairs, name, wording)?, operator)?))
}

/// The condition in `KeyConditions`.
pub(crate) fn key_conditions(fields: Fields<'_, '_>) -> Result<Option<KeyCondition>, Fault> {
    const NAME: &str = "KeyConditions";
    let Some(pairs) = fields.map(NAME)?.filter(|pairs| !pairs.is_empty()) else { return Ok(None) };
    Ok(Some(legacy::key_conditions(tests(pairs, NAME, Wording::Newer)?)?))
}

/// The update in `AttributeUpdates`.
pub(crate) fn updates(fields: Fields<'_, '_>) -> Result<Option<Update>, Fault> {
    let Some(pairs) = fields.map("AttributeUpdates")?.filter(|pairs| !pairs.is_empty()) else {
        return Ok(None);
    };
    let mut updates = Vec::with_capacity(pairs.len());
    for (attribute, fields) in structures(pairs)? {
        if attribute.is_empty() {
            return Err(Fault::invalid("Empty attribute name"));
        }
        let action = match fields.text("Action")? {
            Some(name) => ACTIONS.iter().find(|(action, _)| *action == name).map(|(_, action)| *action),
            None => Some(AttributeAction::Put),
        };
        updates.push(AttributeUpdate {
            attribute: attribute.to_owned(),
            action: action.ok_or_else(|| {
                Fault::invalid("Member must satisfy enum value set: [ADD, DELETE, PUT]' for Action")
            })?,
            value: fields.get("Value").map(|value| single(value, Wording::Newer)).transpose()?,
        });
    }
    legacy::updates(updates).map(Some).map_err(|error| Fault::bare(error.message()))
}

/// The tests in a member and how they are joined. An operator that joins nothing is refused.
fn joined<'t, 'a>(
    fields: Fields<'t, 'a>,
    name: &str,
) -> Result<Option<(&'t Pairs<'a>, ConditionalOperator)>, Fault> {
    let operator = fields.choice("ConditionalOperator", OPERATORS)?;
    let pairs = fields.map(name)?.filter(|pairs| !pairs.is_empty());
    match (pairs, operator) {
        (Some([_]), Some(_)) => Err(Fault::invalid(
            "ConditionalOperator can only be used when Filter or Expected has two or more elements",
        )),
        (Some(pairs), operator) => Ok(Some((pairs, operator.unwrap_or_default()))),
        (None, None) => Ok(None),
        (None, Some(_)) => {
            Err(Fault::invalid("ConditionalOperator cannot be used without Filter or Expected"))
        }
    }
}

fn tests(pairs: &Pairs<'_>, name: &str, wording: Wording) -> Result<Vec<Test>, Fault> {
    let mut tests = Vec::with_capacity(pairs.len());
    for (attribute, fields) in structures(pairs)? {
        tests.push(Test {
            attribute: attribute.to_owned(),
            operator: comparison(fields.text("ComparisonOperator")?.ok_or_else(|| Fault::unmet(name))?)?,
            values: many(fields.list("AttributeValueList")?.unwrap_or_default(), wording)?,
        });
    }
    Ok(tests)
}

/// The structures of a map; of equal names the last one counts.
fn structures<'t, 'a>(pairs: &'t Pairs<'a>) -> Result<BTreeMap<&'t str, Fields<'t, 'a>>, Fault> {
    pairs.iter().map(|(name, value)| Ok((name.as_ref(), Fields::of(value)?))).collect()
}

fn comparison(name: &str) -> Result<ComparisonOperator, Fault> {
    ComparisonOperator::from_name(name).ok_or_else(|| {
        Fault::invalid("One or more parameter values were invalid: Invalid comparison operator")
    })
}

fn single(value: &Json<'_>, wording: Wording) -> Result<Value, Fault> {
    Ok(value::decode(value, wording)?)
}

fn many(values: &[Json<'_>], wording: Wording) -> Result<Vec<Value>, Fault> {
    values.iter().map(|value| single(value, wording)).collect()
}
