//! A design in the making, and its text. Knows no source.

use serde_json::{Map, Value as Json, json};

use super::infer::Inferred;
use crate::export::yaml_text::{flow, scalar, write};

/// A design in the making.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) environments: Vec<String>,
    /// Logical ids and CloudFormation resources.
    pub(super) tables: Vec<(String, Json)>,
    /// What was inferred of each table.
    pub(super) inferred: Vec<Inferred>,
    /// Sections that are taken over as they are.
    pub(super) sections: Vec<(String, Json)>,
    /// Sentences for the reader, put at the top.
    pub(super) notes: Vec<String>,
}

impl Draft {
    /// The text of the design.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for note in &self.notes {
            out.push_str(&format!("# {note}\n"));
        }
        out.push_str(&format!("design: 1\nname: {}\n", scalar(&self.name, false)));
        if let Some(description) = &self.description {
            out.push_str(&format!("description: {}\n", scalar(description, false)));
        }
        if !self.environments.is_empty() {
            out.push_str("\nenvironments:\n");
            for environment in &self.environments {
                out.push_str(&format!("  {}: {{}}\n", scalar(environment, false)));
            }
        }
        let tables: Map<String, Json> = self.tables.iter().cloned().collect();
        out.push('\n');
        out.push_str(&write(&json!({ "tables": tables })));
        if !self.sections.is_empty() {
            let sections: Map<String, Json> = self.sections.iter().cloned().collect();
            out.push('\n');
            out.push_str(&write(&Json::Object(sections)));
            return out;
        }
        self.write_entities(&mut out);
        self.write_samples(&mut out);
        self.write_patterns(&mut out);
        out
    }

    fn write_entities(&self, out: &mut String) {
        out.push_str("\nentities:\n");
        for entity in self.inferred.iter().flat_map(|inferred| &inferred.entities) {
            out.push_str(&format!(
                "  {}:\n    table: {}\n",
                scalar(&entity.name, false),
                scalar(&entity.table, false)
            ));
            out.push_str(&format!("    pk_template: {}\n", scalar(&entity.pk, false)));
            if let Some(sk) = &entity.sk {
                out.push_str(&format!("    sk_template: {}\n", scalar(sk, false)));
            }
            if !entity.mappings.is_empty() {
                out.push_str("    gsi_mappings:\n");
            }
            for mapping in &entity.mappings {
                out.push_str(&format!("      - {}\n", flow(mapping)));
            }
            if let Some(ttl) = &entity.ttl {
                out.push_str(&format!("    ttl: {}\n", flow(ttl)));
            }
            out.push_str(if entity.fields.is_empty() { "    fields: {}\n" } else { "    fields:\n" });
            for (name, field) in &entity.fields {
                out.push_str(&format!("      {}: {}\n", scalar(name, false), flow(field)));
            }
        }
    }

    fn write_samples(&self, out: &mut String) {
        let mut samples = self.inferred.iter().flat_map(|inferred| &inferred.samples).peekable();
        if samples.peek().is_some() {
            out.push_str("\nsamples:\n");
        }
        for sample in samples {
            let values: String = sample
                .values
                .iter()
                .map(|(name, value)| format!(", {}: {value}", scalar(name, true)))
                .collect();
            out.push_str(&format!(
                "  {}: {{entity: {}{values}}}\n",
                sample.name,
                scalar(&sample.entity, true)
            ));
        }
    }

    fn write_patterns(&self, out: &mut String) {
        let mut patterns = self.inferred.iter().flat_map(|inferred| &inferred.patterns).peekable();
        if patterns.peek().is_some() {
            out.push_str("\naccess_patterns:\n");
        }
        for (name, body) in patterns {
            out.push_str(&format!("  {}: {{{body}}}\n", scalar(name, false)));
        }
    }
}
