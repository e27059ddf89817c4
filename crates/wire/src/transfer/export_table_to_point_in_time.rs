//! ExportTableToPointInTime. Knows no table and no bucket.

use op::{Error, ExportScope, ExportTableToPointInTime, ExportView, Operation};

use super::{bucket, filter};
use crate::arn;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;

static REQUEST: Request = Request {
    input: "ExportTableToPointInTimeInput",
    members: &[
        ("TableArn", &Shape::Text),
        ("ExportTime", &Shape::Time),
        ("ClientToken", &Shape::Text),
        ("S3Bucket", &Shape::Text),
        ("S3BucketOwner", &Shape::Text),
        ("S3Prefix", &Shape::Text),
        ("S3SseAlgorithm", &Shape::Text),
        ("S3SseKmsKeyId", &Shape::Text),
        ("ExportFormat", &Shape::Text),
        ("ExportType", &Shape::Text),
        ("IncrementalExportSpecification", &INCREMENTAL),
        ("FilterSpecification", &filter::SHAPE),
    ],
    stages: &[&[
        rule("TableArn", Test::Required),
        rule("TableArn", Test::LengthMin(1)),
        rule("TableArn", Test::LengthMax(1024)),
        rule("ClientToken", bucket::TOKEN),
        rule("S3Bucket", Test::Required),
        rule("S3Bucket", bucket::BUCKET),
        rule("S3Bucket", Test::LengthMax(255)),
        rule("S3BucketOwner", bucket::OWNER),
        rule("S3Prefix", Test::LengthMax(1024)),
        rule("S3SseAlgorithm", Test::OneOf(bucket::SSE_NAMES)),
        rule("S3SseKmsKeyId", Test::LengthMin(1)),
        rule("S3SseKmsKeyId", Test::LengthMax(2048)),
        rule("ExportFormat", Test::OneOf(bucket::FORMAT_NAMES)),
        rule("ExportType", Test::OneOf(&["FULL_EXPORT", "INCREMENTAL_EXPORT"])),
        rule(
            "IncrementalExportSpecification.ExportViewType",
            Test::OneOf(&["NEW_IMAGE", "NEW_AND_OLD_IMAGES"]),
        ),
    ]],
    counted: false,
};
static INCREMENTAL: Shape = Shape::Struct(
    "IncrementalExportSpecification",
    &[("ExportFromTime", &Shape::Time), ("ExportToTime", &Shape::Time), ("ExportViewType", &Shape::Text)],
);
const VIEWS: &[(&str, ExportView)] =
    &[("NEW_IMAGE", ExportView::NewImage), ("NEW_AND_OLD_IMAGES", ExportView::NewAndOldImages)];

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    let request = REQUEST.decode_checked(body, read)?;
    Ok(Operation::ExportTableToPointInTime(Box::new(request)))
}

fn read(fields: Fields<'_, '_>) -> Result<ExportTableToPointInTime, Fault> {
    let table = arn::table(fields.required_text("TableArn")?)?.to_owned();
    Ok(ExportTableToPointInTime {
        table,
        scope: scope(fields)?,
        token: fields.owned("ClientToken")?,
        bucket: bucket::place(fields, "S3Prefix")?,
        sse: bucket::sse(fields)?,
        format: bucket::format(fields, "ExportFormat")?.unwrap_or_default(),
        filter: fields.fields("FilterSpecification")?.map(filter::read).transpose()?.flatten(),
    })
}

/// What to write: everything at a time, or what changed in a time. The one is not asked for with the other's members.
fn scope(fields: Fields<'_, '_>) -> Result<ExportScope, Fault> {
    let invalid = |detail: &str| Err(Fault::invalid(format!("Invalid Request: {detail}")));
    let time_ms = fields.time("ExportTime")?;
    match (fields.text("ExportType")?, fields.fields("IncrementalExportSpecification")?) {
        (None, None) | (Some("FULL_EXPORT"), None) => Ok(ExportScope::Full(time_ms)),
        (None, Some(_)) => invalid(
            "Export Type expected to be Incremental Export when incremental export specification is provided",
        ),
        (Some("INCREMENTAL_EXPORT"), None) => {
            invalid("Incremental Export Specification expected when export type is set as Incremental Export")
        }
        (Some("INCREMENTAL_EXPORT"), Some(specification)) => {
            let Some(from_ms) = specification.time("ExportFromTime")? else {
                return invalid("ExportFromTime must be provided in IncrementalExportSpecification");
            };
            if time_ms.is_some() {
                return invalid(
                    "When Export Type is Incremental Export , Export Time should not be provided",
                );
            }
            let to_ms = specification.time("ExportToTime")?;
            let view = specification.choice("ExportViewType", VIEWS)?.unwrap_or_default();
            Ok(ExportScope::Incremental { from_ms, to_ms, view })
        }
        (Some(_), _) => invalid(
            "When Export Type is Full Export , Incremental Export Specification should not be provided",
        ),
    }
}
