//! StartBulkPutItems. Knows no table and no bucket.

use op::{BulkInput, BulkOutput, BulkOutputKind, Error, Operation, PerformanceTier, StartBulkPutItems};

use super::bucket;
use crate::common;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::{Shape, TEXTS};

static REQUEST: Request = Request {
    input: "StartBulkPutItemsInput",
    members: &[
        ("ClientToken", &Shape::Text),
        ("InputS3Configuration", &INPUT),
        ("OutputS3Configuration", &OUTPUT),
        ("TableName", &Shape::Text),
        ("MaxWriteRequestUnits", &Shape::Long),
        ("PerformanceTier", &Shape::Text),
    ],
    stages: &[
        &[
            rule("ClientToken", bucket::TOKEN),
            rule("InputS3Configuration", Test::Required),
            rule("InputS3Configuration", Test::Within(bucket::PLACE_RULES)),
            rule("InputS3Configuration.InputFormat", Test::Required),
            rule("InputS3Configuration.InputFormat", Test::OneOf(bucket::FORMAT_NAMES)),
            rule("InputS3Configuration.InputCompressionType", Test::OneOf(bucket::COMPRESSION_NAMES)),
            rule("OutputS3Configuration", Test::Required),
            rule("OutputS3Configuration", Test::Within(bucket::PLACE_RULES)),
            rule("OutputS3Configuration.OutputType", Test::Required),
            rule("OutputS3Configuration.OutputType.*", Test::OneOf(&["ERROR", "CONDITION_CHECK_FAILURE"])),
            rule("TableName", Test::Required),
            rule("TableName", Test::LengthMin(1)),
            rule("TableName", Test::LengthMax(1024)),
            rule("MaxWriteRequestUnits", Test::AtLeast(1024)),
            rule("PerformanceTier", Test::OneOf(&["STANDARD", "ACCELERATED"])),
        ],
        common::NAME_OR_ARN,
    ],
    counted: false,
};
static INPUT: Shape = Shape::Struct(
    "InputS3Configuration",
    &[
        ("S3BucketOwner", &Shape::Text),
        ("S3Bucket", &Shape::Text),
        ("S3KeyPrefix", &Shape::Text),
        ("InputFormat", &Shape::Text),
        ("InputCompressionType", &Shape::Text),
    ],
);
static OUTPUT: Shape = Shape::Struct(
    "OutputS3Configuration",
    &[
        ("S3BucketOwner", &Shape::Text),
        ("S3Bucket", &Shape::Text),
        ("S3KeyPrefix", &Shape::Text),
        ("S3SseAlgorithm", &Shape::Text),
        ("S3SseKmsKeyId", &Shape::Text),
        ("OutputType", &TEXTS),
    ],
);
const TIERS: &[(&str, PerformanceTier)] =
    &[("STANDARD", PerformanceTier::Standard), ("ACCELERATED", PerformanceTier::Accelerated)];

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    let request = REQUEST.decode_checked(body, read)?;
    Ok(Operation::StartBulkPutItems(Box::new(request)))
}

fn read(fields: Fields<'_, '_>) -> Result<StartBulkPutItems, Fault> {
    let input = fields.fields("InputS3Configuration")?;
    let output = fields.fields("OutputS3Configuration")?;
    let units = fields.integer("MaxWriteRequestUnits")?;
    Ok(StartBulkPutItems {
        token: fields.owned("ClientToken")?,
        input: read_input(input.ok_or_else(|| Fault::unmet("InputS3Configuration"))?)?,
        output: read_output(output.ok_or_else(|| Fault::unmet("OutputS3Configuration"))?)?,
        table: common::table(fields)?,
        table_named: fields.required_text("TableName")?.to_owned(),
        write_units_max: units.and_then(|units| u64::try_from(units).ok()),
        tier: fields.choice("PerformanceTier", TIERS)?.unwrap_or_default(),
    })
}

fn read_input(fields: Fields<'_, '_>) -> Result<BulkInput, Fault> {
    Ok(BulkInput {
        source: bucket::place(fields, "S3KeyPrefix")?,
        format: bucket::format(fields, "InputFormat")?.ok_or_else(|| Fault::unmet("InputFormat"))?,
        compression: bucket::compression(fields)?,
    })
}

/// Where to tell what failed. At least one kind of failure is to be told, each is named once.
fn read_output(fields: Fields<'_, '_>) -> Result<BulkOutput, Fault> {
    let mut kinds = Vec::new();
    for name in fields.texts("OutputType")?.unwrap_or_default() {
        let kind = match name {
            "ERROR" => BulkOutputKind::Error,
            _ => BulkOutputKind::ConditionCheckFailure,
        };
        if kinds.contains(&kind) {
            return Err(Fault::invalid(format!(
                "One or more parameter values were invalid: Duplicate element in OutputType: {name}"
            )));
        }
        kinds.push(kind);
    }
    if kinds.is_empty() {
        return Err(Fault::invalid("One or more parameter values were invalid: List of OutputType is empty"));
    }
    Ok(BulkOutput { target: bucket::place(fields, "S3KeyPrefix")?, sse: bucket::sse(fields)?, kinds })
}
