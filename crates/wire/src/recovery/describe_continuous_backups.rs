//! DescribeContinuousBackups. Knows no table.

use op::{ContinuousBackups, DescribeContinuousBackups, Error, Operation};

use crate::common;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::shape::Shape;
use crate::table::describe_table::{NAME_PATTERN, NAME_RULES};
use crate::write::Object;

static REQUEST: Request = Request {
    input: "DescribeContinuousBackupsInput",
    members: &[("TableName", &Shape::Text)],
    stages: &[NAME_RULES, NAME_PATTERN],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(Operation::DescribeContinuousBackups)
}

fn read(fields: Fields<'_, '_>) -> Result<DescribeContinuousBackups, Fault> {
    Ok(DescribeContinuousBackups { table: common::table(fields)? })
}

pub(crate) fn encode(output: &ContinuousBackups, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    let mut description = Object::begin(object.key("ContinuousBackupsDescription"));
    description.text("ContinuousBackupsStatus", "ENABLED");
    let mut recovery = Object::begin(description.key("PointInTimeRecoveryDescription"));
    match output.recovery {
        None => recovery.text("PointInTimeRecoveryStatus", "DISABLED"),
        Some(window) => {
            recovery.text("PointInTimeRecoveryStatus", "ENABLED");
            recovery.number("RecoveryPeriodInDays", window.period_days);
            if let Some(earliest) = window.earliest_ms {
                recovery.time("EarliestRestorableDateTime", earliest);
            }
            if let Some(latest) = window.latest_ms {
                recovery.time("LatestRestorableDateTime", latest);
            }
        }
    }
    recovery.end();
    description.end();
    object.end();
}
