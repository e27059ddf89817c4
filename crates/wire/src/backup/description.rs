//! How a backup is described, as JSON. Knows no operations.

use op::{
    BackupDescription, BackupDetails, BackupKind, BackupStatus, IndexSpec, SourceFeatures, SourceTable,
};

use crate::setting::describe_time_to_live;
use crate::table::description::{
    billing_mode, write_index_spec, write_key_schema, write_on_demand, write_sse, write_stream, write_units,
};
use crate::write::Object;

pub(crate) fn encode(backup: &BackupDescription, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    let mut description = Object::begin(object.key("BackupDescription"));
    write_details(&backup.details, &mut description);
    write_source(&backup.source, &mut description);
    write_features(&backup.features, &mut description);
    description.end();
    object.end();
}

/// The backup by itself, under its name.
pub(crate) fn write_details(details: &BackupDetails, object: &mut Object<'_>) {
    let mut written = Object::begin(object.key("BackupDetails"));
    write_members(details, &mut written);
    written.end();
}

/// The members of a backup by itself.
pub(crate) fn write_members(details: &BackupDetails, object: &mut Object<'_>) {
    object.text("BackupArn", &details.arn);
    object.text("BackupName", &details.name);
    if let Some(bytes) = details.size_bytes {
        object.number("BackupSizeBytes", bytes);
    }
    object.text(
        "BackupStatus",
        match details.status {
            BackupStatus::Creating => "CREATING",
            BackupStatus::Deleted => "DELETED",
            BackupStatus::Available => "AVAILABLE",
        },
    );
    object.text(
        "BackupType",
        match details.kind {
            BackupKind::User => "USER",
            BackupKind::System => "SYSTEM",
            BackupKind::AwsBackup => "AWS_BACKUP",
        },
    );
    object.time("BackupCreationDateTime", details.created_ms);
    if let Some(expiry) = details.expiry_ms {
        object.time("BackupExpiryDateTime", expiry);
    }
}

fn write_source(source: &SourceTable, object: &mut Object<'_>) {
    let mut written = Object::begin(object.key("SourceTableDetails"));
    written.text("TableName", &source.name);
    written.text("TableId", &source.id);
    written.text("TableArn", &source.arn);
    written.number("TableSizeBytes", source.size_bytes);
    write_key_schema(&source.key_schema, &mut written);
    written.time("TableCreationDateTime", source.created_ms);
    write_units(source.throughput, &mut written);
    write_on_demand(source.on_demand, &mut written);
    written.number("ItemCount", source.item_count);
    written.text("BillingMode", billing_mode(source.billing));
    written.end();
}

/// OBSERVED: a feature that the table did not have is not told, and without any the structure is empty.
fn write_features(features: &SourceFeatures, object: &mut Object<'_>) {
    let mut written = Object::begin(object.key("SourceTableFeatureDetails"));
    if !features.local_indexes.is_empty() {
        written.list("LocalSecondaryIndexes", &features.local_indexes, write_index);
    }
    if !features.global_indexes.is_empty() {
        written.list("GlobalSecondaryIndexes", &features.global_indexes, write_index);
    }
    write_stream("StreamDescription", features.stream, &mut written);
    if let Some(expiry) = &features.expiry {
        describe_time_to_live::write(expiry, &mut written);
    }
    write_sse(features.sse.as_ref(), &mut written);
    written.end();
}

fn write_index(index: &IndexSpec, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    write_index_spec(index, &mut object);
    object.end();
}
