//! DescribeExport. Knows no export.

use op::{DescribeExport, Error, Operation};

use crate::arn;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;

static REQUEST: Request = Request {
    input: "DescribeExportInput",
    members: &[("ExportArn", &Shape::Text)],
    stages: &[&[
        rule("ExportArn", Test::Required),
        rule("ExportArn", Test::LengthMin(37)),
        rule("ExportArn", Test::LengthMax(1024)),
    ]],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(Operation::DescribeExport)
}

fn read(fields: Fields<'_, '_>) -> Result<DescribeExport, Fault> {
    let named = fields.required_text("ExportArn")?;
    match arn::part(named, "export") {
        Some(_) => Ok(DescribeExport { arn: named.to_owned() }),
        None => Err(Fault::invalid("Invalid Export ARN")),
    }
}
