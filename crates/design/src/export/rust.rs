//! A typed access layer in Rust for aws-sdk-dynamodb: one method for each access pattern. Knows no other language.

mod body;
mod examples;
mod runtime;
mod terms;
mod types;

use super::code::{Program, snake};

/// The module.
pub(super) fn module(program: &Program<'_>) -> String {
    let mut out = runtime::all(program);
    for kind in &program.kinds {
        out.push_str(&types::of(kind));
        out.push_str(&body::entity(kind));
    }
    out.push_str(&store(program));
    out.push_str(&examples::all(program));
    out
}

/// A Rust name that is no keyword.
pub(super) fn name(text: &str) -> String {
    const KEYWORDS: [&str; 40] = [
        "as", "async", "await", "break", "const", "continue", "dyn", "else", "enum", "extern", "false", "fn",
        "for", "gen", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref",
        "return", "static", "struct", "trait", "true", "type", "unsafe", "use", "where", "while", "abstract",
        "box", "do", "final", "yield",
    ];
    let name = snake(text);
    match name.as_str() {
        "self" | "super" | "crate" => format!("{name}_"),
        _ if KEYWORDS.contains(&name.as_str()) => format!("r#{name}"),
        _ if name.starts_with(|letter: char| letter.is_ascii_digit()) => format!("_{name}"),
        _ => name,
    }
}

/// A Rust string literal.
pub(super) fn text(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => {
                out.push('\\');
                out.push(letter);
            }
            letter if letter.is_control() || letter == '\u{10ffff}' => {
                out.push_str(&format!("\\u{{{:x}}}", letter as u32))
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

fn store(program: &Program<'_>) -> String {
    let tables: String = program
        .tables
        .iter()
        .map(|(id, name)| {
            format!("        names.insert({}.to_owned(), {}.to_owned());\n", text(id), text(name))
        })
        .collect();
    let mut out = format!(
        "\n/// The access patterns of {}.\n#[derive(Debug, Clone)]\npub struct Store {{\n    client: Client,\n    tables: HashMap<String, String>,\n}}\n\n\
         impl Store {{\n    /// With the names the tables have in the design.\n    pub fn new(client: Client) -> Store {{\n        \
         let mut names = HashMap::new();\n{tables}        Store {{ client, tables: names }}\n    }}\n\n    \
         /// With another name for a table, given by its logical id.\n    pub fn rename(mut self, table: &str, name: &str) -> Store {{\n        \
         self.tables.insert(table.to_owned(), name.to_owned());\n        self\n    }}\n\n    \
         /// The name of a table by its logical id.\n    pub fn table(&self, id: &str) -> String {{\n        self.tables.get(id).cloned().unwrap_or_else(|| id.to_owned())\n    }}\n",
        program.design.name
    );
    for function in &program.functions {
        out.push_str(&body::method(function));
    }
    out.push_str("}\n");
    out
}
