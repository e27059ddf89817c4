//! CancelBulkOperation. Knows no bulk operation, nor what its ARN is like.

use op::{CancelBulkOperation, CancelledBulkOperation, Error, Operation};

use super::bulk::status;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;
use crate::write::Object;

static REQUEST: Request = Request {
    input: "CancelBulkOperationInput",
    members: &[("BulkOperationArn", &Shape::Text)],
    stages: &[&[
        rule("BulkOperationArn", Test::Required),
        rule("BulkOperationArn", Test::LengthMin(37)),
        rule("BulkOperationArn", Test::LengthMax(1024)),
    ]],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(Operation::CancelBulkOperation)
}

fn read(fields: Fields<'_, '_>) -> Result<CancelBulkOperation, Fault> {
    Ok(CancelBulkOperation { arn: fields.required_text("BulkOperationArn")?.to_owned() })
}

pub(crate) fn encode(output: &CancelledBulkOperation, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.text("BulkOperationArn", &output.arn);
    object.text("BulkOperationStatus", status(output.status));
    object.end();
}
