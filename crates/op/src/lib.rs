//! The operations of the API as types: what is asked, what is answered, what may go wrong.
//! Knows no JSON, no HTTP, no store.

mod backup;
mod batch;
mod common;
mod error;
mod kinesis;
pub mod limits;
mod name;
mod page;
mod recovery;
mod setting;
mod single;
mod stream;
mod table;
mod transact;
mod transfer;

pub use backup::{
    BackupDescription, BackupDetails, BackupKind, BackupStatus, BackupSummary, Backups, CreateBackup,
    DeleteBackup, DescribeBackup, ListBackups, RestoreTableFromBackup, SourceFeatures, SourceTable,
};
pub use batch::{
    BatchGetItem, BatchGetItemOutput, BatchWriteItem, BatchWriteItemOutput, KeysOfTable, Write, WritesOfTable,
};
pub use common::{
    Capacity, CapacityDetail, CollectionMetrics, ConsumedCapacity, MetricsDetail, OnFailure, REGION, Returns,
    Tag,
};
pub use error::{Error, Kind, Reason, ReasonCode};
pub use kinesis::{
    DescribeKinesisStreamingDestination, DestinationStatus, DisableKinesisStreamingDestination,
    EnableKinesisStreamingDestination, KinesisDestination, KinesisDestinationChange, KinesisDestinations,
    Precision, UpdateKinesisStreamingDestination,
};
pub use name::{Family, Name};
pub use page::{Page, Query, Scan, Segment, Select};
pub use recovery::{
    ContinuousBackups, DescribeContinuousBackups, RecoveryWindow, RestoreOverrides, RestoreSummary,
    RestoreTableToPointInTime, UpdateContinuousBackups,
};
pub use setting::{
    DescribeEndpoints, DescribeLimits, DescribeTimeToLive, Endpoints, Limits, ListTagsOfResource,
    TagResource, Tags, TimeToLive, TtlStatus, UntagResource, UpdateTimeToLive,
};
pub use single::{DeleteItem, GetItem, GetItemOutput, PutItem, UpdateItem, WriteOutput};
pub use stream::{
    DescribeStream, GetRecords, GetShardIterator, ListStreams, Record, RecordEvent, Records, Shard,
    ShardPosition, StreamDescription, StreamStatus, StreamSummary, Streams,
};
pub use table::{
    AttributeDefinition, BillingMode, BillingSummary, CreateTable, DeleteTable, DescribeTable,
    GlobalIndexDescription, IndexProjection, IndexSpec, IndexStatus, IndexUpdate, KeyElement, KeyKind,
    ListTables, LocalIndexDescription, OnDemand, ScalarType, SseSpec, SseStatus, StreamSpec, StreamView,
    TableClass, TableClassSummary, TableDescription, TableNames, TableStatus, Throughput,
    ThroughputDescription, UpdateTable, WarmThroughput,
};
pub use transact::{
    TransactAct, TransactAction, TransactGet, TransactGetItems, TransactGetItemsOutput, TransactWriteItems,
    TransactWriteItemsOutput,
};

pub use transfer::{
    BucketPlace, BucketSse, BulkInput, BulkOperation, BulkOperationSummary, BulkOperations, BulkOutput,
    BulkOutputKind, BulkStatus, BulkUsage, CancelBulkOperation, CancelledBulkOperation, Compression,
    CsvOptions, DescribeBulkOperation, DescribeExport, DescribeImport, ExportDescription, ExportFilter,
    ExportFilterText, ExportFormat, ExportScope, ExportStatus, ExportSummary, ExportTableToPointInTime,
    ExportView, Exports, Failure, ImportDescription, ImportFormat, ImportStatus, ImportSummary, ImportTable,
    Imports, ListBulkOperations, ListExports, ListImports, PerformanceTier, SseAlgorithm, StartBulkPutItems,
};

/// A request that is valid on its own: its fields are well formed and its expressions parsed.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each variant is the operation of its name")]
pub enum Operation {
    BatchGetItem(BatchGetItem),
    BatchWriteItem(BatchWriteItem),
    CancelBulkOperation(CancelBulkOperation),
    CreateBackup(CreateBackup),
    CreateTable(Box<CreateTable>),
    DeleteBackup(DeleteBackup),
    DeleteItem(DeleteItem),
    DeleteTable(DeleteTable),
    DescribeBackup(DescribeBackup),
    DescribeBulkOperation(DescribeBulkOperation),
    DescribeContinuousBackups(DescribeContinuousBackups),
    DescribeEndpoints(DescribeEndpoints),
    DescribeExport(DescribeExport),
    DescribeImport(DescribeImport),
    DescribeKinesisStreamingDestination(DescribeKinesisStreamingDestination),
    DescribeLimits(DescribeLimits),
    DescribeStream(DescribeStream),
    DescribeTable(DescribeTable),
    DescribeTimeToLive(DescribeTimeToLive),
    DisableKinesisStreamingDestination(DisableKinesisStreamingDestination),
    EnableKinesisStreamingDestination(EnableKinesisStreamingDestination),
    ExportTableToPointInTime(Box<ExportTableToPointInTime>),
    GetItem(GetItem),
    GetRecords(GetRecords),
    GetShardIterator(GetShardIterator),
    ImportTable(Box<ImportTable>),
    ListBackups(ListBackups),
    ListBulkOperations(ListBulkOperations),
    ListExports(ListExports),
    ListImports(ListImports),
    ListStreams(ListStreams),
    ListTables(ListTables),
    ListTagsOfResource(ListTagsOfResource),
    PutItem(PutItem),
    Query(Box<Query>),
    RestoreTableFromBackup(Box<RestoreTableFromBackup>),
    RestoreTableToPointInTime(Box<RestoreTableToPointInTime>),
    Scan(Box<Scan>),
    StartBulkPutItems(Box<StartBulkPutItems>),
    TagResource(TagResource),
    TransactGetItems(TransactGetItems),
    TransactWriteItems(TransactWriteItems),
    UntagResource(UntagResource),
    UpdateContinuousBackups(UpdateContinuousBackups),
    UpdateItem(UpdateItem),
    UpdateKinesisStreamingDestination(UpdateKinesisStreamingDestination),
    UpdateTable(Box<UpdateTable>),
    UpdateTimeToLive(UpdateTimeToLive),
}

/// What an operation answers.
#[derive(Debug, Clone)]
pub enum Output {
    /// BatchGetItem.
    BatchGetItem(BatchGetItemOutput),
    /// BatchWriteItem.
    BatchWriteItem(BatchWriteItemOutput),
    /// DescribeTable: the description under `Table`.
    Table(Box<TableDescription>),
    /// CreateTable, UpdateTable, DeleteTable and the restores: the description under `TableDescription`.
    TableChanged(Box<TableDescription>),
    /// DescribeContinuousBackups and UpdateContinuousBackups.
    ContinuousBackups(ContinuousBackups),
    /// DescribeEndpoints.
    Endpoints(Endpoints),
    /// DescribeLimits.
    Limits(Limits),
    /// DescribeTimeToLive.
    TimeToLive(TimeToLive),
    /// UpdateTimeToLive: the setting that was asked for.
    TimeToLiveChanged(TimeToLive),
    /// GetItem.
    GetItem(GetItemOutput),
    /// ListTables.
    TableNames(TableNames),
    /// ListTagsOfResource.
    Tags(Tags),
    /// PutItem, UpdateItem and DeleteItem.
    Write(WriteOutput),
    /// Query and Scan.
    Page(Page),
    /// TransactGetItems.
    TransactGetItems(TransactGetItemsOutput),
    /// TransactWriteItems.
    TransactWriteItems(TransactWriteItemsOutput),
    /// DescribeBackup and DeleteBackup.
    Backup(Box<BackupDescription>),
    /// CreateBackup.
    BackupDetails(BackupDetails),
    /// ListBackups.
    Backups(Backups),
    /// StartBulkPutItems and DescribeBulkOperation.
    BulkOperation(Box<BulkOperation>),
    /// CancelBulkOperation.
    BulkOperationCancelled(CancelledBulkOperation),
    /// ListBulkOperations.
    BulkOperations(BulkOperations),
    /// ExportTableToPointInTime and DescribeExport.
    Export(Box<ExportDescription>),
    /// ListExports.
    Exports(Exports),
    /// ImportTable and DescribeImport.
    Import(Box<ImportDescription>),
    /// ListImports.
    Imports(Imports),
    /// EnableKinesisStreamingDestination and DisableKinesisStreamingDestination.
    KinesisDestination(KinesisDestinationChange),
    /// UpdateKinesisStreamingDestination.
    KinesisDestinationUpdated(KinesisDestinationChange),
    /// DescribeKinesisStreamingDestination.
    KinesisDestinations(KinesisDestinations),
    /// GetRecords.
    Records(Records),
    /// GetShardIterator: the iterator.
    ShardIterator(String),
    /// DescribeStream.
    Stream(Box<StreamDescription>),
    /// ListStreams.
    Streams(Streams),
    /// TagResource and UntagResource: an empty body.
    Nothing,
}
