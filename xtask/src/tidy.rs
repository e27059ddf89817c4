//! What no lint checks: the arrows between crates, door signs, sizes, generated documents.

use std::fs;
use std::path::{Path, PathBuf};

use crate::operations;

/// Which crates a crate may use. An arrow that is not here is a mistake or a decision to be written down.
const ARROWS: &[(&str, &[&str])] = &[
    ("item", &[]),
    ("expr", &["item"]),
    ("op", &["item", "expr"]),
    ("moment", &[]),
    ("storage", &[]),
    ("engine", &["item", "expr", "op", "storage"]),
    ("wire", &["item", "expr", "op"]),
    ("client", &[]),
    ("traffic", &["op"]),
    ("courier", &["item", "client", "transfer"]),
    ("design", &["item", "expr", "moment", "client"]),
    ("transfer", &["item", "moment"]),
    ("console", &["op", "wire", "engine", "client", "design", "traffic"]),
    (
        "server",
        &["item", "transfer", "op", "wire", "engine", "storage", "moment", "client", "traffic", "console"],
    ),
    ("sim", &["op", "wire", "engine", "storage"]),
    (
        "cli",
        &[
            "server", "engine", "storage", "wire", "op", "design", "moment", "client", "console", "courier",
            "transfer",
        ],
    ),
];

/// Lines a source file may have without its tests.
const FILE_LINES_MAX: usize = 450;

/// Names that say nothing of what is inside.
const FORBIDDEN_NAMES: &[&str] =
    &["mod", "utils", "util", "helpers", "helper", "common_utils", "misc", "manager", "core"];

/// Everything that is not in order, one line each.
pub(crate) fn problems(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    arrows(root, &mut problems);
    for file in sources(&root.join("crates")).into_iter().chain(sources(&root.join("xtask"))) {
        source(root, &file, &mut problems);
    }
    match fs::read_to_string(root.join(operations::FILE)) {
        Ok(text) if text == operations::page() => {}
        _ => problems.push(format!("{}: out of date; run `cargo xtask docs`", operations::FILE)),
    }
    problems
}

fn arrows(root: &Path, problems: &mut Vec<String>) {
    let names: Vec<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
    let crates = fs::read_dir(root.join("crates")).into_iter().flatten().flatten();
    for folder in crates.map(|entry| entry.path()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some((_, allowed)) = ARROWS.iter().find(|(crate_name, _)| *crate_name == name) else {
            problems.push(format!("crates/{name}: not in the table of arrows in xtask/src/tidy.rs"));
            continue;
        };
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        let used = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let used = used.split("\n[").next().unwrap_or_default();
        for line in used.lines() {
            let dependency = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if names.contains(&dependency) && !allowed.contains(&dependency) {
                problems.push(format!("crates/{name}: may not use {dependency}"));
            }
        }
    }
}

fn source(root: &Path, file: &Path, problems: &mut Vec<String>) {
    let shown = file.strip_prefix(root).unwrap_or(file).display().to_string();
    let Ok(text) = fs::read_to_string(file) else {
        problems.push(format!("{shown}: not readable as text"));
        return;
    };
    if !text.starts_with("//!") {
        problems.push(format!("{shown}: begins without a `//!` line that says what it is"));
    }
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    if FORBIDDEN_NAMES.contains(&stem.as_ref()) {
        problems.push(format!("{shown}: name the file after what is in it"));
    }
    let is_test = shown.contains("/tests/") || stem == "tests" || stem.ends_with("_tests");
    let code = text.split("#[cfg(test)]").next().unwrap_or_default().lines().count();
    if code > FILE_LINES_MAX && !is_test {
        problems
            .push(format!("{shown}: {code} lines without tests, over {FILE_LINES_MAX}: split it by meaning"));
    }
    for word in ["TODO", "FIXME", "XXX"] {
        // Spelled so that this file does not find itself.
        if text.contains(&format!("{word}:")) || text.contains(&format!("// {word}")) {
            problems.push(format!("{shown}: has a {word}"));
        }
    }
}

/// All Rust files below a folder, in order.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && !path.ends_with("target") {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}
