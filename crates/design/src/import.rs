//! A design written from what there is: a CloudFormation template, a running table, a NoSQL Workbench model.
//! What a table does not say (entities, key templates) is inferred from its items, and kept only if the items can be
//! made again from it.

mod draft;
mod group;
mod infer;
mod kinds;
mod running;
mod template;
mod workbench;

pub use running::from_endpoint;

use serde_json::Value as Json;

use crate::diagnostic::Diagnostic;
use crate::model::Place;
use crate::yaml;

/// The text of a design from a file: a CloudFormation template, a DescribeTable answer (with `Items` beside it, if
/// there are any), or a NoSQL Workbench model.
pub fn import(file: &str, text: &str) -> Result<String, Diagnostic> {
    let root = yaml::parse(file, text)?.json();
    let stem = stem(file);
    if root.get("Resources").is_some() {
        return template::import(&stem, &root).map_err(|message| error(file, message));
    }
    if root.get("DataModel").is_some() {
        return workbench::import(&root).map_err(|message| error(file, message));
    }
    let table = root.get("Table").or_else(|| root.get("TableDescription"));
    if let Some(table) = table.or_else(|| root.get("KeySchema").map(|_| &root)) {
        let items = root.get("Items").and_then(Json::as_array).cloned().unwrap_or_default();
        return running::import(table, &root, &items).map_err(|message| error(file, message));
    }
    let message =
        "is no CloudFormation template, no DescribeTable answer and no NoSQL Workbench model".to_owned();
    Err(error(file, message)
        .hint("a template has `Resources`, an answer has `Table`, a model has `DataModel`"))
}

fn error(file: &str, message: String) -> Diagnostic {
    Diagnostic::error("F010", file, Place { line: 1, column: 1 }, message)
}

/// The name of a file without its folder and its endings.
fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.split('.').next().unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests;
