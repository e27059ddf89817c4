//! `FilterSpecification`: the expressions of an export. Knows no table.

use expr::Kind;
use op::{ExportFilter, ExportFilterText};

use crate::common::{self, Parameters};
use crate::fault::Fault;
use crate::fields::Fields;
use crate::shape::{ITEM, NAMES, Shape};
use crate::value::{Wording, write_item};
use crate::write::Object;

pub(crate) static SHAPE: Shape = Shape::Struct(
    "FilterSpecification",
    &[
        ("FilterExpression", &Shape::Text),
        ("ProjectionExpression", &Shape::Text),
        ("KeyConditionExpression", &Shape::Text),
        ("ExpressionAttributeNames", &NAMES),
        ("ExpressionAttributeValues", &ITEM),
    ],
);

const PARAMETERS: Parameters = Parameters {
    expressions: &["ProjectionExpression", "FilterExpression", "KeyConditionExpression"],
    legacy: &[],
    values_without: Some(
        "ExpressionAttributeValues can only be specified when using expressions: FilterExpression and \
         KeyConditionExpression are null",
    ),
};

/// Reads and parses the expressions. A filter without any is none.
pub(crate) fn read(fields: Fields<'_, '_>) -> Result<Option<ExportFilter>, Fault> {
    common::refuse_empty(fields, &[Kind::Filter, Kind::Projection, Kind::KeyCondition])?;
    // The placeholders are read for what is refused of them; the expressions are parsed from what is kept.
    common::placeholders(fields, &PARAMETERS, Wording::Older)?;
    let text = ExportFilterText {
        key_condition: fields.owned("KeyConditionExpression")?,
        condition: fields.owned("FilterExpression")?,
        projection: fields.owned("ProjectionExpression")?,
        names: fields.map("ExpressionAttributeNames")?.map(common::read_names).transpose()?,
        values: fields
            .map("ExpressionAttributeValues")?
            .map(|pairs| common::read_values(pairs, Wording::Older))
            .transpose()?,
    };
    if text == ExportFilterText::default() {
        return Ok(None);
    }
    Ok(Some(ExportFilter::parse(text)?))
}

/// Writes the expressions as they were sent.
pub(crate) fn write(filter: &ExportFilterText, object: &mut Object<'_>) {
    let mut written = Object::begin(object.key("FilterSpecification"));
    let expressions = [
        ("FilterExpression", &filter.condition),
        ("ProjectionExpression", &filter.projection),
        ("KeyConditionExpression", &filter.key_condition),
    ];
    for (name, expression) in expressions {
        if let Some(expression) = expression {
            written.text(name, expression);
        }
    }
    if let Some(names) = &filter.names {
        let mut object = Object::begin(written.key("ExpressionAttributeNames"));
        for (key, name) in names {
            crate::write::text(name, object.any_key(key));
        }
        object.end();
    }
    if let Some(values) = &filter.values {
        write_item(values, written.key("ExpressionAttributeValues"));
    }
    written.end();
}
