//! Runs the simulation of `crates/sim`: the engine against a model, step by step from seeds. Knows only how to start it and
//! to count.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::report::Row;

/// The seeds of a run and of the next one have nothing in common.
const SEEDS_OF_A_RUN: u64 = 100_000;

/// Plays seeds as a crowd on a disk that fails, tears and delays, and a tenth of them in the other ways: one client in memory
/// and on a real disk, and histories of a table.
pub(crate) fn run(sim: &Path, first: u64, seeds: u64, steps: u64) -> Result<Row, String> {
    let began = Instant::now();
    let mut problems = Vec::new();
    let tenth = (seeds / 10).max(1);
    let plays: [(u64, &[&str]); 5] = [
        (seeds, &[]),
        (tenth, &["--alone"]),
        (tenth, &["--alone", "--disk"]),
        (tenth, &["--histories"]),
        (tenth, &["--histories", "--disk"]),
    ];
    for (count, options) in plays {
        let output = Command::new(sim)
            .args([
                "--seed",
                &(first.saturating_sub(1) * SEEDS_OF_A_RUN + 1).to_string(),
                "--seeds",
                &count.to_string(),
                "--steps",
                &steps.to_string(),
            ])
            .args(options)
            .output()
            .map_err(|error| format!("{}: {error}", sim.display()))?;
        let text = String::from_utf8_lossy(&output.stderr);
        let due = format!("{count} seeds of {steps} steps: 0 with differences");
        if !output.status.success() || !text.trim_end().ends_with(&due) {
            problems.push(format!("{options:?}: {}", text.chars().take(1500).collect::<String>()));
        }
    }
    let played: u64 = plays.iter().map(|(count, _)| count).sum();
    Ok(Row {
        name: "sim",
        did: format!(
            "{played} seeds, {} steps compared with the model: {seeds} of a crowd on a disk that fails, tears and delays, {} of \
             one client, {} histories of a table",
            played * steps,
            2 * tenth,
            2 * tenth
        ),
        seconds: began.elapsed().as_secs(),
        problems,
    })
}
