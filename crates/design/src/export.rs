//! A design written out for others: CloudFormation, Terraform, IAM, alarms, NoSQL Workbench, and typed access layers.
//! Reads nothing and sends nothing.

mod cloudformation;
mod code;
mod iam;
mod python;
pub(crate) mod resource;
mod rust;
mod terraform;
mod typescript;
mod workbench;
pub(crate) mod yaml_text;

use crate::diagnostic::Diagnostic;
use crate::model::{Design, Environment, Place};

/// What a design can be written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A CloudFormation template of the tables.
    CloudFormation,
    /// A Terraform configuration of the tables and alarms.
    Terraform,
    /// An IAM policy document.
    Iam,
    /// A CloudFormation template of the alarms.
    Alarms,
    /// A NoSQL Workbench data model.
    Workbench,
    /// A typed access layer in Rust.
    Rust,
    /// A typed access layer in TypeScript.
    TypeScript,
    /// A typed access layer in Python.
    Python,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 8] = [
        Format::CloudFormation,
        Format::Terraform,
        Format::Iam,
        Format::Alarms,
        Format::Workbench,
        Format::Rust,
        Format::TypeScript,
        Format::Python,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::CloudFormation => "cloudformation",
            Format::Terraform => "terraform",
            Format::Iam => "iam",
            Format::Alarms => "alarms",
            Format::Workbench => "workbench",
            Format::Rust => "rust",
            Format::TypeScript => "typescript",
            Format::Python => "python",
        }
    }

    /// The format of this name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// Writes a design out for an environment.
pub fn export(design: &Design, environment: &Environment, format: Format) -> Result<String, Diagnostic> {
    let program = || code::program(design, environment);
    Ok(match format {
        Format::CloudFormation => cloudformation::tables(design, environment),
        Format::Terraform => terraform::configuration(design, environment),
        Format::Iam => iam::policy(design, environment),
        Format::Alarms if design.alarms.is_empty() => {
            let place = Place { line: 1, column: 1 };
            let error = Diagnostic::error("X004", &design.file, place, "the design has no alarms");
            return Err(error.hint("write them under `alarms:`"));
        }
        Format::Alarms => cloudformation::alarms(design, environment),
        Format::Workbench => workbench::model(design, environment),
        Format::Rust => rust::module(&program()?),
        Format::TypeScript => typescript::module(&program()?),
        Format::Python => python::module(&program()?),
    })
}
