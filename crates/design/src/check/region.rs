//! Regions by name and place, and whose key encrypts a table. Knows no endpoints.

use serde_json::Value as Json;

use super::Check;
use crate::diagnostic::suggest;
use crate::model::{Design, Place};

/// Regions and where they are.
const REGIONS: [(&str, &str); 38] = [
    ("af-south-1", "Cape Town"),
    ("ap-east-1", "Hong Kong"),
    ("ap-east-2", "Taipei"),
    ("ap-northeast-1", "Tokyo"),
    ("ap-northeast-2", "Seoul"),
    ("ap-northeast-3", "Osaka"),
    ("ap-south-1", "Mumbai"),
    ("ap-south-2", "Hyderabad"),
    ("ap-southeast-1", "Singapore"),
    ("ap-southeast-2", "Sydney"),
    ("ap-southeast-3", "Jakarta"),
    ("ap-southeast-4", "Melbourne"),
    ("ap-southeast-5", "Malaysia"),
    ("ap-southeast-6", "New Zealand"),
    ("ap-southeast-7", "Thailand"),
    ("ca-central-1", "Canada Central"),
    ("ca-west-1", "Calgary"),
    ("cn-north-1", "Beijing"),
    ("cn-northwest-1", "Ningxia"),
    ("eu-central-1", "Frankfurt"),
    ("eu-central-2", "Zurich"),
    ("eu-north-1", "Stockholm"),
    ("eu-south-1", "Milan"),
    ("eu-south-2", "Spain"),
    ("eu-west-1", "Ireland"),
    ("eu-west-2", "London"),
    ("eu-west-3", "Paris"),
    ("il-central-1", "Tel Aviv"),
    ("me-central-1", "UAE"),
    ("me-south-1", "Bahrain"),
    ("mx-central-1", "Mexico"),
    ("sa-east-1", "São Paulo"),
    ("us-east-1", "Virginia"),
    ("us-east-2", "Ohio"),
    ("us-gov-east-1", "GovCloud East"),
    ("us-gov-west-1", "GovCloud West"),
    ("us-west-1", "California"),
    ("us-west-2", "Oregon"),
];

pub(super) fn check(check: &mut Check<'_>) {
    let design = check.design;
    if let Some(region) = &design.region {
        named(check, &region.value, region.place);
    }
    for environment in &design.environments {
        if let Some(region) = &environment.region {
            named(check, region, environment.name.place);
        }
    }
    arns(check);
    for table in &design.tables {
        encryption(check, table);
    }
}

/// `eu-north-1`, or `eu-north-1 (Stockholm)` if both say the same.
fn named(check: &mut Check<'_>, text: &str, place: Place) {
    let code = text.split([' ', '(']).next().unwrap_or_default();
    let lower = text.to_lowercase();
    let said = REGIONS.iter().find(|(_, city)| lower.contains(&city.to_lowercase()));
    let known = REGIONS.iter().find(|(known, _)| *known == code);
    match (known, said) {
        (None, _) => {
            let codes: Vec<&str> = REGIONS.iter().map(|(known, _)| *known).collect();
            let hint = match said {
                Some((known, city)) => format!("{city} is {known}"),
                None => suggest(code, &codes),
            };
            check.error("E001", place, format!("`{code}` is not a region"), &hint);
        }
        (Some((known, city)), Some((meant, other))) if known != meant => {
            let message = format!("{known} is {city}, not {other}");
            check.error("E001", place, message, &format!("{other} is {meant}: write region: {meant}"));
        }
        (Some(_), _) if text != code => {
            let message = format!("region is `{text}`, and only the code is expected");
            check.error("E001", place, message, &format!("write region: {code}"));
        }
        (Some(_), _) => {}
    }
}

/// Statements that speak of another region than the design.
fn arns(check: &mut Check<'_>) {
    let Some(region) = &check.design.region else { return };
    for statement in &check.design.iam {
        let resources = statement.value.get("Resource").map(Json::to_string).unwrap_or_default();
        for arn in resources.split("arn:aws:dynamodb:").skip(1) {
            let named = arn.split(':').next().unwrap_or_default();
            if !named.is_empty() && named != "*" && !named.contains('$') && !region.value.starts_with(named) {
                let message = format!("iam names {named}, and the design lives in {}", region.value);
                check.warning("E001", statement.place, message, "use the design's region, or * in its place");
            }
        }
    }
}

/// Three keys are easily confused: the AWS owned one (default, free), the AWS managed one, and one's own.
fn encryption(check: &mut Check<'_>, table: &crate::model::Table) {
    let specification = table.resource.pointer("/Properties/SSESpecification");
    let is_on = specification.and_then(|one| one.get("SSEEnabled")).and_then(Json::as_bool) == Some(true);
    let own = specification.and_then(|one| one.get("KMSMasterKeyId")).is_some();
    let id = &table.id.value;
    if !is_on && says_managed(check.design) {
        let message = format!(
            "{id}: the text says AWS managed key, but without SSESpecification it is the AWS owned key"
        );
        let hint = "add SSESpecification: {SSEEnabled: true} (KMS is charged), or correct the text";
        check.warning("E002", table.id.place, message, hint);
        return;
    }
    let (key, hint) = match (is_on, own) {
        (true, true) => ("your own KMS key", "each use of the key is charged and logged"),
        (true, false) => (
            "the AWS managed key (alias/aws/dynamodb)",
            "leave SSESpecification out for the AWS owned key, which is free",
        ),
        (false, _) => (
            "the AWS owned key, which is the default and free",
            "SSESpecification: {SSEEnabled: true} makes it the AWS managed key",
        ),
    };
    check.note("E002", table.id.place, format!("{id}: encrypted with {key}"), hint);
}

fn says_managed(design: &Design) -> bool {
    let tables =
        design.tables.iter().filter_map(|table| table.resource.pointer("/Metadata/Description")?.as_str());
    let texts = design.description.as_deref().into_iter().chain(tables);
    texts.into_iter().any(|text| text.to_lowercase().contains("aws managed"))
}
