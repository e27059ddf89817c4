//! DescribeBulkOperation. Knows no bulk operation, nor what its ARN is like.

use op::{DescribeBulkOperation, Error, Operation};

use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;

static REQUEST: Request = Request {
    input: "DescribeBulkOperationInput",
    members: &[("BulkOperationArn", &Shape::Text)],
    stages: &[&[
        rule("BulkOperationArn", Test::Required),
        rule("BulkOperationArn", Test::LengthMin(37)),
        rule("BulkOperationArn", Test::LengthMax(1024)),
    ]],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(Operation::DescribeBulkOperation)
}

fn read(fields: Fields<'_, '_>) -> Result<DescribeBulkOperation, Fault> {
    Ok(DescribeBulkOperation { arn: fields.required_text("BulkOperationArn")?.to_owned() })
}
