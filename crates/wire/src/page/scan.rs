//! Scan. Knows no table.

use expr::legacy::Source;
use op::{Error, Operation, Scan, Segment};

use super::SELECT_NAMES;
use crate::common::{self, CAPACITY_NAMES, Parameters};
use crate::fault::Fault;
use crate::fields::Fields;
use crate::legacy::{self, CONDITIONS, OPERATOR_NAMES};
use crate::request::Request;
use crate::rule::{Test, bare, rule};
use crate::shape::{ITEM, NAMES, Shape, TEXTS};
use crate::value::Wording;

const SEGMENTS_MAX: i64 = 1_000_000;

static REQUEST: Request = Request {
    input: "ScanInput",
    members: &[
        ("TableName", &Shape::Text),
        ("IndexName", &Shape::Text),
        ("AttributesToGet", &TEXTS),
        ("Limit", &Shape::Integer),
        ("Select", &Shape::Text),
        ("ScanFilter", &CONDITIONS),
        ("ConditionalOperator", &Shape::Text),
        ("ExclusiveStartKey", &ITEM),
        ("ReturnConsumedCapacity", &Shape::Text),
        ("TotalSegments", &Shape::Integer),
        ("Segment", &Shape::Integer),
        ("ProjectionExpression", &Shape::Text),
        ("FilterExpression", &Shape::Text),
        ("ExpressionAttributeNames", &NAMES),
        ("ExpressionAttributeValues", &ITEM),
        ("ConsistentRead", &Shape::Flag),
    ],
    stages: &[
        &[
            bare("Limit", Test::AtLeast(1)),
            bare("Segment", Test::AtLeast(0)),
            bare("Segment", Test::AtMost(SEGMENTS_MAX - 1)),
            bare("TotalSegments", Test::AtLeast(1)),
            bare("TotalSegments", Test::AtMost(SEGMENTS_MAX)),
            bare("TableName", Test::NameMin(1)),
        ],
        &[
            rule("TableName", Test::Required),
            rule("TableName", Test::NameMin(3)),
            rule("TableName", Test::NameMax),
            rule("Select", Test::OneOf(SELECT_NAMES)),
            rule("ReturnConsumedCapacity", Test::OneOf(CAPACITY_NAMES)),
            rule("ConditionalOperator", Test::OneOf(OPERATOR_NAMES)),
            rule("AttributesToGet", Test::LengthMin(1)),
            rule("ScanFilter.*.ComparisonOperator", Test::Required),
        ],
        &[rule("TableName", Test::NamePattern)],
    ],
    counted: false,
};

const PARAMETERS: Parameters = Parameters {
    expressions: &["ProjectionExpression", "FilterExpression"],
    legacy: &["AttributesToGet", "ScanFilter", "ConditionalOperator"],
    values_without: Some(
        "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null",
    ),
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(|request| Operation::Scan(Box::new(request)))
}

fn read(fields: Fields<'_, '_>) -> Result<Scan, Fault> {
    let table = common::table(fields)?;
    let limit = super::limit(fields)?;
    let mut placeholders = common::placeholders(fields, &PARAMETERS, Wording::Older)?;
    let start = super::start(fields, Wording::Older)?;
    let scan_filter = legacy::filter(fields, "ScanFilter", Source::ScanFilter)?;
    let filter = common::filter(fields, &mut placeholders)?;
    let projection = super::projection(fields, &mut placeholders)?;
    let select = super::select(fields)?;
    let segment = segment(fields)?;
    placeholders.finish()?;
    Ok(Scan {
        table,
        index: super::index(fields)?,
        filter: filter.or(scan_filter),
        projection,
        select,
        limit,
        start,
        segment,
        consistent: fields.flag("ConsistentRead")?.unwrap_or(false),
        capacity: common::capacity(fields)?,
    })
}

fn segment(fields: Fields<'_, '_>) -> Result<Option<Segment>, Fault> {
    let number = fields.integer("Segment")?;
    let total = fields.integer("TotalSegments")?;
    let (number, total) = match (number, total) {
        (None, None) => return Ok(None),
        (Some(number), Some(total)) => (number, total),
        (Some(_), None) => {
            return Err(Fault::invalid(
                "The TotalSegments parameter is required but was not present in the request when Segment parameter is \
                 present",
            ));
        }
        (None, Some(_)) => {
            return Err(Fault::invalid(
                "The Segment parameter is required but was not present in the request when parameter TotalSegments is \
                 present",
            ));
        }
    };
    if !(0..SEGMENTS_MAX).contains(&number) || !(1..=SEGMENTS_MAX).contains(&total) {
        return Err(Fault::unmet("Segment"));
    }
    if number >= total {
        return Err(Fault::invalid(format!(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: {number} is not \
             less than TotalSegments: {total}"
        )));
    }
    let whole = |value: i64| u32::try_from(value).unwrap_or(u32::MAX);
    Ok(Some(Segment { number: whole(number), total: whole(total) }))
}
