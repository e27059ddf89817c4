//! DeleteBackup. Knows no backup.

use op::{DeleteBackup, Error, Operation};

use super::{ARN_RULES, backup_arn};
use crate::request::Request;
use crate::shape::Shape;

static REQUEST: Request = Request {
    input: "DeleteBackupInput",
    members: &[("BackupArn", &Shape::Text)],
    stages: &[ARN_RULES],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    let request = REQUEST.decode_checked(body, |fields| Ok(DeleteBackup { arn: backup_arn(fields)? }))?;
    Ok(Operation::DeleteBackup(request))
}
