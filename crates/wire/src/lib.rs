//! Turns JSON bodies into operations that are valid on their own, and answers and errors into JSON bodies.
//! Knows no sockets, no HTTP library, no store and no table that exists.

mod arn;
mod backup;
mod base64;
mod batch;
mod common;
mod consumed;
mod fault;
mod fields;
mod json;
mod kinesis;
mod legacy;
mod page;
mod recovery;
mod request;
mod respond;
mod rule;
mod setting;
mod shape;
mod single;
mod stream;
mod table;
mod target;
#[cfg(test)]
mod testing;
mod transact;
mod transfer;
mod value;
mod write;

use op::{Error, Kind, Name, Operation};

use backup::{create_backup, delete_backup, describe_backup, list_backups, restore_table_from_backup};
use batch::{batch_get_item, batch_write_item};
use kinesis::{
    describe_kinesis_streaming_destination, disable_kinesis_streaming_destination,
    enable_kinesis_streaming_destination, update_kinesis_streaming_destination,
};
use page::{query, scan};
use recovery::{describe_continuous_backups, restore_table_to_point_in_time, update_continuous_backups};
use setting::{
    describe_endpoints, describe_limits, describe_time_to_live, list_tags_of_resource, tag_resource,
    untag_resource, update_time_to_live,
};
use single::{delete_item, get_item, put_item, update_item};
use stream::{describe_stream, get_records, get_shard_iterator, list_streams};
use table::{create_table, delete_table, describe_table, list_tables, update_table};
use transact::{transact_get_items, transact_write_items};
use transfer::{
    cancel_bulk_operation, describe_bulk_operation, describe_export, describe_import,
    export_table_to_point_in_time, import_table, list_bulk_operations, list_exports, list_imports,
    start_bulk_put_items,
};

pub use kinesis::put_records::{Delivered, put_records};
pub use respond::{encode, encode_error};
pub use target::target;

/// Reads the body of a request. `host` is what the request was sent to, which DescribeEndpoints answers with.
pub fn decode(name: Name, body: &[u8], host: &str) -> Result<Operation, Error> {
    match name {
        Name::BatchGetItem => batch_get_item::decode(body),
        Name::BatchWriteItem => batch_write_item::decode(body),
        Name::CancelBulkOperation => cancel_bulk_operation::decode(body),
        Name::CreateBackup => create_backup::decode(body),
        Name::CreateTable => create_table::decode(body),
        Name::DeleteBackup => delete_backup::decode(body),
        Name::DeleteItem => delete_item::decode(body),
        Name::DeleteTable => delete_table::decode(body),
        Name::DescribeBackup => describe_backup::decode(body),
        Name::DescribeBulkOperation => describe_bulk_operation::decode(body),
        Name::DescribeContinuousBackups => describe_continuous_backups::decode(body),
        Name::DescribeEndpoints => describe_endpoints::decode(body, host),
        Name::DescribeExport => describe_export::decode(body),
        Name::DescribeImport => describe_import::decode(body),
        Name::DescribeKinesisStreamingDestination => describe_kinesis_streaming_destination::decode(body),
        Name::DescribeLimits => describe_limits::decode(body),
        Name::DescribeStream => describe_stream::decode(body),
        Name::DescribeTable => describe_table::decode(body),
        Name::DescribeTimeToLive => describe_time_to_live::decode(body),
        Name::DisableKinesisStreamingDestination => disable_kinesis_streaming_destination::decode(body),
        Name::EnableKinesisStreamingDestination => enable_kinesis_streaming_destination::decode(body),
        Name::ExportTableToPointInTime => export_table_to_point_in_time::decode(body),
        Name::GetItem => get_item::decode(body),
        Name::GetRecords => get_records::decode(body),
        Name::GetShardIterator => get_shard_iterator::decode(body),
        Name::ImportTable => import_table::decode(body),
        Name::ListBackups => list_backups::decode(body),
        Name::ListBulkOperations => list_bulk_operations::decode(body),
        Name::ListExports => list_exports::decode(body),
        Name::ListImports => list_imports::decode(body),
        Name::ListStreams => list_streams::decode(body),
        Name::ListTables => list_tables::decode(body),
        Name::ListTagsOfResource => list_tags_of_resource::decode(body),
        Name::PutItem => put_item::decode(body),
        Name::Query => query::decode(body),
        Name::RestoreTableFromBackup => restore_table_from_backup::decode(body),
        Name::RestoreTableToPointInTime => restore_table_to_point_in_time::decode(body),
        Name::Scan => scan::decode(body),
        Name::StartBulkPutItems => start_bulk_put_items::decode(body),
        Name::TagResource => tag_resource::decode(body),
        Name::TransactGetItems => transact_get_items::decode(body),
        Name::TransactWriteItems => transact_write_items::decode(body),
        Name::UntagResource => untag_resource::decode(body),
        Name::UpdateContinuousBackups => update_continuous_backups::decode(body),
        Name::UpdateItem => update_item::decode(body),
        Name::UpdateKinesisStreamingDestination => update_kinesis_streaming_destination::decode(body),
        Name::UpdateTable => update_table::decode(body),
        Name::UpdateTimeToLive => update_time_to_live::decode(body),
        Name::BatchExecuteStatement
        | Name::CreateGlobalTable
        | Name::DeleteResourcePolicy
        | Name::DescribeContributorInsights
        | Name::DescribeGlobalTable
        | Name::DescribeGlobalTableSettings
        | Name::DescribeTableReplicaAutoScaling
        | Name::ExecuteStatement
        | Name::ExecuteTransaction
        | Name::GetResourcePolicy
        | Name::ListContributorInsights
        | Name::ListGlobalTables
        | Name::PutResourcePolicy
        | Name::SearchVectors
        | Name::UpdateContributorInsights
        | Name::UpdateGlobalTable
        | Name::UpdateGlobalTableSettings
        | Name::UpdateTableReplicaAutoScaling => Err(Error::new(Kind::UnknownOperation, "")),
    }
}
