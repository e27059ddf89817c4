//! ListBackups. Knows no backup.

use op::{BackupKind, BackupSummary, Backups, Error, ListBackups, Operation};

use super::check_arn;
use super::description::write_members;
use crate::common;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;
use crate::write::Object;

const LIMIT_MAX: usize = 100;

static REQUEST: Request = Request {
    input: "ListBackupsInput",
    members: &[
        ("TableName", &Shape::Text),
        ("Limit", &Shape::Integer),
        ("TimeRangeLowerBound", &Shape::Time),
        ("TimeRangeUpperBound", &Shape::Time),
        ("ExclusiveStartBackupArn", &Shape::Text),
        ("BackupType", &Shape::Text),
    ],
    stages: &[
        &[
            rule("TableName", Test::LengthMin(1)),
            rule("TableName", Test::LengthMax(1024)),
            rule("Limit", Test::AtLeast(1)),
            rule("Limit", Test::AtMost(LIMIT_MAX as i64)),
            rule("ExclusiveStartBackupArn", Test::LengthMin(37)),
            rule("ExclusiveStartBackupArn", Test::LengthMax(1024)),
            rule("BackupType", Test::OneOf(&["USER", "SYSTEM", "AWS_BACKUP", "ALL"])),
        ],
        common::NAME_OR_ARN,
    ],
    counted: false,
};
const KINDS: &[(&str, Option<BackupKind>)] = &[
    ("USER", Some(BackupKind::User)),
    ("SYSTEM", Some(BackupKind::System)),
    ("AWS_BACKUP", Some(BackupKind::AwsBackup)),
    ("ALL", None),
];

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(Operation::ListBackups)
}

fn read(fields: Fields<'_, '_>) -> Result<ListBackups, Fault> {
    let table = fields.text("TableName")?.map(common::table_name).transpose()?;
    let (from_ms, before_ms) = (fields.time("TimeRangeLowerBound")?, fields.time("TimeRangeUpperBound")?);
    if from_ms.zip(before_ms).is_some_and(|(from, before)| from > before) {
        return Err(Fault::invalid(
            "One or more parameter values were invalid: Time range lower bound must be less than or equal to upper bound",
        ));
    }
    Ok(ListBackups {
        table: table.map(str::to_owned),
        limit: fields.count("Limit", LIMIT_MAX)?,
        from_ms,
        before_ms,
        start: fields.text("ExclusiveStartBackupArn")?.map(check_arn).transpose()?,
        // OBSERVED: those of the system are told only to those who ask for them.
        kind: fields.choice("BackupType", KINDS)?.unwrap_or(Some(BackupKind::User)),
    })
}

pub(crate) fn encode(output: &Backups, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.list("BackupSummaries", &output.backups, write_summary);
    if let Some(last) = &output.last {
        object.text("LastEvaluatedBackupArn", last);
    }
    object.end();
}

fn write_summary(backup: &BackupSummary, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.text("TableName", &backup.table);
    object.text("TableId", &backup.table_id);
    object.text("TableArn", &backup.table_arn);
    write_members(&backup.details, &mut object);
    object.end();
}
