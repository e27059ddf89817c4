//! ListBulkOperations. Knows no bulk operation.

use op::{BulkOperationSummary, BulkOperations, Error, ListBulkOperations, Operation};

use super::bucket::{self, PAGE_MAX};
use super::bulk::status;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;
use crate::write::Object;

static REQUEST: Request = Request {
    input: "ListBulkOperationsInput",
    members: &[("MaxResults", &Shape::Integer), ("NextToken", &Shape::Text)],
    stages: &[&[
        rule("MaxResults", Test::AtLeast(1)),
        rule("MaxResults", Test::AtMost(PAGE_MAX as i64)),
        rule("NextToken", bucket::PAGE_TOKEN),
        rule("NextToken", Test::LengthMin(1)),
        rule("NextToken", Test::LengthMax(1024)),
    ]],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(Operation::ListBulkOperations)
}

fn read(fields: Fields<'_, '_>) -> Result<ListBulkOperations, Fault> {
    Ok(ListBulkOperations { limit: fields.count("MaxResults", PAGE_MAX)?, next: fields.owned("NextToken")? })
}

pub(crate) fn encode(output: &BulkOperations, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.list("BulkOperationsSummaryList", &output.operations, write_summary);
    if let Some(next) = &output.next {
        object.text("NextToken", next);
    }
    object.end();
}

fn write_summary(bulk: &BulkOperationSummary, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.text("BulkOperationArn", &bulk.arn);
    object.text("BulkOperationStatus", status(bulk.status));
    bucket::write_times(bulk.start_ms, bulk.end_ms, &mut object);
    object.end();
}
