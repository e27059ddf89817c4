//! Evidence from outside: the real binary under load, under kill -9 and under loss of power, and what it answered
//! checked afterwards. `proof help` lists the proofs.

mod books;
mod builder;
mod chance;
mod consistency;
mod crash;
mod faults;
mod options;
mod power;
mod report;
mod server;
mod wire;

use std::process::ExitCode;

use options::Options;
use report::Row;

const HELP: &str = "usage: proof NAME… [--larder PATH] [--seed N] [--seconds N] [--clients N]

  consistency  concurrent clients, kills, linearizability and strict serialisability";

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) if !options.proofs.is_empty() => options,
        Ok(_) => {
            eprintln!("{HELP}");
            return ExitCode::from(2);
        }
        Err(problem) => {
            eprintln!("proof: {problem}\n{HELP}");
            return ExitCode::from(2);
        }
    };
    let mut rows = Vec::new();
    for name in &options.proofs {
        match one(name, &options) {
            Ok(row) => rows.push(row),
            Err(problem) => {
                eprintln!("proof: {name}: {problem}");
                return ExitCode::FAILURE;
            }
        }
    }
    print!("{}", report::render(&rows));
    if rows.iter().all(|row| row.problems.is_empty()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn one(name: &str, options: &Options) -> Result<Row, String> {
    match name {
        "consistency" => {
            let plan = consistency::Plan {
                seconds: options.number("seconds", 60),
                clients: options.number("clients", 16) as usize,
                seed: options.number("seed", 1),
            };
            consistency::run(&options.larder, &plan)
        }
        "crash" => {
            let plan = crash::Plan {
                rounds: options.number("rounds", 210),
                heavy_rounds: options.number("heavy", 24),
                writers: options.number("writers", 8),
                seed: options.number("seed", 1),
                seconds_max: options.number("seconds", 900),
            };
            crash::run(&options.larder, &plan)
        }
        "power" => {
            let plan = power::Plan {
                losses: options.number("losses", 200),
                heavy_losses: options.number("heavy-losses", 30),
                seed: options.number("seed", 1),
                seconds_max: options.number("seconds", 900),
            };
            power::run(&options.larder, &plan)
        }
        _ => Err("there is no such proof".to_string()),
    }
}
