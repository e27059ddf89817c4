//! CreateTable. Knows no table that exists.

use std::collections::BTreeSet;

use op::{
    AttributeDefinition, BillingMode, CreateTable, Error, IndexSpec, KeyElement, OnDemand, Operation,
    StreamSpec, Throughput, limits,
};

use super::spec::{self, Unbounding};
use super::{capacity_rules, index_rules};
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Rule, Test, alone, is_name, rule};
use crate::setting::tags;
use crate::shape::Shape;

static REQUEST: Request = Request {
    input: "CreateTableInput",
    members: &[
        ("AttributeDefinitions", &spec::DEFINITIONS),
        ("TableName", &Shape::Text),
        ("KeySchema", &spec::KEY_SCHEMA),
        ("LocalSecondaryIndexes", &spec::LOCAL_INDEXES),
        ("GlobalSecondaryIndexes", &Shape::List(&Shape::Struct("GlobalSecondaryIndex", spec::GLOBAL_INDEX))),
        ("BillingMode", &Shape::Text),
        ("ProvisionedThroughput", &spec::THROUGHPUT),
        ("StreamSpecification", &spec::STREAM),
        ("SSESpecification", &spec::SSE),
        ("Tags", &spec::TAGS),
        ("TableClass", &Shape::Text),
        ("DeletionProtectionEnabled", &Shape::Flag),
        ("WarmThroughput", &spec::WARM),
        ("OnDemandThroughput", &spec::ON_DEMAND),
    ],
    stages: &[
        &[
            alone(
                "TableName",
                Test::Required,
                "The parameter 'TableName' is required but was not present in the request",
            ),
            rule("TableName", Test::Pattern),
            rule("TableName", Test::LengthMin(3)),
            rule("TableName", Test::LengthMax(255)),
        ],
        RULES,
    ],
    counted: false,
};

/// What the model says of a table that is to be made, besides its name.
pub(crate) const RULES: &[Rule] = &[
    rule("AttributeDefinitions", Test::Required),
    rule("KeySchema", Test::Required),
    rule("KeySchema", Test::LengthMin(1)),
    rule("KeySchema", Test::LengthMax(2)),
    rule("BillingMode", Test::OneOf(spec::BILLING_NAMES)),
    rule("AttributeDefinitions.*.AttributeName", Test::Required),
    rule("AttributeDefinitions.*.AttributeName", Test::LengthMin(1)),
    rule("AttributeDefinitions.*.AttributeName", Test::LengthMax(limits::KEY_NAME_BYTES_MAX)),
    rule("AttributeDefinitions.*.AttributeType", Test::Required),
    rule("AttributeDefinitions.*.AttributeType", Test::OneOf(spec::SCALAR_NAMES)),
    rule("KeySchema.*.AttributeName", Test::Required),
    rule("KeySchema.*.AttributeName", Test::LengthMin(1)),
    rule("KeySchema.*.AttributeName", Test::LengthMax(limits::KEY_NAME_BYTES_MAX)),
    rule("KeySchema.*.KeyType", Test::Required),
    rule("KeySchema.*.KeyType", Test::OneOf(spec::KEY_KIND_NAMES)),
    rule("ProvisionedThroughput.WriteCapacityUnits", Test::Required),
    rule("ProvisionedThroughput.WriteCapacityUnits", Test::AtLeast(1)),
    rule("ProvisionedThroughput.ReadCapacityUnits", Test::Required),
    rule("ProvisionedThroughput.ReadCapacityUnits", Test::AtLeast(1)),
    rule("GlobalSecondaryIndexes.*.KeySchema", Test::Required),
    rule("GlobalSecondaryIndexes.*.KeySchema", Test::LengthMin(1)),
    rule("GlobalSecondaryIndexes.*.KeySchema", Test::LengthMax(spec::INDEX_KEYS_MAX)),
    rule("GlobalSecondaryIndexes.*.KeySchema.*.AttributeName", Test::Required),
    rule("GlobalSecondaryIndexes.*.KeySchema.*.AttributeName", Test::LengthMin(1)),
    rule("GlobalSecondaryIndexes.*.KeySchema.*.KeyType", Test::Required),
    rule("GlobalSecondaryIndexes.*.KeySchema.*.KeyType", Test::OneOf(spec::KEY_KIND_NAMES)),
    rule("GlobalSecondaryIndexes.*.Projection", Test::Required),
    rule("GlobalSecondaryIndexes.*.Projection.ProjectionType", Test::OneOf(spec::PROJECTION_NAMES)),
    rule("GlobalSecondaryIndexes.*.Projection.NonKeyAttributes", Test::LengthMin(1)),
    rule(
        "GlobalSecondaryIndexes.*.Projection.NonKeyAttributes",
        Test::LengthMax(limits::INDEX_PROJECTED_ATTRIBUTES_MAX),
    ),
    rule("GlobalSecondaryIndexes.*.Projection.NonKeyAttributes.*", Test::LengthMin(1)),
    rule("GlobalSecondaryIndexes.*.IndexName", Test::Required),
    rule("GlobalSecondaryIndexes.*.IndexName", Test::LengthMin(3)),
    rule("GlobalSecondaryIndexes.*.IndexName", Test::LengthMax(255)),
    rule("GlobalSecondaryIndexes.*.IndexName", Test::Pattern),
    rule("GlobalSecondaryIndexes.*.ProvisionedThroughput.WriteCapacityUnits", Test::Required),
    rule("GlobalSecondaryIndexes.*.ProvisionedThroughput.WriteCapacityUnits", Test::AtLeast(1)),
    rule("GlobalSecondaryIndexes.*.ProvisionedThroughput.ReadCapacityUnits", Test::Required),
    rule("GlobalSecondaryIndexes.*.ProvisionedThroughput.ReadCapacityUnits", Test::AtLeast(1)),
    rule("LocalSecondaryIndexes.*.IndexName", Test::Required),
    rule("LocalSecondaryIndexes.*.IndexName", Test::LengthMin(3)),
    rule("LocalSecondaryIndexes.*.IndexName", Test::LengthMax(255)),
    rule("LocalSecondaryIndexes.*.IndexName", Test::Pattern),
    rule("LocalSecondaryIndexes.*.KeySchema", Test::Required),
    rule("LocalSecondaryIndexes.*.KeySchema", Test::LengthMin(1)),
    rule("LocalSecondaryIndexes.*.KeySchema", Test::LengthMax(2)),
    rule("LocalSecondaryIndexes.*.KeySchema.*.AttributeName", Test::Required),
    rule("LocalSecondaryIndexes.*.KeySchema.*.AttributeName", Test::LengthMin(1)),
    rule("LocalSecondaryIndexes.*.KeySchema.*.KeyType", Test::Required),
    rule("LocalSecondaryIndexes.*.KeySchema.*.KeyType", Test::OneOf(spec::KEY_KIND_NAMES)),
    rule("LocalSecondaryIndexes.*.Projection", Test::Required),
    rule("LocalSecondaryIndexes.*.Projection.ProjectionType", Test::OneOf(spec::PROJECTION_NAMES)),
    rule("LocalSecondaryIndexes.*.Projection.NonKeyAttributes", Test::LengthMin(1)),
    rule(
        "LocalSecondaryIndexes.*.Projection.NonKeyAttributes",
        Test::LengthMax(limits::INDEX_PROJECTED_ATTRIBUTES_MAX),
    ),
    rule("LocalSecondaryIndexes.*.Projection.NonKeyAttributes.*", Test::LengthMin(1)),
    rule("StreamSpecification.StreamEnabled", Test::Required),
    rule("StreamSpecification.StreamViewType", Test::OneOf(spec::VIEW_NAMES)),
    rule("SSESpecification.SSEType", Test::OneOf(spec::SSE_NAMES)),
];

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(|request| Operation::CreateTable(Box::new(request)))
}

/// A table that is to be made.
pub(crate) fn read(fields: Fields<'_, '_>) -> Result<CreateTable, Fault> {
    let name = fields.required_text("TableName")?;
    if !(3..=255).contains(&name.len()) || !is_name(name) {
        return Err(Fault::unmet("TableName"));
    }
    spec::refuse_unsupported(fields, UNSUPPORTED)?;
    let attributes = spec::definitions(fields.required_list("AttributeDefinitions")?)?;
    let key_schema = spec::key_schema(fields, 2)?;
    let billing = spec::billing(fields, "BillingMode")?;
    let throughput = spec::throughput(fields)?;
    let on_demand = spec::on_demand(fields, "table", Unbounding::Refused)?;
    check_billing(billing, throughput, on_demand)?;
    check_keys(&key_schema, &attributes)?;
    let index_keys =
        [index_keys(fields, LOCAL, 2)?, index_keys(fields, GLOBAL, spec::INDEX_KEYS_MAX)?].concat();
    check_attributes(&attributes, &key_schema, &index_keys)?;
    let request = CreateTable {
        name: name.to_owned(),
        attributes,
        key_schema,
        local_indexes: indexes(fields, LOCAL, 2)?,
        global_indexes: indexes(fields, GLOBAL, spec::INDEX_KEYS_MAX)?,
        billing,
        throughput,
        on_demand,
        warm: spec::warm(fields)?,
        stream: spec::stream(fields)?,
        sse: spec::sse(fields, "SSESpecification")?,
        tags: tags::read(fields.list("Tags")?.unwrap_or_default())?,
        class: spec::class(fields)?,
        deletion_protection: fields.flag("DeletionProtectionEnabled")?.unwrap_or(false),
    };
    check_indexes(&request)?;
    capacity_rules::check_created(&request)?;
    check_stream(&request)?;
    Ok(request)
}

const LOCAL: &str = "LocalSecondaryIndexes";
const GLOBAL: &str = "GlobalSecondaryIndexes";
/// Members of the service's model that there is nothing behind yet.
const UNSUPPORTED: &[&str] =
    &["ResourcePolicy", "VectorIndexes", "GlobalTableSourceArn", "GlobalTableSettingsReplicationMode"];

fn invalid<T>(detail: impl std::fmt::Display) -> Result<T, Fault> {
    Err(Fault::invalid(format!("One or more parameter values were invalid: {detail}")))
}

fn indexes(fields: Fields<'_, '_>, name: &str, keys_max: usize) -> Result<Vec<IndexSpec>, Fault> {
    let values = fields.list(name)?.unwrap_or_default();
    values.iter().map(|value| spec::index(value, keys_max)).collect()
}

/// The keys of indexes, which are looked at before anything else of them.
fn index_keys(fields: Fields<'_, '_>, name: &str, keys_max: usize) -> Result<Vec<Vec<KeyElement>>, Fault> {
    let Some(values) = fields.list(name)? else { return Ok(Vec::new()) };
    if values.is_empty() {
        return invalid(format!("List of {name} is empty"));
    }
    values.iter().map(|value| spec::key_schema(Fields::of(value)?, keys_max)).collect()
}

fn check_billing(
    billing: Option<BillingMode>,
    throughput: Option<Throughput>,
    on_demand: Option<OnDemand>,
) -> Result<(), Fault> {
    match (billing, throughput) {
        (Some(BillingMode::PayPerRequest), Some(_)) => {
            return invalid(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
            );
        }
        (Some(BillingMode::Provisioned) | None, None) => {
            return invalid(
                "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
            );
        }
        (Some(BillingMode::PayPerRequest), None) => return Ok(()),
        (Some(BillingMode::Provisioned) | None, Some(_)) => {}
    }
    match on_demand {
        None => Ok(()),
        Some(bounds) => {
            let name = if bounds.read_max.is_some() { "MaxReadRequestUnits" } else { "MaxWriteRequestUnits" };
            invalid(format!(
                "{name} for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED."
            ))
        }
    }
}

fn check_keys(key_schema: &[KeyElement], attributes: &[AttributeDefinition]) -> Result<(), Fault> {
    index_rules::check_first(key_schema)?;
    if key_schema.len() > attributes.len() {
        return Err(Fault::invalid("Invalid KeySchema: Some index key attribute have no definition"));
    }
    index_rules::check_pair(key_schema)?;
    index_rules::check_defined(key_schema, attributes)
}

/// Attributes are defined once, all that keys name, and no others. OBSERVED: this is told before anything else of
/// indexes.
fn check_attributes(
    attributes: &[AttributeDefinition],
    table: &[KeyElement],
    indexes: &[Vec<KeyElement>],
) -> Result<(), Fault> {
    let mut defined = BTreeSet::new();
    if let Some(twice) = attributes.iter().find(|attribute| !defined.insert(&attribute.name)) {
        return Err(Fault::invalid(format!("Attribute Name is duplicated: {}", twice.name)));
    }
    for keys in indexes {
        index_rules::check_defined(keys, attributes)?;
    }
    let mut used: Vec<&str> = Vec::new();
    for element in table.iter().chain(indexes.iter().flatten()) {
        if !used.contains(&element.name.as_str()) {
            used.push(&element.name);
        }
    }
    if used.len() == attributes.len() {
        return Ok(());
    }
    if indexes.is_empty() {
        return invalid(
            "Number of attributes in KeySchema does not exactly match number of attributes defined in \
             AttributeDefinitions",
        );
    }
    let names: Vec<&str> = attributes.iter().map(|attribute| attribute.name.as_str()).collect();
    invalid(format!(
        "Some AttributeDefinitions are not used. AttributeDefinitions: [{}], keys used: [{}]",
        names.join(", "),
        used.join(", ")
    ))
}

fn check_indexes(request: &CreateTable) -> Result<(), Fault> {
    let CreateTable { key_schema, attributes, local_indexes, global_indexes, .. } = request;
    if !local_indexes.is_empty() {
        index_rules::check_local(local_indexes, key_schema, attributes)?;
    }
    for index in global_indexes {
        index_rules::check_many(&index.key_schema)?;
    }
    index_rules::check_names(local_indexes.iter().chain(global_indexes))?;
    if local_indexes.len() > limits::LOCAL_INDEXES_MAX {
        return invalid("Number of LocalSecondaryIndexes exceeds per-table limit of 5");
    }
    if global_indexes.len() > limits::GLOBAL_INDEXES_MAX {
        return invalid("GlobalSecondaryIndex count exceeds the per-table limit of 20");
    }
    index_rules::check_projected(local_indexes.iter().chain(global_indexes))
}

fn check_stream(request: &CreateTable) -> Result<(), Fault> {
    match request.stream {
        Some(StreamSpec { enabled: true, view: None }) => {
            invalid("Table is being created with a stream enabled, UpdateViewType is required")
        }
        Some(StreamSpec { enabled: false, view: Some(_) }) => {
            invalid("Table is being created with a stream disabled, UpdateViewType should not be specified")
        }
        Some(StreamSpec { .. }) | None => Ok(()),
    }
}
