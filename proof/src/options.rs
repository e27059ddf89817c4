//! The command line: names of proofs, and numbers by name.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// What was asked for.
pub(crate) struct Options {
    pub(crate) proofs: Vec<String>,
    pub(crate) larder: PathBuf,
    numbers: BTreeMap<String, u64>,
}

impl Options {
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
        let mut options = Options {
            proofs: Vec::new(),
            larder: target.join("release").join("larder"),
            numbers: BTreeMap::new(),
        };
        let mut arguments = arguments.peekable();
        while let Some(argument) = arguments.next() {
            let Some(name) = argument.strip_prefix("--") else {
                options.proofs.push(argument);
                continue;
            };
            let value = arguments.next().ok_or_else(|| format!("--{name} needs a value"))?;
            if name == "larder" {
                options.larder = PathBuf::from(value);
            } else {
                let number = value.parse().map_err(|_| format!("--{name} needs a number"))?;
                options.numbers.insert(name.to_string(), number);
            }
        }
        Ok(options)
    }

    /// A number that was given, or the usual one.
    pub(crate) fn number(&self, name: &str, usual: u64) -> u64 {
        self.numbers.get(name).copied().unwrap_or(usual)
    }
}
