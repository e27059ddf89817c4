//! Samples and example calls of the Rust layer, so that a test can run every pattern. Knows no requests.

use super::super::code::{Example, Function, Kind, Parameter, Program, Role, Shape, pascal};
use super::types;
use super::{name, text};
use crate::model::{Expect, Sample};

/// Samples, examples, and what is expected of them.
pub(super) fn all(program: &Program<'_>) -> String {
    let mut out = "\n/// The samples of the design: the name, the table's logical id, and the item as it is stored.\npub fn samples() -> Vec<(&'static str, &'static str, Item)> {\n    let mut samples = Vec::new();\n".to_owned();
    for sample in &program.design.samples {
        let Some(kind) = kind_of(program, sample) else { continue };
        out.push_str(&format!(
            "    let sample = {};\n    samples.push(({}, {}, sample.item()));\n",
            types::sample(kind, sample),
            text(&sample.name.value),
            text(&kind.entity.table.value)
        ));
    }
    out.push_str("    samples\n}\n");
    out.push_str("\n/// What the design expects of a pattern: so many items, or the name of an error; nothing if it says nothing.\npub const EXPECTED: &[(&str, Option<Result<usize, &str>>)] = &[\n");
    for function in &program.functions {
        out.push_str(&format!("    ({}, {}),\n", text(&function.pattern.name.value), expected(function)));
    }
    out.push_str("];\n\n/// Calls a pattern as the design calls it, and says how many items came back.\npub async fn example(store: &Store, pattern: &str) -> Result<usize, Error> {\n    match pattern {\n");
    for function in &program.functions {
        out.push_str(&arm(program, function));
    }
    out.push_str("        _ => Err(Error::Shape(format!(\"there is no pattern {pattern}\"))),\n    }\n}\n");
    out
}

fn kind_of<'p>(program: &'p Program<'p>, sample: &Sample) -> Option<&'p Kind<'p>> {
    program.kinds.iter().find(|kind| kind.entity.name.value == sample.entity.value)
}

fn arm(program: &Program<'_>, function: &Function<'_>) -> String {
    let arguments: Vec<String> =
        function.parameters.iter().map(|parameter| argument(program, parameter)).collect();
    let pattern = &function.pattern.name.value;
    let call = format!("store.{}({}).await?", name(pattern), arguments.join(", "));
    let shape = function.calls.iter().rev().map(|call| call.shape()).find(|shape| *shape != Shape::Nothing);
    let counted = match shape {
        Some(Shape::One) => format!("usize::from({call}.is_some())"),
        Some(Shape::Many) => format!("{call}.len()"),
        Some(Shape::Nothing) | None => {
            return format!(
                "        {} => {{\n            {call};\n            Ok(0)\n        }}\n",
                text(pattern)
            );
        }
    };
    format!("        {} => Ok({counted}),\n", text(pattern))
}

fn argument(program: &Program<'_>, parameter: &Parameter<'_>) -> String {
    match (&parameter.example, &parameter.role) {
        (Example::Value(value), role) => types::argument(role, value),
        (Example::Sample(sample), _) => kind_of(program, sample)
            .map_or_else(String::new, |kind| format!("&{}", types::sample(kind, sample))),
        (Example::Samples(samples), role) => {
            let each = samples.iter().filter_map(|sample| {
                let kind = kind_of(program, sample)?;
                let made = if matches!(role, Role::Keys) {
                    let arguments: Vec<String> = kind
                        .key_fields()
                        .iter()
                        .filter_map(|field| types::sample_field(kind, sample, field))
                        .collect();
                    format!("{}::key({})", pascal(&kind.entity.name.value), arguments.join(", "))
                } else {
                    format!("{}.item()", types::sample(kind, sample))
                };
                Some(format!("({}, {made})", text(&kind.entity.table.value)))
            });
            format!("&[{}]", each.collect::<Vec<_>>().join(", "))
        }
    }
}

fn expected(function: &Function<'_>) -> String {
    if let Some(error) = &function.pattern.expect_error {
        return format!("Some(Err({}))", text(&error.value));
    }
    if function.calls.iter().all(|call| call.shape() == Shape::Nothing) {
        return "None".into();
    }
    match &function.pattern.expect {
        Some(Expect::InOrder(names) | Expect::AnyOrder(names)) => format!("Some(Ok({}))", names.len()),
        Some(Expect::Nothing(_)) => "Some(Ok(0))".into(),
        Some(Expect::Count(count, _)) => format!("Some(Ok({count}))"),
        Some(Expect::Attributes(..)) => "Some(Ok(1))".into(),
        None => "None".into(),
    }
}
