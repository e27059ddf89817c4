//! The forms of ARNs. Knows no resource that exists.

use crate::common::table_of_arn;

/// The id in the ARN of a part of a table: `…:table/NAME/KIND/ID`.
pub(crate) fn part<'a>(arn: &'a str, kind: &str) -> Option<&'a str> {
    table_of_arn(arn)?;
    let mut path = arn.splitn(6, ':').nth(5)?.splitn(4, '/').skip(2);
    let id = (path.next()? == kind).then(|| path.next())??;
    (!id.is_empty()).then_some(id)
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
    }
}
