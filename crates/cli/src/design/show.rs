//! The verbs that show one thing in another form: explain, cost, docs, export, import, drift.
//! Knows how texts are handed out; they are written by the design crate.

use super::asked::Asked;
use super::{Ended, apply, open, say};
use crate::failure::Failure;
use design::cost::{self, Report};
use design::diagnostic::Diagnostic;
use design::drift::Drift;
use design::explain::Explained;
use design::export::Format;
use design::model::{Design, Pattern};
use design::request::Request;
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// How many items of a table are looked at unless somebody says otherwise.
const USUAL_ITEMS: u64 = 100;

/// Shows the exact requests of a pattern.
pub(crate) fn explain(asked: &Asked) -> Result<Ended, Failure> {
    let Some(designs) = open::sound(asked)? else { return Ok(Ended::Badly) };
    let mut told = Vec::new();
    for (design, pattern) in chosen(asked, &designs)? {
        let environment = open::environment(asked, design)?;
        let requests = design::request::requests(design, environment, pattern).map_err(diagnosed)?;
        told.push((pattern, requests));
    }
    if asked.is_json {
        let all: Vec<Json> =
            told.iter().map(|(pattern, requests)| explained_json(pattern, requests)).collect();
        say::json(&json!({ "patterns": all }));
        return Ok(Ended::Well);
    }
    let form = asked.format.as_deref().unwrap_or("all");
    for (pattern, requests) in told {
        crate::say(&explained_text(pattern, &requests, form)?);
    }
    Ok(Ended::Well)
}

/// The patterns that the words name.
pub(crate) fn chosen<'a>(
    asked: &Asked,
    designs: &'a [Design],
) -> Result<Vec<(&'a Design, &'a Pattern)>, Failure> {
    let all =
        || designs.iter().flat_map(|design| design.patterns.iter().map(move |pattern| (design, pattern)));
    let mut found = Vec::new();
    for word in open::others(&asked.words) {
        let before = found.len();
        found.extend(all().filter(|(_, pattern)| pattern.name.value == word));
        if found.len() == before {
            let names: Vec<&str> = all().map(|(_, pattern)| pattern.name.value.as_str()).collect();
            return Err(Failure::new(format!(
                "there is no access pattern {word}: there is {}",
                names.join(", ")
            )));
        }
    }
    if found.is_empty() {
        let names: Vec<&str> = all().map(|(_, pattern)| pattern.name.value.as_str()).collect();
        return Err(Failure::new(format!("name an access pattern: {}", names.join(", "))));
    }
    Ok(found)
}

type Form = (&'static str, &'static str, fn(&Explained) -> &str);

const FORMS: &[Form] = &[
    ("json", "request", |explained| &explained.json),
    ("cli", "AWS CLI", |explained| &explained.cli),
    ("python", "Python (boto3)", |explained| &explained.python),
    ("javascript", "JavaScript (SDK v3)", |explained| &explained.javascript),
    ("rust", "Rust (aws-sdk-dynamodb)", |explained| &explained.rust),
];

fn explained_text(pattern: &Pattern, requests: &[Request], form: &str) -> Result<String, Failure> {
    let forms: Vec<&Form> = FORMS.iter().filter(|(name, ..)| form == "all" || form == *name).collect();
    if forms.is_empty() {
        let names: Vec<&str> = FORMS.iter().map(|(name, ..)| *name).collect();
        return Err(Failure::new(format!("--format must be all, {}, not {form:?}", names.join(", "))));
    }
    let mut text = String::new();
    for (place, request) in requests.iter().enumerate() {
        let explained = design::explain::explain(request);
        let on = request.index.as_ref().map(|index| format!(" by {index}")).unwrap_or_default();
        let words =
            if request.words.is_empty() { String::new() } else { format!(" where {}", request.words) };
        if form == "all" {
            // Writing to a string cannot fail.
            let _written = writeln!(
                text,
                "{} {}/{}: {} of {}{on}{words}",
                pattern.name.value,
                place + 1,
                requests.len(),
                request.operation,
                request.table
            );
        }
        for (_, title, spelled) in &forms {
            if form == "all" {
                let _written = writeln!(text, "\n# {title}");
            }
            let _written = writeln!(text, "{}", spelled(&explained));
        }
        text.push('\n');
    }
    Ok(text)
}

fn explained_json(pattern: &Pattern, requests: &[Request]) -> Json {
    let requests = requests.iter().map(|request| {
        let explained = design::explain::explain(request);
        json!({
            "operation": request.operation,
            "table": request.table,
            "index": request.index,
            "keyCondition": request.words,
            "request": request.body,
            "cli": explained.cli,
            "python": explained.python,
            "javascript": explained.javascript,
            "rust": explained.rust,
        })
    });
    json!({ "pattern": pattern.name.value, "requests": requests.collect::<Vec<_>>() })
}

/// What the designs will cost.
pub(crate) fn cost(asked: &Asked) -> Result<Ended, Failure> {
    let Some(designs) = open::sound(asked)? else { return Ok(Ended::Badly) };
    let bill = |design: &Design| -> Result<Report, Failure> {
        cost::cost(design, open::environment(asked, design)?, asked.region.as_deref()).map_err(diagnosed)
    };
    let mut told = Vec::new();
    for design in &designs {
        let report = bill(design)?;
        let mut json = json!({ "cost": report.to_json() });
        let mut text = report.to_string();
        if let Some(file) = &asked.what_if {
            let other = Asked { words: vec![file.clone()], ..asked.clone() };
            let Some(others) = open::sound(&other)? else { return Ok(Ended::Badly) };
            for other in &others {
                let comparison = cost::what_if(&report, &bill(other)?);
                // Writing to a string cannot fail.
                let _written = write!(text, "\n{comparison}");
                if let Some(members) = json.as_object_mut() {
                    members.insert("whatIf".to_owned(), comparison.to_json());
                }
            }
        }
        if !asked.is_json {
            crate::say(&format!("{}\n", text.trim_end()));
        }
        told.push(json);
    }
    if asked.is_json {
        say::json(&json!({ "designs": told }));
    }
    Ok(Ended::Well)
}

/// Writes designs out in another format.
pub(crate) fn export(asked: &Asked) -> Result<Ended, Failure> {
    let names: Vec<&str> = Format::ALL.into_iter().map(Format::name).collect();
    let word = open::others(&asked.words).next().or(asked.format.as_deref());
    let format = word.and_then(Format::from_name);
    let format = format.ok_or_else(|| Failure::new(format!("name a format: {}", names.join(", "))))?;
    let Some(designs) = open::sound(asked)? else { return Ok(Ended::Badly) };
    let mut texts = Vec::new();
    for design in &designs {
        let environment = open::environment(asked, design)?;
        texts.push((design, design::export::export(design, environment, format).map_err(diagnosed)?));
    }
    if asked.is_json {
        let all = texts
            .iter()
            .map(|(design, text)| json!({ "design": design.name, "format": format.name(), "text": text }));
        say::json(&json!({ "exports": all.collect::<Vec<_>>() }));
        return Ok(Ended::Well);
    }
    let texts: Vec<String> = texts.into_iter().map(|(_, text)| text).collect();
    hand_out(asked, &texts.join("\n"))
}

/// Writes designs out for people. The file to write to says which form, unless the form is named.
pub(crate) fn docs(asked: &Asked) -> Result<Ended, Failure> {
    let named = asked.format.as_deref();
    let is_page = asked.output.as_deref().is_some_and(|file| file.ends_with(".html"));
    let format = named.unwrap_or(if is_page { "html" } else { "markdown" });
    let write = match format {
        "markdown" => design::docs::markdown,
        "html" => design::docs::html,
        _ => return Err(Failure::new("--format must be markdown or html")),
    };
    let Some(designs) = open::sound(asked)? else { return Ok(Ended::Badly) };
    if format == "html" && designs.len() > 1 && !asked.is_json {
        return Err(Failure::new("a page holds one design: name one file"));
    }
    let mut texts = Vec::new();
    for design in &designs {
        let environment = open::environment(asked, design)?;
        texts.push((design, write(design, environment).map_err(diagnosed)?));
    }
    if asked.is_json {
        let all = texts
            .iter()
            .map(|(design, text)| json!({ "design": design.name, "format": format, "text": text }));
        say::json(&json!({ "documents": all.collect::<Vec<_>>() }));
        return Ok(Ended::Well);
    }
    let texts: Vec<String> = texts.into_iter().map(|(_, text)| text).collect();
    hand_out(asked, &texts.join("\n"))
}

/// Writes a design from a template, a model, a description or a running table.
pub(crate) fn import(asked: &Asked) -> Result<Ended, Failure> {
    let text = match (&asked.table, asked.words.first()) {
        (Some(table), None) => {
            let endpoint = open::endpoint(asked, None)?;
            let items = usize::try_from(asked.items.unwrap_or(USUAL_ITEMS)).unwrap_or(usize::MAX);
            design::import::from_endpoint(endpoint.as_ref(), table, items).map_err(apply::refused)?
        }
        (None, Some(file)) => design::import::import(file, &open::read(file)?).map_err(diagnosed)?,
        _ => return Err(Failure::new("name a file to import, or a running table with --table NAME")),
    };
    if asked.is_json {
        say::json(&json!({ "text": text }));
        return Ok(Ended::Well);
    }
    hand_out(asked, &text)
}

/// Prints a text, or writes it to the file that was asked for.
pub(crate) fn hand_out(asked: &Asked, text: &str) -> Result<Ended, Failure> {
    let text = format!("{}\n", text.trim_end());
    match &asked.output {
        None => crate::say(&text),
        Some(file) => {
            std::fs::write(file, text)
                .map_err(|error| Failure::new(format!("{file} cannot be written: {error}")))?;
            eprintln!("wrote {file}");
        }
    }
    Ok(Ended::Well)
}

/// What running tables have that the designs have not.
pub(crate) fn drift(asked: &Asked) -> Result<Ended, Failure> {
    let Some(designs) = open::sound(asked)? else { return Ok(Ended::Badly) };
    let mut found = Vec::new();
    for design in &designs {
        let environment = open::environment(asked, design)?;
        let endpoint = open::endpoint(asked, Some(design))?;
        let items = asked.items.unwrap_or(USUAL_ITEMS);
        found.extend(
            design::drift::drift(design, environment, endpoint.as_ref(), items).map_err(apply::refused)?,
        );
    }
    if asked.is_json {
        say::json(&json!({ "drift": found.iter().map(drift_json).collect::<Vec<_>>() }));
    } else if found.is_empty() {
        crate::say("everything is as the design says\n");
    } else {
        crate::say(&say::columns(&found.iter().map(drift_row).collect::<Vec<_>>()));
    }
    Ok(Ended::well_if(found.is_empty()))
}

fn drift_row(drift: &Drift) -> Vec<String> {
    let (sign, words) = match (&drift.design, &drift.table_has) {
        (None, Some(there)) => ("+", format!("{there}; the design has none")),
        (Some(asked), None) => ("-", format!("none; the design has {asked}")),
        (Some(asked), Some(there)) => ("~", format!("{there}; the design has {asked}")),
        (None, None) => ("=", String::new()),
    };
    vec![sign.to_owned(), drift.table.clone(), drift.what.clone(), words]
}

fn drift_json(drift: &Drift) -> Json {
    json!({ "table": drift.table, "what": drift.what, "design": drift.design, "found": drift.table_has })
}

/// A finding as a line for the person.
pub(crate) fn diagnosed(found: Diagnostic) -> Failure {
    Failure::new(found.to_string())
}
