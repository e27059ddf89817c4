//! Every operation of the API, once: name, family, whether it is built.

/// An operation's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each variant is the operation of its name")]
pub enum Name {
    BatchExecuteStatement,
    BatchGetItem,
    BatchWriteItem,
    CancelBulkOperation,
    CreateBackup,
    CreateGlobalTable,
    CreateTable,
    DeleteBackup,
    DeleteItem,
    DeleteResourcePolicy,
    DeleteTable,
    DescribeBackup,
    DescribeBulkOperation,
    DescribeContinuousBackups,
    DescribeContributorInsights,
    DescribeEndpoints,
    DescribeExport,
    DescribeGlobalTable,
    DescribeGlobalTableSettings,
    DescribeImport,
    DescribeKinesisStreamingDestination,
    DescribeLimits,
    DescribeTable,
    DescribeTableReplicaAutoScaling,
    DescribeTimeToLive,
    DisableKinesisStreamingDestination,
    EnableKinesisStreamingDestination,
    ExecuteStatement,
    ExecuteTransaction,
    ExportTableToPointInTime,
    GetItem,
    GetResourcePolicy,
    ImportTable,
    ListBackups,
    ListBulkOperations,
    ListContributorInsights,
    ListExports,
    ListGlobalTables,
    ListImports,
    ListTables,
    ListTagsOfResource,
    PutItem,
    PutResourcePolicy,
    Query,
    RestoreTableFromBackup,
    RestoreTableToPointInTime,
    Scan,
    SearchVectors,
    StartBulkPutItems,
    TagResource,
    TransactGetItems,
    TransactWriteItems,
    UntagResource,
    UpdateContinuousBackups,
    UpdateContributorInsights,
    UpdateGlobalTable,
    UpdateGlobalTableSettings,
    UpdateItem,
    UpdateKinesisStreamingDestination,
    UpdateTable,
    UpdateTableReplicaAutoScaling,
    UpdateTimeToLive,
    DescribeStream,
    GetRecords,
    GetShardIterator,
    ListStreams,
}

/// The two services that make up the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// `DynamoDB_20120810`.
    DynamoDb,
    /// `DynamoDBStreams_20120810`.
    Streams,
}

/// One line an operation: its name on the wire, its family, whether this server carries it out.
const TABLE: &[(Name, &str, Family, bool)] = &[
    (Name::BatchExecuteStatement, "BatchExecuteStatement", Family::DynamoDb, false),
    (Name::BatchGetItem, "BatchGetItem", Family::DynamoDb, true),
    (Name::BatchWriteItem, "BatchWriteItem", Family::DynamoDb, true),
    (Name::CancelBulkOperation, "CancelBulkOperation", Family::DynamoDb, true),
    (Name::CreateBackup, "CreateBackup", Family::DynamoDb, true),
    (Name::CreateGlobalTable, "CreateGlobalTable", Family::DynamoDb, false),
    (Name::CreateTable, "CreateTable", Family::DynamoDb, true),
    (Name::DeleteBackup, "DeleteBackup", Family::DynamoDb, true),
    (Name::DeleteItem, "DeleteItem", Family::DynamoDb, true),
    (Name::DeleteResourcePolicy, "DeleteResourcePolicy", Family::DynamoDb, false),
    (Name::DeleteTable, "DeleteTable", Family::DynamoDb, true),
    (Name::DescribeBackup, "DescribeBackup", Family::DynamoDb, true),
    (Name::DescribeBulkOperation, "DescribeBulkOperation", Family::DynamoDb, true),
    (Name::DescribeContinuousBackups, "DescribeContinuousBackups", Family::DynamoDb, true),
    (Name::DescribeContributorInsights, "DescribeContributorInsights", Family::DynamoDb, false),
    (Name::DescribeEndpoints, "DescribeEndpoints", Family::DynamoDb, true),
    (Name::DescribeExport, "DescribeExport", Family::DynamoDb, true),
    (Name::DescribeGlobalTable, "DescribeGlobalTable", Family::DynamoDb, false),
    (Name::DescribeGlobalTableSettings, "DescribeGlobalTableSettings", Family::DynamoDb, false),
    (Name::DescribeImport, "DescribeImport", Family::DynamoDb, true),
    (
        Name::DescribeKinesisStreamingDestination,
        "DescribeKinesisStreamingDestination",
        Family::DynamoDb,
        true,
    ),
    (Name::DescribeLimits, "DescribeLimits", Family::DynamoDb, true),
    (Name::DescribeTable, "DescribeTable", Family::DynamoDb, true),
    (Name::DescribeTableReplicaAutoScaling, "DescribeTableReplicaAutoScaling", Family::DynamoDb, false),
    (Name::DescribeTimeToLive, "DescribeTimeToLive", Family::DynamoDb, true),
    (Name::DisableKinesisStreamingDestination, "DisableKinesisStreamingDestination", Family::DynamoDb, true),
    (Name::EnableKinesisStreamingDestination, "EnableKinesisStreamingDestination", Family::DynamoDb, true),
    (Name::ExecuteStatement, "ExecuteStatement", Family::DynamoDb, false),
    (Name::ExecuteTransaction, "ExecuteTransaction", Family::DynamoDb, false),
    (Name::ExportTableToPointInTime, "ExportTableToPointInTime", Family::DynamoDb, true),
    (Name::GetItem, "GetItem", Family::DynamoDb, true),
    (Name::GetResourcePolicy, "GetResourcePolicy", Family::DynamoDb, false),
    (Name::ImportTable, "ImportTable", Family::DynamoDb, true),
    (Name::ListBackups, "ListBackups", Family::DynamoDb, true),
    (Name::ListBulkOperations, "ListBulkOperations", Family::DynamoDb, true),
    (Name::ListContributorInsights, "ListContributorInsights", Family::DynamoDb, false),
    (Name::ListExports, "ListExports", Family::DynamoDb, true),
    (Name::ListGlobalTables, "ListGlobalTables", Family::DynamoDb, false),
    (Name::ListImports, "ListImports", Family::DynamoDb, true),
    (Name::ListTables, "ListTables", Family::DynamoDb, true),
    (Name::ListTagsOfResource, "ListTagsOfResource", Family::DynamoDb, true),
    (Name::PutItem, "PutItem", Family::DynamoDb, true),
    (Name::PutResourcePolicy, "PutResourcePolicy", Family::DynamoDb, false),
    (Name::Query, "Query", Family::DynamoDb, true),
    (Name::RestoreTableFromBackup, "RestoreTableFromBackup", Family::DynamoDb, true),
    (Name::RestoreTableToPointInTime, "RestoreTableToPointInTime", Family::DynamoDb, true),
    (Name::Scan, "Scan", Family::DynamoDb, true),
    (Name::SearchVectors, "SearchVectors", Family::DynamoDb, false),
    (Name::StartBulkPutItems, "StartBulkPutItems", Family::DynamoDb, true),
    (Name::TagResource, "TagResource", Family::DynamoDb, true),
    (Name::TransactGetItems, "TransactGetItems", Family::DynamoDb, true),
    (Name::TransactWriteItems, "TransactWriteItems", Family::DynamoDb, true),
    (Name::UntagResource, "UntagResource", Family::DynamoDb, true),
    (Name::UpdateContinuousBackups, "UpdateContinuousBackups", Family::DynamoDb, true),
    (Name::UpdateContributorInsights, "UpdateContributorInsights", Family::DynamoDb, false),
    (Name::UpdateGlobalTable, "UpdateGlobalTable", Family::DynamoDb, false),
    (Name::UpdateGlobalTableSettings, "UpdateGlobalTableSettings", Family::DynamoDb, false),
    (Name::UpdateItem, "UpdateItem", Family::DynamoDb, true),
    (Name::UpdateKinesisStreamingDestination, "UpdateKinesisStreamingDestination", Family::DynamoDb, true),
    (Name::UpdateTable, "UpdateTable", Family::DynamoDb, true),
    (Name::UpdateTableReplicaAutoScaling, "UpdateTableReplicaAutoScaling", Family::DynamoDb, false),
    (Name::UpdateTimeToLive, "UpdateTimeToLive", Family::DynamoDb, true),
    (Name::DescribeStream, "DescribeStream", Family::Streams, true),
    (Name::GetRecords, "GetRecords", Family::Streams, true),
    (Name::GetShardIterator, "GetShardIterator", Family::Streams, true),
    (Name::ListStreams, "ListStreams", Family::Streams, true),
];

impl Name {
    /// Every operation, DynamoDB's before the streams'.
    pub fn all() -> impl Iterator<Item = Name> {
        TABLE.iter().map(|row| row.0)
    }

    /// The operation with this name in this family.
    pub fn find(family: Family, name: &str) -> Option<Name> {
        TABLE.iter().find(|row| row.2 == family && row.1 == name).map(|row| row.0)
    }

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        self.row().1
    }

    /// The service it belongs to.
    pub fn family(self) -> Family {
        self.row().2
    }

    /// Whether this server carries it out.
    pub fn is_built(self) -> bool {
        self.row().3
    }

    fn row(self) -> &'static (Name, &'static str, Family, bool) {
        // INVARIANT: the table has every variant, in the order of the enum; the test below holds it to that.
        TABLE.get(self as usize).expect("the table has a row for every name")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_name_in_order() {
        assert_eq!(TABLE.len(), 66);
        for (place, row) in TABLE.iter().enumerate() {
            assert_eq!(row.0 as usize, place);
            assert_eq!(format!("{:?}", row.0), row.1);
            assert_eq!(Name::find(row.2, row.1), Some(row.0));
        }
    }
}
