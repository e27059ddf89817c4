//! A design as Terraform: one aws_dynamodb_table for each table, and its alarms. Knows no entities.

use serde_json::Value as Json;

use super::resource::{named, resolved, resource};
use crate::model::{Design, Environment};

/// The configuration.
pub(super) fn configuration(design: &Design, environment: &Environment) -> String {
    let mut out = format!(
        "# {}, environment {}: written by `larder design export`.\n\nterraform {{\n  required_providers {{\n    aws = {{\n      source = \"hashicorp/aws\"\n    }}\n  }}\n}}\n",
        design.name, environment.name.value
    );
    for table in &design.tables {
        let policy =
            resource(environment, table).get("DeletionPolicy").and_then(Json::as_str).map(str::to_owned);
        let properties = resolved(design, environment, table);
        out.push('\n');
        out.push_str(&one_table(&name(&table.id.value), &properties, policy.as_deref()));
    }
    for alarm in &design.alarms {
        let mut properties = named(&alarm.properties, &environment.name.value);
        if let (Some(description), Some(fields)) = (&alarm.description, properties.as_object_mut()) {
            fields.entry("AlarmDescription").or_insert_with(|| Json::String(description.clone()));
        }
        if let Some(text) = one_alarm(design, environment, &alarm.name.value, &properties) {
            out.push('\n');
            out.push_str(&text);
        }
    }
    out
}

/// A block of HCL with its arguments aligned as `terraform fmt` has them.
#[derive(Default)]
struct Block {
    arguments: Vec<(String, String)>,
    blocks: Vec<(String, Block)>,
}

impl Block {
    fn set(&mut self, name: &str, value: Option<&Json>) {
        if let Some(value) = value.filter(|value| !value.is_null()) {
            self.arguments.push((name.into(), hcl(value)));
        }
    }

    fn text(&mut self, name: &str, value: &str) {
        self.arguments.push((name.into(), value.into()));
    }

    fn push(&mut self, name: &str, block: Block) {
        self.blocks.push((name.into(), block));
    }

    fn write(&self, out: &mut String, depth: usize) {
        let pad = "  ".repeat(depth);
        let mut run: Vec<&(String, String)> = Vec::new();
        for argument in &self.arguments {
            if argument.1.contains('\n') {
                flush(out, &pad, &mut run);
                out.push_str(&format!(
                    "{pad}{} = {}\n",
                    argument.0,
                    argument.1.replace('\n', &format!("\n{pad}"))
                ));
            } else {
                run.push(argument);
            }
        }
        flush(out, &pad, &mut run);
        for (place, (name, block)) in self.blocks.iter().enumerate() {
            if place > 0 || !self.arguments.is_empty() {
                out.push('\n');
            }
            out.push_str(&format!("{pad}{name} {{\n"));
            block.write(out, depth + 1);
            out.push_str(&format!("{pad}}}\n"));
        }
    }
}

fn flush(out: &mut String, pad: &str, run: &mut Vec<&(String, String)>) {
    let width = run.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, value) in run.drain(..) {
        out.push_str(&format!("{pad}{name:width$} = {value}\n"));
    }
}

fn one_table(label: &str, properties: &Json, policy: Option<&str>) -> String {
    let at = |pointer: &str| properties.pointer(pointer);
    let mut table = Block::default();
    table.set("name", at("/TableName"));
    let billing = at("/BillingMode").and_then(Json::as_str).unwrap_or("PROVISIONED");
    table.text("billing_mode", &format!("\"{billing}\""));
    keys(&mut table, properties);
    table.set("read_capacity", at("/ProvisionedThroughput/ReadCapacityUnits"));
    table.set("write_capacity", at("/ProvisionedThroughput/WriteCapacityUnits"));
    table.set("table_class", at("/TableClass"));
    table.set("deletion_protection_enabled", at("/DeletionProtectionEnabled"));
    if let Some(view) = at("/StreamSpecification/StreamViewType") {
        table.text("stream_enabled", "true");
        table.set("stream_view_type", Some(view));
    }
    if let Some(tags) = at("/Tags").and_then(Json::as_array).filter(|tags| !tags.is_empty()) {
        table.text("tags", &tag_map(tags));
    }
    for definition in list(properties, "AttributeDefinitions") {
        let mut attribute = Block::default();
        attribute.set("name", definition.get("AttributeName"));
        attribute.set("type", definition.get("AttributeType"));
        table.push("attribute", attribute);
    }
    for (property, block) in [
        ("LocalSecondaryIndexes", "local_secondary_index"),
        ("GlobalSecondaryIndexes", "global_secondary_index"),
    ] {
        for index in list(properties, property) {
            table.push(block, one_index(index));
        }
    }
    settings(&mut table, properties);
    if policy.is_some_and(|policy| policy.starts_with("Retain")) {
        let mut lifecycle = Block::default();
        lifecycle.text("prevent_destroy", "true");
        table.push("lifecycle", lifecycle);
    }
    finished(&format!("resource \"aws_dynamodb_table\" \"{label}\""), &table)
}

/// Keys of one attribute each have their own arguments; keys of several are blocks, which only indexes may have.
fn keys(block: &mut Block, holder: &Json) {
    let schema = list(holder, "KeySchema");
    let of = |role: &str| {
        let mine = schema.iter().filter(move |key| key.get("KeyType").and_then(Json::as_str) == Some(role));
        mine.filter_map(|key| key.get("AttributeName")).collect::<Vec<_>>()
    };
    let (hash, range) = (of("HASH"), of("RANGE"));
    if hash.len() <= 1 && range.len() <= 1 {
        block.set("hash_key", hash.first().copied());
        block.set("range_key", range.first().copied());
        return;
    }
    for (role, names) in [("HASH", hash), ("RANGE", range)] {
        for name in names {
            let mut key = Block::default();
            key.set("attribute_name", Some(name));
            key.text("key_type", &format!("\"{role}\""));
            block.push("key_schema", key);
        }
    }
}

fn one_index(index: &Json) -> Block {
    let mut block = Block::default();
    block.set("name", index.get("IndexName"));
    keys(&mut block, index);
    block.set("projection_type", index.pointer("/Projection/ProjectionType"));
    block.set("non_key_attributes", index.pointer("/Projection/NonKeyAttributes"));
    block.set("read_capacity", index.pointer("/ProvisionedThroughput/ReadCapacityUnits"));
    block.set("write_capacity", index.pointer("/ProvisionedThroughput/WriteCapacityUnits"));
    block
}

fn settings(table: &mut Block, properties: &Json) {
    let at = |pointer: &str| properties.pointer(pointer);
    if let Some(attribute) = at("/TimeToLiveSpecification/AttributeName") {
        let mut ttl = Block::default();
        ttl.set("attribute_name", Some(attribute));
        ttl.set("enabled", at("/TimeToLiveSpecification/Enabled"));
        table.push("ttl", ttl);
    }
    if let Some(enabled) = at("/PointInTimeRecoverySpecification/PointInTimeRecoveryEnabled") {
        let mut recovery = Block::default();
        recovery.set("enabled", Some(enabled));
        recovery.set("recovery_period_in_days", at("/PointInTimeRecoverySpecification/RecoveryPeriodInDays"));
        table.push("point_in_time_recovery", recovery);
    }
    if let Some(enabled) = at("/SSESpecification/SSEEnabled") {
        let mut encryption = Block::default();
        encryption.set("enabled", Some(enabled));
        encryption.set("kms_key_arn", at("/SSESpecification/KMSMasterKeyId"));
        table.push("server_side_encryption", encryption);
    }
    if let Some(limits) = at("/OnDemandThroughput") {
        let mut on_demand = Block::default();
        on_demand.set("max_read_request_units", limits.get("MaxReadRequestUnits"));
        on_demand.set("max_write_request_units", limits.get("MaxWriteRequestUnits"));
        table.push("on_demand_throughput", on_demand);
    }
}

/// Alarms on one metric become a resource; those with metric math are left to the CloudFormation export.
fn one_alarm(design: &Design, environment: &Environment, own: &str, properties: &Json) -> Option<String> {
    properties.get("MetricName")?;
    let mut alarm = Block::default();
    let default = Json::String(format!("{}-{}-{own}", design.name, environment.name.value));
    alarm.set("alarm_name", properties.get("AlarmName").or(Some(&default)));
    for (argument, property) in [
        ("alarm_description", "AlarmDescription"),
        ("namespace", "Namespace"),
        ("metric_name", "MetricName"),
        ("statistic", "Statistic"),
        ("extended_statistic", "ExtendedStatistic"),
        ("period", "Period"),
        ("evaluation_periods", "EvaluationPeriods"),
        ("datapoints_to_alarm", "DatapointsToAlarm"),
        ("threshold", "Threshold"),
        ("comparison_operator", "ComparisonOperator"),
        ("treat_missing_data", "TreatMissingData"),
        ("unit", "Unit"),
    ] {
        alarm.set(argument, properties.get(property));
    }
    let dimensions = list(properties, "Dimensions");
    if !dimensions.is_empty() {
        alarm.text("dimensions", &pairs(dimensions, "Name"));
    }
    Some(finished(&format!("resource \"aws_cloudwatch_metric_alarm\" \"{}\"", name(own)), &alarm))
}

fn finished(head: &str, block: &Block) -> String {
    let mut out = format!("{head} {{\n");
    block.write(&mut out, 1);
    out.push_str("}\n");
    out
}

fn list<'a>(json: &'a Json, name: &str) -> &'a [Json] {
    json.get(name).and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

fn tag_map(tags: &[Json]) -> String {
    pairs(tags, "Key")
}

fn pairs(values: &[Json], name: &str) -> String {
    let of = |value: &Json, field: &str| value.get(field).map(hcl).unwrap_or_default();
    let names: Vec<String> = values
        .iter()
        .map(|value| {
            let quoted = of(value, name);
            let bare = quoted.trim_matches('"');
            let is_plain = bare.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
            if is_plain { bare.to_string() } else { quoted.clone() }
        })
        .collect();
    let width = names.iter().map(String::len).max().unwrap_or_default();
    let lines =
        names.iter().zip(values).map(|(name, value)| format!("  {name:width$} = {}", of(value, "Value")));
    format!("{{\n{}\n}}", lines.collect::<Vec<_>>().join("\n"))
}

/// A value of HCL. A dollar before a brace would begin an interpolation.
fn hcl(json: &Json) -> String {
    match json {
        Json::Array(values) => format!("[{}]", values.iter().map(hcl).collect::<Vec<_>>().join(", ")),
        Json::String(text) => Json::String(text.replace("${", "$${").replace("%{", "%%{")).to_string(),
        Json::Object(_) | Json::Null | Json::Bool(_) | Json::Number(_) => json.to_string(),
    }
}

/// A Terraform label: lower case with underscores.
fn name(id: &str) -> String {
    let mut out = String::new();
    for letter in id.chars() {
        if letter.is_ascii_uppercase()
            && out.ends_with(|before: char| before.is_ascii_lowercase() || before.is_ascii_digit())
        {
            out.push('_');
        }
        out.push(if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' });
    }
    out
}
