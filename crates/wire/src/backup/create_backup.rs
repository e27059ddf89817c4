//! CreateBackup. Knows no table.

use op::{BackupDetails, CreateBackup, Error, Operation};

use super::description::write_details;
use crate::common;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Test, rule};
use crate::shape::Shape;
use crate::write::Object;

static REQUEST: Request = Request {
    input: "CreateBackupInput",
    members: &[("TableName", &Shape::Text), ("BackupName", &Shape::Text)],
    stages: &[
        &[
            rule("TableName", Test::Required),
            rule("TableName", Test::LengthMin(1)),
            rule("TableName", Test::LengthMax(1024)),
            rule("BackupName", Test::Required),
            rule("BackupName", Test::Pattern),
            rule("BackupName", Test::LengthMin(3)),
            rule("BackupName", Test::LengthMax(255)),
        ],
        common::NAME_OR_ARN,
    ],
    counted: false,
};

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode_checked(body, read).map(Operation::CreateBackup)
}

fn read(fields: Fields<'_, '_>) -> Result<CreateBackup, Fault> {
    let table = common::table(fields)?;
    Ok(CreateBackup { table, name: fields.required_text("BackupName")?.to_owned() })
}

pub(crate) fn encode(output: &BackupDetails, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    write_details(output, &mut object);
    object.end();
}
