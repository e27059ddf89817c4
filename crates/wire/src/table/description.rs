//! How a table is described, as JSON. Knows no operations.

use op::{
    AttributeDefinition, BillingMode, GlobalIndexDescription, IndexProjection, IndexSpec, IndexStatus,
    KeyElement, KeyKind, LocalIndexDescription, OnDemand, ScalarType, SseStatus, StreamSpec, StreamView,
    TableClass, TableDescription, TableStatus, Throughput, ThroughputDescription, WarmThroughput,
};

use crate::write::{Object, text};

/// Writes the description under this name.
pub(crate) fn encode(name: &'static str, table: &TableDescription, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    write(table, object.key(name));
    object.end();
}

fn write(table: &TableDescription, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    // A table that is being deleted is described without its keys.
    if !table.attributes.is_empty() {
        object.list("AttributeDefinitions", &table.attributes, write_definition);
    }
    object.text("TableName", &table.name);
    if !table.key_schema.is_empty() {
        write_key_schema(&table.key_schema, &mut object);
    }
    object.text("TableStatus", table_status(table.status));
    object.time("CreationDateTime", table.created_ms);
    write_throughput(&table.throughput, &mut object);
    object.number("TableSizeBytes", table.size_bytes);
    object.number("ItemCount", table.item_count);
    object.text("TableArn", &table.arn);
    object.text("TableId", &table.id);
    write_billing(table, &mut object);
    if !table.local_indexes.is_empty() {
        object.list("LocalSecondaryIndexes", &table.local_indexes, write_local_index);
    }
    if !table.global_indexes.is_empty() {
        object.list("GlobalSecondaryIndexes", &table.global_indexes, write_global_index);
    }
    write_streams(table, &mut object);
    write_settings(table, &mut object);
    object.end();
}

pub(crate) fn write_definition(definition: &AttributeDefinition, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.text("AttributeName", &definition.name);
    object.text("AttributeType", scalar(definition.kind));
    object.end();
}

fn write_billing(table: &TableDescription, object: &mut Object<'_>) {
    if let Some(billing) = &table.billing {
        let mut summary = Object::begin(object.key("BillingModeSummary"));
        summary.text("BillingMode", billing_mode(billing.mode));
        if let Some(since) = billing.on_demand_since_ms {
            summary.time("LastUpdateToPayPerRequestDateTime", since);
        }
        summary.end();
    }
    write_on_demand(table.on_demand, object);
    write_warm(table.warm, matches!(table.status, TableStatus::Active), object);
}

fn write_streams(table: &TableDescription, object: &mut Object<'_>) {
    write_stream("StreamSpecification", table.stream, object);
    if let Some((label, arn)) = &table.latest_stream {
        object.text("LatestStreamLabel", label);
        object.text("LatestStreamArn", arn);
    }
    if let Some(restore) = &table.restore {
        let mut summary = Object::begin(object.key("RestoreSummary"));
        if let Some(arn) = &restore.backup_arn {
            summary.text("SourceBackupArn", arn);
        }
        if let Some(arn) = &restore.table_arn {
            summary.text("SourceTableArn", arn);
        }
        summary.time("RestoreDateTime", restore.time_ms);
        summary.flag("RestoreInProgress", restore.in_progress);
        summary.end();
    }
}

/// A stream that is on.
pub(crate) fn write_stream(name: &'static str, stream: Option<StreamSpec>, object: &mut Object<'_>) {
    let Some(stream) = stream.filter(|stream| stream.enabled) else { return };
    let mut specification = Object::begin(object.key(name));
    specification.flag("StreamEnabled", true);
    if let Some(view) = stream.view {
        specification.text("StreamViewType", stream_view(view));
    }
    specification.end();
}

/// The encryption, if it is not with the service's own key.
pub(crate) fn write_sse(sse: Option<&SseStatus>, object: &mut Object<'_>) {
    let Some(sse) = sse else { return };
    let mut description = Object::begin(object.key("SSEDescription"));
    description.text("Status", if sse.enabled { "ENABLED" } else { "UPDATING" });
    description.text("SSEType", "KMS");
    description.text("KMSMasterKeyArn", &sse.key_arn);
    description.end();
}

fn write_settings(table: &TableDescription, object: &mut Object<'_>) {
    write_sse(table.sse.as_ref(), object);
    if let Some(class) = &table.class {
        let mut summary = Object::begin(object.key("TableClassSummary"));
        summary.text("TableClass", table_class(class.class));
        if let Some(since) = class.since_ms {
            summary.time("LastUpdateDateTime", since);
        }
        summary.end();
    }
    object.flag("DeletionProtectionEnabled", table.deletion_protection);
}

fn write_local_index(index: &LocalIndexDescription, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.text("IndexName", &index.name);
    write_key_schema(&index.key_schema, &mut object);
    write_projection(&index.projection, &mut object);
    object.number("IndexSizeBytes", index.size_bytes);
    object.number("ItemCount", index.item_count);
    object.text("IndexArn", &index.arn);
    object.end();
}

fn write_global_index(index: &GlobalIndexDescription, out: &mut Vec<u8>) {
    let mut object = Object::begin(out);
    object.text("IndexName", &index.name);
    write_key_schema(&index.key_schema, &mut object);
    write_projection(&index.projection, &mut object);
    object.text("IndexStatus", index_status(index.status));
    if let Some(backfilling) = index.backfilling {
        object.flag("Backfilling", backfilling);
    }
    write_throughput(&index.throughput, &mut object);
    object.number("IndexSizeBytes", index.size_bytes);
    object.number("ItemCount", index.item_count);
    object.text("IndexArn", &index.arn);
    write_on_demand(index.on_demand, &mut object);
    write_warm(index.warm, matches!(index.status, IndexStatus::Active), &mut object);
    object.end();
}

pub(crate) fn write_key_schema(schema: &[KeyElement], object: &mut Object<'_>) {
    object.list("KeySchema", schema, |element, out| {
        let mut object = Object::begin(out);
        object.text("AttributeName", &element.name);
        object.text("KeyType", key_kind(element.kind));
        object.end();
    });
}

fn write_projection(projection: &IndexProjection, object: &mut Object<'_>) {
    let mut written = Object::begin(object.key("Projection"));
    match projection {
        IndexProjection::All => written.text("ProjectionType", "ALL"),
        IndexProjection::KeysOnly => written.text("ProjectionType", "KEYS_ONLY"),
        IndexProjection::Include(names) => {
            written.text("ProjectionType", "INCLUDE");
            written.list("NonKeyAttributes", names, |name, out| text(name, out));
        }
    }
    written.end();
}

fn write_throughput(throughput: &ThroughputDescription, object: &mut Object<'_>) {
    let mut written = Object::begin(object.key("ProvisionedThroughput"));
    if let Some(increased) = throughput.increased_ms {
        written.time("LastIncreaseDateTime", increased);
    }
    if let Some(decreased) = throughput.decreased_ms {
        written.time("LastDecreaseDateTime", decreased);
    }
    written.number("NumberOfDecreasesToday", throughput.decreases_today);
    written.number("ReadCapacityUnits", throughput.units.read);
    written.number("WriteCapacityUnits", throughput.units.write);
    written.end();
}

/// Units as they were asked for.
pub(crate) fn write_units(units: Throughput, object: &mut Object<'_>) {
    let mut written = Object::begin(object.key("ProvisionedThroughput"));
    written.number("ReadCapacityUnits", units.read);
    written.number("WriteCapacityUnits", units.write);
    written.end();
}

/// The members of an index as it was asked for, but for its readiness.
pub(crate) fn write_index_spec(index: &IndexSpec, object: &mut Object<'_>) {
    object.text("IndexName", &index.name);
    write_key_schema(&index.key_schema, object);
    write_projection(&index.projection, object);
    if let Some(units) = index.throughput {
        write_units(units, object);
    }
    write_on_demand(index.on_demand, object);
}

pub(crate) fn write_on_demand(on_demand: Option<OnDemand>, object: &mut Object<'_>) {
    let Some(on_demand) = on_demand else { return };
    let mut written = Object::begin(object.key("OnDemandThroughput"));
    if let Some(read) = on_demand.read_max {
        written.number("MaxReadRequestUnits", read);
    }
    if let Some(write) = on_demand.write_max {
        written.number("MaxWriteRequestUnits", write);
    }
    written.end();
}

fn write_warm(warm: WarmThroughput, is_active: bool, object: &mut Object<'_>) {
    let mut written = Object::begin(object.key("WarmThroughput"));
    if let Some(read) = warm.read {
        written.number("ReadUnitsPerSecond", read);
    }
    if let Some(write) = warm.write {
        written.number("WriteUnitsPerSecond", write);
    }
    written.text("Status", if is_active { "ACTIVE" } else { "UPDATING" });
    written.end();
}

fn scalar(kind: ScalarType) -> &'static str {
    kind.value_type().name()
}

fn key_kind(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::Hash => "HASH",
        KeyKind::Range => "RANGE",
    }
}

fn table_status(status: TableStatus) -> &'static str {
    match status {
        TableStatus::Creating => "CREATING",
        TableStatus::Updating => "UPDATING",
        TableStatus::Deleting => "DELETING",
        TableStatus::Active => "ACTIVE",
    }
}

fn index_status(status: IndexStatus) -> &'static str {
    match status {
        IndexStatus::Creating => "CREATING",
        IndexStatus::Updating => "UPDATING",
        IndexStatus::Deleting => "DELETING",
        IndexStatus::Active => "ACTIVE",
    }
}

pub(crate) fn billing_mode(mode: BillingMode) -> &'static str {
    match mode {
        BillingMode::Provisioned => "PROVISIONED",
        BillingMode::PayPerRequest => "PAY_PER_REQUEST",
    }
}

fn table_class(class: TableClass) -> &'static str {
    match class {
        TableClass::Standard => "STANDARD",
        TableClass::StandardInfrequentAccess => "STANDARD_INFREQUENT_ACCESS",
    }
}

pub(crate) fn stream_view(view: StreamView) -> &'static str {
    match view {
        StreamView::KeysOnly => "KEYS_ONLY",
        StreamView::NewImage => "NEW_IMAGE",
        StreamView::OldImage => "OLD_IMAGE",
        StreamView::NewAndOldImages => "NEW_AND_OLD_IMAGES",
    }
}
