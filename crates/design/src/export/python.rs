//! A typed access layer in Python for boto3: one method for each access pattern. Knows no other language.

mod body;
mod runtime;
mod terms;
mod types;

use super::code::{Example, Function, Kind, Parameter, Program, Role, pascal, snake};
use crate::cost::sizes;
use crate::model::{Expect, Sample};

/// The module.
pub(super) fn module(program: &Program<'_>) -> String {
    let mut out = head(program);
    for kind in &program.kinds {
        out.push_str(&types::of(kind));
    }
    out.push_str(&runtime::all(program));
    for kind in &program.kinds {
        out.push_str(&body::key_function(kind));
        out.push_str(&body::item_function(kind));
        out.push_str(&body::read_function(kind));
    }
    out.push_str(&class(program));
    out.push_str(&samples(program));
    out.push_str(&examples(program));
    out
}

/// A Python name that is no keyword.
pub(super) fn name(text: &str) -> String {
    const KEYWORDS: [&str; 35] = [
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
        "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in",
        "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ];
    let name = snake(text);
    let is_bad =
        KEYWORDS.contains(&name.as_str()) || name.starts_with(|letter: char| letter.is_ascii_digit());
    if is_bad || name == "self" { format!("{name}_") } else { name }
}

/// A Python string literal.
pub(super) fn text(text: &str) -> String {
    // The greatest letter would not be seen in the source.
    serde_json::Value::String(text.into()).to_string().replace('\u{10ffff}', "\\U0010ffff")
}

fn head(program: &Program<'_>) -> String {
    let design = program.design;
    let mut imports = vec!["import hashlib", "import time"];
    imports.retain(|line| match *line {
        "import hashlib" => program.uses("sha256") || program.uses("md5"),
        _ => program.has_freshness() || program.has_now(),
    });
    let title = format!("Typed access to {}: one method for each access pattern.", design.name);
    format!(
        "\"\"\"{title}\n\nWritten by `larder design export python`. Change the design, not this file.\n\"\"\"\n\n\
         from __future__ import annotations\n\n{}{}from datetime import datetime, timezone\n\
         from decimal import Decimal\n\
         from typing import Any, Dict, Iterable, List, Literal, Mapping, Optional, TypedDict, Union, cast\n\n\
         import boto3\n\nNumber = Union[int, float, Decimal]\nRecord = Dict[str, Any]\n",
        imports.join("\n"),
        if imports.is_empty() { "" } else { "\n" }
    )
}

fn class(program: &Program<'_>) -> String {
    let tables: Vec<String> = program
        .tables
        .iter()
        .map(|(id, name)| format!("            {}: {},\n", text(id), text(name)))
        .collect();
    let mut out = format!(
        "\n\nclass {}:\n    \"\"\"The access patterns of {}.\"\"\"\n\n    \
         def __init__(self, resource: Any = None, tables: Optional[Mapping[str, str]] = None) -> None:\n        \
         \"\"\"`resource` is a `boto3.resource(\"dynamodb\")`; `tables` renames tables by their logical ids.\"\"\"\n        \
         self.client: Any = (resource or boto3.resource(\"dynamodb\")).meta.client\n        \
         self.tables: Dict[str, str] = {{\n{}            **(tables or {{}}),\n        }}\n",
        pascal(&program.design.name),
        program.design.name,
        tables.concat()
    );
    for function in &program.functions {
        out.push_str(&body::method(function));
    }
    out
}

/// The samples of the design as functions, so that a test can seed a table.
fn samples(program: &Program<'_>) -> String {
    let mut out = "\n\ndef samples() -> Dict[str, Any]:\n    \"\"\"The samples of the design by name: the table's logical id and the item as it is stored.\"\"\"\n    return {\n".to_owned();
    for sample in &program.design.samples {
        let Some(kind) = kind_of(program, sample) else { continue };
        let table = text(&kind.entity.table.value);
        let made = format!("{}_item({})", name(&kind.entity.name.value), types::sample(kind, sample));
        out.push_str(&format!("        {}: ({table}, {made}),\n", text(&sample.name.value)));
    }
    out.push_str("    }\n");
    out
}

fn kind_of<'p>(program: &'p Program<'p>, sample: &Sample) -> Option<&'p Kind<'p>> {
    program.kinds.iter().find(|kind| kind.entity.name.value == sample.entity.value)
}

/// Every function called as the design calls it, with the keys it must return.
fn examples(program: &Program<'_>) -> String {
    let class = pascal(&program.design.name);
    let mut out = format!(
        "\n\n# Every access pattern as the design calls it: the call, and what the design expects of it, which is a list of\n\
         # primary keys, a number of items, the name of an error, or None if it says nothing.\n\
         EXAMPLES: Dict[str, Any] = {{\n    # {class}\n"
    );
    for function in &program.functions {
        let arguments: Vec<String> =
            function.parameters.iter().map(|parameter| argument(program, parameter)).collect();
        let method = name(&function.pattern.name.value);
        let call = format!("lambda store: store.{method}({})", arguments.join(", "));
        let expected = expected(program, function);
        out.push_str(&format!(
            "    {}: (\n        {call},\n        {expected},\n    ),\n",
            text(&function.pattern.name.value)
        ));
    }
    out.push_str("}\n");
    out
}

fn argument(program: &Program<'_>, parameter: &Parameter<'_>) -> String {
    let value = match (&parameter.example, &parameter.role) {
        (Example::Value(value), _) => types::literal(value),
        (Example::Sample(sample), Role::Item(_)) => sample_literal(program, sample),
        (Example::Samples(samples), Role::Keys) => {
            let keys = samples.iter().filter_map(|sample| {
                let kind = kind_of(program, sample)?;
                let arguments: Vec<String> = kind
                    .key_fields()
                    .iter()
                    .filter_map(|field| {
                        Some(format!("{}={}", name(field), types::sample_field(kind, sample, field)?))
                    })
                    .collect();
                let table = text(&kind.entity.table.value);
                Some(format!("({table}, {}_key({}))", name(&kind.entity.name.value), arguments.join(", ")))
            });
            format!("[{}]", keys.collect::<Vec<_>>().join(", "))
        }
        (Example::Samples(samples), _) => {
            let items = samples.iter().filter_map(|sample| {
                let kind = kind_of(program, sample)?;
                let table = text(&kind.entity.table.value);
                Some(format!(
                    "({table}, {}_item({}))",
                    name(&kind.entity.name.value),
                    types::sample(kind, sample)
                ))
            });
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        (Example::Sample(sample), _) => sample_literal(program, sample),
    };
    format!("{}={value}", name(&parameter.name))
}

fn sample_literal(program: &Program<'_>, sample: &Sample) -> String {
    kind_of(program, sample).map_or_else(|| "{}".into(), |kind| types::sample(kind, sample))
}

fn expected(program: &Program<'_>, function: &Function<'_>) -> String {
    if let Some(error) = &function.pattern.expect_error {
        return text(&error.value);
    }
    let key = |sample: &str| {
        let item = sizes::sample_item(program.design, sample)?;
        let sample = program.design.samples.iter().find(|known| known.name.value == sample)?;
        let kind = kind_of(program, sample)?;
        let parts = kind.key.iter().filter_map(|(attribute, _)| {
            Some(format!("{}: {}", text(attribute), types::literal(item.get(attribute)?)))
        });
        Some(format!("{{{}}}", parts.collect::<Vec<_>>().join(", ")))
    };
    match &function.pattern.expect {
        Some(Expect::InOrder(names) | Expect::AnyOrder(names)) => {
            let keys: Vec<String> = names.iter().filter_map(|name| key(&name.value)).collect();
            format!("[{}]", keys.join(", "))
        }
        Some(Expect::Nothing(_)) => "[]".into(),
        Some(Expect::Count(count, _)) => count.to_string(),
        Some(Expect::Attributes(..)) | None => "None".into(),
    }
}
