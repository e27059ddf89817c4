//! DescribeImport. Knows no import.

use op::{DescribeImport, Error, Operation};

use crate::arn;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;

static REQUEST: Request = Request {
    input: "DescribeImportInput",
    members: &[("ImportArn", &Shape::Text)],
    stages: &[&[
        rule("ImportArn", Test::Required),
        rule("ImportArn", Test::LengthMin(37)),
        rule("ImportArn", Test::LengthMax(1024)),
    ]],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(Operation::DescribeImport)
}

fn read(fields: Fields<'_, '_>) -> Result<DescribeImport, Fault> {
    let named = fields.required_text("ImportArn")?;
    match arn::part(named, "import") {
        Some(_) => Ok(DescribeImport { arn: named.to_owned() }),
        None => Err(Fault::invalid("Invalid Import ARN")),
    }
}
