//! The header that names the operation. Knows no HTTP.

use op::{Error, Family, Kind, Name};

const DYNAMODB: &str = "DynamoDB_20120810";
const STREAMS: &str = "DynamoDBStreams_20120810";

/// The operation that the header `X-Amz-Target` names, if this server carries it out.
pub fn target(x_amz_target: Option<&str>) -> Result<Name, Error> {
    let unknown = || Error::new(Kind::UnknownOperation, "");
    let (service, operation) = x_amz_target.and_then(|target| target.split_once('.')).ok_or_else(unknown)?;
    let family = match service {
        DYNAMODB => Family::DynamoDb,
        STREAMS => Family::Streams,
        _ => return Err(unknown()),
    };
    Name::find(family, operation).filter(|name| name.is_built()).ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_operations_that_are_built_are_found() {
        for (header, expected) in [
            (Some("DynamoDB_20120810.PutItem"), Some(Name::PutItem)),
            (Some("DynamoDB_20120810.putItem"), None),
            (Some("DynamoDB_20111205.PutItem"), None),
            (Some("DynamoDBStreams_20120810.PutItem"), None),
            (Some("DynamoDB_20120810.GetRecords"), None),
            (Some("DynamoDB_20120810.ListStreams"), None),
            (Some("DynamoDB_20120810.CreateGlobalTable"), None),
            (Some("PutItem"), None),
            (Some(""), None),
            (None, None),
        ] {
            assert_eq!(target(header).ok(), expected, "{header:?}");
        }
    }
}
