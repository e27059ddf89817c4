//! RestoreTableToPointInTime. Knows no table.

use op::{Error, Operation, RestoreTableToPointInTime};

use super::overrides;
use crate::common::table_of_arn;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;

static REQUEST: Request = Request {
    input: "RestoreTableToPointInTimeInput",
    members: &[
        ("SourceTableArn", &Shape::Text),
        ("SourceTableName", &Shape::Text),
        ("TargetTableName", &Shape::Text),
        ("UseLatestRestorableTime", &Shape::Flag),
        ("RestoreDateTime", &Shape::Time),
        overrides::BILLING,
        overrides::GLOBAL_INDEXES,
        overrides::LOCAL_INDEXES,
        overrides::THROUGHPUT,
        overrides::ON_DEMAND,
        overrides::SSE,
    ],
    stages: &[
        &[
            rule("SourceTableArn", Test::LengthMin(1)),
            rule("SourceTableArn", Test::LengthMax(1024)),
            rule("SourceTableName", Test::Pattern),
            rule("SourceTableName", Test::LengthMin(3)),
            rule("SourceTableName", Test::LengthMax(255)),
            rule("TargetTableName", Test::Required),
            rule("TargetTableName", Test::Pattern),
            rule("TargetTableName", Test::LengthMin(3)),
            rule("TargetTableName", Test::LengthMax(255)),
        ],
        overrides::RULES,
    ],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    let request = REQUEST.decode_checked(body, read)?;
    Ok(Operation::RestoreTableToPointInTime(Box::new(request)))
}

fn read(fields: Fields<'_, '_>) -> Result<RestoreTableToPointInTime, Fault> {
    let source = source(fields)?;
    let time_ms = time(fields)?;
    let target = fields.required_text("TargetTableName")?.to_owned();
    Ok(RestoreTableToPointInTime { source, target, time_ms, overrides: overrides::read(fields)? })
}

/// The table that was, by its name or by its ARN.
fn source(fields: Fields<'_, '_>) -> Result<String, Fault> {
    let invalid =
        |detail: &str| Err(Fault::invalid(format!("One or more parameter values were invalid: {detail}")));
    match (fields.text("SourceTableName")?, fields.text("SourceTableArn")?) {
        (Some(_), Some(_)) => invalid("Must provide exactly one of: sourceTableArn, sourceTableName"),
        (None, None) => {
            Err(Fault::invalid("The parameter 'TableName' is required but was not present in the request"))
        }
        (Some(name), None) => Ok(name.to_owned()),
        (None, Some(arn)) if !arn.starts_with("arn:") => {
            invalid(&format!("ARNs must start with 'arn:': {arn}"))
        }
        (None, Some(arn)) => match table_of_arn(arn) {
            Some(name) if arn.ends_with(&format!(":table/{name}")) => Ok(name.to_owned()),
            Some(_) | None => invalid("sourceTableArn is not a valid ARN"),
        },
    }
}

/// The time to restore to; none for the latest there is.
fn time(fields: Fields<'_, '_>) -> Result<Option<u64>, Fault> {
    let latest = fields.flag("UseLatestRestorableTime")?.unwrap_or(false);
    match (latest, fields.time("RestoreDateTime")?) {
        (true, Some(_)) => Err(Fault::invalid(
            "Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time restore \
             request. Please specify either RestoreDateTime time or UseLatestRestorableTime",
        )),
        (false, None) => Err(Fault::invalid(
            "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both",
        )),
        (true, None) => Ok(None),
        (false, Some(time_ms)) => Ok(Some(time_ms)),
    }
}
