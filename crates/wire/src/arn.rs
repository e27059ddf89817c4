//! The forms of ARNs. Knows no resource that exists.

use crate::common::table_of_arn;
use crate::fault::Fault;

/// The id in the ARN of a part of a table: `…:table/NAME/KIND/ID`.
pub(crate) fn part<'a>(arn: &'a str, kind: &str) -> Option<&'a str> {
    table_of_arn(arn)?;
    let mut path = arn.splitn(6, ':').nth(5)?.splitn(4, '/').skip(2);
    let id = (path.next()? == kind).then(|| path.next())??;
    (!id.is_empty()).then_some(id)
}

/// The plain name in the ARN of a table, and of nothing in it.
pub(crate) fn table(arn: &str) -> Result<&str, Fault> {
    if !arn.starts_with("arn:") {
        return Err(Fault::invalid("One or more parameter values were invalid: tableArn is not a valid ARN"));
    }
    match table_of_arn(arn) {
        Some(name) if arn.ends_with(&format!(":table/{name}")) => Ok(name),
        Some(_) | None => Err(Fault::invalid("Invalid Request: Table ARN is invalid.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_tables_are_told_apart() {
        let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/tab";
        let backup = format!("{arn}/backup/01-ab");
        assert_eq!(part(&backup, "backup"), Some("01-ab"));
        assert_eq!(part(&backup, "export"), None);
        let stream = format!("{arn}/stream/2026-11-15T00:00:00.000");
        assert_eq!(part(&stream, "stream"), Some("2026-11-15T00:00:00.000"));
        for other in [arn, "", "arn:", &format!("{arn}/backup"), &format!("{arn}/backup/")] {
            assert_eq!(part(other, "backup"), None, "{other}");
        }
        assert_eq!(table(arn).ok(), Some("tab"));
        for (other, text) in [
            ("tab", "One or more parameter values were invalid: tableArn is not a valid ARN"),
            (backup.as_str(), "Invalid Request: Table ARN is invalid."),
            ("arn:aws:s3:::tab", "Invalid Request: Table ARN is invalid."),
        ] {
            assert_eq!(table(other).expect_err(other).error.message, text);
        }
    }
}
