//! UpdateContinuousBackups. Knows no table.

use op::{Error, Operation, UpdateContinuousBackups};

use crate::common;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;

const PERIOD_DAYS_MAX: usize = 35;

static REQUEST: Request = Request {
    input: "UpdateContinuousBackupsInput",
    members: &[("TableName", &Shape::Text), ("PointInTimeRecoverySpecification", &SPECIFICATION)],
    stages: &[
        &[
            rule("TableName", Test::Required),
            rule("TableName", Test::LengthMin(1)),
            rule("TableName", Test::LengthMax(1024)),
            rule("PointInTimeRecoverySpecification", Test::Required),
            rule("PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled", Test::Required),
            rule("PointInTimeRecoverySpecification.RecoveryPeriodInDays", Test::AtLeast(1)),
            rule(
                "PointInTimeRecoverySpecification.RecoveryPeriodInDays",
                Test::AtMost(PERIOD_DAYS_MAX as i64),
            ),
        ],
        common::NAME_OR_ARN,
    ],
    counted: false,
};
static SPECIFICATION: Shape = Shape::Struct(
    "PointInTimeRecoverySpecification",
    &[("PointInTimeRecoveryEnabled", &Shape::Flag), ("RecoveryPeriodInDays", &Shape::Integer)],
);

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(Operation::UpdateContinuousBackups)
}

fn read(fields: Fields<'_, '_>) -> Result<UpdateContinuousBackups, Fault> {
    let table = common::table(fields)?;
    let specification = fields.fields("PointInTimeRecoverySpecification")?;
    let specification = specification.ok_or_else(|| Fault::unmet("PointInTimeRecoverySpecification"))?;
    let enabled = specification.flag("PointInTimeRecoveryEnabled")?;
    let enabled = enabled.ok_or_else(|| Fault::unmet("PointInTimeRecoveryEnabled"))?;
    let period_days = match specification.has("RecoveryPeriodInDays") {
        false => None,
        true => u32::try_from(specification.count("RecoveryPeriodInDays", PERIOD_DAYS_MAX)?).ok(),
    };
    if !enabled && period_days.is_some() {
        return Err(Fault::invalid(
            "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.",
        ));
    }
    Ok(UpdateContinuousBackups { table, enabled, period_days })
}
