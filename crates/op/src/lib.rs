//! The operations of the API as types: what is asked, what is answered, what may go wrong.
//! Knows no JSON, no HTTP, no store.

mod batch;
mod common;
mod error;
pub mod limits;
mod name;
mod page;
mod setting;
mod single;
mod table;
mod transact;

pub use batch::{
    BatchGetItem, BatchGetItemOutput, BatchWriteItem, BatchWriteItemOutput, KeysOfTable, Write, WritesOfTable,
};
pub use common::{
    Capacity, CapacityDetail, CollectionMetrics, ConsumedCapacity, MetricsDetail, OnFailure, Returns, Tag,
};
pub use error::{Error, Kind, Reason, ReasonCode};
pub use name::{Family, Name};
pub use page::{Page, Query, Scan, Segment, Select};
pub use setting::{
    ContinuousBackups, DescribeContinuousBackups, DescribeEndpoints, DescribeLimits, DescribeTimeToLive,
    Endpoints, Limits, ListTagsOfResource, TagResource, Tags, TimeToLive, TtlStatus, UntagResource,
    UpdateTimeToLive,
};
pub use single::{DeleteItem, GetItem, GetItemOutput, PutItem, UpdateItem, WriteOutput};
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

/// A request that is valid on its own: its fields are well formed and its expressions parsed.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each variant is the operation of its name")]
pub enum Operation {
    BatchGetItem(BatchGetItem),
    BatchWriteItem(BatchWriteItem),
    CreateTable(Box<CreateTable>),
    DeleteItem(DeleteItem),
    DeleteTable(DeleteTable),
    DescribeContinuousBackups(DescribeContinuousBackups),
    DescribeEndpoints(DescribeEndpoints),
    DescribeLimits(DescribeLimits),
    DescribeTable(DescribeTable),
    DescribeTimeToLive(DescribeTimeToLive),
    GetItem(GetItem),
    ListTables(ListTables),
    ListTagsOfResource(ListTagsOfResource),
    PutItem(PutItem),
    Query(Box<Query>),
    Scan(Box<Scan>),
    TagResource(TagResource),
    TransactGetItems(TransactGetItems),
    TransactWriteItems(TransactWriteItems),
    UntagResource(UntagResource),
    UpdateItem(UpdateItem),
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
    /// CreateTable, UpdateTable and DeleteTable: the description under `TableDescription`.
    TableChanged(Box<TableDescription>),
    /// DescribeContinuousBackups.
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
    /// TagResource and UntagResource: an empty body.
    Nothing,
}
