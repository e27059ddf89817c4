//! Evidence from outside: the real binary under load, under kill -9 and under loss of power, and what it answered
//! checked afterwards. `docs/reliability.md` says what is proved and how.

mod books;
mod builder;
mod chance;
mod consistency;
mod crash;
mod differ;
mod faults;
mod fuzz;
mod load;
mod options;
mod power;
mod report;
mod seeds;
mod server;
mod wire;

use std::process::ExitCode;
use std::time::Instant;

use options::Options;
use report::Row;

const HELP: &str =
    "usage: proof NAME… [--larder PATH] [--peer PATH] [--fuzzers FOLDER] [--seed N] [--NUMBER N]…

  sim          the engine against a model, from seeds [--seeds 100] [--steps 100]
  consistency  concurrent clients and kills: linearizability, strict serialisability
               [--consistency-seconds 60] [--clients 16]
  crash        kill -9 at named points and at random [--rounds 210] [--heavy-rounds 20] [--crash-seconds 900]
  power        loss of power: unsynced changes dropped, reordered, torn [--losses 300] [--heavy-losses 30]
  planted      faults put in on purpose, which the others must find
  fuzz         inputs for everything that reads what others wrote [--inputs 1000000] [--fuzz-seconds 1800]
  differ       the same requests to dynoxide, answers compared [--requests 20000]
  sockets      too many connections, half-open callers, bodies without an end
  full         a full disk
  clock        a clock that jumps
  soak         a load that goes on, and its memory [--soak-seconds 60] [--soak-rate 2000]
  small        all of them except differ, in a form for every day
  all          all of them";

/// The proofs in the order of the table.
const ALL: [&str; 11] =
    ["sim", "consistency", "crash", "power", "planted", "fuzz", "differ", "sockets", "full", "clock", "soak"];
const SMALL: [&str; 10] =
    ["sim", "consistency", "crash", "power", "planted", "fuzz", "sockets", "full", "clock", "soak"];

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
    let named: Vec<&str> = options
        .proofs
        .iter()
        .flat_map(|name| match name.as_str() {
            "all" => ALL.to_vec(),
            "small" => SMALL.to_vec(),
            name => vec![name],
        })
        .collect();
    let Some(names) =
        named.iter().map(|name| ALL.into_iter().find(|known| known == name)).collect::<Option<Vec<_>>>()
    else {
        eprintln!("proof: there is no such proof among {}\n{HELP}", named.join(", "));
        return ExitCode::from(2);
    };
    let began = Instant::now();
    let mut rows = Vec::new();
    for (place, name) in names.iter().enumerate() {
        let number = place + 1;
        eprintln!("proof: {number} of {}, {name}, begins after {} s", names.len(), began.elapsed().as_secs());
        let row = one(name, &options).unwrap_or_else(|problem| Row::not_run(name, problem));
        eprintln!("proof: {name}: {}, {} s: {}", row.verdict(), row.seconds, row.did);
        rows.push(row);
    }
    print!("{}", report::render(&rows));
    if rows.iter().all(|row| row.problems.is_empty()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn one(name: &str, options: &Options) -> Result<Row, String> {
    let larder = &options.path("larder");
    let number = |name, usual| options.number(name, usual);
    let seed = number("seed", 1);
    match name {
        "consistency" => {
            let (seconds, clients) = (number("consistency-seconds", 60), number("clients", 16) as usize);
            consistency::run(larder, &consistency::Plan { seconds, clients, seed })
        }
        "crash" => {
            let (rounds, heavy_rounds) = (number("rounds", 210), number("heavy-rounds", 20));
            let (writers, seconds_max) = (number("writers", 8), number("crash-seconds", 900));
            crash::run(larder, &crash::Plan { rounds, heavy_rounds, writers, seed, seconds_max })
        }
        "power" => {
            let (losses, heavy_losses) = (number("losses", 300), number("heavy-losses", 30));
            let seconds_max = number("power-seconds", 900);
            power::run(larder, &power::Plan { losses, heavy_losses, seed, seconds_max })
        }
        "sim" => seeds::run(&options.path("sim"), seed, number("seeds", 100), number("steps", 100)),
        "planted" => power::planted(larder, seed),
        "fuzz" => {
            let (inputs, seconds_max) = (number("inputs", 1_000_000), number("fuzz-seconds", 1800));
            fuzz::run(&fuzz::Plan { programs: options.path("fuzzers"), inputs, seed, seconds_max })
        }
        "differ" => {
            let (requests, seconds_max) = (number("requests", 20_000), number("differ-seconds", 300));
            differ::run(larder, &differ::Plan { requests, seed, peer: options.path("peer"), seconds_max })
        }
        "sockets" => load::sockets(larder),
        "full" => load::full(larder),
        "clock" => load::clock(larder),
        "soak" => {
            let (seconds, rate) = (number("soak-seconds", 60), number("soak-rate", 2000));
            load::soak(larder, &load::Soak { seconds, rate, seed })
        }
        _ => Err("there is no such proof".to_string()),
    }
}
