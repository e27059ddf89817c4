//! A design as a document: Markdown with Mermaid diagrams, or one HTML page that needs nothing else.
//! Knows no endpoint.

mod chart;
mod facts;
mod html;
mod markdown;
mod sections;

use crate::cost;
use crate::diagnostic::Diagnostic;
use crate::model::{Design, Environment};
use facts::Facts;

/// The design as Markdown.
pub fn markdown(design: &Design, environment: &Environment) -> Result<String, Diagnostic> {
    let bill = cost::cost(design, environment, None)?;
    Ok(markdown::write(&Facts::new(design, environment, &bill)))
}

/// The design as one HTML page.
pub fn html(design: &Design, environment: &Environment) -> Result<String, Diagnostic> {
    let bill = cost::cost(design, environment, None)?;
    Ok(html::write(&Facts::new(design, environment, &bill)))
}

#[cfg(test)]
mod tests;
