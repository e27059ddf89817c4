//! The command line: names of proofs, paths and numbers by name.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// What was asked for.
pub(crate) struct Options {
    pub(crate) proofs: Vec<String>,
    given: BTreeMap<String, String>,
}

/// Where programs are unless the command line says otherwise.
const PATHS: [(&str, &str); 4] = [
    ("larder", "../target/release/larder"),
    ("sim", "../target/release/sim"),
    ("peer", "../bench/.peers/bin/dynoxide"),
    ("fuzzers", "../target/proof-fuzz/x86_64-unknown-linux-gnu/release"),
];

impl Options {
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options { proofs: Vec::new(), given: BTreeMap::new() };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let Some(name) = argument.strip_prefix("--") else {
                options.proofs.push(argument);
                continue;
            };
            let value = arguments.next().ok_or_else(|| format!("--{name} needs a value"))?;
            if !PATHS.iter().any(|(path, _)| *path == name) && value.parse::<u64>().is_err() {
                return Err(format!("--{name} needs a number"));
            }
            options.given.insert(name.to_string(), value);
        }
        Ok(options)
    }

    /// A number that was given, or the usual one.
    pub(crate) fn number(&self, name: &str, usual: u64) -> u64 {
        self.given.get(name).and_then(|text| text.parse().ok()).unwrap_or(usual)
    }

    /// A path that was given, or the usual one.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        let usual = PATHS.iter().find(|(path, _)| *path == name).map_or("", |(_, usual)| usual);
        let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        self.given.get(name).map_or_else(|| here.join(usual), PathBuf::from)
    }
}
