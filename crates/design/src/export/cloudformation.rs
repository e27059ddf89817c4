//! A design as a CloudFormation template: the tables word for word. Knows no entities.

use serde_json::{Map, Value as Json, json};

use super::resource::{named, resource};
use super::yaml_text;
use crate::model::{Design, Environment};

/// The template of the tables.
pub(super) fn tables(design: &Design, environment: &Environment) -> String {
    let mut template = frame(design, environment);
    let resources = template.entry("Resources").or_insert_with(|| json!({}));
    if let Some(resources) = resources.as_object_mut() {
        for table in &design.tables {
            resources.insert(table.id.value.clone(), resource(environment, table));
        }
    }
    add_outputs(&mut template, design);
    text(design, environment, template)
}

/// The template of the alarms.
pub(super) fn alarms(design: &Design, environment: &Environment) -> String {
    let mut template = Map::new();
    template.insert("AWSTemplateFormatVersion".into(), json!("2010-09-09"));
    template.insert("Description".into(), json!(format!("Alarms of {}", design.name)));
    let mut resources = Map::new();
    for alarm in &design.alarms {
        let mut properties = named(&alarm.properties, &environment.name.value);
        if let Some(fields) = properties.as_object_mut() {
            let full = format!("{}-{}-{}", design.name, environment.name.value, alarm.name.value);
            fields.entry("AlarmName").or_insert_with(|| json!(full));
            if let Some(description) = &alarm.description {
                fields.entry("AlarmDescription").or_insert_with(|| json!(description));
            }
        }
        let alarm_resource = json!({"Type": "AWS::CloudWatch::Alarm", "Properties": properties});
        resources.insert(logical_id(&alarm.name.value), alarm_resource);
    }
    template.insert("Resources".into(), Json::Object(resources));
    text(design, environment, template)
}

/// Letters and digits only, as CloudFormation wants it.
pub(super) fn logical_id(name: &str) -> String {
    let mut id = String::new();
    let mut is_start = true;
    for letter in name.chars() {
        if !letter.is_ascii_alphanumeric() {
            is_start = true;
            continue;
        }
        id.push(if is_start { letter.to_ascii_uppercase() } else { letter });
        is_start = false;
    }
    id
}

/// What stands around the tables: that of the template the design stands in, or a new one.
fn frame(design: &Design, environment: &Environment) -> Map<String, Json> {
    let mut template = Map::new();
    template.insert("AWSTemplateFormatVersion".into(), json!("2010-09-09"));
    if let Some(description) = &design.description {
        template.insert("Description".into(), json!(shortened(description)));
    }
    if let Some(Json::Object(given)) = &design.template {
        for (name, value) in given {
            template.insert(name.clone(), named(value, &environment.name.value));
        }
    }
    template
}

/// CloudFormation takes descriptions of at most 1024 bytes.
fn shortened(description: &str) -> String {
    let mut text: String = description.split_whitespace().collect::<Vec<_>>().join(" ");
    while text.len() > 1024 {
        text.pop();
    }
    text
}

fn add_outputs(template: &mut Map<String, Json>, design: &Design) {
    if template.contains_key("Outputs") {
        return;
    }
    let mut outputs = Map::new();
    for table in &design.tables {
        let id = &table.id.value;
        outputs.insert(
            format!("{id}Name"),
            json!({"Description": format!("Name of {id}"), "Value": {"Ref": id}}),
        );
        let arn = json!({"Description": format!("ARN of {id}"), "Value": {"Fn::GetAtt": [id, "Arn"]}});
        outputs.insert(format!("{id}Arn"), arn);
    }
    template.insert("Outputs".into(), Json::Object(outputs));
}

fn text(design: &Design, environment: &Environment, template: Map<String, Json>) -> String {
    let head = format!(
        "# {}, environment {}: written by `larder design export`.\n",
        design.name, environment.name.value
    );
    head + &yaml_text::write(&Json::Object(template))
}
