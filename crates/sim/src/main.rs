//! Plays seeds: `cargo run -p sim -- [--seed N] [--seeds COUNT] [--steps COUNT] [--disk] [--histories]`.

use std::process::ExitCode;

use sim::{Place, live, play};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str, usual: u64| {
        let place = arguments.iter().position(|argument| argument == name)?;
        Some(arguments.get(place + 1).and_then(|text| text.parse().ok()).unwrap_or(usual))
    };
    let first = number("--seed", 1).unwrap_or(1);
    let seeds = number("--seeds", 1).unwrap_or(1);
    let steps = usize::try_from(number("--steps", 200).unwrap_or(200)).unwrap_or(200);
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let place = if has("--disk") { Place::Disk } else { Place::Memory };
    let run = if has("--histories") { live } else { play };
    let mut failed = 0;
    for seed in first..first + seeds {
        if let Err(difference) = run(seed, steps, place) {
            failed += 1;
            eprintln!("{difference}");
        }
        if seed % 100 == 0 {
            eprintln!("{} of {seeds} seeds played, {failed} with differences", seed - first + 1);
        }
    }
    eprintln!("{seeds} seeds of {steps} steps: {failed} with differences");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
