//! ListImports. Knows no import.

use op::{Error, ImportSummary, Imports, ListImports, Operation};

use super::bucket::{self, PAGE_MAX};
use super::import::{format_name, status, write_source};
use crate::arn;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;
use crate::write::Object;

static REQUEST: Request = Request {
    input: "ListImportsInput",
    members: &[("TableArn", &Shape::Text), ("PageSize", &Shape::Integer), ("NextToken", &Shape::Text)],
    stages: &[&[
        rule("TableArn", Test::LengthMin(1)),
        rule("TableArn", Test::LengthMax(1024)),
        rule("PageSize", Test::AtLeast(1)),
        rule("PageSize", Test::AtMost(PAGE_MAX as i64)),
        rule("NextToken", bucket::PAGE_TOKEN),
        rule("NextToken", Test::LengthMin(112)),
        rule("NextToken", Test::LengthMax(1024)),
    ]],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(Operation::ListImports)
}

fn read(fields: Fields<'_, '_>) -> Result<ListImports, Fault> {
    Ok(ListImports {
        table: fields.text("TableArn")?.map(arn::table).transpose()?.map(str::to_owned),
        limit: fields.count("PageSize", PAGE_MAX)?,
        next: fields.owned("NextToken")?,
    })
}

pub(crate) fn encode(output: &Imports, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.list("ImportSummaryList", &output.imports, write_summary);
    if let Some(next) = &output.next {
        object.text("NextToken", next);
    }
    object.end();
}

fn write_summary(import: &ImportSummary, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.text("ImportArn", &import.arn);
    object.text("ImportStatus", status(import.status));
    object.text("TableArn", &import.table_arn);
    write_source(&import.source, &mut object);
    if let Some(arn) = &import.log_group_arn {
        object.text("CloudWatchLogGroupArn", arn);
    }
    object.text("InputFormat", format_name(&import.format));
    bucket::write_times(import.start_ms, import.end_ms, &mut object);
    object.end();
}
