//! ListExports. Knows no export.

use op::{Error, ExportSummary, Exports, ListExports, Operation};

use super::bucket::PAGE_MAX;
use super::export::{kind, status};
use crate::arn;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;
use crate::write::Object;

static REQUEST: Request = Request {
    input: "ListExportsInput",
    members: &[("TableArn", &Shape::Text), ("MaxResults", &Shape::Integer), ("NextToken", &Shape::Text)],
    stages: &[&[
        rule("TableArn", Test::LengthMin(1)),
        rule("TableArn", Test::LengthMax(1024)),
        rule("MaxResults", Test::AtLeast(1)),
        rule("MaxResults", Test::AtMost(PAGE_MAX as i64)),
    ]],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(Operation::ListExports)
}

fn read(fields: Fields<'_, '_>) -> Result<ListExports, Fault> {
    Ok(ListExports {
        table: fields.text("TableArn")?.map(arn::table).transpose()?.map(str::to_owned),
        limit: fields.count("MaxResults", PAGE_MAX)?,
        next: fields.owned("NextToken")?,
    })
}

pub(crate) fn encode(output: &Exports, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.list("ExportSummaries", &output.exports, write_summary);
    if let Some(next) = &output.next {
        object.text("NextToken", next);
    }
    object.end();
}

fn write_summary(export: &ExportSummary, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.text("ExportArn", &export.arn);
    object.text("ExportStatus", status(export.status));
    object.text("ExportType", kind(export.is_incremental));
    object.end();
}
