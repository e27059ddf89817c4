//! The parts of a table's definition that CreateTable and UpdateTable have in common. Knows no rules between parts.

use op::{
    AttributeDefinition, BillingMode, IndexProjection, IndexSpec, KeyElement, KeyKind, OnDemand, ScalarType,
    SseSpec, StreamSpec, StreamView, TableClass, Throughput, WarmThroughput, limits,
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
pub(crate) const VIEW_NAMES: &[&str] = &["OLD_IMAGE", "KEYS_ONLY", "NEW_AND_OLD_IMAGES", "NEW_IMAGE"];
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
pub(crate) const UNITS_MAX: i64 = 1_000_000_000_000;
const INDEX_NAME_LENGTHS: std::ops::RangeInclusive<usize> = 3..=255;
const KEY_NAME_LENGTHS: std::ops::RangeInclusive<usize> = 1..=255;

pub(crate) fn billing(fields: Fields<'_, '_>, name: &str) -> Result<Option<BillingMode>, Fault> {
    fields.choice(name, BILLINGS)
}

pub(crate) fn class(fields: Fields<'_, '_>) -> Result<Option<TableClass>, Fault> {
    let Some(name) = fields.text("TableClass")? else { return Ok(None) };
    match CLASSES.iter().find(|(known, _)| *known == name) {
        Some((_, class)) => Ok(Some(*class)),
        None => Err(Fault::invalid(
            "Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, \
             STANDARD_INFREQUENT_ACCESS].",
        )),
    }
}

/// Refuses members that the service knows and this server does not, rather than to pretend.
pub(crate) fn refuse_unsupported(fields: Fields<'_, '_>, names: &[&str]) -> Result<(), Fault> {
    match names.iter().find(|name| fields.has(name)) {
        Some(name) => Err(Fault::invalid(format!(
            "One or more parameter values were invalid: {name} is not supported by this server yet"
        ))),
        None => Ok(()),
    }
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
    let name = index_name(fields)?;
    Ok(IndexSpec {
        key_schema: key_schema(fields, keys_max)?,
        projection: projection(fields.fields("Projection")?.ok_or_else(|| Fault::unmet("Projection"))?)?,
        throughput: throughput(fields)?,
        on_demand: on_demand(fields, &of_index(&name), Unbounding::Refused)?,
        name,
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
    fields.fields("ProvisionedThroughput")?.map(units).transpose()
}

/// The members of a throughput.
pub(crate) fn units(fields: Fields<'_, '_>) -> Result<Throughput, Fault> {
    let units = |name: &str| -> Result<u64, Fault> {
        let units = fields.integer(name)?.filter(|units| *units >= 1).ok_or_else(|| Fault::unmet(name))?;
        if units > UNITS_MAX {
            return Err(Fault::invalid(format!("Given value {units} for {name} is out of bounds")));
        }
        u64::try_from(units).map_err(|_| Fault::unmet(name))
    };
    Ok(Throughput { read: units("ReadCapacityUnits")?, write: units("WriteCapacityUnits")? })
}

/// Whether -1, which takes a bound away, may stand in the place of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unbounding {
    Allowed,
    Refused,
}

/// How the service speaks of an index beside bounds on demand.
pub(crate) fn of_index(name: &str) -> String {
    format!("index : {name}")
}

/// Bounds on demand of a table or an index, called `place`. Bounds without a bound are none.
pub(crate) fn on_demand(
    fields: Fields<'_, '_>,
    place: &str,
    unbounding: Unbounding,
) -> Result<Option<OnDemand>, Fault> {
    let Some(fields) = fields.fields("OnDemandThroughput")? else { return Ok(None) };
    let units = |name: &str| -> Result<Option<i64>, Fault> {
        let units = fields.integer(name)?;
        let is_valid = |units: i64| {
            (1..=UNITS_MAX).contains(&units) || (units == -1 && unbounding == Unbounding::Allowed)
        };
        if units.is_some_and(|units| !is_valid(units)) {
            return Err(Fault::invalid(format!(
                "One or more parameter values were invalid: Requested {name} for OnDemandThroughput for {place} is outside \
                 of valid range"
            )));
        }
        Ok(units)
    };
    let bounds =
        OnDemand { read_max: units("MaxReadRequestUnits")?, write_max: units("MaxWriteRequestUnits")? };
    Ok((bounds != OnDemand::default()).then_some(bounds))
}

pub(crate) fn warm(fields: Fields<'_, '_>) -> Result<Option<WarmThroughput>, Fault> {
    let Some(fields) = fields.fields("WarmThroughput")? else { return Ok(None) };
    // Less than nothing is as little as nothing: both are less than a table has from the start.
    let units = |name: &str| -> Result<Option<u64>, Fault> {
        Ok(fields.integer(name)?.map(|units| u64::try_from(units).unwrap_or(0)))
    };
    let warm = WarmThroughput { read: units("ReadUnitsPerSecond")?, write: units("WriteUnitsPerSecond")? };
    Ok((warm != WarmThroughput::default()).then_some(warm))
}

pub(crate) fn stream(fields: Fields<'_, '_>) -> Result<Option<StreamSpec>, Fault> {
    let Some(fields) = fields.fields("StreamSpecification")? else { return Ok(None) };
    let enabled = fields.flag("StreamEnabled")?.ok_or_else(|| Fault::unmet("StreamEnabled"))?;
    Ok(Some(StreamSpec { enabled, view: fields.choice("StreamViewType", VIEWS)? }))
}

pub(crate) fn sse(fields: Fields<'_, '_>, name: &str) -> Result<Option<SseSpec>, Fault> {
    let Some(fields) = fields.fields(name)? else { return Ok(None) };
    let kind = fields.choice("SSEType", &[("AES256", false), ("KMS", true)])?;
    let key = fields.text("KMSMasterKeyId")?;
    let enabled = fields.flag("Enabled")?;
    let detail = match (enabled, kind, key) {
        (Some(false), Some(_), _) => "SSEType can not be specified if Enabled is false",
        (Some(false), None, Some(_)) => "KMSMasterKeyId can not be specified if Enabled is false",
        (_, Some(false), _) => "SSEType AES256 is not supported",
        (_, None, Some(_)) => "SSEType KMS is required if KMSMasterKeyId is specified",
        (_, None, None) | (_, Some(true), _) => {
            let (enabled, key) = (enabled.unwrap_or(false), key.map(str::to_owned));
            return Ok(Some(SseSpec { enabled, kms: kind.is_some(), key }));
        }
    };
    Err(Fault::invalid(format!("One or more parameter values were invalid: {detail}")))
}
