//! Where figures go: JSON into bench/results, and text and plots into docs/performance when the run was a full one.
//!
//! Other runs print their report and leave what is published alone.

use crate::curves::{self, Picture};
use crate::figures::{Bars, Figures, Growth};
use crate::options::Options;
use crate::{page, report};
use serde::{Serialize, de::DeserializeOwned};
use std::fs;
use std::path::{Path, PathBuf};

/// Publishes a run of all servers.
pub(crate) fn servers(options: &Options, figures: &Figures) -> Result<(), String> {
    let text = report::render(figures);
    println!("{text}");
    if !options.publish {
        return write_json(&results(options, "partial.json"), figures);
    }
    write_json(&results(options, "latest.json"), figures)?;
    write(&docs(options, "servers.md"), &text)
}

/// Publishes the rounds of the bar.
pub(crate) fn bars(options: &Options, bars: &Bars) -> Result<(), String> {
    let pictures: Vec<Picture> = curves::of_bars(bars).into_iter().collect();
    println!("{}", page::of_bars(bars, &pictures));
    if !options.publish {
        return write_json(&results(options, "partial-bars.json"), bars);
    }
    write_json(&results(options, "bars.json"), bars)?;
    self::page(options)
}

/// Publishes a run of growth.
pub(crate) fn growth(options: &Options, growth: &Growth) -> Result<(), String> {
    println!("{}", page::of_growth(growth, &[]));
    if !options.publish {
        return write_json(&results(options, "partial-growth.json"), growth);
    }
    write_json(&results(options, "growth.json"), growth)?;
    self::page(options)
}

/// Writes the pages and their plots from the published figures.
pub(crate) fn page(options: &Options) -> Result<(), String> {
    if let Some(figures) = read::<Figures>(&results(options, "latest.json"))? {
        write(&docs(options, "servers.md"), &report::render(&figures))?;
    }
    let bars: Option<Bars> = read(&results(options, "bars.json"))?;
    let growth: Option<Growth> = read(&results(options, "growth.json"))?;
    let mut pictures: Vec<Picture> = bars.as_ref().and_then(curves::of_bars).into_iter().collect();
    pictures.extend(growth.as_ref().map(curves::of_growth).into_iter().flatten());
    for picture in &pictures {
        write(&docs(options, picture.file), &picture.plot.render())?;
    }
    let path = docs(options, "README.md");
    let old = fs::read_to_string(&path).unwrap_or_default();
    write(&path, &page::render(bars.as_ref(), growth.as_ref(), &pictures, &old))
}

fn results(options: &Options, name: &str) -> PathBuf {
    options.home.join("results").join(name)
}

fn docs(options: &Options, name: &str) -> PathBuf {
    options.home.join("../docs/performance").join(name)
}

/// The figures in a file; none when there is no such file.
fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, String> {
    let Ok(text) = fs::read(path) else { return Ok(None) };
    serde_json::from_slice(&text).map(Some).map_err(|error| format!("{}: {error}", path.display()))
}

fn write_json(path: &Path, figures: &impl Serialize) -> Result<(), String> {
    let text = serde_json::to_string_pretty(figures).map_err(|error| error.to_string())?;
    write(path, &(text + "\n"))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text));
    written.map_err(|error| format!("cannot write {}: {error}", path.display()))
}
