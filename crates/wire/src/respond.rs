//! Answers and errors as bodies. Knows no HTTP but the status of an error.

use op::{Error, Kind, Output, Reason};

use crate::value::write_item;
use crate::write::Object;
use crate::{backup, batch, kinesis, page, recovery, setting, single, stream, table, transact, transfer};

/// Appends the body of an answer. The request's body is read again only where parts of it were not processed.
pub fn encode(output: &Output, request_body: &[u8], out: &mut Vec<u8>) {
    match output {
        Output::Backup(output) => backup::description::encode(output, out),
        Output::BackupDetails(output) => backup::create_backup::encode(output, out),
        Output::Backups(output) => backup::list_backups::encode(output, out),
        Output::BatchGetItem(output) => batch::batch_get_item::encode(output, request_body, out),
        Output::BatchWriteItem(output) => batch::batch_write_item::encode(output, request_body, out),
        Output::BulkOperation(output) => transfer::bulk::encode(output, out),
        Output::BulkOperationCancelled(output) => transfer::cancel_bulk_operation::encode(output, out),
        Output::BulkOperations(output) => transfer::list_bulk_operations::encode(output, out),
        Output::ContinuousBackups(output) => recovery::describe_continuous_backups::encode(output, out),
        Output::Endpoints(output) => setting::describe_endpoints::encode(output, out),
        Output::Export(output) => transfer::export::encode(output, out),
        Output::Exports(output) => transfer::list_exports::encode(output, out),
        Output::GetItem(output) => single::get_item::encode(output, out),
        Output::Import(output) => transfer::import::encode(output, out),
        Output::Imports(output) => transfer::list_imports::encode(output, out),
        Output::KinesisDestination(output) => {
            kinesis::enable_kinesis_streaming_destination::encode(output, out)
        }
        Output::KinesisDestinationUpdated(output) => {
            kinesis::update_kinesis_streaming_destination::encode(output, out)
        }
        Output::KinesisDestinations(output) => {
            kinesis::describe_kinesis_streaming_destination::encode(output, out)
        }
        Output::Limits(output) => setting::describe_limits::encode(output, out),
        Output::Page(output) => page::encode(output, out),
        Output::Records(output) => stream::get_records::encode(output, out),
        Output::ShardIterator(output) => stream::get_shard_iterator::encode(output, out),
        Output::Stream(output) => stream::describe_stream::encode(output, out),
        Output::Streams(output) => stream::list_streams::encode(output, out),
        Output::Table(table) => table::description::encode("Table", table, out),
        Output::TableChanged(table) => table::description::encode("TableDescription", table, out),
        Output::TableNames(output) => table::list_tables::encode(output, out),
        Output::Tags(output) => setting::list_tags_of_resource::encode(output, out),
        Output::TimeToLive(output) => setting::describe_time_to_live::encode(output, out),
        Output::TimeToLiveChanged(output) => setting::update_time_to_live::encode(output, out),
        Output::TransactGetItems(output) => transact::transact_get_items::encode(output, out),
        Output::TransactWriteItems(output) => transact::transact_write_items::encode(output, out),
        Output::Write(output) => single::write_output::encode(output, out),
        Output::Nothing => {}
    }
}

/// Appends the body of an error and tells its status.
pub fn encode_error(error: &Error, out: &mut Vec<u8>) -> u16 {
    let (name, origin, status) = describe(error.kind);
    let mut object = Object::begin(out);
    object.text("__type", &format!("{}#{name}", origin.prefix()));
    // OBSERVED: some errors write the name of the text with a capital letter.
    let is_capital =
        matches!(error.kind, Kind::AccessDenied | Kind::Serialization | Kind::TransactionCanceled);
    let text_name = if is_capital { "Message" } else { "message" };
    if !error.message.is_empty() {
        object.text(text_name, &error.message);
    }
    if let Some(item) = &error.item {
        write_item(item, object.key("Item"));
    }
    if !error.reasons.is_empty() {
        object.list("CancellationReasons", &error.reasons, write_reason);
    }
    object.end();
    status
}

fn write_reason(reason: &Reason, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    if let Some(item) = &reason.item {
        write_item(item, object.key("Item"));
    }
    object.text("Code", reason.code.as_str());
    if let Some(message) = &reason.message {
        object.text("Message", message);
    }
    object.end();
}

/// Which part of the service an error comes from, as its name says.
#[derive(Debug, Clone, Copy)]
enum Origin {
    DynamoDb,
    Service,
    Validate,
}

impl Origin {
    fn prefix(self) -> &'static str {
        match self {
            Origin::DynamoDb => "com.amazonaws.dynamodb.v20120810",
            Origin::Service => "com.amazon.coral.service",
            Origin::Validate => "com.amazon.coral.validate",
        }
    }
}

fn describe(kind: Kind) -> (&'static str, Origin, u16) {
    use Origin::{DynamoDb, Service, Validate};
    match kind {
        Kind::AccessDenied => ("AccessDeniedException", Service, 400),
        Kind::BackupInUse => ("BackupInUseException", DynamoDb, 400),
        Kind::BackupNotFound => ("BackupNotFoundException", DynamoDb, 400),
        Kind::ConditionalCheckFailed => ("ConditionalCheckFailedException", DynamoDb, 400),
        Kind::ContinuousBackupsUnavailable => ("ContinuousBackupsUnavailableException", DynamoDb, 400),
        Kind::ExpiredIterator => ("ExpiredIteratorException", DynamoDb, 400),
        Kind::ExportConflict => ("ExportConflictException", DynamoDb, 400),
        Kind::ExportNotFound => ("ExportNotFoundException", DynamoDb, 400),
        Kind::IdempotentParameterMismatch => ("IdempotentParameterMismatchException", DynamoDb, 400),
        Kind::ImportConflict => ("ImportConflictException", DynamoDb, 400),
        Kind::ImportNotFound => ("ImportNotFoundException", DynamoDb, 400),
        Kind::InternalServerError => ("InternalServerError", DynamoDb, 500),
        Kind::InvalidExportTime => ("InvalidExportTimeException", DynamoDb, 400),
        Kind::InvalidRestoreTime => ("InvalidRestoreTimeException", DynamoDb, 400),
        Kind::ItemCollectionSizeLimitExceeded => ("ItemCollectionSizeLimitExceededException", DynamoDb, 400),
        Kind::LimitExceeded => ("LimitExceededException", DynamoDb, 400),
        Kind::MissingAuthenticationToken => ("MissingAuthenticationTokenException", Service, 400),
        Kind::PointInTimeRecoveryUnavailable => ("PointInTimeRecoveryUnavailableException", DynamoDb, 400),
        Kind::ProvisionedThroughputExceeded => ("ProvisionedThroughputExceededException", DynamoDb, 400),
        Kind::RequestEntityTooLarge => ("RequestEntityTooLargeException", Service, 413),
        Kind::RequestLimitExceeded => ("RequestLimitExceeded", DynamoDb, 400),
        Kind::ResourceInUse => ("ResourceInUseException", DynamoDb, 400),
        Kind::ResourceNotFound => ("ResourceNotFoundException", DynamoDb, 400),
        Kind::Serialization => ("SerializationException", Service, 400),
        Kind::ServiceUnavailable => ("ServiceUnavailableException", Service, 503),
        Kind::TableAlreadyExists => ("TableAlreadyExistsException", DynamoDb, 400),
        Kind::TableInUse => ("TableInUseException", DynamoDb, 400),
        Kind::TableNotFound => ("TableNotFoundException", DynamoDb, 400),
        Kind::Throttling => ("ThrottlingException", Service, 400),
        Kind::TransactionCanceled => ("TransactionCanceledException", DynamoDb, 400),
        Kind::TransactionConflict => ("TransactionConflictException", DynamoDb, 400),
        Kind::TransactionInProgress => ("TransactionInProgressException", DynamoDb, 400),
        Kind::TrimmedDataAccess => ("TrimmedDataAccessException", DynamoDb, 400),
        Kind::UnknownOperation => ("UnknownOperationException", Service, 400),
        Kind::Validation => ("ValidationException", Validate, 400),
    }
}

#[cfg(test)]
mod tests {
    use item::{Item, Value};
    use op::ReasonCode;

    use super::*;

    #[track_caller]
    fn check(error: &Error, status: u16, body: &str) {
        let mut out = Vec::new();
        assert_eq!(encode_error(error, &mut out), status);
        assert_eq!(String::from_utf8(out).unwrap(), body);
    }

    #[test]
    fn errors_name_their_origin() {
        check(
            &Error::validation("a \"b\""),
            400,
            r#"{"__type":"com.amazon.coral.validate#ValidationException","message":"a \"b\""}"#,
        );
        check(
            &Error::new(Kind::Serialization, ""),
            400,
            r#"{"__type":"com.amazon.coral.service#SerializationException"}"#,
        );
        check(
            &Error::new(Kind::Serialization, "x"),
            400,
            r#"{"__type":"com.amazon.coral.service#SerializationException","Message":"x"}"#,
        );
        check(
            &Error::new(Kind::UnknownOperation, ""),
            400,
            r#"{"__type":"com.amazon.coral.service#UnknownOperationException"}"#,
        );
        check(
            &Error::no_table(),
            400,
            concat!(
                r#"{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","#,
                r#""message":"Requested resource not found"}"#
            ),
        );
        for (kind, name) in [
            (Kind::BackupNotFound, "BackupNotFoundException"),
            (Kind::ExpiredIterator, "ExpiredIteratorException"),
            (Kind::PointInTimeRecoveryUnavailable, "PointInTimeRecoveryUnavailableException"),
            (Kind::TrimmedDataAccess, "TrimmedDataAccessException"),
        ] {
            let body = format!(r#"{{"__type":"com.amazonaws.dynamodb.v20120810#{name}","message":"x"}}"#);
            check(&Error::new(kind, "x"), 400, &body);
        }
    }

    #[test]
    fn errors_carry_items_and_reasons() {
        let item = Item::from([("a".to_string(), Value::S("x".into()))]);
        check(
            &Error::condition_failed(Some(item.clone())),
            400,
            concat!(
                r#"{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","#,
                r#""message":"The conditional request failed","Item":{"a":{"S":"x"}}}"#
            ),
        );
        let failed = Reason {
            code: ReasonCode::ConditionalCheckFailed,
            message: Some("The conditional request failed".into()),
            item: Some(item),
        };
        check(
            &Error::cancelled(vec![Reason::none(), failed]),
            400,
            concat!(
                r#"{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","#,
                r#""Message":"Transaction cancelled, please refer cancellation reasons for specific reasons "#,
                r#"[None, ConditionalCheckFailed]","CancellationReasons":[{"Code":"None"},"#,
                r#"{"Item":{"a":{"S":"x"}},"Code":"ConditionalCheckFailed","#,
                r#""Message":"The conditional request failed"}]}"#
            ),
        );
    }
}
