//! CreateTable. Knows no table that exists.

use std::collections::BTreeSet;

use op::{AttributeDefinition, BillingMode, CreateTable, Error, IndexSpec, KeyElement, Operation, limits};

use super::index_rules;
use super::spec;
use crate::fault::Fault;
use crate::fields::Fields;
use crate::request::Request;
use crate::rule::{Rule, Test, alone, is_name, rule};
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
        ("ResourcePolicy", &Shape::Text),
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

const RULES: &[Rule] = &[
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
    rule("LocalSecondaryIndexes.*.Projection.NonKeyAttributes.*", Test::LengthMin(1)),
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
    rule("GlobalSecondaryIndexes.*.Projection.NonKeyAttributes.*", Test::LengthMin(1)),
    rule("GlobalSecondaryIndexes.*.IndexName", Test::Required),
    rule("GlobalSecondaryIndexes.*.IndexName", Test::LengthMin(3)),
    rule("GlobalSecondaryIndexes.*.IndexName", Test::LengthMax(255)),
    rule("GlobalSecondaryIndexes.*.IndexName", Test::Pattern),
    rule("GlobalSecondaryIndexes.*.ProvisionedThroughput.WriteCapacityUnits", Test::Required),
    rule("GlobalSecondaryIndexes.*.ProvisionedThroughput.WriteCapacityUnits", Test::AtLeast(1)),
    rule("GlobalSecondaryIndexes.*.ProvisionedThroughput.ReadCapacityUnits", Test::Required),
    rule("GlobalSecondaryIndexes.*.ProvisionedThroughput.ReadCapacityUnits", Test::AtLeast(1)),
    rule("TableClass", Test::OneOf(spec::CLASS_NAMES)),
    rule("StreamSpecification.StreamEnabled", Test::Required),
    rule("StreamSpecification.StreamViewType", Test::OneOf(spec::VIEW_NAMES)),
    rule("SSESpecification.SSEType", Test::OneOf(spec::SSE_NAMES)),
    rule("Tags.*.Key", Test::Required),
    rule("Tags.*.Value", Test::Required),
    rule("WarmThroughput.ReadUnitsPerSecond", Test::AtLeast(1)),
    rule("WarmThroughput.WriteUnitsPerSecond", Test::AtLeast(1)),
];

pub(crate) fn decode(body: &[u8]) -> Result<Operation, Error> {
    REQUEST.decode(body, read).map(|request| Operation::CreateTable(Box::new(request)))
}

fn read(fields: Fields<'_, '_>) -> Result<CreateTable, Fault> {
    let name = fields.required_text("TableName")?;
    if !(3..=255).contains(&name.len()) || !is_name(name) {
        return Err(Fault::unmet("TableName"));
    }
    let request = CreateTable {
        name: name.to_owned(),
        attributes: spec::definitions(fields.required_list("AttributeDefinitions")?)?,
        key_schema: spec::key_schema(fields, 2)?,
        local_indexes: indexes(fields, "LocalSecondaryIndexes", 2)?,
        global_indexes: indexes(fields, "GlobalSecondaryIndexes", spec::INDEX_KEYS_MAX)?,
        billing: spec::billing(fields)?,
        throughput: spec::throughput(fields)?,
        on_demand: spec::on_demand(fields)?,
        warm: spec::warm(fields)?,
        stream: spec::stream(fields)?,
        sse: spec::sse(fields)?,
        tags: spec::tags(fields.list("Tags")?.unwrap_or_default())?,
        class: spec::class(fields)?,
        deletion_protection: fields.flag("DeletionProtectionEnabled")?.unwrap_or(false),
    };
    check_billing(&request)?;
    check_keys(&request)?;
    check_indexes(&request)?;
    check_rest(&request)?;
    Ok(request)
}

fn invalid<T>(detail: impl std::fmt::Display) -> Result<T, Fault> {
    Err(Fault::invalid(format!("One or more parameter values were invalid: {detail}")))
}

fn indexes(fields: Fields<'_, '_>, name: &str, keys_max: usize) -> Result<Vec<IndexSpec>, Fault> {
    let Some(values) = fields.list(name)? else { return Ok(Vec::new()) };
    if values.is_empty() {
        return invalid(format!("List of {name} is empty"));
    }
    values.iter().map(|value| spec::index(value, keys_max)).collect()
}

fn check_billing(request: &CreateTable) -> Result<(), Fault> {
    if request.billing == Some(BillingMode::PayPerRequest) {
        if request.throughput.is_some() {
            return invalid(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
            );
        }
        return match request.global_indexes.iter().find(|index| index.throughput.is_some()) {
            Some(index) => invalid(format!(
                "ProvisionedThroughput should not be specified for index: {} when BillingMode is PAY_PER_REQUEST",
                index.name
            )),
            None => Ok(()),
        };
    }
    if request.throughput.is_none() {
        return invalid(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
        );
    }
    if let Some(on_demand) = request.on_demand {
        let name = if on_demand.read_max.is_some() { "MaxReadRequestUnits" } else { "MaxWriteRequestUnits" };
        return invalid(format!(
            "{name} for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED."
        ));
    }
    match request.global_indexes.iter().find(|index| index.throughput.is_none()) {
        Some(index) => invalid(format!("ProvisionedThroughput is not specified for index: {}", index.name)),
        None => Ok(()),
    }
}

fn check_keys(request: &CreateTable) -> Result<(), Fault> {
    let CreateTable { key_schema, attributes, .. } = request;
    index_rules::check_first(key_schema)?;
    if key_schema.len() > attributes.len() {
        return Err(Fault::invalid("Invalid KeySchema: Some index key attribute have no definition"));
    }
    index_rules::check_pair(key_schema)?;
    index_rules::check_defined(key_schema, attributes)
}

fn check_indexes(request: &CreateTable) -> Result<(), Fault> {
    let CreateTable { key_schema, attributes, local_indexes, global_indexes, .. } = request;
    if !local_indexes.is_empty() {
        index_rules::check_local(local_indexes, key_schema, attributes)?;
    }
    for index in global_indexes {
        index_rules::check_many(&index.key_schema)?;
        index_rules::check_defined(&index.key_schema, attributes)?;
    }
    index_rules::check_names(local_indexes.iter().chain(global_indexes))?;
    if local_indexes.len() > limits::LOCAL_INDEXES_MAX {
        return invalid("Number of LocalSecondaryIndexes exceeds per-table limit of 5");
    }
    if global_indexes.len() > limits::GLOBAL_INDEXES_MAX {
        return invalid("GlobalSecondaryIndex count exceeds the per-table limit of 20");
    }
    index_rules::check_projected(local_indexes.iter().chain(global_indexes))?;
    check_all_used(attributes, key_schema, local_indexes, global_indexes)
}

/// Attributes are defined once, and only for keys.
fn check_all_used(
    attributes: &[AttributeDefinition],
    table: &[KeyElement],
    local: &[IndexSpec],
    global: &[IndexSpec],
) -> Result<(), Fault> {
    let of_indexes = local.iter().chain(global).flat_map(|index| &index.key_schema);
    let used: BTreeSet<&str> = table.iter().chain(of_indexes).map(|element| element.name.as_str()).collect();
    if used.len() == attributes.len() {
        return Ok(());
    }
    invalid(
        "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions",
    )
}

fn check_rest(request: &CreateTable) -> Result<(), Fault> {
    if let Some(stream) = request.stream {
        if stream.enabled && stream.view.is_none() {
            return invalid("Table is being created with a stream enabled, StreamViewType is required");
        }
        if !stream.enabled && stream.view.is_some() {
            return invalid(
                "Table is being created with a stream disabled, UpdateViewType should not be specified",
            );
        }
    }
    check_tags(&request.tags)
}

/// What must hold between tags.
pub(crate) fn check_tags(tags: &[op::Tag]) -> Result<(), Fault> {
    let mut keys = BTreeSet::new();
    if tags.iter().any(|tag| tag.key.starts_with("aws:")) {
        return invalid("Tag keys starting with aws: are reserved for system use");
    }
    if !tags.iter().all(|tag| keys.insert(&tag.key)) {
        return invalid("Duplicate tag keys");
    }
    if tags.len() > limits::TAGS_MAX {
        return invalid(format!("Too many tags: tag limit is {}", limits::TAGS_MAX));
    }
    Ok(())
}
