//! RestoreTableFromBackup. Knows no backup.

use op::{Error, Operation, RestoreTableFromBackup};

use super::backup_arn;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::recovery::overrides;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;

static REQUEST: Request = Request {
    input: "RestoreTableFromBackupInput",
    members: &[
        ("TargetTableName", &Shape::Text),
        ("BackupArn", &Shape::Text),
        overrides::BILLING,
        overrides::GLOBAL_INDEXES,
        overrides::LOCAL_INDEXES,
        overrides::THROUGHPUT,
        overrides::ON_DEMAND,
        overrides::SSE,
    ],
    stages: &[
        &[
            rule("TargetTableName", Test::Required),
            rule("TargetTableName", Test::Pattern),
            rule("TargetTableName", Test::LengthMin(3)),
            rule("TargetTableName", Test::LengthMax(255)),
            rule("BackupArn", Test::Required),
            rule("BackupArn", Test::LengthMin(37)),
            rule("BackupArn", Test::LengthMax(1024)),
        ],
        overrides::RULES,
    ],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    let request = REQUEST.decode_checked(body, read)?;
    Ok(Operation::RestoreTableFromBackup(Box::new(request)))
}

fn read(fields: Fields<'_, '_>) -> Result<RestoreTableFromBackup, Fault> {
    let backup = backup_arn(fields)?;
    let target = fields.required_text("TargetTableName")?.to_owned();
    Ok(RestoreTableFromBackup { backup, target, overrides: overrides::read(fields)? })
}
