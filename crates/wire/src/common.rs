//! What the members of many operations have in common: tables' names, choices, placeholders, mixtures that are refused.
//! Knows no operation as a whole.

use std::collections::BTreeMap;

use expr::{Condition, Kind, Placeholders, Projection};
use item::Item;
use op::{CapacityDetail, MetricsDetail, OnFailure, Returns, limits};

use crate::fault::Fault;
use crate::fields::{Fields, Pairs, text};
use crate::json::Json;
use crate::rule::{Rule, Test, is_name, rule};
use crate::value::{self, Named, Wording};

/// `ReturnConsumedCapacity`.
pub(crate) const CAPACITY: &[(&str, CapacityDetail)] =
    &[("INDEXES", CapacityDetail::Indexes), ("TOTAL", CapacityDetail::Total), ("NONE", CapacityDetail::None)];
/// `ReturnItemCollectionMetrics`.
pub(crate) const METRICS: &[(&str, MetricsDetail)] =
    &[("SIZE", MetricsDetail::Size), ("NONE", MetricsDetail::None)];
/// `ReturnValuesOnConditionCheckFailure`.
pub(crate) const ON_FAILURE: &[(&str, OnFailure)] =
    &[("ALL_OLD", OnFailure::AllOld), ("NONE", OnFailure::None)];
/// `ReturnValues`.
pub(crate) const RETURNS: &[(&str, Returns)] = &[
    ("ALL_NEW", Returns::AllNew),
    ("UPDATED_OLD", Returns::UpdatedOld),
    ("ALL_OLD", Returns::AllOld),
    ("NONE", Returns::None),
    ("UPDATED_NEW", Returns::UpdatedNew),
];
/// The choices of `ReturnConsumedCapacity`, as the service prints them.
pub(crate) const CAPACITY_NAMES: &[&str] = &["INDEXES", "TOTAL", "NONE"];
/// The choices of `ReturnItemCollectionMetrics`, as the service prints them.
pub(crate) const METRICS_NAMES: &[&str] = &["SIZE", "NONE"];
/// The choices of `ReturnValuesOnConditionCheckFailure`, as the service prints them.
pub(crate) const ON_FAILURE_NAMES: &[&str] = &["ALL_OLD", "NONE"];
/// The choices of `ReturnValues`.
pub(crate) const RETURNS_NAMES: &[&str] = &["ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"];
/// OBSERVED: the choices of `ReturnValues` as the newer layer prints them, one of them misspelt.
pub(crate) const RETURNS_PRINTED: &[&str] = &["ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATE_NEW", "NONE"];

/// What must hold of `TableName` where it may be a name or an ARN, once the model's own constraints hold.
pub(crate) const NAME_OR_ARN: &[Rule] = &[
    rule("TableName", Test::NamePattern),
    rule("TableName", Test::NameMin(3)),
    rule("TableName", Test::NameMax),
];

const TABLE_NAME_LENGTHS: std::ops::RangeInclusive<usize> = 3..=255;

/// The plain name of a table that a request names or gives the ARN of.
pub(crate) fn table_name(named: &str) -> Result<&str, Fault> {
    if !named.starts_with("arn:") {
        let is_valid = TABLE_NAME_LENGTHS.contains(&named.len()) && is_name(named);
        return if is_valid { Ok(named) } else { Err(Fault::unmet("TableName")) };
    }
    table_of_arn(named).ok_or_else(|| {
        Fault::bare(format!("Invalid TableArn: Invalid ResourceArn provided as input {named}"))
    })
}

/// The table that an ARN of a table, an index or a stream names.
pub(crate) fn table_of_arn(arn: &str) -> Option<&str> {
    let mut parts = arn.splitn(6, ':');
    let (scheme, _partition, service) = (parts.next()?, parts.next()?, parts.next()?);
    let (_region, _account, resource) = (parts.next()?, parts.next()?, parts.next()?);
    let path = resource.strip_prefix("table/")?;
    let name = path.split_once('/').map_or(path, |(name, _)| name);
    let is_valid = TABLE_NAME_LENGTHS.contains(&name.len()) && is_name(name);
    (scheme == "arn" && service == "dynamodb" && is_valid).then_some(name)
}

/// The member `TableName`.
pub(crate) fn table(fields: Fields<'_, '_>) -> Result<String, Fault> {
    Ok(table_name(fields.required_text("TableName")?)?.to_owned())
}

/// The member `ReturnConsumedCapacity`.
pub(crate) fn capacity(fields: Fields<'_, '_>) -> Result<CapacityDetail, Fault> {
    Ok(fields.choice("ReturnConsumedCapacity", CAPACITY)?.unwrap_or_default())
}

/// The member `ReturnItemCollectionMetrics`.
pub(crate) fn metrics(fields: Fields<'_, '_>) -> Result<MetricsDetail, Fault> {
    Ok(fields.choice("ReturnItemCollectionMetrics", METRICS)?.unwrap_or_default())
}

/// The member `ReturnValuesOnConditionCheckFailure`.
pub(crate) fn on_failure(fields: Fields<'_, '_>) -> Result<OnFailure, Fault> {
    Ok(fields.choice("ReturnValuesOnConditionCheckFailure", ON_FAILURE)?.unwrap_or_default())
}

/// The item or key in a member that must be there.
pub(crate) fn item(fields: Fields<'_, '_>, name: &str, wording: Wording) -> Result<Item, Fault> {
    value::decode_item(fields.required_map(name)?, wording)
}

/// Which members of an operation are expressions and which are their older counterparts, in the order in which the
/// service lists them.
pub(crate) struct Parameters {
    pub(crate) expressions: &'static [&'static str],
    pub(crate) legacy: &'static [&'static str],
    /// What is said of values without an expression; none where the operation takes no values.
    pub(crate) values_without: Option<&'static str>,
}

/// Refuses expressions beside their older counterparts, and placeholders beside no expression; then reads the
/// placeholders.
pub(crate) fn placeholders(
    fields: Fields<'_, '_>,
    parameters: &Parameters,
    wording: Wording,
) -> Result<Placeholders, Fault> {
    let given = |names: &[&'static str]| -> Vec<&'static str> {
        names.iter().copied().filter(|name| fields.has(name)).collect()
    };
    let expressions = given(parameters.expressions);
    let legacy = given(parameters.legacy);
    if !expressions.is_empty() && !legacy.is_empty() {
        return Err(Fault::invalid(format!(
            "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: \
             {{{}}} Expression parameters: {{{}}}",
            legacy.join(", "),
            expressions.join(", ")
        )));
    }
    if expressions.is_empty() && fields.has("ExpressionAttributeNames") {
        return Err(Fault::invalid("ExpressionAttributeNames can only be specified when using expressions"));
    }
    let values = match parameters.values_without {
        Some(refusal) if expressions.is_empty() && fields.has("ExpressionAttributeValues") => {
            return Err(Fault::invalid(refusal));
        }
        Some(_) => fields.map("ExpressionAttributeValues")?,
        None => None,
    };
    let names = fields.map("ExpressionAttributeNames")?.map(read_names).transpose()?;
    let values = values.map(|pairs| read_values(pairs, wording)).transpose()?;
    if names.is_none() && values.is_none() {
        return Ok(Placeholders::default());
    }
    Placeholders::new(names, values).map_err(|error| Fault::bare(error.message()))
}

/// `ExpressionAttributeNames`.
pub(crate) fn read_names(pairs: &Pairs<'_>) -> Result<BTreeMap<String, String>, Fault> {
    if pairs.is_empty() {
        return Err(Fault::invalid("ExpressionAttributeNames must not be empty"));
    }
    let mut names = BTreeMap::new();
    for (key, name) in pairs {
        let name = text(name)?;
        if name.is_empty() {
            return Err(Fault::invalid(format!(
                "ExpressionAttributeNames contains invalid value: Empty attribute name for key {key}"
            )));
        }
        names.insert(key.to_string(), name.to_owned());
    }
    Ok(names)
}

/// `ExpressionAttributeValues`.
pub(crate) fn read_values(pairs: &Pairs<'_>, wording: Wording) -> Result<Item, Fault> {
    if pairs.is_empty() {
        return Err(Fault::invalid("ExpressionAttributeValues must not be empty"));
    }
    let mut values = BTreeMap::new();
    for (key, value) in pairs {
        let decoded = value::decode(value, wording).map_err(|refused| {
            let is_named = match refused.named {
                Named::Always => true,
                Named::InOlderWording => wording == Wording::Older,
                Named::Never => false,
            };
            if !is_named {
                return refused.fault;
            }
            Fault::invalid(format!(
                "ExpressionAttributeValues contains invalid value: {} for key {key}",
                refused.fault.error.message
            ))
        })?;
        values.insert(key.to_string(), decoded);
    }
    Ok(values)
}

/// Refuses an item that is larger than any may be.
pub(crate) fn refuse_large(item: &Item) -> Result<(), Fault> {
    if item::item_bytes(item) > limits::ITEM_BYTES_MAX {
        return Err(Fault::bare("Item size has exceeded the maximum allowed size"));
    }
    Ok(())
}

/// Refuses the first of these expressions that is empty. OBSERVED: this comes before any of them is read.
pub(crate) fn refuse_empty(fields: Fields<'_, '_>, kinds: &[Kind]) -> Result<(), Fault> {
    match kinds
        .iter()
        .find(|kind| matches!(fields.get(kind.name()), Some(Json::Text(text)) if text.is_empty()))
    {
        Some(kind) => {
            Err(Fault::invalid(format!("Invalid {}: The expression can not be empty;", kind.name())))
        }
        None => Ok(()),
    }
}

/// The condition of a write.
pub(crate) fn condition(
    fields: Fields<'_, '_>,
    placeholders: &mut Placeholders,
) -> Result<Option<Condition>, Fault> {
    parse_condition(fields, Kind::Condition, placeholders)
}

/// The filter of a read.
pub(crate) fn filter(
    fields: Fields<'_, '_>,
    placeholders: &mut Placeholders,
) -> Result<Option<Condition>, Fault> {
    parse_condition(fields, Kind::Filter, placeholders)
}

fn parse_condition(
    fields: Fields<'_, '_>,
    kind: Kind,
    placeholders: &mut Placeholders,
) -> Result<Option<Condition>, Fault> {
    let Some(text) = fields.text(kind.name())? else { return Ok(None) };
    Ok(Some(Condition::parse(kind, text, placeholders)?))
}

/// The attributes to return, as an expression.
pub(crate) fn projection(
    fields: Fields<'_, '_>,
    placeholders: &mut Placeholders,
) -> Result<Option<Projection>, Fault> {
    let Some(text) = fields.text("ProjectionExpression")? else { return Ok(None) };
    Ok(Some(Projection::parse(text, placeholders)?))
}

/// The attributes to return, as a list of names.
pub(crate) fn attributes_to_get(fields: Fields<'_, '_>) -> Result<Option<Projection>, Fault> {
    let Some(names) = fields.texts("AttributesToGet")? else { return Ok(None) };
    if names.is_empty() {
        return Err(Fault::unmet("AttributesToGet"));
    }
    let mut seen = std::collections::BTreeSet::new();
    for name in &names {
        if name.is_empty() {
            return Err(Fault::invalid("Empty attribute name"));
        }
        if !seen.insert(*name) {
            return Err(Fault::invalid(format!(
                "One or more parameter values were invalid: Duplicate value in attribute name: {name}"
            )));
        }
    }
    Ok(Some(Projection::of_names(names.into_iter().map(str::to_owned).collect())))
}
