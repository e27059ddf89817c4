//! A typed access layer in TypeScript for the AWS SDK v3: one method for each access pattern. Only erasable types, so
//! that it also runs where types are stripped. Knows no other language.

mod body;
mod runtime;
mod terms;
mod types;

use super::code::{Example, Function, Kind, Operation, Parameter, Program, Role, camel, pascal};
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

/// A TypeScript name that is no keyword.
pub(super) fn name(text: &str) -> String {
    const KEYWORDS: [&str; 44] = [
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "debugger",
        "default",
        "delete",
        "do",
        "else",
        "enum",
        "export",
        "extends",
        "false",
        "finally",
        "for",
        "function",
        "if",
        "import",
        "in",
        "instanceof",
        "new",
        "null",
        "return",
        "super",
        "switch",
        "this",
        "throw",
        "true",
        "try",
        "typeof",
        "var",
        "void",
        "while",
        "with",
        "let",
        "static",
        "yield",
        "await",
        "package",
        "private",
        "public",
        "interface",
    ];
    let name = camel(text);
    let is_bad =
        KEYWORDS.contains(&name.as_str()) || name.starts_with(|letter: char| letter.is_ascii_digit());
    if is_bad { format!("{name}_") } else { name }
}

/// A TypeScript string literal.
pub(super) fn text(text: &str) -> String {
    // The greatest letter would not be seen in the source.
    serde_json::Value::String(text.into()).to_string().replace('\u{10ffff}', "\\u{10ffff}")
}

/// A property's name, quoted only where it must be.
pub(super) fn property(name: &str) -> String {
    let is_plain = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if is_plain { name.into() } else { text(name) }
}

fn head(program: &Program<'_>) -> String {
    let commands = [
        (Operation::BatchGet, "BatchGetCommand"),
        (Operation::BatchWrite, "BatchWriteCommand"),
        (Operation::Delete, "DeleteCommand"),
        (Operation::Get, "GetCommand"),
        (Operation::Put, "PutCommand"),
        (Operation::Query, "QueryCommand"),
        (Operation::Scan, "ScanCommand"),
        (Operation::TransactGet, "TransactGetCommand"),
        (Operation::TransactWrite, "TransactWriteCommand"),
        (Operation::Update, "UpdateCommand"),
    ];
    let used: Vec<&str> = commands
        .into_iter()
        .filter(|(operation, _)| program.has(*operation))
        .map(|(_, command)| command)
        .collect();
    let hashes = program.uses("sha256") || program.uses("md5");
    let crypto = if hashes { "import { createHash } from \"node:crypto\";\n" } else { "" };
    format!(
        "// Typed access to {}: one method for each access pattern.\n\
         // Written by `larder design export typescript`. Change the design, not this file.\n\n{crypto}\
         import {{ DynamoDBClient }} from \"@aws-sdk/client-dynamodb\";\n\
         import {{ {}DynamoDBDocumentClient }} from \"@aws-sdk/lib-dynamodb\";\n\n\
         export type Item = Record<string, any>;\n",
        program.design.name,
        used.iter().map(|command| format!("{command}, ")).collect::<String>()
    )
}

fn class(program: &Program<'_>) -> String {
    let tables: String =
        program.tables.iter().map(|(id, name)| format!("  {}: {},\n", property(id), text(name))).collect();
    let mut out = format!(
        "\n/** The tables by their logical ids. */\nexport const tableNames = {{\n{tables}}};\n\n\
         /** The access patterns of {}. */\nexport class {} {{\n  private client: DynamoDBDocumentClient;\n  private tables: Record<string, string>;\n\n  \
         /** `tables` renames tables by their logical ids. */\n  \
         constructor(client: DynamoDBClient = new DynamoDBClient({{}}), tables: Partial<typeof tableNames> = {{}}) {{\n    \
         this.client = DynamoDBDocumentClient.from(client, {{ marshallOptions: {{ removeUndefinedValues: true }} }});\n    \
         this.tables = {{ ...tableNames, ...tables }};\n  }}\n",
        program.design.name,
        pascal(&program.design.name)
    );
    for function in &program.functions {
        out.push_str(&body::method(function));
    }
    out.push_str("}\n");
    out
}

fn samples(program: &Program<'_>) -> String {
    let mut out = "\n/** The samples of the design by name: the table's logical id and the item as it is stored. */\nexport const samples = (): Record<string, [string, Item]> => ({\n".to_owned();
    for sample in &program.design.samples {
        let Some(kind) = kind_of(program, sample) else { continue };
        let made = format!("{}Item({})", name(&kind.entity.name.value), types::sample(kind, sample));
        out.push_str(&format!(
            "  {}: [{}, {made}],\n",
            property(&sample.name.value),
            text(&kind.entity.table.value)
        ));
    }
    out.push_str("});\n");
    out
}

fn kind_of<'p>(program: &'p Program<'p>, sample: &Sample) -> Option<&'p Kind<'p>> {
    program.kinds.iter().find(|kind| kind.entity.name.value == sample.entity.value)
}

fn examples(program: &Program<'_>) -> String {
    let class = pascal(&program.design.name);
    let mut out = format!(
        "\n/**\n * Every access pattern as the design calls it: the call, and what the design expects of it, which is a list of\n \
         * primary keys, a number of items, the name of an error, or null if it says nothing.\n */\n\
         export const examples: Record<string, [(store: {class}) => Promise<any>, any]> = {{\n"
    );
    for function in &program.functions {
        let arguments: Vec<String> =
            function.parameters.iter().map(|parameter| argument(program, parameter)).collect();
        let arguments =
            if arguments.is_empty() { String::new() } else { format!("{{ {} }}", arguments.join(", ")) };
        let pattern = &function.pattern.name.value;
        out.push_str(&format!(
            "  {}: [\n    (store) => store.{}({arguments}),\n    {},\n  ],\n",
            property(pattern),
            name(pattern),
            expected(program, function)
        ));
    }
    out.push_str("};\n");
    out
}

fn argument(program: &Program<'_>, parameter: &Parameter<'_>) -> String {
    let value = match (&parameter.example, &parameter.role) {
        (Example::Value(value), _) => types::literal(value),
        (Example::Sample(sample), _) => {
            kind_of(program, sample).map_or_else(|| "{}".into(), |kind| types::sample(kind, sample))
        }
        (Example::Samples(samples), role) => {
            let each = samples.iter().filter_map(|sample| {
                let kind = kind_of(program, sample)?;
                let own = name(&kind.entity.name.value);
                let made = if matches!(role, Role::Keys) {
                    let fields = kind
                        .key_fields()
                        .iter()
                        .filter_map(|field| {
                            Some(format!("{}: {}", name(field), types::sample_field(kind, sample, field)?))
                        })
                        .collect::<Vec<_>>();
                    format!("{own}Key({{ {} }})", fields.join(", "))
                } else {
                    format!("{own}Item({})", types::sample(kind, sample))
                };
                Some(format!("[{}, {made}]", text(&kind.entity.table.value)))
            });
            format!("[{}]", each.collect::<Vec<_>>().join(", "))
        }
    };
    format!("{}: {value}", name(&parameter.name))
}

fn expected(program: &Program<'_>, function: &Function<'_>) -> String {
    if let Some(error) = &function.pattern.expect_error {
        return text(&error.value);
    }
    let key = |sample: &str| {
        let item = sizes::sample_item(program.design, sample)?;
        let sample = program.design.samples.iter().find(|known| known.name.value == sample)?;
        let parts = kind_of(program, sample)?.key.iter().filter_map(|(attribute, _)| {
            Some(format!("{}: {}", property(attribute), types::literal(item.get(attribute)?)))
        });
        Some(format!("{{ {} }}", parts.collect::<Vec<_>>().join(", ")))
    };
    match &function.pattern.expect {
        Some(Expect::InOrder(names) | Expect::AnyOrder(names)) => {
            let keys: Vec<String> = names.iter().filter_map(|name| key(&name.value)).collect();
            format!("[{}]", keys.join(", "))
        }
        Some(Expect::Nothing(_)) => "[]".into(),
        Some(Expect::Count(count, _)) => count.to_string(),
        Some(Expect::Attributes(..)) | None => "null".into(),
    }
}
