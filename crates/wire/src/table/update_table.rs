//! UpdateTable. Knows no table that exists.

use op::{BillingMode, Error, IndexUpdate, Operation, StreamSpec, UpdateTable, limits};

use super::describe_table::NAME_RULES;
use super::spec::{self, Unbounding};
use super::{index_rules, together};
use crate::common;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::json::Json;
use crate::request::Request;
use crate::rule::{Rule, Test, rule};
use crate::shape::Shape;

static INDEX_UPDATE: Shape = Shape::Struct(
    "GlobalSecondaryIndexUpdate",
    &[
        (
            "Update",
            &Shape::Struct(
                "UpdateGlobalSecondaryIndexAction",
                &[
                    ("IndexName", &Shape::Text),
                    ("ProvisionedThroughput", &spec::THROUGHPUT),
                    ("OnDemandThroughput", &spec::ON_DEMAND),
                    ("WarmThroughput", &spec::WARM),
                ],
            ),
        ),
        ("Create", &Shape::Struct("CreateGlobalSecondaryIndexAction", spec::GLOBAL_INDEX)),
        ("Delete", &Shape::Struct("DeleteGlobalSecondaryIndexAction", &[("IndexName", &Shape::Text)])),
    ],
);

static REQUEST: Request = Request {
    input: "UpdateTableInput",
    members: &[
        ("AttributeDefinitions", &spec::DEFINITIONS),
        ("TableName", &Shape::Text),
        ("BillingMode", &Shape::Text),
        ("ProvisionedThroughput", &spec::THROUGHPUT),
        ("GlobalSecondaryIndexUpdates", &Shape::List(&INDEX_UPDATE)),
        ("StreamSpecification", &spec::STREAM),
        ("SSESpecification", &spec::SSE),
        ("TableClass", &Shape::Text),
        ("DeletionProtectionEnabled", &Shape::Flag),
        ("OnDemandThroughput", &spec::ON_DEMAND),
        ("WarmThroughput", &spec::WARM),
    ],
    stages: &[NAME_RULES, RULES],
    counted: false,
};

const RULES: &[Rule] = &[
    rule("TableName", Test::NamePattern),
    rule("BillingMode", Test::OneOf(spec::BILLING_NAMES)),
    rule("AttributeDefinitions.*.AttributeName", Test::Required),
    rule("AttributeDefinitions.*.AttributeName", Test::LengthMin(1)),
    rule("AttributeDefinitions.*.AttributeName", Test::LengthMax(limits::KEY_NAME_BYTES_MAX)),
    rule("AttributeDefinitions.*.AttributeType", Test::Required),
    rule("AttributeDefinitions.*.AttributeType", Test::OneOf(spec::SCALAR_NAMES)),
    rule("ProvisionedThroughput.WriteCapacityUnits", Test::Required),
    rule("ProvisionedThroughput.WriteCapacityUnits", Test::AtLeast(1)),
    rule("ProvisionedThroughput.ReadCapacityUnits", Test::Required),
    rule("ProvisionedThroughput.ReadCapacityUnits", Test::AtLeast(1)),
    rule("GlobalSecondaryIndexUpdates.*.Update.IndexName", Test::Required),
    rule("GlobalSecondaryIndexUpdates.*.Update.IndexName", Test::LengthMin(3)),
    rule("GlobalSecondaryIndexUpdates.*.Update.IndexName", Test::LengthMax(255)),
    rule("GlobalSecondaryIndexUpdates.*.Update.IndexName", Test::Pattern),
    rule("GlobalSecondaryIndexUpdates.*.Update.ProvisionedThroughput.WriteCapacityUnits", Test::Required),
    rule("GlobalSecondaryIndexUpdates.*.Update.ProvisionedThroughput.WriteCapacityUnits", Test::AtLeast(1)),
    rule("GlobalSecondaryIndexUpdates.*.Update.ProvisionedThroughput.ReadCapacityUnits", Test::Required),
    rule("GlobalSecondaryIndexUpdates.*.Update.ProvisionedThroughput.ReadCapacityUnits", Test::AtLeast(1)),
    rule("GlobalSecondaryIndexUpdates.*.Create.KeySchema", Test::Required),
    rule("GlobalSecondaryIndexUpdates.*.Create.KeySchema", Test::LengthMin(1)),
    rule("GlobalSecondaryIndexUpdates.*.Create.KeySchema", Test::LengthMax(spec::INDEX_KEYS_MAX)),
    rule("GlobalSecondaryIndexUpdates.*.Create.KeySchema.*.AttributeName", Test::Required),
    rule("GlobalSecondaryIndexUpdates.*.Create.KeySchema.*.AttributeName", Test::LengthMin(1)),
    rule("GlobalSecondaryIndexUpdates.*.Create.KeySchema.*.KeyType", Test::Required),
    rule("GlobalSecondaryIndexUpdates.*.Create.KeySchema.*.KeyType", Test::OneOf(spec::KEY_KIND_NAMES)),
    rule("GlobalSecondaryIndexUpdates.*.Create.Projection", Test::Required),
    rule(
        "GlobalSecondaryIndexUpdates.*.Create.Projection.ProjectionType",
        Test::OneOf(spec::PROJECTION_NAMES),
    ),
    rule("GlobalSecondaryIndexUpdates.*.Create.Projection.NonKeyAttributes", Test::LengthMin(1)),
    rule(
        "GlobalSecondaryIndexUpdates.*.Create.Projection.NonKeyAttributes",
        Test::LengthMax(limits::INDEX_PROJECTED_ATTRIBUTES_MAX),
    ),
    rule("GlobalSecondaryIndexUpdates.*.Create.IndexName", Test::Required),
    rule("GlobalSecondaryIndexUpdates.*.Create.IndexName", Test::LengthMin(3)),
    rule("GlobalSecondaryIndexUpdates.*.Create.IndexName", Test::LengthMax(255)),
    rule("GlobalSecondaryIndexUpdates.*.Create.IndexName", Test::Pattern),
    rule("GlobalSecondaryIndexUpdates.*.Create.ProvisionedThroughput.WriteCapacityUnits", Test::AtLeast(1)),
    rule("GlobalSecondaryIndexUpdates.*.Create.ProvisionedThroughput.ReadCapacityUnits", Test::AtLeast(1)),
    rule("GlobalSecondaryIndexUpdates.*.Delete.IndexName", Test::Required),
    rule("GlobalSecondaryIndexUpdates.*.Delete.IndexName", Test::LengthMin(3)),
    rule("GlobalSecondaryIndexUpdates.*.Delete.IndexName", Test::LengthMax(255)),
    rule("GlobalSecondaryIndexUpdates.*.Delete.IndexName", Test::Pattern),
    rule("StreamSpecification.StreamEnabled", Test::Required),
    rule("StreamSpecification.StreamViewType", Test::OneOf(spec::VIEW_NAMES)),
    rule("SSESpecification.SSEType", Test::OneOf(spec::SSE_NAMES)),
];

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(|request| Operation::UpdateTable(Box::new(request)))
}

fn read(fields: Fields<'_, '_>) -> Result<UpdateTable, Fault> {
    spec::refuse_unsupported(fields, UNSUPPORTED)?;
    let request = UpdateTable {
        name: common::table(fields)?,
        attributes: spec::definitions(fields.list("AttributeDefinitions")?.unwrap_or_default())?,
        billing: spec::billing(fields, "BillingMode")?,
        throughput: spec::throughput(fields)?,
        on_demand: spec::on_demand(fields, "table", Unbounding::Allowed)?,
        warm: spec::warm(fields)?,
        index_updates: index_updates(fields)?,
        stream: spec::stream(fields)?,
        sse: spec::sse(fields, "SSESpecification")?,
        class: spec::class(fields)?,
        deletion_protection: fields.flag("DeletionProtectionEnabled")?,
    };
    check_something(&request)?;
    if request.index_updates.is_empty() && fields.has("GlobalSecondaryIndexUpdates") {
        return invalid("List of GlobalSecondaryIndexUpdates is empty");
    }
    together::check(&request)?;
    check_billing(&request)?;
    check_stream(&request)?;
    check_indexes(&request)?;
    Ok(request)
}

/// Members of the service's model that there is nothing behind yet.
const UNSUPPORTED: &[&str] = &[
    "ReplicaUpdates",
    "GlobalTableWitnessUpdates",
    "MultiRegionConsistency",
    "GlobalTableSettingsReplicationMode",
    "DisassociationProtectionEnabled",
    "VectorIndexUpdates",
];

fn invalid<T>(detail: impl std::fmt::Display) -> Result<T, Fault> {
    Err(Fault::invalid(format!("One or more parameter values were invalid: {detail}")))
}

fn index_updates(fields: Fields<'_, '_>) -> Result<Vec<IndexUpdate>, Fault> {
    fields.list("GlobalSecondaryIndexUpdates")?.unwrap_or_default().iter().map(index_update).collect()
}

fn index_update(value: &Json<'_>) -> Result<IndexUpdate, Fault> {
    let fields = Fields::of(value)?;
    match (fields.get("Create"), fields.fields("Update")?, fields.fields("Delete")?) {
        (Some(create), None, None) => Ok(IndexUpdate::Create(spec::index(create, spec::INDEX_KEYS_MAX)?)),
        (None, Some(update), None) => update_of_index(update),
        (None, None, Some(delete)) => Ok(IndexUpdate::Delete(spec::index_name(delete)?)),
        (None, None, None) => invalid(
            "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, \
                     GlobalSecondaryIndexUpdate.Delete must not be null",
        ),
        _ => {
            invalid("Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object")
        }
    }
}

fn update_of_index(fields: Fields<'_, '_>) -> Result<IndexUpdate, Fault> {
    let name = spec::index_name(fields)?;
    let warm = spec::warm(fields)?;
    if warm.is_none() && fields.has("WarmThroughput") {
        return invalid(format!(
            "WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for index: \
             {name}"
        ));
    }
    Ok(IndexUpdate::Update {
        throughput: spec::throughput(fields)?,
        on_demand: spec::on_demand(fields, &spec::of_index(&name), Unbounding::Allowed)?,
        warm,
        name,
    })
}

/// A request that changes nothing is refused.
fn check_something(request: &UpdateTable) -> Result<(), Fault> {
    let changes = request.billing.is_some()
        || request.throughput.is_some()
        || request.on_demand.is_some()
        || request.warm.is_some()
        || !request.index_updates.is_empty()
        || request.stream.is_some()
        || request.sse.is_some()
        || request.class.is_some()
        || request.deletion_protection.is_some();
    if changes {
        return Ok(());
    }
    Err(Fault::invalid(
        "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, \
         SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, \
         DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required",
    ))
}

fn check_billing(request: &UpdateTable) -> Result<(), Fault> {
    match (request.billing, request.throughput) {
        (Some(BillingMode::PayPerRequest), Some(_)) => invalid(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
        ),
        (Some(BillingMode::Provisioned), None) => {
            invalid("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
        }
        (Some(_) | None, _) => Ok(()),
    }
}

fn check_stream(request: &UpdateTable) -> Result<(), Fault> {
    match request.stream {
        Some(StreamSpec { enabled: true, view: None }) => {
            invalid("If stream is being enabled then UpdateViewType is required")
        }
        Some(StreamSpec { enabled: false, view: Some(_) }) => {
            invalid("If stream is being disabled, then UpdateViewType must not be specified")
        }
        Some(StreamSpec { .. }) | None => Ok(()),
    }
}

fn check_indexes(request: &UpdateTable) -> Result<(), Fault> {
    let mut changes = 0;
    let mut names = std::collections::BTreeSet::new();
    for update in &request.index_updates {
        let name = match update {
            IndexUpdate::Create(index) => {
                changes += 1;
                index_rules::check_many(&index.key_schema)?;
                index_rules::check_projected(std::iter::once(index))?;
                &index.name
            }
            IndexUpdate::Update { name, .. } => name,
            IndexUpdate::Delete(name) => {
                changes += 1;
                name
            }
        };
        if !names.insert(name) {
            return invalid(format!(
                "Only one global secondary index update per index is allowed simultaneously. Index: {name}"
            ));
        }
    }
    if changes > 1 {
        return Err(Fault { error: op::Error::new(op::Kind::LimitExceeded, TOO_MANY_CHANGES), bare: true });
    }
    Ok(())
}

const TOO_MANY_CHANGES: &str =
    "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table";
