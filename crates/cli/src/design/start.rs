//! Designs that `larder serve` deploys and seeds before it serves.
//! Knows that a start must never change what people have done to the samples.

use super::{apply, local, open};
use crate::failure::Failure;
use design::deploy::Options;
use design::diagnostic::Diagnostic;
use design::seed::Over;
use engine::Engine;
use std::path::PathBuf;

/// Deploys and seeds designs; the names of those that are there.
pub(crate) fn deploy_all(engine: &Engine, files: &[PathBuf]) -> Result<Vec<String>, Failure> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let words: Vec<String> = files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
    let opened = open::open_all(&words)?;
    let wrong: Vec<&Diagnostic> =
        opened.iter().flat_map(|one| &one.found).filter(|found| found.is_error()).collect();
    if let Some(first) = wrong.first() {
        return Err(Failure::new(format!(
            "nothing was deployed, because {first} ({} in all: larder design check shows them)",
            super::say::count(wrong.len(), "error")
        )));
    }
    let endpoint = local::Local { engine };
    let mut names = Vec::new();
    for design in opened.iter().filter_map(|one| one.design.as_ref()) {
        let environment = design::physical::environment(design, None).map_err(Failure::new)?;
        let mut warn = |event: &design::deploy::Event| {
            if let design::deploy::Event::Warning { table, message } = event {
                tracing::warn!("{table}: {message}");
            }
        };
        design::deploy::deploy(design, environment, &endpoint, Options::default(), &mut warn)
            .map_err(|refusal| Failure::new(format!("{}: {refusal}", design.file)))?;
        apply::plant(design, environment, &endpoint, Over::Keep)?;
        names.push(design.name.clone());
    }
    Ok(names)
}
