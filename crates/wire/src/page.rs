//! Operations that read pages. Each file has the request's model and `decode`; they share `encode`.

pub(crate) mod query;
pub(crate) mod scan;
#[cfg(test)]
mod tests;

use expr::Projection;
use item::Item;
use op::{Page, Select};

use crate::common;
use crate::consumed;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::value::{self, Wording};
use crate::write::Object;

const SELECTS: &[(&str, Select)] = &[
    ("SPECIFIC_ATTRIBUTES", Select::SpecificAttributes),
    ("COUNT", Select::Count),
    ("ALL_ATTRIBUTES", Select::AllAttributes),
    ("ALL_PROJECTED_ATTRIBUTES", Select::AllProjectedAttributes),
];
/// The choices of `Select`, as the service prints them.
const SELECT_NAMES: &[&str] = &["SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"];

/// `Select`, refused where it contradicts the attributes asked for.
fn select(fields: Fields<'_, '_>) -> Result<Option<Select>, Fault> {
    let select = fields.choice("Select", SELECTS)?;
    let listed = ["AttributesToGet", "ProjectionExpression"].into_iter().find(|name| fields.has(name));
    let detail = match (select, listed) {
        (Some(Select::SpecificAttributes), None) => {
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES".into()
        }
        (Some(Select::Count), Some(name)) => {
            format!("Cannot specify the {name} when choosing to get only the Count")
        }
        (Some(Select::AllAttributes), Some(name)) => {
            format!("Cannot specify the {name} when choosing to get ALL_ATTRIBUTES")
        }
        (Some(Select::AllProjectedAttributes), Some(name)) => {
            format!("Cannot specify the {name} when choosing to get ALL_PROJECTED_ATTRIBUTES")
        }
        (Some(Select::AllProjectedAttributes), None) if !fields.has("IndexName") => {
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName".into()
        }
        (Some(_) | None, _) => return Ok(select),
    };
    Err(Fault::bare(format!("1 validation error detected: {detail}")))
}

/// `Limit`.
fn limit(fields: Fields<'_, '_>) -> Result<Option<usize>, Fault> {
    match fields.integer("Limit")? {
        None => Ok(None),
        Some(limit) if limit >= 1 => Ok(Some(usize::try_from(limit).unwrap_or(usize::MAX))),
        Some(_) => Err(Fault::unmet("Limit")),
    }
}

/// `ExclusiveStartKey`.
fn start(fields: Fields<'_, '_>, wording: Wording) -> Result<Option<Item>, Fault> {
    let Some(pairs) = fields.map("ExclusiveStartKey")? else { return Ok(None) };
    value::decode_item(pairs, wording).map(Some).map_err(|fault| match fault.bare {
        true => Fault::bare(format!("The provided starting key is invalid: {}", fault.error.message)),
        false => fault,
    })
}

/// `IndexName`.
fn index(fields: Fields<'_, '_>) -> Result<Option<String>, Fault> {
    Ok(fields.text("IndexName")?.map(str::to_owned))
}

/// The attributes to return, in either form.
fn projection(
    fields: Fields<'_, '_>,
    placeholders: &mut expr::Placeholders,
) -> Result<Option<Projection>, Fault> {
    Ok(common::projection(fields, placeholders)?.or(common::attributes_to_get(fields)?))
}

pub(crate) fn encode(output: &Page, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    if let Some(items) = &output.items {
        object.list("Items", items, value::write_stored);
    }
    object.number("Count", output.count);
    object.number("ScannedCount", output.scanned);
    if let Some(last) = &output.last {
        value::write_item(last, object.key("LastEvaluatedKey"));
    }
    if let Some(capacity) = &output.capacity {
        consumed::write(capacity, object.key("ConsumedCapacity"));
    }
    object.end();
}
