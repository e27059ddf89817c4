//! The parts of a table's definition that CreateTable and UpdateTable have in common. Knows no rules between parts.

use op::{
    AttributeDefinition, BillingMode, IndexProjection, IndexSpec, KeyElement, KeyKind, OnDemand, ScalarType,
    SseSpec, StreamSpec, StreamView, TableClass, Tag, Throughput, WarmThroughput, limits,
};

use crate::fault::Fault;
use crate::fields::Fields;
use crate::json::Json;
use crate::rule::is_name;
use crate::shape::{Member, Shape, TEXTS};

pub(crate) static DEFINITIONS: Shape = Shape::List(&Shape::Struct(
    "AttributeDefinition",
    &[("AttributeName", &Shape::Text), ("AttributeType", &Shape::Text)],
));
pub(crate) static KEY_SCHEMA: Shape = Shape::List(&Shape::Struct(
    "KeySchemaElement",
    &[("AttributeName", &Shape::Text), ("KeyType", &Shape::Text)],
));
pub(crate) static THROUGHPUT: Shape = Shape::Struct(
    "ProvisionedThroughput",
    &[("ReadCapacityUnits", &Shape::Long), ("WriteCapacityUnits", &Shape::Long)],
);
pub(crate) static ON_DEMAND: Shape = Shape::Struct(
    "OnDemandThroughput",
    &[("MaxReadRequestUnits", &Shape::Long), ("MaxWriteRequestUnits", &Shape::Long)],
);
pub(crate) static WARM: Shape = Shape::Struct(
    "WarmThroughput",
    &[("ReadUnitsPerSecond", &Shape::Long), ("WriteUnitsPerSecond", &Shape::Long)],
);
pub(crate) static PROJECTION: Shape =
    Shape::Struct("Projection", &[("ProjectionType", &Shape::Text), ("NonKeyAttributes", &TEXTS)]);
pub(crate) static GLOBAL_INDEX: &[Member] = &[
    ("IndexName", &Shape::Text),
    ("KeySchema", &KEY_SCHEMA),
    ("Projection", &PROJECTION),
    ("ProvisionedThroughput", &THROUGHPUT),
    ("OnDemandThroughput", &ON_DEMAND),
    ("WarmThroughput", &WARM),
];
pub(crate) static LOCAL_INDEXES: Shape = Shape::List(&Shape::Struct(
    "LocalSecondaryIndex",
    &[("IndexName", &Shape::Text), ("KeySchema", &KEY_SCHEMA), ("Projection", &PROJECTION)],
));
pub(crate) static STREAM: Shape = Shape::Struct(
    "StreamSpecification",
    &[("StreamEnabled", &Shape::Flag), ("StreamViewType", &Shape::Text)],
);
pub(crate) static SSE: Shape = Shape::Struct(
    "SSESpecification",
    &[("Enabled", &Shape::Flag), ("SSEType", &Shape::Text), ("KMSMasterKeyId", &Shape::Text)],
);
pub(crate) static TAGS: Shape =
    Shape::List(&Shape::Struct("Tag", &[("Key", &Shape::Text), ("Value", &Shape::Text)]));

pub(crate) const SCALAR_NAMES: &[&str] = &["B", "N", "S"];
pub(crate) const KEY_KIND_NAMES: &[&str] = &["HASH", "RANGE"];
pub(crate) const PROJECTION_NAMES: &[&str] = &["ALL", "INCLUDE", "KEYS_ONLY"];
pub(crate) const BILLING_NAMES: &[&str] = &["PROVISIONED", "PAY_PER_REQUEST"];
pub(crate) const CLASS_NAMES: &[&str] = &["STANDARD", "STANDARD_INFREQUENT_ACCESS"];
pub(crate) const VIEW_NAMES: &[&str] = &["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"];
pub(crate) const SSE_NAMES: &[&str] = &["AES256", "KMS"];

const SCALARS: &[(&str, ScalarType)] = &[("S", ScalarType::S), ("N", ScalarType::N), ("B", ScalarType::B)];
const KEY_KINDS: &[(&str, KeyKind)] = &[("HASH", KeyKind::Hash), ("RANGE", KeyKind::Range)];
const BILLINGS: &[(&str, BillingMode)] =
    &[("PROVISIONED", BillingMode::Provisioned), ("PAY_PER_REQUEST", BillingMode::PayPerRequest)];
const CLASSES: &[(&str, TableClass)] = &[
    ("STANDARD", TableClass::Standard),
    ("STANDARD_INFREQUENT_ACCESS", TableClass::StandardInfrequentAccess),
];
const VIEWS: &[(&str, StreamView)] = &[
    ("KEYS_ONLY", StreamView::KeysOnly),
    ("NEW_IMAGE", StreamView::NewImage),
    ("OLD_IMAGE", StreamView::OldImage),
    ("NEW_AND_OLD_IMAGES", StreamView::NewAndOldImages),
];

/// Attributes of a global index's key, partition key and sort key together.
pub(crate) const INDEX_KEYS_MAX: usize = 2 * limits::INDEX_KEY_ATTRIBUTES_MAX;
const UNITS_MAX: i64 = 1_000_000_000_000;
const TAG_KEY_LENGTH_MAX: usize = 128;
const TAG_VALUE_LENGTH_MAX: usize = 256;
const INDEX_NAME_LENGTHS: std::ops::RangeInclusive<usize> = 3..=255;
const KEY_NAME_LENGTHS: std::ops::RangeInclusive<usize> = 1..=255;

pub(crate) fn billing(fields: Fields<'_, '_>) -> Result<Option<BillingMode>, Fault> {
    fields.choice("BillingMode", BILLINGS)
}

pub(crate) fn class(fields: Fields<'_, '_>) -> Result<Option<TableClass>, Fault> {
    fields.choice("TableClass", CLASSES)
}

pub(crate) fn definitions(values: &[Json<'_>]) -> Result<Vec<AttributeDefinition>, Fault> {
    values
        .iter()
        .map(|value| {
            let fields = Fields::of(value)?;
            let kind = fields.choice("AttributeType", SCALARS)?;
            Ok(AttributeDefinition {
                name: key_name(fields)?,
                kind: kind.ok_or_else(|| Fault::unmet("AttributeType"))?,
            })
        })
        .collect()
}

/// A key of at most so many attributes.
pub(crate) fn key_schema(fields: Fields<'_, '_>, keys_max: usize) -> Result<Vec<KeyElement>, Fault> {
    let values = fields.required_list("KeySchema")?;
    if values.is_empty() || values.len() > keys_max {
        return Err(Fault::unmet("KeySchema"));
    }
    values
        .iter()
        .map(|value| {
            let fields = Fields::of(value)?;
            let kind = fields.choice("KeyType", KEY_KINDS)?;
            Ok(KeyElement { name: key_name(fields)?, kind: kind.ok_or_else(|| Fault::unmet("KeyType"))? })
        })
        .collect()
}

fn key_name(fields: Fields<'_, '_>) -> Result<String, Fault> {
    let name = fields.required_text("AttributeName")?;
    if KEY_NAME_LENGTHS.contains(&name.chars().count()) {
        Ok(name.to_owned())
    } else {
        Err(Fault::unmet("AttributeName"))
    }
}

/// An index's name.
pub(crate) fn index_name(fields: Fields<'_, '_>) -> Result<String, Fault> {
    let name = fields.required_text("IndexName")?;
    if INDEX_NAME_LENGTHS.contains(&name.len()) && is_name(name) {
        Ok(name.to_owned())
    } else {
        Err(Fault::unmet("IndexName"))
    }
}

/// An index as it is asked for.
pub(crate) fn index(value: &Json<'_>, keys_max: usize) -> Result<IndexSpec, Fault> {
    let fields = Fields::of(value)?;
    Ok(IndexSpec {
        name: index_name(fields)?,
        key_schema: key_schema(fields, keys_max)?,
        projection: projection(fields.fields("Projection")?.ok_or_else(|| Fault::unmet("Projection"))?)?,
        throughput: throughput(fields)?,
        on_demand: on_demand(fields)?,
        warm: warm(fields)?,
    })
}

fn projection(fields: Fields<'_, '_>) -> Result<IndexProjection, Fault> {
    let invalid =
        |detail: String| Err(Fault::invalid(format!("One or more parameter values were invalid: {detail}")));
    let names = fields.texts("NonKeyAttributes")?;
    if names.as_ref().is_some_and(|names| names.is_empty() || names.iter().any(|name| name.is_empty())) {
        return Err(Fault::unmet("NonKeyAttributes"));
    }
    match (fields.text("ProjectionType")?, names) {
        (None, _) => invalid("Unknown ProjectionType: null".to_owned()),
        (Some(kind @ ("ALL" | "KEYS_ONLY")), Some(_)) => {
            invalid(format!("ProjectionType is {kind}, but NonKeyAttributes is specified"))
        }
        (Some("ALL"), None) => Ok(IndexProjection::All),
        (Some("KEYS_ONLY"), None) => Ok(IndexProjection::KeysOnly),
        (Some("INCLUDE"), Some(names)) => {
            Ok(IndexProjection::Include(names.into_iter().map(str::to_owned).collect()))
        }
        (Some("INCLUDE"), None) => {
            invalid("ProjectionType is INCLUDE, but NonKeyAttributes is not specified".to_owned())
        }
        (Some(_), _) => Err(Fault::unmet("ProjectionType")),
    }
}

pub(crate) fn throughput(fields: Fields<'_, '_>) -> Result<Option<Throughput>, Fault> {
    let Some(fields) = fields.fields("ProvisionedThroughput")? else { return Ok(None) };
    let units = |name: &str| -> Result<u64, Fault> {
        let units = fields.integer(name)?.filter(|units| *units >= 1).ok_or_else(|| Fault::unmet(name))?;
        if units > UNITS_MAX {
            return Err(Fault::invalid(format!("Given value {units} for {name} is out of bounds")));
        }
        u64::try_from(units).map_err(|_| Fault::unmet(name))
    };
    Ok(Some(Throughput { read: units("ReadCapacityUnits")?, write: units("WriteCapacityUnits")? }))
}

pub(crate) fn on_demand(fields: Fields<'_, '_>) -> Result<Option<OnDemand>, Fault> {
    let Some(fields) = fields.fields("OnDemandThroughput")? else { return Ok(None) };
    let units = |name: &str| -> Result<Option<i64>, Fault> {
        let units = fields.integer(name)?;
        if units.is_some_and(|units| units != -1 && !(1..=UNITS_MAX).contains(&units)) {
            return Err(Fault::invalid(format!(
                "One or more parameter values were invalid: Requested {name} for OnDemandThroughput for table is outside \
                 of valid range"
            )));
        }
        Ok(units)
    };
    Ok(Some(OnDemand { read_max: units("MaxReadRequestUnits")?, write_max: units("MaxWriteRequestUnits")? }))
}

pub(crate) fn warm(fields: Fields<'_, '_>) -> Result<Option<WarmThroughput>, Fault> {
    let Some(fields) = fields.fields("WarmThroughput")? else { return Ok(None) };
    let units = |name: &str| -> Result<Option<u64>, Fault> {
        let Some(units) = fields.integer(name)? else { return Ok(None) };
        u64::try_from(units).ok().filter(|units| *units >= 1).map(Some).ok_or_else(|| Fault::unmet(name))
    };
    Ok(Some(WarmThroughput { read: units("ReadUnitsPerSecond")?, write: units("WriteUnitsPerSecond")? }))
}

pub(crate) fn stream(fields: Fields<'_, '_>) -> Result<Option<StreamSpec>, Fault> {
    let Some(fields) = fields.fields("StreamSpecification")? else { return Ok(None) };
    let enabled = fields.flag("StreamEnabled")?.ok_or_else(|| Fault::unmet("StreamEnabled"))?;
    Ok(Some(StreamSpec { enabled, view: fields.choice("StreamViewType", VIEWS)? }))
}

pub(crate) fn sse(fields: Fields<'_, '_>) -> Result<Option<SseSpec>, Fault> {
    let Some(fields) = fields.fields("SSESpecification")? else { return Ok(None) };
    let kind = fields.choice("SSEType", &[("AES256", false), ("KMS", true)])?;
    let key = fields.text("KMSMasterKeyId")?;
    let invalid =
        |detail: &str| Err(Fault::invalid(format!("One or more parameter values were invalid: {detail}")));
    if kind == Some(false) {
        return invalid("SSEType AES256 is not supported");
    }
    let enabled = fields.flag("Enabled")?.unwrap_or(false);
    if !enabled && key.is_some() {
        return invalid("KMSMasterKeyId cannot be specified when SSE is disabled");
    }
    Ok(Some(SseSpec { enabled, kms: kind.is_some(), key: key.map(str::to_owned) }))
}

/// `Tags`, each within its lengths.
pub(crate) fn tags(values: &[Json<'_>]) -> Result<Vec<Tag>, Fault> {
    let invalid =
        |detail: &str| Err(Fault::invalid(format!("One or more parameter values were invalid: {detail}")));
    let mut tags = Vec::with_capacity(values.len());
    for value in values {
        let fields = Fields::of(value)?;
        let (key, value) = (fields.required_text("Key")?, fields.required_text("Value")?);
        if !(1..=TAG_KEY_LENGTH_MAX).contains(&key.chars().count()) {
            return invalid("Tag key must be between 1 and 128 characters");
        }
        if value.chars().count() > TAG_VALUE_LENGTH_MAX {
            return invalid("Tag value must be between 0 and 256 characters");
        }
        tags.push(Tag { key: key.to_owned(), value: value.to_owned() });
    }
    Ok(tags)
}
