//! The project's chores: `cargo xtask tidy` checks what no lint can, `cargo xtask docs` writes what is generated.

mod operations;
mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = root();
    let problems = match std::env::args().nth(1).as_deref() {
        Some("tidy") => tidy::problems(&root),
        Some("docs") => operations::write(&root).err().map(|error| vec![error]).unwrap_or_default(),
        _ => vec!["usage: cargo xtask tidy | docs".to_string()],
    };
    for problem in &problems {
        eprintln!("{problem}");
    }
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The folder of the workspace.
fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or_else(|| here.clone(), PathBuf::from)
}
