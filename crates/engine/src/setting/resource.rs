//! Tables that are named by their ARN, and how their tags change. Region and account do not matter: there is one
//! database for all of them.

use op::{Error, Kind, Tag};

use crate::table::life::settled;
use crate::{Engine, internal};

const TABLE_NAME_CHARACTERS: std::ops::RangeInclusive<usize> = 3..=255;

/// The name of the table that an ARN names.
pub(super) fn table_name(arn: &str) -> Result<&str, Error> {
    if !arn.starts_with("arn:") {
        return Err(Error::invalid(format_args!("ARNs must start with 'arn:': {arn}")));
    }
    let mut parts = arn.splitn(6, ':').skip(2);
    let (service, resource) = (parts.next(), parts.nth(2));
    if service != Some("dynamodb") {
        return Err(Error::invalid(format_args!("Provided Arn is not a DynamoDB resource arn: {arn}")));
    }
    let malformed =
        || Error::validation(format!("Invalid TableArn: Invalid ResourceArn provided as input {arn}"));
    let name = resource.and_then(|resource| resource.strip_prefix("table/")).ok_or_else(malformed)?;
    if name.contains("/index/") {
        return Err(Error::invalid(format_args!(
            "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: {arn}"
        )));
    }
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if !TABLE_NAME_CHARACTERS.contains(&name.len()) || !name.bytes().all(known) {
        return Err(malformed());
    }
    Ok(name)
}

/// A table that is not there, as TagResource says it. OBSERVED: the member is misspelt.
pub(super) fn not_found(arn: &str) -> Error {
    Error::new(Kind::ResourceNotFound, format!("Requested resource not found: ResourcArn: {arn} not found"))
}

/// Changes the tags of a table; `missing` is said where there is none.
pub(super) fn change_tags(
    engine: &Engine,
    arn: &str,
    missing: impl FnOnce() -> Error,
    change: impl FnOnce(&mut Vec<Tag>) -> Result<(), Error>,
) -> Result<(), Error> {
    let name = table_name(arn)?;
    let mut changes = engine.catalog.changes(&engine.store);
    let cell = engine.catalog.cell(name).ok_or_else(missing)?;
    let mut table = cell.table().as_ref().clone();
    settled(&table)?;
    change(&mut table.tags)?;
    changes.replace(&cell, table).map_err(internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arn_of_a_table_names_it_in_any_region_and_account() {
        assert_eq!(table_name("arn:aws:dynamodb:us-east-1:000000000000:table/people"), Ok("people"));
        assert_eq!(table_name("arn:aws:dynamodb:local:123456789012:table/a.b-c_d"), Ok("a.b-c_d"));
    }

    #[test]
    fn other_names_are_refused() {
        let invalid = "Invalid TableArn: Invalid ResourceArn provided as input ";
        let cases = [
            ("people", "One or more parameter values were invalid: ARNs must start with 'arn:': ".to_string()),
            (
                "arn:aws:s3:us-east-1:000000000000:table/people",
                "One or more parameter values were invalid: Provided Arn is not a DynamoDB resource arn: ".to_string(),
            ),
            ("arn:aws:dynamodb:us-east-1:000000000000:table/ab", invalid.to_string()),
            ("arn:aws:dynamodb:us-east-1:000000000000:people", invalid.to_string()),
            ("arn:aws:dynamodb:us-east-1", invalid.to_string()),
            (
                "arn:aws:dynamodb:us-east-1:000000000000:table/people/index/by_age",
                "One or more parameter values were invalid: Invalid resource arn provided, only table or stream is \
                 accepted. Provided resource arn: "
                    .to_string(),
            ),
        ];
        for (arn, message) in cases {
            assert_eq!(table_name(arn), Err(Error::validation(message + arn)));
        }
    }
}
