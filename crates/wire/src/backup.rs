//! Operations on backups. Each file has the request's model, `decode`, and `encode` where the answer is its own.

pub(crate) mod create_backup;
pub(crate) mod delete_backup;
pub(crate) mod describe_backup;
pub(crate) mod description;
pub(crate) mod list_backups;
pub(crate) mod restore_table_from_backup;
#[cfg(test)]
mod tests;

use crate::arn;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::rule::{Rule, Test, rule};

/// What the model says of `BackupArn`.
const ARN_RULES: &[Rule] = &[
    rule("BackupArn", Test::Required),
    rule("BackupArn", Test::LengthMin(37)),
    rule("BackupArn", Test::LengthMax(1024)),
];

/// The member `BackupArn`.
fn backup_arn(fields: Fields<'_, '_>) -> Result<String, Fault> {
    check_arn(fields.required_text("BackupArn")?)
}

fn check_arn(named: &str) -> Result<String, Fault> {
    match arn::part(named, "backup") {
        Some(_) => Ok(named.to_owned()),
        None => Err(Fault::invalid("Invalid Backup ARN")),
    }
}
